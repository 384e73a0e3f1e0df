package language

import (
	"reckon/engine/decimal"
	"reckon/engine/units"
)

// change is a value told by its difference from an earlier one: "10 mph faster", "double the price".
type change struct {
	quantity int // of the prose; -1 where a word tells the factor
	from, to int // tokens of the words that say so, the quantity not counted
	sign     int // +1 or -1; 0 for a factor
	factor   decimal.Decimal
	hint     want // what the word of comparison is about
	sure     bool // cannot be meant as a value of its own
}

// comparative is a row of the table of words of comparison, which stand behind an amount: "10 mph faster".
type comparative struct {
	words string
	sign  int
	want  want
	sure  bool
}

var comparatives = []comparative{
	{"more extra additional", 1, wantAny, true},
	{"less", -1, wantAny, true},
	{"fewer", -1, wantCount, true},
	{"higher bigger larger greater", 1, wantAny, true},
	{"lower smaller", -1, wantAny, true},
	{"up", 1, wantAny, true},
	{"down", -1, wantAny, false},
	{"off", -1, wantAny, false},
	{"faster quicker", 1, wantSpeed, true},
	{"slower", -1, wantSpeed, true},
	{"longer", 1, wantTime, true},
	{"shorter", -1, wantTime, true},
	{"later", 1, wantMoment, true},
	{"earlier sooner", -1, wantMoment, true},
	{"farther further", 1, wantLength, true},
	{"taller wider deeper thicker", 1, wantLength, true},
	{"narrower thinner shallower closer nearer", -1, wantLength, true},
	{"heavier", 1, wantMass, true},
	{"lighter", -1, wantMass, true},
	{"warmer hotter", 1, wantTemperature, true},
	{"colder cooler", -1, wantTemperature, true},
	{"dearer costlier pricier", 1, wantMoney, true},
	{"cheaper", -1, wantMoney, true},
	{"older", 1, wantAge, true},
	{"younger", -1, wantAge, true},
}

// adjectives are what words of comparison compare, as names may have it.
var adjectives = map[string]string{
	"faster": "fast", "quicker": "quick", "slower": "speed", "longer": "long", "shorter": "long", "farther": "far", "further": "far", "closer": "far", "nearer": "far",
	"taller": "tall", "wider": "wide", "narrower": "wide", "deeper": "deep", "shallower": "deep", "thicker": "thick", "thinner": "thick", "higher": "high",
	"heavier": "heavy", "lighter": "heavy", "warmer": "warm", "hotter": "hot", "colder": "cold", "cooler": "cold", "cheaper": "price", "dearer": "price",
	"costlier": "cost", "pricier": "price", "older": "old", "younger": "old", "bigger": "big", "larger": "large", "smaller": "size",
}

// degrees are the adjectives of "twice as fast".
var degrees = map[string]want{
	"fast": wantSpeed, "quick": wantSpeed, "quickly": wantSpeed, "slow": wantSpeed, "long": wantTime, "far": wantLength, "tall": wantLength, "high": wantLength,
	"wide": wantLength, "deep": wantLength, "thick": wantLength, "heavy": wantMass, "hot": wantTemperature, "warm": wantTemperature, "expensive": wantMoney,
	"old": wantAge, "much": wantAny, "many": wantAny, "big": wantAny, "large": wantAny, "strong": wantAny, "powerful": wantAny, "often": wantFrequency,
}

// changeNouns are nouns behind a share, or before what it is a change of: "a 10% raise", "a 5 dollar cut in the price".
var changeNouns = map[string]int{
	"raise": 1, "increase": 1, "rise": 1, "hike": 1, "bump": 1, "boost": 1, "cut": -1, "reduction": -1, "decrease": -1, "drop": -1, "fall": -1,
}

// changeVerb is a row of the table of verbs that move a value: "raise the price by 10%", "add 5 km".
type changeVerb struct {
	words  string
	sign   int
	direct bool // the amount may follow without "by": "add 5 km"
}

var changeVerbs = []changeVerb{
	{"increase increases increased increasing raise raises raised raising boost boosts boosted grow grows grew rise rises rose rising climb climbs climbed", 1, false},
	{"bump bumps bumped push pushes pushed lift lifts lifted extend extends extended lengthen jump jumps jumped up upped ups", 1, false},
	{"gain gains gained gaining", 1, true},
	{"add adds added adding plus another extra additional further", 1, true},
	{"decrease decreases decreased decreasing reduce reduces reduced reducing lower lowers lowered lowering", -1, false},
	{"drop drops dropped dropping cut cuts cutting fall falls fell falling shrink shrinks shrank shorten shortens shortened down sink sinks", -1, false},
	{"lose loses lost losing", -1, true},
	{"subtract subtracts deduct knock knocks shave shaves trim trims trimmed remove less", -1, true},
}

// factorWord is a row of the table of words that multiply: "double the price", "at half the speed".
type factorWord struct {
	text    string
	factor  string
	example string
}

var factorWords = []factorWord{
	{"double|doubled|doubles|doubling|twice", "2", "double the distance"},
	{"triple|tripled|triples|treble|trebled|thrice", "3", "triple the distance"},
	{"quadruple|quadrupled|quadruples", "4", "quadruple the distance"},
	{"halve|halved|halves|halving", "0.5", "halve the distance"},
	{"half of? the|that|my|our|as|its|this", "0.5", "half the distance"},
	{"in half", "0.5", "cut the distance in half"},
	{"by half", "0.5", "cut the distance by half"},
	{"a? third of the|that|my", "1/3", "a third of the distance"},
	{"a? quarter of the|that|my", "0.25", "a quarter of the distance"},
}

type changeTable struct {
	comparatives map[string]*comparative
	verbs        map[string]*changeVerb
	factors      []pattern
}

// pointWords say that an amount is one of percentage points, as "half a point" is.
var pointWords = wordSet("point points pp pts ppt")

// difference is the change that a reading makes to a value in a unit, in that unit.
func difference(c *decimal.Context, r *reading, to *units.Unit) (decimal.Decimal, bool) {
	from := r.unit
	if from == nil {
		return r.number, true
	}
	if to == nil {
		to = units.One
	}
	q, err := units.Convert(c, units.Quantity{Number: r.number, Unit: from.Difference()}, to.Difference())
	if err != nil || c.Err() != nil {
		return decimal.Decimal{}, false
	}
	return q.Number, true
}

// inUnit is a quantity in another unit, rounded as values are shown.
func inUnit(q units.Quantity, to *units.Unit) (units.Quantity, bool) {
	c := decimal.NewContext(10_000)
	r, err := units.Convert(c, q, to)
	if err != nil || c.Err() != nil {
		return q, false
	}
	r.Number = r.Number.Shown()
	return r, true
}

// sameUnit reports whether two units are the same size of the same thing, such as mph and mi/h.
func sameUnit(a, b *units.Unit) bool {
	if a == nil || b == nil || a.IsPoint() != b.IsPoint() {
		return a == b
	}
	one, err := decimal.Parse("1")
	if err != nil {
		return false
	}
	q, ok := inUnit(units.Quantity{Number: one, Unit: a}, b)
	return ok && q.Number.Cmp(one) == 0 && a.Dimension() == b.Dimension()
}

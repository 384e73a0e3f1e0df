package language

import (
	"reckon/engine/units"
)

// want is what the form of a question asks for.
type want int

const (
	wantAny want = iota
	wantTime
	wantMoment
	wantLength
	wantSpeed
	wantCount
	wantMoney
	wantMass
	wantTemperature
	wantSize
	wantAge
	wantPercent
	wantFrequency
	wantNothing // words that look like a question and are none: "what if", "how about"
)

// form is a row of the table of question forms.
type form struct {
	text    string
	want    want
	example string
	command bool // a verb that asks only where it opens a clause
}

// forms, the more telling ones first: at one place the first that fits is taken.
var forms = []form{
	{"what|how about|bout", wantNothing, "how about 75?", false},
	{"what|wat if", wantNothing, "what if it was 75", false},
	{"what happens if|when", wantNothing, "what happens if I go at 75", false},
	{"how much time", wantTime, "how much time do I need", false},
	{"how much longer|later|earlier|sooner", wantTime, "how much longer would it take", false},
	{"how much further|farther", wantLength, "how much further can I get", false},
	{"how long", wantTime, "how long does it take", false},
	{"how lnog|logn|lon|lng", wantTime, "how lnog", false},
	{"what|which|at|by time|hour", wantMoment, "what time do I arrive", false},
	{"when", wantMoment, "when will I arrive", false},
	{"how soon", wantMoment, "how soon", false},
	{"what|which date|day", wantMoment, "what day does it end", false},
	{"how far", wantLength, "how far is it", false},
	{"how fast|quick|quickly|slow|slowly|fats", wantSpeed, "how fast must I go", false},
	{"how many|mny|manny", wantCount, "how many packs", false},
	{"how much|mcuh|muhc|mutch money|cash", wantMoney, "how much money is that", false},
	{"how expensive|pricey|cheap|costly|dear", wantMoney, "how expensive is it", false},
	{"how much|mcuh|muhc|mutch", wantAny, "how much is that", false},
	{"how heavy", wantMass, "how heavy is it", false},
	{"how tall|high|deep|wide|thick|broad", wantLength, "how tall is it", false},
	{"how big|large|small", wantSize, "how big is it", false},
	{"how hot|cold|warm|cool", wantTemperature, "how hot does it get", false},
	{"how old", wantAge, "how old is it", false},
	{"how often|frequently", wantFrequency, "how often", false},
	{"what|which percentage|percent|proportion|fraction|share", wantPercent, "what percentage is that", false},
	{"how efficient|strong|powerful|profitable|bright|loud|dense|steep|accurate", wantAny, "how efficient is it", false},
	{"what's|whats|what|which|wat|waht|wht|hwat", wantAny, "what is the speed", false},
	{"calculate|calc|compute|determine|find|estimate|solve|derive|calcualte|caculate|calulate", wantAny, "calculate the speed", true},
	{"work|working|figure|figuring out", wantAny, "work out the speed", true},
	{"tell|give|show|get me|us", wantAny, "tell me the speed", true},
	{"need|want|like|love|wondering|wonder|curious|interested to? know|about|in|what", wantAny, "I want to know the speed", false},
	{"i? need|want the", wantAny, "I need the speed", false},
}

type formTable []pattern

func readForms() formTable {
	var t formTable
	for _, row := range forms {
		t = append(t, newPattern(row.text))
	}
	return t
}

// question is a place where the prompt asks for something.
type question struct {
	from, to int // the tokens of the form
	end      int // where what is asked for ends: a quantity or the border of the sentence
	want     want
	unit     *units.Unit // "how many hours": the unit asked for, nil for none
}

// how reports whether the form says itself what is asked for: "how long", "how much".
func (q *question) how(p *prose) bool { return q.want != wantAny || p.tokens[q.from].fold == "how" }

// joins reports whether a stretch of tokens has an "and" in it.
func (p *prose) joins(from, to int) bool {
	for i := from; i < to; i++ {
		if p.tokens[i].fold == "and" || p.tokens[i].fold == "&" {
			return true
		}
	}
	return false
}

// fits says how well a variable answers a question of a kind: 1 fully, 0 for not at all.
func (w want) fits(t *term) float64 {
	is := func(d units.Dimension) float64 {
		if t.dimensional && t.dimension == d && !t.moment() {
			return 1
		}
		return 0
	}
	switch w {
	case wantTime:
		if t.kind == "duration" || t.counted != nil {
			return 1
		}
		return max(is(units.Time), 0.4*is(units.Length))
	case wantMoment:
		if t.moment() {
			return 1
		}
		return 0.5 * is(units.Time)
	case wantLength:
		return is(units.Length)
	case wantSpeed:
		return max(is(units.Length.Div(units.Time)), is(units.Information.Div(units.Time)), 0.4*is(units.Time))
	case wantCount:
		if t.moment() {
			return 0
		}
		if t.dimensional && t.dimension.IsNone() && t.kind != "percent" {
			return 1
		}
		return 0.3
	case wantMoney:
		if t.money() {
			return 1
		}
		if t.dimensional && len(t.dimension.Currencies()) > 0 {
			return 0.9
		}
		return 0
	case wantMass:
		return is(units.Mass)
	case wantTemperature:
		return is(units.Temperature)
	case wantSize:
		area, _ := units.Length.Pow(2, 1)
		volume, _ := units.Length.Pow(3, 1)
		return max(is(area), is(volume), 0.9*is(units.Length), 0.8*is(units.Information), 0.5)
	case wantAge:
		return max(is(units.Time), is(units.None))
	case wantPercent:
		if t.kind == "percent" {
			return 1
		}
		return 0.5 * is(units.None)
	case wantFrequency:
		return max(is(units.None.Div(units.Time)), 0.5*is(units.Time))
	}
	return 0.5
}

// moment reports whether values of a variable are points in time.
func (t *term) moment() bool { return t.kind == "date" || t.kind == "datetime" || t.kind == "time" }

// money reports whether a variable is an amount of money.
func (t *term) money() bool { return t.dimensional && t.dimension.Name() == "money" }

package language

import (
	"fmt"
	"reflect"
	"strconv"
	"sync"
)

// weights are all numbers that the reading of a prompt is scored with: what speaks for something is
// added, what speaks against it is negative, a share is multiplied, and what begins with Least is a
// threshold. The program that fits them is TestFit, which writes the values here.
type weights struct {
	// A word and a name, from 0 to 1.
	Synonym       float64 `is:"0.48"`               // of a synonym, beside the word itself
	Misspelt      float64 `is:"0.85"`               // of a word that is a slip of it
	Described     float64 `is:"0.3333333333333333"` // of a word of the description
	LeastMention  float64 `is:"0.12"`               // that is a mention at all
	MostOfName    float64 `is:"0.8"`                // of a name: all its words, one or two misspelt
	CutName       float64 `is:"0.85"`               // of a name with words of grammar, which are not looked at
	SpokenName    float64 `is:"0.95"`               // of a name with words of grammar, said word by word
	ExactName     float64 `is:"0.92"`               // of a whole name, however common its words
	SharedWords   float64 `is:"0.5"`                // of the words of a name that are said; the rest is of the rarest of them
	WithinLonger  float64 `is:"0.5"`                // of a name within a longer one: "fuel" in "fuel cost"
	LeastLonger   float64 `is:"0.6"`                // of that longer name
	LeastRarity   float64 `is:"0.15"`               // of the most common word of a domain
	TellingRarity float64 `is:"0.3"`                // of a word of grammar that makes a difference in a name
	PlainRarity   float64 `is:"0.6"`                // of a word that says little

	borders []float64 // by barrier

	// What is left of a connection across what stands between.
	StopBorder        float64 `is:"0.2"`
	SemicolonBorder   float64 `is:"0.3"`
	ContrastBorder    float64 `is:"0.4"`
	ClauseBorder      float64 `is:"0.5"`
	ConjunctionBorder float64 `is:"0.55"`
	AttributeBorder   float64 `is:"0.6"`
	SourceBorder      float64 `is:"0.7"`
	SpanBorder        float64 `is:"0.75"`
	RateBorder        float64 `is:"0.8"`
	PlaceBorder       float64 `is:"0.85"`
	HyphenBorder      float64 `is:"0.9"`
	OtherBorder       float64 `is:"0.9"`
	AcrossAmount      float64 `is:"0.35"`
	AcrossPlain       float64 `is:"0.85"`
	AcrossPhrase      float64 `is:"0.6"`
	AcrossWord        float64 `is:"0.65"`
	Overlap           float64 `is:"0.8"` // where the two share tokens

	// The same from a question, which is carried further.
	ReachStop        float64 `is:"0.35"`
	ReachBreak       float64 `is:"0.6"`
	ReachPreposition float64 `is:"0.75"`
	ReachAmount      float64 `is:"0.65"`
	ReachWord        float64 `is:"0.85"`
	ReachBack        float64 `is:"0.5"` // to a name before the question

	// An amount and a variable: the value.
	ForDimension    float64 `is:"2.5"`   // the unit fits the variable
	ForPlainNumber  float64 `is:"1.25"`  // a bare number for one without unit
	ForBaseNumber   float64 `is:"0.625"` // the same where a scenario is built on
	ForMoneyPer     float64 `is:"1.25"`  // "3.75 a gallon", the currency not said
	ForMoneyEach    float64 `is:"1.1"`   // "$12" for a price each
	ForOtherMoney   float64 `is:"2.2"`   // the unit but for the currency
	AgainstUnknown  float64 `is:"-0.5"`  // a unit for a variable whose dimension is not known
	AgainstBare     float64 `is:"-0.8"`  // a number without a unit for a variable that has one
	AgainstShare    float64 `is:"-0.4"`  // the same for a percentage
	AgainstWhole    float64 `is:"-1"`    // more than the whole, for a percentage
	AgainstFraction float64 `is:"-1"`    // a percentage for a plain number
	AgainstGuess    float64 `is:"-1"`    // a weak reading
	AgainstClock    float64 `is:"-1"`    // a clock time for a duration
	ForEach         float64 `is:"2.5"`   // it is told for each of what the variable is told for
	AgainstEach     float64 `is:"-2"`    // and of what this one is not
	ForOwner        float64 `is:"2.5"`   // it is told of what the variable is called by
	AgainstOwner    float64 `is:"-2"`    // and other variables are
	EachOne         float64 `is:"0.8"`   // how surely a description tells that: "in one jar"
	EachKind        float64 `is:"0.6"`   // and a name: "Jar price"
	OthersEach      float64 `is:"0.3"`   // what is left of a name that another amount is told for each of
	ForPence        float64 `is:"1"`     // a number with two decimals is money
	AgainstPence    float64 `is:"-1.5"`  // and no number of things
	EachOther       float64 `is:"0.5"`   // and where the thing is not named: "at 5 each"
	AgainstLater    float64 `is:"-0.8"`  // not the first reading
	AgainstSecond   float64 `is:"-1.6"`  // and some variable can take the first one

	// An amount and a variable: the words nearby.
	ForName       float64 `is:"5"`    // the name of the variable touches the amount
	OwnUnit       float64 `is:"0.75"` // of a name that is only the unit of the amount itself
	AskedName     float64 `is:"0.3"`  // of a name that is asked for
	LeastLink     float64 `is:"0.61"` // of a connection right beside
	LeastLinked   float64 `is:"0.4"`  // of a name right beside
	LeastNamed    float64 `is:"1.5"`  // of evidence that names a variable
	LeastHinted   float64 `is:"0.8"`  // of evidence that hints at it
	LeastBeside   float64 `is:"0.9"`  // of a connection across a noun that nobody knows
	LeastDenied   float64 `is:"0.5"`  // of a name behind "no"
	LeastOtherOne float64 `is:"0.85"` // of a name that a period speaks of instead
	AgainstShared float64 `is:"-0.8"` // of the evidence, where another amount has the same words

	// An amount and a variable: what speaks for the variable before any words do.
	AgainstFinal    float64 `is:"-0.96"` // unnamed, and what equations end in
	AgainstOutput   float64 `is:"-0.4"`  // unnamed, and what an equation yields
	AgainstFallback float64 `is:"-1.25"` // unnamed, and it has a default
	AgainstUnnamed  float64 `is:"-0.9"`  // a bare number, unnamed
	ForEnd          float64 `is:"1.5"`   // "from" the start "to" the end
	AgainstEnd      float64 `is:"-1.5"`
	ForLarge        float64 `is:"1.2"` // "300k" is money
	ForSide         float64 `is:"1.5"` // "5 by 4"
	ForCount        float64 `is:"1"`   // "40 mugs"
	ForRate         float64 `is:"1.5"` // "at 60"
	ForLevel        float64 `is:"1"`   // "at" a price, a temperature or a time of day
	AgainstSize     float64 `is:"-1"`  // "at" a distance
	ForLasting      float64 `is:"0.7"` // "for 3"
	ForPrice        float64 `is:"0.8"` // "at $5"
	AgainstNoPrice  float64 `is:"-0.4"`
	ForPeriod       float64 `is:"2.5"`  // "in a year", of a number of days
	AgainstWeak     float64 `is:"-2.5"` // words that may state no amount, and name no variable
	AgainstUntold   float64 `is:"-3"`   // a choice by its label is left out, and its words name nothing else
	ForUnread       float64 `is:"1.5"`  // words that may state no amount are no amount
	ForOrder        float64 `is:"0.6"`  // amounts of one kind in the domain's order
	ForNamedOrder   float64 `is:"0.3"`  // the same where words tell them apart
	LeastOrdered    float64 `is:"1"`    // of evidence that does

	// An amount and the scenario that is built on.
	ForBase        float64 `is:"1.2"`  // the variable is given there
	ForAssumed     float64 `is:"0.72"` // it is a default there
	AgainstFound   float64 `is:"-0.3"` // it is calculated there
	ForJustSaid    float64 `is:"0.5"`  // it was stated last
	ForSameSize    float64 `is:"1"`    // the value is at most twice the earlier one
	ForNearSize    float64 `is:"0.5"`  // at most four times
	AgainstSizes   float64 `is:"-0.6"` // more than eight times
	AgainstFarSize float64 `is:"-1.2"` // more than thirty times

	// A change and a variable.
	AgainstAssumed    float64 `is:"-0.3"` // it is a default
	AgainstResult     float64 `is:"-1.5"` // it is calculated
	LeastResult       float64 `is:"2.5"`  // of evidence, where it is calculated
	LeastPercent      float64 `is:"2"`    // of evidence, for a share of a percentage
	ForThings         float64 `is:"0.8"`  // "50 more books"
	AgainstUnit       float64 `is:"-0.8"` // a number without unit for a variable that has one
	AgainstMoney      float64 `is:"-1"`   // money for a variable that is none
	ForThat           float64 `is:"0.7"`  // "50 more than that"
	ForQuicker        float64 `is:"2"`    // "2 days quicker" of a time
	ForComparison     float64 `is:"2"`    // the word of comparison is about it
	ForNearComparison float64 `is:"0.3"`
	AgainstComparison float64 `is:"-1"`
	ForSureChange     float64 `is:"2.5"` // that can be meant in no other way

	// How well a variable answers a form, from 0 to 1.
	LeastAnswer    float64 `is:"0.9"` // that is one
	LeastFit       float64 `is:"0.3"` // that may be one
	SlowAnswer     float64 `is:"0.4"` // a length for a time, a time for a speed
	MomentAnswer   float64 `is:"0.5"` // a time for a moment, a frequency
	CountAnswer    float64 `is:"0.3"` // anything for a number of things
	MoneyPerAnswer float64 `is:"0.9"` // money per something for money
	LengthAnswer   float64 `is:"0.9"` // a length for a size
	DataAnswer     float64 `is:"0.8"` // information for a size
	AnyAnswer      float64 `is:"0.5"`

	// The target.
	ForQuestion      float64 `is:"5"`    // the name stands right behind the question
	AgainstAsked     float64 `is:"-2"`   // it is given a value where its name stands right behind the question
	ForHeading       float64 `is:"4.5"`  // a name opens the prompt or closes it
	ForUnasked       float64 `is:"2.1"`  // a name without an amount
	TiedName         float64 `is:"0.5"`  // of it goes where the name belongs to an amount
	ChangedName      float64 `is:"0.4"`  // of it is left where amounts change a scenario
	LoneName         float64 `is:"1.3"`  // of it where there is no amount
	ForKeptTarget    float64 `is:"4.38"` // the target of the scenario, where the prompt asks for nothing
	ForEarlierTarget float64 `is:"2.4"`  // what it was asked for before
	ForEmpty         float64 `is:"2.19"` // the same where the question names nothing
	ForForm          float64 `is:"1.8"`
	ForNearForm      float64 `is:"0.9"` // of how well it fits
	AgainstForm      float64 `is:"-3"`
	AgainstMuch      float64 `is:"-0.6"` // "how much" of what is told in percent
	ForUnit          float64 `is:"2.5"`
	AgainstNoUnit    float64 `is:"-5"`   // it cannot be told in the unit asked
	ForKeptUnit      float64 `is:"0.5"`  // the target of the scenario, in a unit
	ForFinal         float64 `is:"0.6"`  // equations end in it
	ForOutput        float64 `is:"0.3"`  // an equation yields it
	AgainstInput     float64 `is:"-0.2"` // an equation is only made of it
	AgainstGiven     float64 `is:"-3"`   // no equation is for it
	AgainstStated    float64 `is:"-2"`   // it was given, and the prompt has no amount
	AgainstNothing   float64 `is:"-0.5"` // no target
	LeastAsked       float64 `is:"0.2"`
	LeastLoud        float64 `is:"0.5"`  // of a name that may be another target than the kept one
	LoudFrom         float64 `is:"0.35"` // what is above that of it, as a share of the rest

	// A reading of the whole prompt.
	ForPlan        float64 `is:"1.92"`
	AgainstPlan    float64 `is:"-1"`    // the target does not follow
	AgainstUnused  float64 `is:"-3.75"` // an amount takes no part in the target
	AgainstFailure float64 `is:"-3"`    // it calculates to nothing
	AgainstDefault float64 `is:"-0.15"`
	AgainstStep    float64 `is:"-0.15"`
	AgainstSilence float64 `is:"-1.5"` // a variable that is named plays no part
	LeastSilent    float64 `is:"0.7"`  // of that name
	MostExplained  float64 `is:"0.15"` // by which another name with its words may be weaker
	MostTried      float64 `is:"2"`    // behind the best reading, to be calculated as well

	// Doubt.
	LeastScore    float64 `is:"2"`     // of a whole reading
	LeastLead     float64 `is:"0.48"`  // over the next one
	LeastUnnamed  float64 `is:"1.45"`  // over one that gives an amount, which no words name, to another variable
	MostWords     float64 `is:"0.5"`   // by which the words may speak for a reading with more steps than another
	LeastPick     float64 `is:"-1.25"` // of a single amount
	LeastAlone    float64 `is:"2.5"`   // what speaks for the target where the prompt gives no amount and builds on nothing
	LeastTarget   float64 `is:"1.2"`   // what speaks for the target where a question is asked
	LeastContest  float64 `is:"1.5"`   // by which an amount would rather go to a variable that another has
	LeastWord     float64 `is:"0.3"`   // of a name that a word of a question belongs to, or of evidence for money
	LeastAsking   float64 `is:"0.5"`   // of a name that asks
	LeastJoined   float64 `is:"0.7"`   // of a name that is one of two questions
	LeastOver     float64 `is:"0.6"`   // of one name over both
	LeastTaken    float64 `is:"1"`     // of evidence that takes its words
	LeastPlain    float64 `is:"0.85"`  // of the reach to a name right behind a question
	ForSole       float64 `is:"2"`     // a form, and a unit, of a question alone
	AgainstSole   float64 `is:"-3"`
	LeastSole     float64 `is:"2"`   // that is plainly asked for
	LeastProposed float64 `is:"0.3"` // how surely words must name a variable that nothing else in the prompt leads to
}

const (
	beam      = 120 // partial assignments that the search keeps
	maxSlots  = 12
	maxTarget = 8 // targets that it tries
)

// committed are the weights of this file.
var committed = sync.OnceValue(func() *weights {
	w := &weights{}
	all := reflect.ValueOf(w).Elem()
	for i := range all.NumField() {
		field := all.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		value, err := strconv.ParseFloat(field.Tag.Get("is"), 64)
		if err != nil {
			panic(fmt.Sprintf("engine/language: weight %s: %v", field.Name, err))
		}
		all.Field(i).SetFloat(value)
	}
	return w.ready()
})

// ready puts the borders in the order of their barriers.
func (w *weights) ready() *weights {
	w.borders = []float64{
		1, w.StopBorder, w.SemicolonBorder, w.ContrastBorder, w.ClauseBorder, w.ConjunctionBorder, w.AttributeBorder, w.SourceBorder, w.SpanBorder,
		w.RateBorder, w.PlaceBorder, w.HyphenBorder,
	}
	return w
}

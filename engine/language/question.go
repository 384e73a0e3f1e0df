package language

import (
	"reckon/engine/format"
	"reckon/engine/units"
)

// want is what the form of a question asks for, by its name in the table of questions.
type want string

const (
	wantAny         want = ""
	wantTime        want = "time"
	wantMoment      want = "moment"
	wantLength      want = "length"
	wantSpeed       want = "speed"
	wantCount       want = "count"
	wantMoney       want = "money"
	wantMass        want = "mass"
	wantTemperature want = "temperature"
	wantSize        want = "size"
	wantAge         want = "age"
	wantPercent     want = "percent"
	wantFrequency   want = "frequency"
	wantNothing     want = "nothing" // words that look like a question and are none: "what if", "how about"
)

// question is a place where the prompt asks for something.
type question struct {
	from, to int // the tokens of the form
	end      int // where what is asked for ends: a quantity or the border of the sentence
	want     want
	verb     int         // the token of a verb that says what is asked for, "what does it cost"; 0 for none
	unit     *units.Unit // "how many hours": the unit asked for, nil for none
	behind   int         // behind that unit and the "of" there; to where there is none
}

// how reports whether the form says itself what is asked for: "how long", "how much".
func (q *question) how(p *prose) bool { return q.want != wantAny || p.tokens[q.from].is("how") }

// degree reports whether the form asks in what degree something is what its last word says: "how
// tall", "how loud". "How high" asks for an amount of anything.
func (q *question) degree(p *prose) bool {
	last := &p.tokens[q.to-1]
	if !p.tokens[q.from].is("how") || q.to-q.from != 2 || last.is("any degree") {
		return false
	}
	return last.is("own degree") || q.want != wantAny && q.want != wantCount && q.want != wantMoney
}

// costs reports whether its verb asks what something costs.
func (q *question) costs(p *prose) bool { return q.verb > 0 && p.tokens[q.verb].is("costing") }

// fits says how well a variable answers a question of a kind: 1 fully, 0 for not at all.
func (w *weights) fits(asked want, t *term) float64 {
	yes := func(fits bool) float64 {
		if fits {
			return 1
		}
		return 0
	}
	is := func(d units.Dimension) float64 { return yes(t.dimensional && t.dimension == d && !t.moment()) }
	switch asked {
	case wantTime:
		return max(yes(t.kind == durationKind || t.counted != nil), is(units.Time), w.SlowAnswer*is(units.Length))
	case wantMoment:
		return max(yes(t.moment()), w.MomentAnswer*is(units.Time))
	case wantLength:
		return is(units.Length)
	case wantSpeed:
		return max(is(units.Length.Div(units.Time)), is(units.Information.Div(units.Time)), w.SlowAnswer*is(units.Time))
	case wantCount:
		return max(yes(t.dimensional && t.dimension.IsNone() && t.kind != percentKind), w.CountAnswer*yes(!t.moment()))
	case wantMoney:
		return max(yes(t.money()), w.MoneyPerAnswer*yes(t.dimensional && len(t.dimension.Currencies()) > 0))
	case wantMass:
		return is(units.Mass)
	case wantTemperature:
		return is(units.Temperature)
	case wantSize:
		area, _ := units.Length.Pow(2, 1)
		volume, _ := units.Length.Pow(3, 1)
		return max(is(area), is(volume), w.LengthAnswer*is(units.Length), w.DataAnswer*is(units.Information), w.AnyAnswer)
	case wantAge:
		return max(is(units.Time), is(units.None))
	case wantPercent:
		return max(yes(t.kind == percentKind), w.MomentAnswer*is(units.None))
	case wantFrequency:
		return max(is(units.None.Div(units.Time)), w.MomentAnswer*is(units.Time))
	}
	return w.AnyAnswer
}

// moment reports whether values of a variable are points in time.
func (t *term) moment() bool {
	return format.IsTime(t.kind) && t.kind != durationKind
}

// moneyDimension is the name of amounts of money.
const moneyDimension = "money"

// money reports whether a variable is an amount of money.
func (t *term) money() bool { return t.dimensional && t.dimension.Name() == moneyDimension }

package engine

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/solve"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Sensitivity is how much a target of a scenario depends on each value that it rests on.
type Sensitivity struct {
	Of     Target
	Value  value.Value
	Inputs []Influence // those that move the target most first
}

// Influence is how a target moves with one input.
type Influence struct {
	Variable   int
	Source     Source
	Value      value.Value
	Elasticity *decimal.Decimal // per cent of the target by per cent of the input; nil where Note says why
	Difference bool             // it is a quotient of differences, of which 10 digits are stated
	Note       string           // a key of notes, "" for none
	Swings     []Swing          // at the ends of the input's range, or at its other choices
	Width      *units.Quantity  // from the lowest to the highest target of all swings; nil without any
}

// Swing is the target with one input changed. One that is reached only without another input does
// not count.
type Swing struct {
	Value value.Value // of the input
	Point
}

// notes are what is said of an elasticity, with or without a number.
var notes = map[string]string{
	"zero":          "The input is 0: no part of it is a change.",
	"target_zero":   "The target is 0, so that no change is a part of it.",
	"scale":         "The 0 of the input or the target is one of a scale, such as degrees Celsius, of the calendar or the clock.",
	"target_choice": "The target is a choice, which has no size.",
	"whole":         "The input takes whole numbers only.",
	"choice":        "The input is a choice.",
	"table":         "The input is a table.",
	"jump":          "The target jumps at this value.",
	"kink":          "The target goes on with another slope above this value than below.",
	"edge":          "The target can be calculated on one side of this value only, which the number is of.",
	"flat":          "A rounding or a condition hides small changes: only larger ones move the target.",
	"undefined":     "The target cannot be calculated next to this value.",
	"budget":        "The budget was used up before this input.",
}

// Says is the note in words, "" for none.
func (in Influence) Says() string { return notes[in.Note] }

// DifferenceStep is the part of an input by which it is moved for a quotient of differences, on
// both sides.
var DifferenceStep = decimal.MustParse("1e-10")

var (
	differenceDigits = 10
	sameSlope        = decimal.MustParse("1e-6")
)

// Sensitivity finds how much a target of a scenario depends on each value that the scenario rests
// on: the elasticity (dy/y)/(dx/x), from the derivatives of the equations where they have some
// (implicit differentiation; Griewank and Walther, Evaluating Derivatives, 2008, chapter 15), and
// the target at both ends of a range. The range is the value less and more a part of it, cut at the
// declared bounds; with bounds it is what the bounds of the variable are, where it has both. Of
// whole numbers it is one at least, dates and clock times have a range by bounds only, and of a
// choice it is the other choices.
//
// of is nil for what was asked last. Every value is one that Calculate gives on the same base.
// Errors are input.*, and calculation.* where the target cannot be calculated.
func (d *Domain) Sensitivity(base *Scenario, last int, of *Target, part decimal.Decimal, bounds bool, env value.Env) (Sensitivity, []value.Error) {
	if of == nil {
		asked := base.Last()
		if len(asked) == 0 {
			return Sensitivity{}, []value.Error{*d.MissingCalculate(nil)}
		}
		of = &asked[0]
	}
	if d.Profiles[of.Variable].Table {
		return Sensitivity{}, value.Problems("input.invalid_table", d.Variables[of.Variable].Key, "one value is expected, not a table")
	}
	s := sensing{
		sweeping: sweeping{domain: d, base: base, last: last, req: Request{Targets: []Target{*of}}, env: env.Metered()},
		part:     part, bounds: bounds,
	}
	before := s.env.Meter.Left
	r, errs := d.Calculate(base, last, s.req, s.env)
	if len(errs) > 0 {
		return Sensitivity{}, errs
	}
	s.cost = before - s.env.Meter.Left
	s.centre = r.Values[0].Value.Quantity()
	s.context = s.env.Context(value.DefaultBudget)
	result := Sensitivity{Of: *of, Value: r.Values[0].Value}
	for i := range r.Values {
		if v := &r.Values[i].ScenarioValue; v.rests() && v.Variable != of.Variable {
			result.Inputs = append(result.Inputs, Influence{Variable: v.Variable, Source: v.Source, Value: v.Value})
		}
	}
	s.all(result.Inputs)
	slices.SortStableFunc(result.Inputs, func(a, b Influence) int {
		switch {
		case a.Width == nil && b.Width == nil:
			return 0
		case a.Width == nil:
			return 1
		case b.Width == nil:
			return -1
		}
		return b.Width.Number.Cmp(a.Width.Number)
	})
	return result, nil
}

// sensing is the work of one Sensitivity.
type sensing struct {
	sweeping
	part     decimal.Decimal
	bounds   bool
	centre   units.Quantity
	context  *decimal.Context
	cost     int // of one calculation
	gradient gradient
}

// affords reports whether the budget lasts for some more calculations.
func (s *sensing) affords(calculations int) bool {
	return s.env.Meter.Left > (calculations+1)*s.cost
}

// all measures inputs and finds the target at the ends of their ranges. Where the budget is not
// enough for all of that, derivatives of equations without a jump or a kink are not compared with
// differences, and ends are tried of the inputs first that move the target most.
func (s *sensing) all(inputs []Influence) {
	s.gradient = s.derivatives()
	unsure := func(in *Influence) bool { return s.gradient.of(in.Variable) == nil || s.gradient.rough[in.Variable] }
	order := make([]int, len(inputs))
	doubted := 0
	for i := range inputs {
		order[i] = i
		if unsure(&inputs[i]) {
			doubted++
		}
	}
	compared := s.affords(4 * len(inputs))
	if !compared {
		for _, doubt := range []bool{false, true} {
			for i := range inputs {
				if in := &inputs[i]; unsure(in) == doubt {
					s.measure(in, doubt)
				}
			}
		}
		slices.SortStableFunc(order, func(i, j int) int { return s.moves(&inputs[j]).Cmp(s.moves(&inputs[i])) })
	}
	for _, i := range order {
		if s.swing(&inputs[i]); compared {
			s.measure(&inputs[i], true)
		}
		in := &inputs[i]
		if in.Elasticity != nil && in.Elasticity.IsZero() && in.Note == "" && in.Width != nil && !in.Width.Number.IsZero() {
			in.Note = "flat"
		}
	}
}

// moves is about how far the target goes with an input by its derivative, 0 where that is not
// known.
func (s *sensing) moves(in *Influence) decimal.Decimal {
	if in.Elasticity == nil {
		return decimal.Decimal{}
	}
	return in.Elasticity.Abs()
}

// at is the target with an input as given, in the unit of the centre; false where it has none.
func (s *sensing) at(variable int, x units.Quantity) (Point, decimal.Decimal, bool) {
	p := s.point(stating(variable, value.ScalarValue(x)))
	if len(p.Errors) > 0 || len(p.Dropped) > 0 {
		return p, decimal.Decimal{}, false
	}
	shown, err := convert(p.Value, s.centre.Unit)
	if err != nil {
		return Point{Errors: []value.Error{*err}}, decimal.Decimal{}, false
	}
	return Point{Value: shown}, shown.Quantity().Number, true
}

// swing finds the target at the ends of an input's range.
func (s *sensing) swing(in *Influence) {
	lowest, highest, known := s.centre.Number, s.centre.Number, true
	for _, x := range s.ends(in) {
		if !s.affords(1) {
			p := Point{Errors: []value.Error{*solve.Exceeded(s.env)}}
			in.Swings, known = append(in.Swings, Swing{value.ScalarValue(x), p}), false
			continue
		}
		p, y, ok := s.at(in.Variable, x)
		if in.Swings = append(in.Swings, Swing{value.ScalarValue(x), p}); !ok {
			continue
		}
		if y.Cmp(lowest) < 0 {
			lowest = y
		}
		if y.Cmp(highest) > 0 {
			highest = y
		}
	}
	if len(in.Swings) > 0 && known && !s.domain.Variables[s.req.Targets[0].Variable].IsChoice() {
		in.Width = &units.Quantity{Number: s.context.Sub(highest, lowest).Shown(), Unit: difference(s.centre.Unit)}
	}
}

// difference is the unit of what numbers in a unit differ by.
func difference(u *units.Unit) *units.Unit {
	if u.IsPoint() {
		return u.Difference()
	}
	return u
}

// ends are the ends of the range of an input: the lower one first, or its other choices.
func (s *sensing) ends(in *Influence) []units.Quantity {
	d, c := s.domain, s.context
	q, single := in.Value.Single()
	def := &d.Variables[in.Variable]
	var list []units.Quantity
	switch {
	case !single:
		return nil
	case def.IsChoice():
		for _, choice := range def.Choices {
			if choice.Value.Cmp(q.Number) != 0 {
				list = append(list, units.Quantity{Number: choice.Value, Unit: q.Unit})
			}
		}
		return list
	}
	limits := [2]*decimal.Decimal{}
	for i, l := range d.prepared[in.Variable].limits {
		if l != nil && l.dimension == q.Unit.Dimension() {
			x := units.FromSI(c, l.si, q.Unit).Number.Shown()
			limits[i] = &x
		}
	}
	byBounds := s.bounds && limits[0] != nil && limits[1] != nil
	if d.isPlace(in.Variable) && !byBounds {
		return nil
	}
	step := c.Mul(q.Number.Abs(), s.part)
	quantum := d.quantum(in.Variable, q.Unit)
	if quantum != nil {
		if step = c.Mul(c.Round(c.Quo(step, *quantum), 0), *quantum); step.IsZero() {
			step = *quantum
		}
	}
	for i, x := range []decimal.Decimal{c.Sub(q.Number, step), c.Add(q.Number, step)} {
		l := limits[i]
		switch {
		case byBounds, l != nil && (x.Cmp(*l) < 0) == (i == 0) && x.Cmp(*l) != 0:
			x = *l
		}
		if x = x.Shown().Exactly(); x.Cmp(q.Number) != 0 {
			list = append(list, units.Quantity{Number: x, Unit: q.Unit})
		}
	}
	return list
}

// isPlace reports whether values are places in the calendar or on the clock.
func (d *Domain) isPlace(variable int) bool {
	return d.Profiles[variable].Moment || d.Variables[variable].Kind == "time"
}

// measure finds the elasticity to an input, from its derivative where the equations tell it. It is
// compared with differences where that is wanted.
func (s *sensing) measure(in *Influence, compared bool) {
	d, c, slope := s.domain, s.context, s.gradient.of(in.Variable)
	c.Restart(value.DefaultBudget)
	q, single := in.Value.Single()
	switch {
	case !single:
		in.Note = "table"
	case d.Variables[in.Variable].IsChoice():
		in.Note = "choice"
	case d.Variables[s.req.Targets[0].Variable].IsChoice():
		in.Note = "target_choice"
	case q.Unit.IsPoint() || s.centre.Unit.IsPoint() || d.isPlace(in.Variable) || d.isPlace(s.req.Targets[0].Variable):
		in.Note = "scale"
	case q.Number.IsZero():
		in.Note = "zero"
	case s.centre.Number.IsZero():
		in.Note = "target_zero"
	case d.Profiles[in.Variable].Counts != nil:
		in.Note = "whole"
	}
	if in.Note != "" {
		return
	}
	exact := func() decimal.Decimal { return c.Quo(c.Mul(*slope, q.SI(c)), s.centre.SI(c)) }
	switch {
	case !compared:
		if x := exact(); c.Err() == nil {
			shown := x.Shown()
			in.Elasticity = &shown
			return
		}
	case !s.affords(2):
		in.Note = "budget"
		return
	}
	// Relative changes of the target by that of the input, below and above.
	var sides []decimal.Decimal
	step := c.Mul(q.Number, DifferenceStep)
	jumps := false
	for _, x := range []decimal.Decimal{c.Sub(q.Number, step), c.Add(q.Number, step)} {
		_, y, ok := s.at(in.Variable, units.Quantity{Number: x, Unit: q.Unit})
		if !ok {
			continue
		}
		by := c.Quo(c.Quo(c.Sub(y, s.centre.Number), s.centre.Number), c.Quo(c.Sub(x, q.Number), q.Number))
		jumps = jumps || c.Mul(by.Abs(), DifferenceStep).Cmp(sameSlope) > 0
		sides = append(sides, by)
	}
	var measured decimal.Decimal
	switch {
	case len(sides) == 0:
		in.Note = "undefined"
		return
	case jumps:
		in.Note = "jump"
		return
	case len(sides) == 1:
		in.Note, measured = "edge", sides[0]
	case !s.alike(sides[0], sides[1]):
		in.Note = "kink"
		return
	default:
		measured = c.Quo(c.Add(sides[0], sides[1]), decimal.Int(2))
	}
	if slope != nil {
		if x := exact(); c.Err() == nil && s.alike(x, measured) {
			shown := x.Shown()
			in.Elasticity = &shown
		}
	}
	if in.Elasticity == nil {
		rounded := significant(c, measured, differenceDigits)
		in.Elasticity, in.Difference = &rounded, true
	}
}

// alike reports whether two elasticities are one.
func (s *sensing) alike(a, b decimal.Decimal) bool {
	c := s.context
	size := formula.Extreme(formula.Decimals{a.Abs(), b.Abs(), decimal.Int(1)}, 1)
	return c.Sub(a, b).Abs().Cmp(c.Mul(size, sameSlope)) <= 0
}

// significant rounds to so many significant digits.
func significant(c *decimal.Context, x decimal.Decimal, digits int) decimal.Decimal {
	if x.IsZero() {
		return decimal.Decimal{}
	}
	first, _ := x.Extent()
	return c.Round(x, digits-1-first).Exactly()
}

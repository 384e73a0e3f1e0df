package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"reckon/engine/decimal"
	"reckon/engine/format"
	"reckon/engine/solve"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Limits of a sweep. Its points have the budget of one calculation together.
const (
	MaxSteps  = 1000   // values of one input
	MaxPoints = 10_000 // of a grid
)

// Axis is an input and the values that it takes, one after the other.
type Axis struct {
	Variable int
	Values   []value.Value // scalars, at least one
}

// Sweep is a target over the values of one input, or of two.
type Sweep struct {
	Of     Target
	Axes   []Axis
	Points []Point // of two inputs the values of the second one for each of the first
}

// Point is what the target is at a place.
type Point struct {
	Value   value.Value
	Dropped []int         // user inputs of the base that disagree there, and that it does not rest on
	Errors  []value.Error // why it has no value
}

// Sweep calculates what a request asks for with each value of one input, or each pair of values of
// two: the first target of the request, or else what the request would have calculated. A point is
// what Calculate makes of the request with these inputs, which are exactly those that stand in the
// Axes, on the same base. Points that cannot be calculated say why, be it that the budget of the
// whole sweep is used up. Errors are those that hold for all points.
func (d *Domain) Sweep(base *Scenario, last int, req Request, axes []Axis, env value.Env) (Sweep, []value.Error) {
	s := sweeping{domain: d, base: base, last: last, env: env.Metered()}
	if errs := s.check(axes); len(errs) > 0 {
		return Sweep{}, errs
	}
	s.req = req
	s.req.Everything = false
	s.req.Inputs = slices.DeleteFunc(slices.Clone(req.Inputs), func(in Given) bool { return isVaried(axes, in.Variable) })
	if err := s.chooseTarget(req, axes); len(err) > 0 {
		return Sweep{}, err
	}
	inner := 1
	if len(axes) == 2 {
		inner = len(axes[1].Values)
	}
	points := make([]Point, len(axes[0].Values)*inner)
	for i := range points {
		inputs := []Given{stating(axes[0].Variable, axes[0].Values[i/inner])}
		if len(axes) == 2 {
			inputs = append(inputs, stating(axes[1].Variable, axes[1].Values[i%inner]))
		}
		points[i] = s.point(inputs...)
		if errs := points[i].Errors; i == 0 && len(errs) > 0 && slices.Contains(whatever, errs[0].Code) {
			return Sweep{}, errs
		}
	}
	return Sweep{Of: s.req.Targets[0], Axes: axes, Points: points}, nil
}

// whatever are the errors of a request whatever values its inputs have.
var whatever = []string{"calculation.missing_inputs", "calculation.forwards_only", "input.not_calculable", "domain.activity_disabled"}

// stating is a value as a request states it.
func stating(variable int, v value.Value) Given {
	return Given{Variable: variable, Value: v, Normal: v.Text()}
}

func isVaried(axes []Axis, variable int) bool {
	return slices.ContainsFunc(axes, func(a Axis) bool { return a.Variable == variable })
}

// sweeping is the work of one Sweep.
type sweeping struct {
	domain *Domain
	base   *Scenario
	last   int
	req    Request // with one target
	env    value.Env
}

func (s *sweeping) check(axes []Axis) []value.Error {
	points := 1
	for i, a := range axes {
		if isVaried(axes[:i], a.Variable) {
			return value.Problems("input.duplicate_variable", s.domain.Variables[a.Variable].Key)
		}
		if len(a.Values) > MaxSteps {
			return value.Problems("input.limit_exceeded", "values of "+s.domain.Variables[a.Variable].Key, strconv.Itoa(MaxSteps))
		}
		if len(a.Values) == 0 {
			return value.Problems("input.invalid_value", s.domain.Variables[a.Variable].Key, "", "a value is missing")
		}
		points *= len(a.Values)
	}
	if points > MaxPoints {
		return value.Problems("input.limit_exceeded", "points", strconv.Itoa(MaxPoints))
	}
	return nil
}

// chooseTarget takes the first target of the request, else the one of the base, else what the
// request calculates at the first point.
func (s *sweeping) chooseTarget(req Request, axes []Axis) []value.Error {
	switch {
	case len(req.Targets) > 0:
		s.req.Targets = req.Targets[:1]
	case s.base != nil && len(s.base.Targets) > 0:
		s.req.Targets = s.base.Last()[:1]
	default:
		first := s.req
		first.Inputs = slices.Clip(first.Inputs)
		for _, a := range axes {
			first.Inputs = append(first.Inputs, stating(a.Variable, a.Values[0]))
		}
		r, errs := s.domain.Calculate(s.base, s.last, first, s.env)
		if len(errs) > 0 {
			return errs
		}
		s.req.Targets = []Target{{Variable: r.Calculated, Unit: r.Unit}}
	}
	target := s.req.Targets[0].Variable
	given := func(in Given) bool { return in.Variable == target && !in.Cleared }
	switch {
	case isVaried(axes, target) && len(req.Targets) == 0:
		return []value.Error{*s.domain.MissingCalculate([]Given{{Variable: target}})}
	case isVaried(axes, target), slices.ContainsFunc(s.req.Inputs, given):
		return value.Problems("input.target_has_value", s.domain.Variables[target].Key)
	case s.domain.Profiles[target].Table:
		return value.Problems("input.invalid_table", s.domain.Variables[target].Key, "one value is expected, not a table")
	}
	return nil
}

// point calculates the request with further inputs.
func (s *sweeping) point(inputs ...Given) Point {
	if s.env.Meter.Over() {
		return Point{Errors: []value.Error{*solve.Exceeded(s.env)}}
	}
	req := s.req
	req.Inputs = slices.Concat(s.req.Inputs, inputs)
	r, errs := s.domain.Calculate(s.base, s.last, req, s.env)
	if len(errs) > 0 {
		return Point{Errors: errs}
	}
	return Point{Value: r.Values[0].Value, Dropped: s.dropped(r, inputs)}
}

// dropped lists the user inputs of the base that a result has let go, besides those that are varied
// and the target.
func (s *sweeping) dropped(r Result, varied []Given) (list []int) {
	if s.base == nil {
		return nil
	}
	for _, v := range s.base.Values {
		stays := func(o ResultValue) bool { return o.Variable == v.Variable && o.Source == UserInput }
		if v.Source == UserInput && v.Variable != r.Calculated && !slices.ContainsFunc(varied, func(in Given) bool { return in.Variable == v.Variable }) && !slices.ContainsFunc(r.Values, stays) {
			list = append(list, v.Variable)
		}
	}
	return list
}

// Steps are so many values from one to another, both among them, evenly spread: by their
// difference, or by their ratio. They are in the unit of the first one and have up to 34 digits;
// whole numbers, whole days of dates and whole seconds of other moments are rounded to, and not
// repeated. Errors are input.invalid_value, input.incompatible_units and input.limit_exceeded.
func (d *Domain) Steps(variable int, from, to value.Value, steps int, ratio bool) ([]value.Value, []value.Error) {
	key := d.Variables[variable].Key
	first, single := from.Single()
	fail := func(v value.Value, reason string) ([]value.Value, []value.Error) {
		return nil, value.Problems("input.invalid_value", key, plain(d.Labelled(variable, v.Text())), reason)
	}
	switch {
	case !single:
		return fail(from, "a sweep takes single values")
	case d.Variables[variable].IsChoice():
		return fail(from, "it has no steps between its choices: list them")
	case steps < 2 || steps > MaxSteps:
		return nil, value.Problems("input.limit_exceeded", "values of "+key, strconv.Itoa(MaxSteps))
	}
	end, err := convert(to, first.Unit)
	if err != nil {
		return nil, []value.Error{*err}
	}
	last, single := end.Single()
	if !single {
		return fail(to, "a sweep takes single values")
	}
	a, b := first.Number, last.Number
	if ratio && (a.Sign() != b.Sign() || a.IsZero()) {
		return fail(from, "steps by ratio lead from a number above 0 to another one")
	}
	c := decimal.NewContext(value.ParseBudget)
	quantum := d.quantum(variable, first.Unit)
	n := int64(steps - 1)
	var list []value.Value
	for i := range int64(steps) {
		var x decimal.Decimal
		switch {
		case i == 0:
			x = a
		case i == n:
			x = b
		case ratio:
			x = c.Mul(a, c.Pow(c.Quo(b, a), c.Quo(decimal.Int(i), decimal.Int(n))))
		default:
			x = c.Quo(c.Add(c.Mul(a, decimal.Int(n-i)), c.Mul(b, decimal.Int(i))), decimal.Int(n))
		}
		if quantum != nil {
			x = c.Mul(c.Round(c.Quo(x, *quantum), 0), *quantum)
		}
		v := value.ScalarValue(units.Quantity{Number: x.Shown().Exactly(), Unit: first.Unit})
		if len(list) == 0 || !v.Equal(list[len(list)-1]) {
			list = append(list, v)
		}
	}
	if c.Err() != nil {
		return nil, value.Problems("calculation.limit_exceeded", "the size of a number")
	}
	return list, nil
}

// quantum is what the values of a variable are multiples of, in a unit; nil where they are not.
func (d *Domain) quantum(variable int, unit *units.Unit) *decimal.Decimal {
	q := decimal.Int(1)
	switch kind := d.Variables[variable].Kind; {
	case kind == "date":
		q = decimal.Int(value.SecondsPerDay)
	case kind == "datetime" || kind == "time":
	case d.Profiles[variable].Counts != nil:
		one, err := units.Convert(decimal.NewContext(value.ParseBudget), units.Quantity{Number: q, Unit: d.Profiles[variable].Counts}, unit)
		if err != nil {
			return nil
		}
		q = one.Number
	default:
		return nil
	}
	return &q
}

// Drawn is the points of a sweep as a table, and how it is shown as that and as lines. With one
// input its columns are the input and the target; with two there is a column for each value of the
// second one. What cannot be calculated is an empty cell.
type Drawn struct {
	Value       value.Value
	Table, Line json.RawMessage // display objects (schemas/openapi.yaml)
	Scale       format.Scale    // of the lines
}

// Draw shows the points of a sweep.
func (d *Domain) Draw(s Sweep) Drawn {
	columns := []format.Series{d.series(s.Axes[0].Variable, s.Axes[0].Values[0], false)}
	var some value.Value
	for _, p := range s.Points {
		if len(p.Errors) == 0 {
			some = p.Value
			break
		}
	}
	target := d.series(s.Of.Variable, some, s.Of.Unit != nil)
	width := len(s.Points) / len(s.Axes[0].Values)
	if len(s.Axes) == 1 {
		columns = append(columns, target)
	} else {
		for _, v := range s.Axes[1].Values {
			name := fmt.Sprintf("%s = %s", d.Variables[s.Axes[1].Variable].Title, d.Read(s.Axes[1].Variable, v, false))
			columns = append(columns, format.Series{Name: name, Kind: target.Kind, Format: target.Format})
		}
	}
	v := value.Value{Rank: 2}
	for i, x := range s.Axes[0].Values {
		row := []value.Cell{{Quantity: x.Quantity()}}
		for _, p := range s.Points[i*width : (i+1)*width] {
			q, ok := p.Value.Single()
			if !ok {
				q = units.Quantity{Unit: units.One}
			}
			row = append(row, value.Cell{Quantity: q, Empty: !ok})
		}
		v.Cells = append(v.Cells, row)
	}
	return Drawn{v, format.TableOf(columns), format.LineOf(columns[0].Name, columns), format.LineScale(v)}
}

// series is how a variable is shown as a column.
func (d *Domain) series(variable int, v value.Value, asked bool) format.Series {
	var s format.Series
	if err := json.Unmarshal(d.Display(variable, v, asked), &s); err != nil {
		s.Kind = "number"
	}
	s.Name = d.Variables[variable].Title
	return s
}

// Package input reads values as people write them: numbers, units, currencies, compounds, dates,
// clock times, tables, and arithmetic with all of these.
package input

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"reckon/engine/decimal"
	"reckon/engine/format"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Limits of one value.
const (
	maxCellErrors  = 20
	maxQuotedRunes = 200 // code points of an input that an error repeats
)

// ParseValue reads a value for a variable as structured text and JSON prompts write it (CONTRACT.md
// section 2: units, percent, currencies, compounds, clock times, dates, today and now, arithmetic,
// fractions; cells of tables one by one). A bare number takes the declared unit, else the unit of
// the default, else none. The normal form for parsed_json comes along ("260 min", "2026-01-06",
// "08:15", "6%", "today"); it has all digits and reads back as the same value.
//
// Dimensions are checked against the declared unit, else the default; two currencies pass for each
// other, since which of them go together shows only in the whole calculation. Cells of a table may
// have units of any dimension. The empty string is no value; it is an error here except in a cell
// of a table.
func ParseValue(s *value.Scope, variable int, text value.Text, env value.Env) (v value.Value, normal value.Text, errs []value.Error) {
	def := &s.Declared[variable]
	fail := func(code string, args ...string) (value.Value, value.Text, []value.Error) {
		return value.Value{}, value.Text{}, value.Problems(code, args...)
	}
	table := format.IsTableKind(def.Kind)
	switch {
	case text.Rank == 0 && table && text.IsEmpty():
		return fail("input.invalid_table", def.Key, "a table of cells is expected, not an empty text")
	case text.Rank == 0 && table:
		return fail("input.invalid_table", def.Key, fmt.Sprintf("a table of cells is expected, not %q", Quoted(text.Scalar())))
	case text.Rank != 0 && !table:
		return fail("input.invalid_table", def.Key, "one value is expected, not a table")
	}
	r := reading{scope: s, variable: variable, env: env, ctx: env.Context(value.ParseBudget)}
	if text.Rank == 0 {
		q, shown, err := r.scalar(text.Scalar())
		if err != nil {
			return value.Value{}, value.Text{}, []value.Error{*err}
		}
		return value.ScalarValue(q), value.Scalar(shown), nil
	}
	if reason := misshapen(text); reason != "" {
		return fail("input.invalid_table", def.Key, reason)
	}
	if len(text.Cells)*len(text.Cells[0]) > value.MaxCells {
		return fail("input.limit_exceeded", fmt.Sprintf("cells in table %s", def.Key), strconv.Itoa(value.MaxCells))
	}
	return r.table(text)
}

// ParseBound reads a bound of a variable: a value of a scalar, of a cell where the variable is a
// table.
func ParseBound(s *value.Scope, variable int, text string, env value.Env) (units.Quantity, *value.Error) {
	r := reading{scope: s, variable: variable, env: env, ctx: env.Context(value.ParseBudget)}
	q, _, err := r.scalar(text)
	return q, err
}

// misshapen says what is wrong with the shape of a table, "" for nothing.
func misshapen(t value.Text) string {
	if len(t.Cells) == 0 {
		return "it has no cells"
	}
	for i, row := range t.Cells {
		switch {
		case len(row) == 0:
			return fmt.Sprintf("row %d has no cells", i+1)
		case len(row) != len(t.Cells[0]):
			return fmt.Sprintf("row %d has %s, row 1 has %d", i+1, cellCount(len(row)), len(t.Cells[0]))
		}
	}
	return ""
}

func cellCount(n int) string {
	if n == 1 {
		return "1 cell"
	}
	return fmt.Sprintf("%d cells", n)
}

// reading is the reading of one value.
type reading struct {
	scope    *value.Scope
	variable int
	kind     string          // of the scalar or cell at hand
	bare     *units.Unit     // what a bare number takes, nil for none
	asks     *units.Unit     // whose dimension an explicit unit must have, nil for any
	chosen   *value.Variable // whose choices are meant, nil for none
	env      value.Env
	ctx      *decimal.Context
}

// scalar reads the quantity of a variable, of a cell where it is a table, and its normal form.
func (r *reading) scalar(text string) (units.Quantity, string, *value.Error) {
	r.kind = format.ScalarKind(r.scope.Declared[r.variable].Kind)
	r.bare = UnitOf(r.scope, r.variable)
	r.asks = r.bare
	if def := &r.scope.Declared[r.variable]; def.IsChoice() {
		r.chosen = def
	}
	return r.quantity(text)
}

func (r *reading) table(text value.Text) (value.Value, value.Text, []value.Error) {
	def := &r.scope.Declared[r.variable]
	v := value.Value{Rank: text.Rank, Cells: make([][]value.Cell, len(text.Cells))}
	normal := value.Text{Rank: text.Rank, Cells: make([][]string, len(text.Cells))}
	cellKind := format.CellKinds(*def)
	declared := declaredUnit(r.scope, r.variable)
	profile := value.Profile{}
	if r.variable < len(r.scope.Profiles) {
		profile = r.scope.Profiles[r.variable]
	}
	var errs []value.Error
	for i, row := range text.Cells {
		v.Cells[i] = make([]value.Cell, len(row))
		normal.Cells[i] = make([]string, len(row))
		for j, cell := range row {
			if strings.TrimSpace(cell) == "" {
				v.Cells[i][j] = value.Cell{Quantity: units.Quantity{Unit: units.One}, Empty: true}
				continue
			}
			r.kind, r.bare, r.asks = cellKind(i, j), declared, nil
			r.chosen = r.scope.ColumnChoices(r.variable, j)
			dates := profile.Moment
			if column := profile.Column(j); column != nil {
				dates = column.Moment
				if column.Unit != nil {
					r.bare, r.asks = column.Unit, column.Unit
				}
			}
			if r.kind == "" {
				r.kind = "number"
				if dates || r.bare == nil || r.bare.Dimension() == units.Time {
					r.kind = r.momentKind(cell, dates)
				}
			}
			q, shown, err := r.quantity(cell)
			if err != nil {
				if errs = append(errs, *err); len(errs) == maxCellErrors {
					return value.Value{}, value.Text{}, errs
				}
				continue
			}
			v.Cells[i][j].Quantity = q
			normal.Cells[i][j] = shown
		}
	}
	if len(errs) > 0 {
		return value.Value{}, value.Text{}, errs
	}
	if err := r.checkedCells(v, declared); err != nil {
		return value.Value{}, value.Text{}, []value.Error{*err}
	}
	return v, normal, nil
}

// checkedCells refuses a table none of whose cells has the dimension that is declared. Some may
// have another: a column of years beside one of money.
func (r *reading) checkedCells(v value.Value, declared *units.Unit) *value.Error {
	if declared == nil {
		return nil
	}
	var first *value.Error
	for q := range v.Quantities() {
		err := r.checked(q, declared)
		if err == nil {
			return nil
		}
		first = cmp.Or(first, err)
	}
	return first
}

// invalid is input.invalid_value for a text.
func (r *reading) invalid(text string) *value.Error {
	return value.Problem("input.invalid_value", r.scope.Declared[r.variable].Key, Quoted(text))
}

// quantity reads one quantity of the kind at hand, and its normal form.
func (r *reading) quantity(text string) (units.Quantity, string, *value.Error) {
	text = strings.TrimSpace(text)
	if r.chosen != nil {
		return r.choice(text)
	}
	if HasSpread(text) {
		return units.Quantity{}, "", value.Problem("input.uncertain_value", Quoted(text))
	}
	switch r.kind {
	case "date", "datetime", "time":
		return r.moment(text)
	case "duration":
		return r.duration(text)
	case "percent":
		return r.percent(text)
	}
	return r.number(text)
}

// choice reads a label, or a number that has one.
func (r *reading) choice(text string) (units.Quantity, string, *value.Error) {
	v := r.chosen
	chosen, ok := v.Choice(text)
	if !ok {
		if x, err := r.timeless(text); err == nil && x.Unit.Dimension().IsNone() {
			chosen.Value = x.SI(r.ctx)
			chosen.Label = v.Label(chosen.Value)
			ok = chosen.Label != "" && r.ctx.Err() == nil
		}
	}
	if !ok {
		return units.Quantity{}, "", value.Problem("input.invalid_value", r.scope.Declared[r.variable].Key, Quoted(text), "choose "+value.OneOf(v.Labels())+hint(text, v.ChoiceNames()))
	}
	return units.Quantity{Number: chosen.Value, Unit: units.One}, chosen.Label, nil
}

// hint is the label that may be meant, in brackets, or nothing.
func hint(text string, labels []string) string {
	if meant := strings.TrimSpace(value.DidYouMean(text, labels)); meant != "" {
		return " (" + strings.ToLower(meant[:1]) + meant[1:] + ")"
	}
	return ""
}

// arithmetic reads a quantity as it is written.
func (r *reading) arithmetic(text string) (operand, *value.Error) {
	a := arithmetic{scope: r.scope, text: text, ctx: r.ctx}
	return a.whole()
}

// timeless is arithmetic that refuses the forms of moments.
func (r *reading) timeless(text string) (operand, *value.Error) {
	if value.IsMomentWord(text) || looksLikeMoment(text) {
		return operand{}, r.invalid(text)
	}
	return r.arithmetic(text)
}

// checked refuses a unit of another dimension than the one asked for.
func (r *reading) checked(q units.Quantity, to *units.Unit) *value.Error {
	if to == nil || units.Compatible(q.Unit, to) || SameButCurrency(q.Unit, to) {
		return r.gauged(q.Unit, to)
	}
	if to.IsOne() && q.Unit.Dimension() == units.Angle && declaredUnit(r.scope, r.variable) == nil && r.scope.Profiles[r.variable].Angle {
		return nil
	}
	return incompatible(q.Unit, to)
}

// gauged refuses psi where a gauge pressure is declared: it is not said whether it is psig or psia.
func (r *reading) gauged(unit, to *units.Unit) *value.Error {
	gauge := r.scope.Table.Gauge(unit)
	if gauge == nil || !to.IsAbsolute() {
		return nil
	}
	either := []string{gauge.Symbol(), unit.Symbol() + "a"}
	return unknownUnit(unit.Symbol(), &units.UnknownError{Name: unit.Symbol(), Nearest: either, Ambiguous: true})
}

func (r *reading) number(text string) (units.Quantity, string, *value.Error) {
	text, err := r.readMarks(text)
	if err != nil {
		return units.Quantity{}, "", err
	}
	x, err := r.timeless(text)
	if err != nil {
		return units.Quantity{}, "", err
	}
	if x.bare && r.bare != nil {
		x.Unit = r.bare
	} else if err := r.checked(x.Quantity, r.asks); err != nil {
		return units.Quantity{}, "", err
	} else if x.Unit.IsOne() && !r.bare.IsOne() {
		// Units that cancel out leave a number that shows none: read again it would take the usual one.
		converted, err := units.Convert(r.ctx, x.Quantity, r.bare)
		if err != nil {
			return units.Quantity{}, "", incompatible(x.Unit, r.bare)
		}
		if r.ctx.Err() != nil {
			return units.Quantity{}, "", r.invalid(text)
		}
		x.Quantity = converted
	}
	return x.Quantity, x.Quantity.Exact(), nil
}

// percent reads a fraction: 0.06 and 6% are the same.
func (r *reading) percent(text string) (units.Quantity, string, *value.Error) {
	x, err := r.timeless(text)
	if err != nil {
		return units.Quantity{}, "", err
	}
	if !x.bare {
		if !x.Unit.Dimension().IsNone() {
			return units.Quantity{}, "", incompatible(x.Unit, units.One)
		}
		x.Quantity = units.Quantity{Number: x.SI(r.ctx), Unit: units.One}
	}
	hundredfold := r.ctx.Mul(x.Number, decimal.Int(100))
	if r.ctx.Err() != nil {
		return units.Quantity{}, "", r.invalid(text)
	}
	x.Unit = units.One
	// The digits beyond those that the context keeps stay in the fraction.
	if r.ctx.Quo(hundredfold, decimal.Int(100)).Cmp(x.Number) != 0 {
		return x.Quantity, x.Number.String(), nil
	}
	return x.Quantity, hundredfold.String() + "%", nil
}

// seconds is the unit of the four kinds of time.
func (r *reading) seconds(n decimal.Decimal) units.Quantity {
	return units.Quantity{Number: n, Unit: Second(r.scope)}
}

// Second is the unit of moments and durations.
func Second(s *value.Scope) *units.Unit { return s.Table.Lookup("s") }

// duration reads a span: a quantity of time, bare in the declared unit, else that of the default,
// else seconds; or h:mm[:ss]. today and now are their distance from the epoch, since a default of
// any kind of time may be one of them.
func (r *reading) duration(text string) (units.Quantity, string, *value.Error) {
	if n, ok := wordMoment("duration", text, r.env); ok {
		return r.seconds(decimal.Int(n)), strings.ToLower(text), nil
	}
	if n, normal, ok := scanSpan(text); ok {
		return r.seconds(decimal.Int(n)), normal, nil
	}
	x, err := r.timeless(text)
	if err != nil {
		return units.Quantity{}, "", err
	}
	if x.bare {
		x.Unit = r.bare
		if x.Unit == nil || x.Unit.Dimension() != units.Time {
			x.Unit = Second(r.scope)
		}
	}
	if x.Unit.Dimension() != units.Time {
		return units.Quantity{}, "", incompatible(x.Unit, Second(r.scope))
	}
	q, failed := units.Convert(r.ctx, x.Quantity, Second(r.scope))
	if failed != nil || r.ctx.Err() != nil {
		return units.Quantity{}, "", r.invalid(text)
	}
	return q, x.Quantity.Exact(), nil
}

// moment reads a date, a date with clock time, or a clock time: in one of the forms of CONTRACT.md
// or as N s. A bare number is read only where a unit is declared: it could be a year as well.
func (r *reading) moment(text string) (units.Quantity, string, *value.Error) {
	if n, ok := wordMoment(r.kind, text, r.env); ok {
		return r.seconds(decimal.Int(n)), strings.ToLower(text), nil
	}
	n, matched, err := scanMoment(r.kind, text, r.env)
	if err != nil {
		return units.Quantity{}, "", err
	}
	if matched {
		return r.seconds(decimal.Int(n)), momentText(r.kind, n), nil
	}
	invalid := value.Problem("input.invalid_date", Quoted(text))
	x, err := r.arithmetic(text)
	if err != nil {
		if err.Code == "input.ambiguous_number" || err.Code == "input.limit_exceeded" || err.Code == "input.incompatible_units" {
			return units.Quantity{}, "", err
		}
		return units.Quantity{}, "", invalid
	}
	second := Second(r.scope)
	if x.bare {
		if x.Unit = declaredUnit(r.scope, r.variable); x.Unit == nil {
			return units.Quantity{}, "", invalid
		}
	}
	if x.Unit.Dimension() != units.Time {
		return units.Quantity{}, "", incompatible(x.Unit, second)
	}
	if x.Unit.Symbol() != second.Symbol() {
		return units.Quantity{}, "", invalid
	}
	if n, whole := x.Number.Int64(); whole {
		if normal := momentText(r.kind, n); normal != "" {
			return x.Quantity, normal, nil
		}
	}
	return x.Quantity, x.Quantity.Exact(), nil
}

// ParseUnit reads a unit asked for a variable. It fails with input.unknown_unit, or
// input.incompatible_units where the variable's declared dimension or kind does not allow it.
func ParseUnit(s *value.Scope, variable int, text string) (*units.Unit, *value.Error) {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) > maxUnitLength {
		return nil, value.Problem("input.unknown_unit", Quoted(text))
	}
	u, err := parseUnit(s, "", text)
	if err != nil {
		return nil, unknownUnit(text, err)
	}
	var asks *units.Unit
	switch format.ScalarKind(s.Declared[variable].Kind) {
	case "date", "datetime", "time":
		if asks = Second(s); u.Symbol() != asks.Symbol() {
			return nil, incompatible(u, asks)
		}
	case "duration":
		asks = Second(s)
	case "percent":
		asks = units.One
	default:
		if asks = UnitOf(s, variable); asks == nil || declaredUnit(s, variable) == nil && asks.IsOne() && u.Dimension() == units.Angle {
			return u, nil // a plain number that is not declared as one may be an angle in radians
		}
	}
	if !units.Compatible(asks, u) && !SameButCurrency(asks, u) {
		return nil, incompatible(u, asks)
	}
	return u, nil
}

// declaredUnit is the declared unit of a variable, nil where there is none or it cannot be read.
func declaredUnit(s *value.Scope, variable int) *units.Unit {
	if variable < len(s.Profiles) && s.Profiles[variable].Unit != nil {
		return s.Profiles[variable].Unit
	}
	text := s.Declared[variable].Unit
	if text == "" {
		return nil
	}
	u, _ := parseUnit(s, "", text)
	return u
}

// UnitOf is the unit that a bare number for a scalar variable takes, and whose dimension others
// must have: the declared one, else that of the default as it is written. It is nil where neither
// says anything.
func UnitOf(s *value.Scope, variable int) *units.Unit {
	if p := &s.Profiles[variable]; p.Whole {
		return p.Bare
	}
	if u := declaredUnit(s, variable); u != nil {
		return u
	}
	def := &s.Declared[variable]
	if def.Default.Rank != 0 || def.Default.IsEmpty() {
		return nil
	}
	a := arithmetic{scope: s, text: strings.TrimSpace(def.Default.Scalar()), ctx: decimal.NewContext(value.ParseBudget)}
	x, err := a.whole()
	if err != nil {
		return nil
	}
	return x.Unit
}

// Quoted keeps what an error repeats of an input to a readable length.
func Quoted(s string) string {
	if len(s) <= maxQuotedRunes || utf8.RuneCountInString(s) <= maxQuotedRunes {
		return s
	}
	return string([]rune(s)[:maxQuotedRunes]) + "…"
}

package engine

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

// Limits of one value.
const (
	maxCellErrors  = 20
	maxQuotedRunes = 200 // code points of an input that an error repeats
)

// ParseValue reads a value for a variable as structured text and JSON prompts write it (CONTRACT.md section 2: units,
// percent, currencies, compounds, clock times, dates, today and now, arithmetic, fractions; cells of tables one by
// one). A bare number takes the declared unit, else the unit of the default, else none. The normal form for parsed_json
// comes along ("260 min", "2026-01-06", "08:15", "6%", "today"); it has all digits and reads back as the same value.
//
// Dimensions are checked against the declared unit, else the default; two currencies pass for each other, since which
// of them go together shows only in the whole calculation. Cells of a table may have units of any dimension. The empty
// string is no value; it is an error here except in a cell of a table.
func (s *scope) ParseValue(variable int, text Text, env Env) (v Value, normal Text, errs []Error) {
	def := &s.declared[variable]
	fail := func(code string, args ...string) (Value, Text, []Error) {
		return Value{}, Text{}, []Error{Problem(code, args...)}
	}
	table := isTableKind(def.Kind)
	switch {
	case text.Rank == 0 && table && text.IsEmpty():
		return fail("input.invalid_table", def.Key, "a table of cells is expected, not an empty text")
	case text.Rank == 0 && table:
		return fail("input.invalid_table", def.Key, fmt.Sprintf("a table of cells is expected, not %q", quoted(text.scalar())))
	case text.Rank != 0 && !table:
		return fail("input.invalid_table", def.Key, "one value is expected, not a table")
	}
	r := reading{scope: s, variable: variable, env: env, ctx: env.context(parseBudget)}
	if text.Rank == 0 {
		r.kind = scalarKind(def.Kind)
		r.expect()
		q, shown, err := r.quantity(text.scalar())
		if err != nil {
			return Value{}, Text{}, []Error{*err}
		}
		return scalarValue(q), Scalar(shown), nil
	}
	if reason := misshapen(text); reason != "" {
		return fail("input.invalid_table", def.Key, reason)
	}
	if len(text.Cells)*len(text.Cells[0]) > maxCells {
		return fail("input.limit_exceeded", fmt.Sprintf("cells in table %s", def.Key), "10000")
	}
	return r.table(text)
}

// parseBound reads a bound of a variable: a value of a scalar, of a cell where the variable is a table.
func (s *scope) parseBound(variable int, text string, env Env) (units.Quantity, *Error) {
	r := reading{scope: s, variable: variable, env: env, ctx: env.context(parseBudget)}
	r.kind = scalarKind(s.declared[variable].Kind)
	r.expect()
	q, _, err := r.quantity(text)
	return q, err
}

// misshapen says what is wrong with the shape of a table, "" for nothing.
func misshapen(t Text) string {
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
	scope    *scope
	variable int
	kind     string      // of the scalar or cell at hand
	bare     *units.Unit // what a bare number takes, nil for none
	asks     *units.Unit // whose dimension an explicit unit must have, nil for any
	env      Env
	ctx      *decimal.Context
}

// expect sets the units that a scalar may have and a bare number takes.
func (r *reading) expect() {
	r.bare = r.scope.unitOf(r.variable)
	r.asks = r.bare
}

func (r *reading) table(text Text) (Value, Text, []Error) {
	def := &r.scope.declared[r.variable]
	v := Value{Rank: text.Rank, Cells: make([][]Cell, len(text.Cells))}
	normal := Text{Rank: text.Rank, Cells: make([][]string, len(text.Cells))}
	cellKind := cellKinds(*def)
	declared := r.scope.declaredUnit(r.variable)
	var errs []Error
	for i, row := range text.Cells {
		v.Cells[i] = make([]Cell, len(row))
		normal.Cells[i] = make([]string, len(row))
		for j, cell := range row {
			if strings.TrimSpace(cell) == "" {
				v.Cells[i][j] = Cell{Quantity: units.Quantity{Unit: units.One}, Empty: true}
				continue
			}
			r.kind = cellKind(i, j)
			r.bare = declared
			q, shown, err := r.quantity(cell)
			if err != nil {
				if errs = append(errs, *err); len(errs) == maxCellErrors {
					return Value{}, Text{}, errs
				}
				continue
			}
			v.Cells[i][j].Quantity = q
			normal.Cells[i][j] = shown
		}
	}
	if len(errs) > 0 {
		return Value{}, Text{}, errs
	}
	if err := r.checkedCells(v, declared); err != nil {
		return Value{}, Text{}, []Error{*err}
	}
	return v, normal, nil
}

// checkedCells refuses a table none of whose cells has the dimension that is declared. Some may have another: a column of years
// beside one of money.
func (r *reading) checkedCells(v Value, declared *units.Unit) *Error {
	if declared == nil {
		return nil
	}
	var first *Error
	for _, row := range v.Cells {
		for _, cell := range row {
			if cell.Empty {
				continue
			}
			err := r.checked(cell.Quantity, declared)
			if err == nil {
				return nil
			}
			if first == nil {
				first = err
			}
		}
	}
	return first
}

// invalid is input.invalid_value for a text.
func (r *reading) invalid(text string) *Error {
	return problem("input.invalid_value", r.scope.declared[r.variable].Key, quoted(text))
}

// quantity reads one quantity of the kind at hand, and its normal form.
func (r *reading) quantity(text string) (units.Quantity, string, *Error) {
	text = strings.TrimSpace(text)
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

// arithmetic reads a quantity as it is written.
func (r *reading) arithmetic(text string) (operand, *Error) {
	a := arithmetic{scope: r.scope, text: text, ctx: r.ctx}
	return a.whole()
}

// checked refuses a unit of another dimension than the one asked for.
func (r *reading) checked(q units.Quantity, to *units.Unit) *Error {
	if to == nil || units.Compatible(q.Unit, to) || r.scope.sameButCurrency(q.Unit, to) {
		return nil
	}
	if to.IsOne() && q.Unit.Dimension() == units.Angle && r.scope.declaredUnit(r.variable) == nil && r.scope.profiles[r.variable].angle {
		return nil
	}
	return incompatible(q.Unit, to)
}

func (r *reading) number(text string) (units.Quantity, string, *Error) {
	if isMomentWord(text) || looksLikeMoment(text) {
		return units.Quantity{}, "", r.invalid(text)
	}
	x, err := r.arithmetic(text)
	if err != nil {
		return units.Quantity{}, "", err
	}
	if x.bare && r.bare != nil {
		x.Unit = r.bare
	} else if err := r.checked(x.Quantity, r.asks); err != nil {
		return units.Quantity{}, "", err
	}
	return x.Quantity, exact(x.Quantity), nil
}

// percent reads a fraction: 0.06 and 6% are the same.
func (r *reading) percent(text string) (units.Quantity, string, *Error) {
	if isMomentWord(text) || looksLikeMoment(text) {
		return units.Quantity{}, "", r.invalid(text)
	}
	x, err := r.arithmetic(text)
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
	return units.Quantity{Number: n, Unit: r.scope.second()}
}

func (s *scope) second() *units.Unit {
	u, err := s.table.Parse("s")
	if err != nil {
		return units.One
	}
	return u
}

// duration reads a span: a quantity of time, bare in the declared unit, else that of the default, else seconds; or
// h:mm[:ss]. today and now are their distance from the epoch, since a default of any kind of time may be one of them.
func (r *reading) duration(text string) (units.Quantity, string, *Error) {
	if n, ok := wordMoment("duration", text, r.env); ok {
		return r.seconds(decimal.Int(n)), strings.ToLower(text), nil
	}
	if n, normal, ok := scanSpan(text); ok {
		return r.seconds(decimal.Int(n)), normal, nil
	}
	if looksLikeMoment(text) {
		return units.Quantity{}, "", r.invalid(text)
	}
	x, err := r.arithmetic(text)
	if err != nil {
		return units.Quantity{}, "", err
	}
	if x.bare {
		x.Unit = r.bare
		if x.Unit == nil || x.Unit.Dimension() != units.Time {
			x.Unit = r.scope.second()
		}
	}
	if x.Unit.Dimension() != units.Time {
		return units.Quantity{}, "", incompatible(x.Unit, r.scope.second())
	}
	q, failed := units.Convert(r.ctx, x.Quantity, r.scope.second())
	if failed != nil || r.ctx.Err() != nil {
		return units.Quantity{}, "", r.invalid(text)
	}
	return q, exact(x.Quantity), nil
}

// moment reads a date, a date with clock time, or a clock time: in one of the forms of CONTRACT.md or as N s. A bare
// number is read only where a unit is declared: it could be a year as well.
func (r *reading) moment(text string) (units.Quantity, string, *Error) {
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
	invalid := problem("input.invalid_date", quoted(text))
	x, err := r.arithmetic(text)
	if err != nil {
		if err.Code == "input.ambiguous_number" || err.Code == "input.limit_exceeded" || err.Code == "input.incompatible_units" {
			return units.Quantity{}, "", err
		}
		return units.Quantity{}, "", invalid
	}
	second := r.scope.second()
	if x.bare {
		if x.Unit = r.scope.declaredUnit(r.variable); x.Unit == nil {
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
	return x.Quantity, exact(x.Quantity), nil
}

// exact is a quantity with all its digits.
func exact(q units.Quantity) string {
	if symbol := q.Unit.Symbol(); symbol != "" {
		return q.Number.String() + " " + symbol
	}
	return q.Number.String()
}

// ParseUnit reads a unit asked for a variable. It fails with input.unknown_unit, or input.incompatible_units where the
// variable's declared dimension or kind does not allow it.
func (s *scope) ParseUnit(variable int, text string) (*units.Unit, *Error) {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) > maxUnitLength {
		return nil, problem("input.unknown_unit", quoted(text))
	}
	u, err := s.parseUnit("", text)
	if err != nil {
		return nil, unknownUnit(text, err)
	}
	var asks *units.Unit
	switch scalarKind(s.declared[variable].Kind) {
	case "date", "datetime", "time":
		if asks = s.second(); u.Symbol() != asks.Symbol() {
			return nil, incompatible(u, asks)
		}
	case "duration":
		asks = s.second()
	case "percent":
		asks = units.One
	default:
		if asks = s.unitOf(variable); asks == nil || s.declaredUnit(variable) == nil && asks.IsOne() && u.Dimension() == units.Angle {
			return u, nil // a plain number that is not declared as one may be an angle in radians
		}
	}
	if !units.Compatible(asks, u) && !s.sameButCurrency(asks, u) {
		return nil, incompatible(u, asks)
	}
	return u, nil
}

// declaredUnit is the declared unit of a variable, nil where there is none or it cannot be read.
func (s *scope) declaredUnit(variable int) *units.Unit {
	if variable < len(s.profiles) && s.profiles[variable].unit != nil {
		return s.profiles[variable].unit
	}
	text := s.declared[variable].Unit
	if text == "" {
		return nil
	}
	u, err := s.parseUnit("", text)
	if err != nil {
		return nil
	}
	return u
}

// unitOf is the unit that a bare number for a scalar variable takes, and whose dimension others must have: the declared
// one, else that of the default as it is written. It is nil where neither says anything.
func (s *scope) unitOf(variable int) *units.Unit {
	if p := &s.profiles[variable]; p.whole {
		return p.bare
	}
	if u := s.declaredUnit(variable); u != nil {
		return u
	}
	def := &s.declared[variable]
	if def.Default.Rank != 0 || def.Default.IsEmpty() {
		return nil
	}
	a := arithmetic{scope: s, text: strings.TrimSpace(def.Default.scalar()), ctx: decimal.NewContext(parseBudget)}
	x, err := a.whole()
	if err != nil {
		return nil
	}
	return x.Unit
}

// problem is Problem by reference.
func problem(code string, args ...string) *Error {
	e := Problem(code, args...)
	return &e
}

// quoted keeps what an error repeats of an input to a readable length.
func quoted(s string) string {
	if len(s) <= maxQuotedRunes || utf8.RuneCountInString(s) <= maxQuotedRunes {
		return s
	}
	return string([]rune(s)[:maxQuotedRunes]) + "…"
}

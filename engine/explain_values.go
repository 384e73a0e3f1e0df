package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"reckon/engine/decimal"
	"reckon/engine/format"
	"reckon/engine/formula"
	"reckon/engine/syntax"
	"reckon/engine/units"
	"reckon/engine/value"
)

const (
	firstRows = 3 // of a long table that are shown, and the last one
	maxRows   = 8 // of a table that is shown whole
	maxListed = 8 // cells of a table that is put into a formula
)

// value describes a value.
func (x *explainer) value(variable int, v value.Value, origin Origin) ExplainedValue {
	def := &x.domain.Variables[variable]
	e := ExplainedValue{Key: def.Key, Title: def.Title, Origin: origin, Hidden: def.Hidden}
	if v.Rank > 0 {
		e.Rows, e.Names = len(v.Cells), x.domain.Profiles[variable].Names
		for _, row := range v.Cells {
			e.Columns = max(e.Columns, len(row))
		}
		if e.Rows > maxRows {
			v.Cells = slices.Concat(v.Cells[:firstRows], v.Cells[e.Rows-1:])
		}
	}
	e.Value, e.cells = v.Text(), x.domain.readableCells(variable, v)
	q, single := v.Single()
	if !single {
		return e
	}
	e.Shown = x.domain.Readable(variable, v)
	e.node = x.node(variable, q, e.Shown)
	return e
}

// Readable is a value as people read it, where that is another text than the emitted one: a label,
// a date, a percentage; "" of any other.
func (d *Domain) Readable(variable int, v value.Value) string {
	q, single := v.Single()
	if !single {
		return ""
	}
	def := &d.Variables[variable]
	return readable(def, format.ScalarKind(def.Kind), def.Format, q)
}

// readableCells is the same of the cells of a table, each by its column, with those that have no
// other text as they are emitted; nil of a single number.
func (d *Domain) readableCells(variable int, v value.Value) (rows [][]string) {
	if v.Rank == 0 {
		return nil
	}
	columns := format.Columns(&d.Variables[variable])
	for _, row := range v.Text().Cells {
		rows = append(rows, slices.Clone(row))
	}
	for r, row := range v.Cells {
		for i, cell := range row {
			number, unit, _ := strings.Cut(rows[r][i], " ")
			rows[r][i] = strings.TrimSpace(short(number) + " " + unit)
			if i >= len(columns) || cell.Empty {
				continue
			}
			of := cmp.Or(d.ColumnChoices(variable, i), &value.Variable{})
			rows[r][i] = cmp.Or(readable(of, columns[i].Kind, "", cell.Quantity), rows[r][i])
		}
	}
	return rows
}

// readable is a quantity as people read one of a kind and a format, or one of the choices of a
// variable; "" where that is what is emitted.
func readable(choices *value.Variable, kind, layout string, q units.Quantity) string {
	switch {
	case choices.IsChoice():
		return choices.Label(q.Number)
	case q.Unit.IsOne() && kind == "percent":
		percent := decimal.NewContext(value.DefaultBudget).Mul(q.Number, formula.Hundred)
		return short(percent.Shown().String()) + "%"
	case q.Unit.IsSI() && format.IsTime(kind):
		if kind == "duration" {
			layout = ""
		}
		if shown, err := format.Render(value.ScalarValue(q).Text().Scalar(), kind, layout); err == nil {
			return shown
		}
	}
	return ""
}

// node is a quantity as it stands in a formula.
func (x *explainer) node(variable int, q units.Quantity, shown string) syntax.Node {
	def := &x.domain.Variables[variable]
	q = x.domain.asDeclared(x.Context, variable, q)
	x.TryErr()
	text, unit := q.Number.Shown().String(), ""
	if !q.Unit.IsOne() {
		unit = q.Unit.Symbol()
	}
	var n syntax.Node
	switch negative := strings.HasPrefix(text, "-"); {
	case x.domain.Profiles[variable].Moment && q.Unit.IsSI():
		n = momentNode(q.Number)
	case negative && q.Unit.IsPoint():
		n = &syntax.Name{Text: def.Key} // a sign would turn the absolute temperature round
	case negative:
		n = &syntax.Unary{Op: "-", X: &syntax.Number{Text: text[1:], Unit: unit}}
	default:
		n = &syntax.Number{Text: text, Unit: unit}
	}
	switch {
	case def.IsChoice() && shown != "":
		return &syntax.Shown{X: n, Text: `"` + shown + `"`}
	case shown != "" && format.ScalarKind(def.Kind) != "duration":
		return &syntax.Shown{X: n, Text: shown}
	}
	return &syntax.Shown{X: n, Text: short(text), Unit: unit}
}

// momentNode is a moment as an equation says it.
func momentNode(seconds decimal.Decimal) syntax.Node {
	n, whole := seconds.Int64()
	if !whole {
		return &syntax.Binary{Op: "+", X: momentNode(decimal.Int(0)), Y: &syntax.Number{Text: seconds.Shown().String(), Unit: "s"}}
	}
	year, month, day := time.Unix(n, 0).UTC().Date()
	date := callNode("date", numberNode(fmt.Sprint(year)), numberNode(fmt.Sprint(int(month))), numberNode(fmt.Sprint(day)))
	rest := value.Mod(n, value.SecondsPerDay)
	if rest == 0 {
		return date
	}
	return sumOf(date, callNode("time", numberNode(fmt.Sprint(rest/3600)), numberNode(fmt.Sprint(rest/60%60)), numberNode(fmt.Sprint(rest%60))))
}

// shortDigits is how many significant digits of a number people are shown, in a calculation that
// goes on with all of them.
const shortDigits = 10

// short is a number cut behind so many digits, with a mark where it was.
func short(text string) string {
	mantissa, exponent, _ := strings.Cut(text, "e")
	digits, point := 0, false
	for i, r := range mantissa {
		switch {
		case r == '.':
			point = true
		case r >= '1' && r <= '9' || r == '0' && digits > 0:
			digits++
		}
		if digits > shortDigits && point {
			cut := mantissa[:i] + "…"
			if exponent != "" {
				cut += " × 10^" + exponent
			}
			return cut
		}
	}
	return text
}

// put is an expression with the values that are known in the place of the variables, but for some.
func (x *explainer) put(n syntax.Node, but ...int) syntax.Node {
	return x.putIn(n, nil, but, true)
}

func (x *explainer) putIn(n syntax.Node, bound []string, but []int, lists bool) syntax.Node {
	switch n := n.(type) {
	case *syntax.Name:
		v := x.domain.Index(n.Text)
		if v < 0 || slices.Contains(bound, n.Text) || slices.Contains(but, v) {
			return n
		}
		if _, constant := formula.Constants[n.Text]; constant {
			return n
		}
		if shown := x.now[v]; shown.node != nil {
			return shown.node
		}
		if list := x.listed(v); list != nil && lists {
			return list
		}
		return n
	case *syntax.Unary:
		return &syntax.Unary{Op: n.Op, X: x.putIn(n.X, bound, but, lists)}
	case *syntax.Binary:
		made := &syntax.Binary{Op: n.Op, X: x.putIn(n.X, bound, but, lists), Y: x.putIn(n.Y, bound, but, lists)}
		if n.Op == "==" || n.Op == "!=" {
			made.X, made.Y = x.labelled(n.Y, made.Y, made.X), x.labelled(n.X, made.X, made.Y)
		}
		return made
	case *syntax.Definition:
		return &syntax.Definition{Name: n.Name, X: x.putIn(n.X, bound, but, lists)}
	case *syntax.List:
		list := &syntax.List{}
		for _, item := range n.Items {
			list.Items = append(list.Items, x.putIn(item, bound, but, lists))
		}
		return list
	case *syntax.Call:
		x.calls(n.Function)
		names, binds := functions.BoundNames(n)
		inner := append(slices.Clip(bound), names...)
		made := &syntax.Call{Function: n.Function}
		// The columns of a list have no names.
		named := slices.ContainsFunc(n.Args, func(a syntax.Node) bool { _, text := a.(*syntax.Text); return text })
		for i, a := range n.Args {
			in := bound
			if binds(i) {
				in = inner
			}
			made.Args = append(made.Args, x.putIn(a, in, but, lists && !named))
		}
		return made
	}
	return n
}

// familiar are functions that need no explanation.
var familiar = strings.Fields("sqrt cbrt root abs floor ceil round exp if sin cos tan asin acos atan ln log log10 min max sum")

// calls explains a function that is called.
func (x *explainer) calls(function string) {
	if slices.Contains(familiar, function) || slices.Contains(x.called, function) {
		return
	}
	x.called = append(x.called, function)
	if signature, doc, formula, ok := functions.Meaning(function); ok {
		x.out.Functions = append(x.out.Functions, ExplainedFunction{signature, doc, formula})
	}
}

// labelled is an expression beside a comparison with another one: where that was a variable that is
// chosen, and is its value now, a label stands for its number.
func (x *explainer) labelled(beside, now, n syntax.Node) syntax.Node {
	name, ok := beside.(*syntax.Name)
	if !ok || beside == now {
		return n
	}
	v := x.domain.Index(name.Text)
	if v < 0 || !x.domain.Variables[v].IsChoice() {
		return n
	}
	label := ""
	switch n := n.(type) {
	case *syntax.Text:
		label = n.Text
	case *syntax.Name:
		label = n.Text
	}
	if c, ok := x.domain.Variables[v].Choice(label); ok && label != "" {
		return &syntax.Shown{X: literalNode(c.Value), Text: `"` + c.Label + `"`}
	}
	return n
}

// listed is a short column of numbers as a list, nil for another table.
func (x *explainer) listed(variable int) syntax.Node {
	v, known := x.values[variable]
	if !known || v.Rank != 1 || len(v.Cells) > maxListed || x.domain.Profiles[variable].Moment {
		return nil
	}
	list := &syntax.List{}
	for _, row := range v.Cells {
		if len(row) != 1 || row[0].Empty || row[0].Unit.IsPoint() {
			return nil
		}
		list.Items = append(list.Items, x.node(variable, row[0].Quantity, ""))
	}
	return list
}

// brief is a text without the cells of a table, which stand where the table was found.
func brief(t value.Text) value.Text {
	if t.Rank > 0 {
		return value.Text{}
	}
	return t
}

// inUnitOf writes a number in coherent SI in the unit that a variable's value has.
func (x *explainer) inUnitOf(variable int, si decimal.Decimal) string {
	q, _ := x.values[variable].Single()
	if q.Unit == nil {
		return si.Shown().String()
	}
	text := units.FromSI(x.Context, si, x.domain.asDeclared(x.Context, variable, q).Unit).String()
	x.TryErr()
	return text
}

// roughly is an end of a bracket, to six digits.
func (x *explainer) roughly(variable int, si float64) string {
	number, unit, _ := strings.Cut(x.inUnitOf(variable, decimal.FromFloat(si)), " ")
	if n, err := decimal.Parse(number); err == nil {
		first, _ := n.Extent()
		number = x.Context.Round(n, 5-first).String()
		x.TryErr()
	}
	return strings.TrimSpace(number + " " + unit)
}

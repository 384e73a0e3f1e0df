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
	"reckon/engine/solve"
	"reckon/engine/syntax"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Explanation is how the values of a scenario come about, so that a person can follow it on paper.
// Text, TeX and MathML write it for people; as JSON it is data, in which every formula is written
// as in a domain file and can be evaluated as one.
type Explanation struct {
	Targets   []string            `json:"targets"`   // keys of what was asked last, the target first
	Given     []ExplainedValue    `json:"given"`     // what the values rest on
	Steps     []ExplainedStep     `json:"steps"`     // in the order of evaluation
	Checks    []ExplainedCheck    `json:"checks"`    // that no step makes
	Functions []ExplainedFunction `json:"functions"` // that the equations call, but for those of every school
	Unlike    []ExplainedValue    `json:"unlike"`    // kept values that are found otherwise now, as they were kept: another version of Reckon found them
}

// Origin says where a value comes from.
type Origin string

const (
	OriginStated     Origin = "stated"     // by the message that is explained
	OriginCarried    Origin = "carried"    // stated by an earlier message
	OriginDefault    Origin = "default"    // of the variable
	OriginRemembered Origin = "remembered" // calculated in the scenario that this one branched off from
	OriginCalculated Origin = "calculated" // by a step
)

// ExplainedValue is the value of a variable. Of a table with many rows it has the first ones and
// the last one; Rows and Columns are the size of the whole.
type ExplainedValue struct {
	Key      string     `json:"key"`
	Title    string     `json:"title"`
	Value    value.Text `json:"value"`
	Shown    string     `json:"shown,omitempty"` // as people read it, where that is another text: a date, a percentage, a label
	Rows     int        `json:"rows,omitempty"`
	Columns  int        `json:"columns,omitempty"`
	Names    []string   `json:"column_names,omitempty"`
	Origin   Origin     `json:"origin"`
	Step     int        `json:"step,omitempty"`      // that found it, from 1
	StatedAs string     `json:"stated_as,omitempty"` // where it was stated in another way
	Hidden   bool       `json:"hidden,omitempty"`    // nobody is shown or asked for it

	node syntax.Node // in a formula
}

// ExplainedStep finds the value of a variable from one equation, or the values of several from as
// many equations together.
type ExplainedStep struct {
	Number    int                 `json:"number"`
	Found     []ExplainedValue    `json:"found"`
	Equations []ExplainedEquation `json:"equations"`
	Inputs    []ExplainedValue    `json:"inputs"`
	Method    solve.Method        `json:"method"`
	Solved    *Written            `json:"solved,omitempty"`  // an equation with the unknown alone on the left
	Numbers   *Written            `json:"numbers,omitempty"` // the same with the numbers put in
	Between   string              `json:"between,omitempty"` // the value in the units of the numbers, where it is shown in another one
	Search    *ExplainedSearch    `json:"search,omitempty"`
	Chosen    string              `json:"chosen,omitempty"` // why this one of several roots
	Others    []ExplainedRoot     `json:"others,omitempty"` // the other roots
}

// ExplainedEquation is an activity of a step.
type ExplainedEquation struct {
	ID       string  `json:"id"`
	Title    string  `json:"title"`
	Equation Written `json:"equation"`
	Numbers  Written `json:"numbers"`  // with all values put in
	Residual string  `json:"residual"` // how far the sides are apart then, as a part of their size
}

// ExplainedSearch is a search for a root.
type ExplainedSearch struct {
	Low         string `json:"low,omitempty"` // the sides change places between two values
	High        string `json:"high,omitempty"`
	Iterations  int    `json:"iterations,omitempty"` // that narrowed these down
	Evaluations int    `json:"evaluations"`          // of the equation, in all
}

// ExplainedRoot is a root that was not taken.
type ExplainedRoot struct {
	Value  string `json:"value"`
	Reason string `json:"reason"`
}

// ExplainedFunction says what a function does.
type ExplainedFunction struct {
	Signature     string `json:"signature"`
	Documentation string `json:"documentation"`
	Formula       string `json:"formula,omitempty"` // in the parameters
}

// ExplainedCheck is an equation or a constraint that the values agree with, though none of them was
// found from it.
type ExplainedCheck struct {
	Title     string  `json:"title"` // of a constraint its message
	Condition Written `json:"condition"`
	Numbers   Written `json:"numbers"`
	Holds     bool    `json:"holds"`
}

// Written is an equation, or a condition, which has no right side.
type Written struct{ Left, Right syntax.Node }

// MarshalText writes it as in a domain file.
func (w Written) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

func (w Written) String() string {
	if w.Right == nil {
		return syntax.String(w.Left)
	}
	return syntax.String(w.Left) + " = " + syntax.String(w.Right)
}

// maxExplanation is how many bytes the formulas of an explanation have at most.
const maxExplanation = 4 << 20

// Explain finds the values of a scenario again and says how. stated are the variables that the
// message stated which is explained, as it stated them; the other user inputs count as carried.
// The explanation may spend as much again as the calculation. Errors are those of Calculate, and
// calculation.limit_exceeded of an explanation that is too long.
func (d *Domain) Explain(s *Scenario, stated map[int]value.Text, env value.Env) (Explanation, []value.Error) {
	env = env.Metered()
	found := func(anew bool) (c calculation, errs []value.Error) {
		c = calculation{domain: d, base: s, req: s.Again(), env: env, anew: anew}
		if err := c.chooseTargets(); err != nil {
			return c, []value.Error{*err}
		}
		return c, c.attempt()
	}
	c, errs := found(false)
	// A root may have been found before there was one to be near to.
	if len(errs) > 0 || !c.keeps() {
		if other, problems := found(true); len(problems) == 0 && (len(errs) > 0 || other.keeps()) {
			c, errs = other, nil
		}
	}
	if len(errs) > 0 {
		return Explanation{}, errs
	}
	// What a calculation may spend, its explanation may spend again.
	c.env.Meter = nil
	c.env = c.env.Metered()
	m := d.machines.Take(c.env)
	defer d.machines.Release(m)
	x := explainer{agreement: d.newAgreement(m), c: &c, stated: stated, now: map[int]ExplainedValue{}, values: map[int]value.Value{}}
	x.explain()
	switch {
	case m.Limited() || c.env.Meter.Over():
		return Explanation{}, []value.Error{*solve.Exceeded(c.env)}
	case x.size > maxExplanation:
		return Explanation{}, value.Problems("calculation.limit_exceeded", fmt.Sprintf("%d MiB of explanation", maxExplanation>>20))
	}
	return x.out, nil
}

// explainer is the work of one Explain: the values as far as its steps have come.
type explainer struct {
	agreement
	c      *calculation
	stated map[int]value.Text
	now    map[int]ExplainedValue
	values map[int]value.Value
	used   map[int]bool // activities that steps have checked
	called []string     // functions that have been explained
	size   int          // of the formulas
	out    Explanation
}

func (x *explainer) explain() {
	d, c := x.domain, x.c
	x.used = map[int]bool{}
	x.out = Explanation{Targets: []string{}, Given: []ExplainedValue{}, Steps: []ExplainedStep{}, Checks: []ExplainedCheck{}, Functions: []ExplainedFunction{}, Unlike: []ExplainedValue{}}
	for _, t := range c.targets {
		x.out.Targets = append(x.out.Targets, d.Variables[t.Variable].Key)
	}
	for _, v := range c.base.Values {
		switch {
		case v.Source == UserInput:
			origin := OriginCarried
			if _, is := x.stated[v.Variable]; is {
				origin = OriginStated
			}
			x.give(v.Variable, v.Value, origin)
		case v.Source == DefaultValue:
			x.give(v.Variable, v.Value, OriginDefault)
		case v.Historical:
			x.give(v.Variable, v.Value, OriginRemembered)
		}
	}
	for v := range d.Variables {
		if found, is := c.found[v]; is && found.Source == DefaultValue && x.now[v].Key == "" {
			x.give(v, found.Value, OriginDefault)
		}
	}
	steps := c.solved.Steps
	for len(steps) > 0 && x.size <= maxExplanation && !x.Limited() {
		n := 1
		for n < len(steps) && len(steps[n].Activities) > 0 && &steps[n].Activities[0] == &steps[0].Activities[0] {
			n++
		}
		x.step(steps[:n])
		steps = steps[n:]
	}
	for _, v := range c.base.Values {
		if found, is := c.found[v.Variable]; is && v.Source == Calculated && !found.Value.Near(v.Value, value.Recalculated) {
			x.out.Unlike = append(x.out.Unlike, x.value(v.Variable, v.Value, OriginCalculated))
		}
	}
	x.checks()
}

// give takes in a value that the others rest on.
func (x *explainer) give(variable int, v value.Value, origin Origin) {
	shown := x.value(variable, v, origin)
	if text, is := x.stated[variable]; is && origin == OriginStated && text.Rank == 0 {
		if as := text.Scalar(); as != shown.Value.Scalar() && as != shown.Shown {
			shown.StatedAs = as
		}
	}
	x.learn(variable, v, shown)
	x.out.Given = append(x.out.Given, shown)
}

// learn makes a value one that is known.
func (x *explainer) learn(variable int, v value.Value, shown ExplainedValue) {
	x.now[variable], x.values[variable] = shown, v
	x.load([]Fact{{variable, Stated, v}})
}

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
	e.Value = v.Text()
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
	switch kind := format.ScalarKind(def.Kind); {
	case def.IsChoice():
		return def.Label(q.Number)
	case q.Unit.IsOne() && kind == "percent":
		percent := decimal.NewContext(value.DefaultBudget).Mul(q.Number, formula.Hundred)
		return short(percent.Shown().String()) + "%"
	case q.Unit.IsSI() && format.IsTime(kind):
		layout := def.Format
		if kind == "duration" {
			layout = ""
		}
		if shown, err := format.Render(v.Text().Scalar(), kind, layout); err == nil {
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

// parsed is the tree of an activity, or of a constraint, which has no right side. What is read and
// written is paid for.
func (x *explainer) parsed(activity int) (Written, bool) {
	source := string(x.Equations[activity].Source)
	x.Context.Spend(1 + len(source)/4)
	if x.domain.isConstraint(activity) {
		n, err := syntax.ParseExpression(source)
		return Written{Left: n}, err == nil
	}
	e, err := syntax.ParseEquation(source)
	if err != nil {
		return Written{}, false
	}
	return Written{e.Left, e.Right}, true
}

// written counts a formula.
func (x *explainer) written(w Written) Written {
	x.size += len(w.String())
	return w
}

// step explains one step of the plan.
func (x *explainer) step(steps []Step) {
	d := x.domain
	s := ExplainedStep{Number: len(x.out.Steps) + 1, Found: []ExplainedValue{}, Equations: []ExplainedEquation{}, Inputs: []ExplainedValue{}}
	again := solve.Step{Variable: steps[len(steps)-1].Variable, Activity: steps[0].Activities[0], Activities: steps[0].Activities}
	tables := false
	for _, f := range steps {
		again.Outputs = append(again.Outputs, f.Variable)
		tables = tables || f.Value.Rank > 0
	}
	var trees []Written
	seen := map[int]bool{}
	for _, a := range again.Activities {
		tree, ok := x.parsed(a)
		if !ok {
			continue
		}
		trees = append(trees, tree)
		for _, r := range d.equations[a].Order {
			if seen[r] || slices.Contains(again.Outputs, r) {
				continue
			}
			seen[r] = true
			if in, known := x.now[r]; known {
				in.Value = brief(in.Value)
				s.Inputs = append(s.Inputs, in)
			} else {
				again.Open = append(again.Open, r)
			}
		}
	}
	account := x.solveAgain(again, tables)
	s.Method = account.Method
	for _, f := range steps {
		shown := x.value(f.Variable, f.Value, OriginCalculated)
		shown.Step = s.Number
		x.learn(f.Variable, f.Value, shown)
		s.Found = append(s.Found, shown)
	}
	if len(again.Activities) == 1 && len(trees) == 1 && len(steps) == 1 {
		x.solved(&s, again, trees[0], account)
	}
	for i, a := range again.Activities {
		if i >= len(trees) {
			break
		}
		x.used[a] = true
		def := d.Activities[a]
		s.Equations = append(s.Equations, ExplainedEquation{
			ID: def.ID, Title: def.Title, Equation: x.written(trees[i]),
			Numbers:  x.written(Written{x.put(trees[i].Left), x.put(trees[i].Right)}),
			Residual: x.residual(a),
		})
	}
	x.out.Steps = append(x.out.Steps, s)
}

// brief is a text without the cells of a table, which stand where the table was found.
func brief(t value.Text) value.Text {
	if t.Rank > 0 {
		return value.Text{}
	}
	return t
}

// maxSolvedAgain bounds what it takes to see how one step is solved. Of one that takes more no
// other roots are known.
const maxSolvedAgain = 100_000

// solveAgain solves a step with somebody who notes how. What it finds counts for nothing.
func (x *explainer) solveAgain(step solve.Step, tables bool) solve.Account {
	e := x.Equations[step.Activity]
	alone := len(step.Activities) == 1 && len(step.Open) == 0
	if alone && e.StandsAlone(step.Variable) {
		return solve.Account{Method: solve.Stated}
	}
	var account solve.Account
	if !tables && x.Machine.TryErr() == nil {
		x.Account, x.EveryRoot, x.Path, x.Sizes = &account, true, nil, nil
		x.Near = func(r int) *decimal.Decimal { return x.domain.Profiles[r].Hint }
		x.Within(maxSolvedAgain, func() { x.Step(step) })
		x.TryErr()
		x.Account = nil
	}
	several := []solve.Method{solve.Linear, solve.Eliminated, solve.Chained, solve.Approached}
	switch {
	case alone && account.Method == "":
		account.Method = solve.Isolated
	case !alone && !slices.Contains(several, account.Method):
		account.Method = solve.Approached
	}
	return account
}

// solved writes an equation with the unknown alone on the left, else says how it was found.
func (x *explainer) solved(s *ExplainedStep, step solve.Step, tree Written, account solve.Account) {
	v := step.Variable
	key := x.domain.Variables[v].Key
	name := &syntax.Name{Text: key}
	var right syntax.Node
	if account.Method == solve.Stated {
		if right = tree.Right; !isName(tree.Left, key) {
			right = tree.Left
		}
	} else if n := len(x.Equations[step.Activity].Source); account.Method != solve.Tried && n <= maxMarkup {
		x.Context.Spend(n * n / 2000) // what holds the unknown is looked for at every operation
		found := isolation{key, func(n syntax.Node) (decimal.Decimal, bool) { return x.evaluated(n, key) }}.isolated(syntax.Equation{Left: tree.Left, Right: tree.Right})
		if found != nil && x.comesTo(found, v) {
			right = found
			if s.Method == solve.Searched {
				s.Method = solve.Isolated
			}
		}
	}
	if right != nil {
		solved, numbers := x.written(Written{name, right}), x.written(Written{name, x.put(right, v)})
		s.Solved, s.Numbers, s.Between = &solved, &numbers, x.between(v, step.Activity)
	} else {
		numbers := x.written(Written{x.put(tree.Left, v), x.put(tree.Right, v)})
		s.Numbers = &numbers
		if s.Method == solve.Searched {
			x.searched(s, v, step.Activity, account)
		}
	}
	x.choice(s, v, step.Activity, account)
}

// between is the value of a variable in the units of what it was found from, "" where that is the
// one that it is shown in.
func (x *explainer) between(variable, activity int) string {
	q, single := x.values[variable].Single()
	if !single || q.Unit.IsPoint() || x.now[variable].Shown != "" {
		return ""
	}
	var used []*units.Unit
	for _, r := range x.Equations[activity].Order {
		if x.domain.Profiles[r].Moment {
			return "" // its seconds are nobody's units
		}
		if of, single := x.values[r].Single(); single && r != variable && !of.Unit.IsOne() {
			used = append(used, of.Unit)
		}
	}
	natural := x.domain.Table.ForResult(q.Unit.Dimension(), used, false)
	if natural.Symbol() == q.Unit.Symbol() {
		return ""
	}
	in := units.FromSI(x.Context, x.Values[variable], natural)
	if x.TryErr() != nil || alike(in.Number, q.Number) || x.domain.asDeclared(x.Context, variable, q).Unit.Dimension() != q.Unit.Dimension() {
		return ""
	}
	return in.String()
}

func isName(n syntax.Node, key string) bool {
	name, ok := n.(*syntax.Name)
	return ok && name.Text == key
}

// evaluated is the value of an expression with the values that are known.
func (x *explainer) evaluated(n syntax.Node, key string) (decimal.Decimal, bool) {
	e, ok := x.compiled(n, key)
	if !ok {
		return decimal.Decimal{}, false
	}
	v := x.Eval(e.Left)
	return v, x.TryErr() == nil
}

// compiled is an expression as the left side of an equation, ready to be evaluated.
func (x *explainer) compiled(n syntax.Node, key string) (*formula.Equation, bool) {
	if nodes(n, maxWritten) >= maxWritten {
		return nil, false
	}
	text := syntax.String(n) + " = " + key
	if !x.Context.Spend(1 + len(text)/4) {
		return nil, false
	}
	e, ok := &formula.Equation{Source: []rune(text), Active: true}, true
	formula.ParseEquation(&x.domain.Scope, e, functions, func(int, string, ...any) { ok = false })
	if !ok || e.Left == nil {
		return nil, false
	}
	e.StepMonths(&x.domain.Scope, functions)
	return e, true
}

// comesTo reports whether an expression has the value that a variable was found to have.
func (x *explainer) comesTo(n syntax.Node, variable int) bool {
	v := x.values[variable]
	e, ok := x.compiled(n, x.domain.Variables[variable].Key)
	if !ok {
		return false
	}
	if v.Rank == 0 {
		found := x.Eval(e.Left)
		return x.TryErr() == nil && alike(found, x.Values[variable])
	}
	x.Renew()
	g := x.Grid(e.Left)
	if x.TryErr() != nil || len(g.Rows) != len(v.Cells) {
		return false
	}
	for r, row := range g.Rows {
		for i, cell := range row {
			if i >= len(v.Cells[r]) || cell.Empty != v.Cells[r][i].Empty || !cell.Empty && !alike(cell.Number, x.Tables[variable].Rows[r][i].Number) {
				return false
			}
		}
	}
	return true
}

// residual is how far the sides of an equation are apart, as a part of the larger one; "" where
// that is not a number.
func (x *explainer) residual(activity int) string {
	e := x.Equations[activity]
	if e.Whole || slices.ContainsFunc(e.Refs, func(r int) bool { return !x.known[r] || x.values[r].Rank > 0 && !e.Tables }) {
		return ""
	}
	left, right, miss := x.Residual(e)
	size := formula.Extreme(formula.Decimals{left.Abs(), right.Abs()}, 1)
	if x.TryErr() != nil {
		return ""
	}
	if miss.IsZero() || size.IsZero() {
		return "0"
	}
	part := x.Context.Quo(miss, size)
	if x.TryErr() != nil {
		return ""
	}
	first, _ := part.Extent()
	return x.Context.Round(part, 1-first).String()
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

// searched says how a root was found.
func (x *explainer) searched(s *ExplainedStep, v, activity int, account solve.Account) {
	s.Search = &ExplainedSearch{Evaluations: account.Steps}
	at := x.Values[v].Float64()
	for _, b := range account.Brackets {
		if b.Low <= at && at <= b.High {
			s.Search.Low, s.Search.High = x.roughly(v, b.Low), x.roughly(v, b.High)
			s.Search.Iterations = b.Steps
		}
	}
}

// Why one of several roots was taken, and why another was not.
const (
	whyAllowed  = "It is the only one within the bounds of the variable."
	whyPositive = "It is the only positive one."
	whyNear     = "It is the nearest to the default."
	whyLeast    = "It is the smallest."
	whyFits     = "The other values of the scenario, or the value before, leave this one."

	notAllowed  = "out of bounds"
	notPositive = "not positive"
	notNear     = "further from the default"
	notLeast    = "larger"
	notFitting  = "does not fit the other values"
)

// maxOthers is how many other roots are listed, those nearest to the one that was taken.
const maxOthers = 4

// choice says why a root was taken, where there were several.
func (x *explainer) choice(s *ExplainedStep, v, activity int, account solve.Account) {
	found := x.Values[v]
	var others formula.Decimals
	for _, r := range account.Roots {
		if !alike(r, found) && !slices.ContainsFunc(others, func(o decimal.Decimal) bool { return alike(o, r) }) {
			others = append(others, r)
		}
	}
	if len(others) == 0 {
		return
	}
	slices.SortStableFunc(others, func(a, b decimal.Decimal) int {
		return x.Context.Sub(a, found).Abs().Cmp(x.Context.Sub(b, found).Abs())
	})
	near, scale := x.domain.Profiles[v].Hint, x.IsScale(v)
	distance := func(r decimal.Decimal) decimal.Decimal {
		if near != nil {
			return x.Context.Sub(r, *near).Abs()
		}
		return r.Abs()
	}
	why := map[string]bool{}
	for _, r := range others {
		reason := notFitting
		switch {
		case !x.Allowed(v, r):
			reason = notAllowed
		case r.Sign() <= 0 && found.Sign() > 0 && !scale:
			reason = notPositive
		case distance(r).Cmp(distance(found)) > 0 && near != nil:
			reason = notNear
		case distance(r).Cmp(distance(found)) > 0:
			reason = notLeast
		}
		why[reason] = true
		if len(s.Others) < maxOthers {
			s.Others = append(s.Others, ExplainedRoot{x.inUnitOf(v, r), reason})
		}
	}
	x.TryErr()
	switch {
	case why[notFitting]:
		s.Chosen = whyFits
	case why[notNear]:
		s.Chosen = whyNear
	case why[notLeast]:
		s.Chosen = whyLeast
	case why[notPositive]:
		s.Chosen = whyPositive
	default:
		s.Chosen = whyAllowed
	}
}

// checks lists the equations and constraints whose variables are known and that no step has used.
func (x *explainer) checks() {
	d := x.domain
	for a, e := range d.equations {
		x.c.env.Meter.Look(1 + len(e.Refs))
		if x.size > maxExplanation || x.Limited() {
			return
		}
		constraint := d.isConstraint(a)
		if x.used[a] || !e.Active || len(e.Refs) == 0 || e.Whole && !constraint || !x.isKnown(e) {
			continue
		}
		tree, ok := x.parsed(a)
		if !ok {
			continue
		}
		check := ExplainedCheck{Condition: x.written(tree)}
		if constraint {
			check.Title, check.Holds = strings.TrimSpace(d.Constraints[a-len(d.Activities)].Message), !x.Breaks(e)
			check.Numbers = x.written(Written{Left: x.put(tree.Left)})
		} else {
			check.Title, check.Holds = cmp.Or(d.Activities[a].Title, d.Activities[a].Equation), !x.misses(e)
			check.Numbers = x.written(Written{x.put(tree.Left), x.put(tree.Right)})
		}
		x.TryErr()
		x.out.Checks = append(x.out.Checks, check)
	}
}

package engine

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/solve"
	"reckon/engine/syntax"
	"reckon/engine/units"
)

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
				s.Open = append(s.Open, d.Variables[r].Key)
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
	} else if !tables {
		x.choice(&s, again.Variable, again.Activity, account)
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
		x.Within(maxSolvedAgain, func() {
			if x.Step(step) != nil && len(step.Open) > 0 && x.TryErr() == nil {
				// What is open showed only when all were solved for.
				step.Outputs, step.Open = slices.Concat(step.Outputs, step.Open), nil
				account = solve.Account{}
				x.Step(step)
			}
		})
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

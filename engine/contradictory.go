package engine

import (
	"fmt"
	"slices"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/solve"
	"reckon/engine/syntax"
)

// Bounds of the search for equations that contradict one another.
const (
	maxContradictory     = 10  // that are told
	maxContradictoryVars = 200 // of a set of equations that is looked at
)

// Contradictory lists linear equations that contradict one another whatever is given: an error
// where no values satisfy them, a warning where only zeros do, as of a = 2 * b and a = 3 * b, since
// an author may mean that. Others than linear ones are not looked at, nor more than the budget of a
// calculation lasts for.
func (d *Domain) Contradictory() []Issue {
	env := compileEnv.Metered()
	m := d.machines.Take(env)
	defer d.machines.Release(m)
	s := contradictory{agreement: d.newAgreement(m), told: map[string]bool{}, done: make([]bool, len(d.Profiles))}
	for v := range d.Profiles {
		if s.done[v] || d.Profiles[v].Table || len(d.users[v]) < 2 {
			continue
		}
		s.look(v)
		if s.Limited() || len(s.issues) >= maxContradictory {
			break
		}
	}
	return s.issues
}

// contradictory is the work of one Contradictory.
type contradictory struct {
	agreement
	issues []Issue
	told   map[string]bool
	done   []bool // by variable: it is in what was told
}

// look looks whether the equations that a variable is tied to contradict one another.
func (s *contradictory) look(target int) {
	activities, unknowns := s.tied(target)
	if len(activities) < 2 || len(unknowns) > maxContradictoryVars {
		for _, v := range unknowns {
			s.done[v] = s.done[v] || len(unknowns) > maxContradictoryVars
		}
		return
	}
	found := s.Span(activities, unknowns, target)
	if s.TryErr() != nil {
		return
	}
	for _, c := range found.Against {
		s.tell(c.Activities, false, "Whatever the values are, these equations cannot hold together: %s.")
	}
	if found.Tells == nil || len(found.Tells.Activities) < 2 || !s.zeros(found.Tells) {
		return
	}
	key := s.domain.Variables[target].Key
	s.tell(found.Tells.Activities, true, fmt.Sprintf("%q can only be 0, as these equations hold together nowhere else: %%s.", key))
}

// tied lists the linear equations that a variable is tied to, and their other variables.
func (s *contradictory) tied(target int) (activities, unknowns []int) {
	d := s.domain
	seen, with := make([]bool, len(d.Profiles)), make([]bool, len(d.equations))
	seen[target] = true
	for stack := []int{target}; len(stack) > 0; {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, a := range d.users[v] {
			e := d.equations[a]
			if with[a] || d.isConstraint(a) || !e.Active || e.Tables || e.Whole || !isLinear(e.Left) || !isLinear(e.Right) {
				continue
			}
			with[a] = true
			for _, r := range e.Refs {
				if !seen[r] {
					seen[r] = true
					stack = append(stack, r)
				}
			}
		}
	}
	seen[target] = false
	return positionsOf(with), positionsOf(seen)
}

// isLinear reports whether an expression is a sum of multiples of variables.
func isLinear(n *formula.Node) bool {
	varies := func(n *formula.Node) (found bool) {
		n.Walk(func(n *formula.Node) { found = found || n.Op == formula.OpVariable })
		return found
	}
	switch n.Op {
	case formula.OpNumber, formula.OpVariable:
		return true
	case formula.OpAdd, formula.OpSub, formula.OpNeg, formula.OpPercent:
	case formula.OpMul:
		if varies(n.Args[0]) && varies(n.Args[1]) {
			return false
		}
	case formula.OpDiv:
		if varies(n.Args[1]) {
			return false
		}
	default:
		return !varies(n)
	}
	return !slices.ContainsFunc(n.Args, func(a *formula.Node) bool { return !isLinear(a) })
}

// zeros reports whether zeros satisfy the equations of a combination, none of which states a
// number.
func (s *contradictory) zeros(c *solve.Combination) bool {
	return !slices.ContainsFunc(c.Activities, func(a int) bool {
		e := s.domain.equations[a]
		if len(e.Refs) < 2 {
			return true
		}
		for _, v := range e.Refs {
			s.Values[v] = decimal.Decimal{}
		}
		return !s.difference(e).IsZero() || s.TryErr() != nil
	})
}

// tell notes equations that contradict one another, once.
func (s *contradictory) tell(activities []int, warning bool, format string) {
	name := fingerprint(activities)
	var list []string
	for _, a := range activities {
		for _, v := range s.domain.equations[a].Refs {
			s.done[v] = true
		}
		list = append(list, fmt.Sprintf("%q", syntax.OneLine(s.domain.Activities[a].Equation)))
	}
	if s.told[name] {
		return
	}
	s.told[name] = true
	last := len(list) - 1
	s.issues = append(s.issues, Issue{
		Warning: warning, Path: fmt.Sprintf("activities[%d].equation", activities[last]), Offset: -1,
		Message: fmt.Sprintf(format, strings.Join(list[:last], ", ")+" and "+list[last]),
	})
}

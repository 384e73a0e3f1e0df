package engine

import (
	"fmt"
	"slices"

	"reckon/engine/formula"
	"reckon/engine/value"
)

// Certain lists conditions that always hold because they are a variable none of whose choices is 0,
// such as those of a list, which stand for 1, 2, 3. Each is an error.
func (d *Domain) Certain() (issues []Issue) {
	for i, e := range d.equations {
		if e.Left == nil {
			continue
		}
		path := fmt.Sprintf("activities[%d].equation", i)
		if d.isConstraint(i) {
			path = fmt.Sprintf("constraints[%d].condition", i-len(d.Activities))
		}
		for _, side := range []*formula.Node{e.Left, e.Right} {
			side.Bare(func(n *formula.Node) {
				v := n.Chosen(&d.Scope)
				if v == nil || slices.ContainsFunc(v.Choices, func(c value.Choice) bool { return c.Value.IsZero() }) {
					return
				}
				label := v.Choices[0].Label
				if yes, ok := v.Choice("yes"); ok {
					label = yes.Label
				}
				issues = append(issues, Issue{
					Path: path, Offset: n.Start,
					Message: fmt.Sprintf("This always holds, as no choice of %s is 0: write %s == %q.", v.Key, e.Text(n), label),
				})
			})
		}
	}
	return issues
}

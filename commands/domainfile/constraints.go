package domainfile

import (
	"fmt"

	"go.yaml.in/yaml/v4"

	"reckon/events"
)

// constraints reads conditions with their messages: a list of both, or of mappings of one to the
// other, or such a mapping.
func (f *File) constraints(path string, n *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		f.conditions(n)
		return
	}
	f.list(path, n, func(path string, n *yaml.Node) {
		switch {
		case n.Kind == yaml.MappingNode && memberAt(n, "condition") < 0 && memberAt(n, "message") < 0:
			f.conditions(n)
		default:
			var c events.Constraint
			at := fmt.Sprintf("constraints[%d]", len(f.Definition.Constraints))
			f.mapping(at, n, "A constraint", []member{
				{"condition", f.text(&c.Condition)},
				{"message", f.line(&c.Message, maxMessage, "message")},
			})
			f.constrained(c, n)
		}
	})
}

// conditions reads a mapping of conditions to messages.
func (f *File) conditions(n *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		at := fmt.Sprintf("constraints[%d]", len(f.Definition.Constraints))
		condition, message := resolved(n.Content[i]), resolved(n.Content[i+1])
		f.places[at], f.places[at+".condition"], f.places[at+".message"] = condition, condition, message
		c := events.Constraint{Condition: condition.Value}
		f.line(&c.Message, maxMessage, "message")(at+".message", message)
		f.constrained(c, condition)
	}
}

func (f *File) constrained(c events.Constraint, n *yaml.Node) {
	if c.Condition == "" || c.Message == "" {
		f.report(fmt.Sprintf("constraints[%d]", len(f.Definition.Constraints)), n, `A constraint has a condition and a message, such as {condition: "order <= stock", message: "Not enough in stock."}.`)
	}
	f.Definition.Constraints = append(f.Definition.Constraints, c)
}

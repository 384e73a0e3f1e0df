package commands

import (
	"slices"

	"github.com/google/uuid"

	"reckon/engine/syntax"
	"reckon/engine/value"
	"reckon/events"
)

// Outline is what a domain takes, what it gives, and which way each of its equations goes.
type Outline struct {
	Title       string              `json:"title"`
	Description string              `json:"description"`
	Variables   []OutlineVariable   `json:"variables"`
	Equations   []OutlineEquation   `json:"equations"`
	Constraints []events.Constraint `json:"constraints,omitempty"`
	Sources     []events.Source     `json:"sources,omitempty"`
}

// OutlineVariable is a variable of an outline. It is an output where an active equation states it
// by itself on a side, else an input; an equation may still be solved for an input.
type OutlineVariable struct {
	events.Variable
	Output  bool       `json:"output"`
	Default value.Text `json:"-"` // as people read it
}

// OutlineEquation is an equation with what it can be solved for.
type OutlineEquation struct {
	Title     string   `json:"title"`
	Equation  string   `json:"equation"`
	Active    bool     `json:"active"`
	Variables []string `json:"variables"`        // keys, in the order of the domain
	SolvesFor []string `json:"solves_for"`       // those of Variables that can be calculated with it
	States    string   `json:"states,omitempty"` // the variable that stands by itself on a side
}

// OneWay tells whether the equation can only be calculated forwards, to the variable it states.
func (e OutlineEquation) OneWay() bool {
	return len(e.Variables) > 1 && len(e.SolvesFor) == 1 && e.SolvesFor[0] == e.States
}

// VariableGroup is variables that stand together, under a title or none.
type VariableGroup struct {
	Title     string
	Variables []OutlineVariable
}

// Inputs, Outputs and Hidden are the variables of an outline by group, in the order of the domain.
// Those that are hidden are neither inputs nor outputs.
func (o Outline) Inputs() []VariableGroup {
	return o.grouped(func(v OutlineVariable) bool { return !v.Hidden && !v.Output })
}

func (o Outline) Outputs() []VariableGroup {
	return o.grouped(func(v OutlineVariable) bool { return !v.Hidden && v.Output })
}

func (o Outline) Hidden() []VariableGroup {
	return o.grouped(func(v OutlineVariable) bool { return v.Hidden })
}

func (o Outline) grouped(belongs func(OutlineVariable) bool) (list []VariableGroup) {
	for _, v := range o.Variables {
		if !belongs(v) {
			continue
		}
		i := slices.IndexFunc(list, func(g VariableGroup) bool { return g.Title == v.Group })
		if i < 0 {
			i, list = len(list), append(list, VariableGroup{Title: v.Group})
		}
		list[i].Variables = append(list[i].Variables, v)
	}
	return list
}

// Outline describes the domain.
func (d *Domain) Outline() Outline {
	o := Outline{Title: d.Definition.Title, Description: d.Definition.Description, Variables: []OutlineVariable{}, Equations: []OutlineEquation{}, Constraints: d.Definition.Constraints, Sources: d.Definition.Sources}
	keys := map[uuid.UUID]string{}
	for i, v := range d.Definition.Variables {
		keys[v.ID] = v.Key
		o.Variables = append(o.Variables, OutlineVariable{Variable: v, Default: d.compiled.ReadableDefault(i)})
	}
	for _, a := range d.Definition.Activities {
		e := OutlineEquation{Title: a.Title, Equation: a.Equation, Active: a.State != "disabled", Variables: []string{}, SolvesFor: []string{}}
		for _, ref := range a.References {
			e.Variables = append(e.Variables, keys[ref.VariableID])
			if ref.Calculable {
				e.SolvesFor = append(e.SolvesFor, keys[ref.VariableID])
			}
		}
		if e.States = stated(a.Equation); !slices.Contains(e.SolvesFor, e.States) {
			e.States = ""
		}
		if i := slices.IndexFunc(o.Variables, func(v OutlineVariable) bool { return v.Key == e.States }); i >= 0 && e.Active {
			o.Variables[i].Output = true
		}
		o.Equations = append(o.Equations, e)
	}
	return o
}

// stated is the name that stands by itself on a side of an equation, the left one first.
func stated(equation string) string {
	tree, err := syntax.ParseEquation(equation)
	if err != nil {
		return ""
	}
	for _, side := range []syntax.Node{tree.Left, tree.Right} {
		if name, ok := side.(*syntax.Name); ok {
			return name.Text
		}
	}
	return ""
}

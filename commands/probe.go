package commands

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"reckon/engine"
	"reckon/engine/format"
	"reckon/engine/input"
	"reckon/engine/language"
	"reckon/engine/value"
)

// Misreading is a plain question about an equation that prose does not read as it is meant.
type Misreading struct {
	Activity int    // by its place in the definition
	Prompt   string // what was asked
	Want     string // what it means, by keys
	Got      string // what it was read as, or the doubt
	Issue    engine.Issue
}

// mostProbed is how many equations of a domain are asked for.
const mostProbed = 200

// Probe asks each equation with its output alone on the left for that, the other variables given,
// by their titles in several wordings of the domain's language. Equations with tables, choices or
// hidden variables are left out. It returns how many questions it asked, and those that prose reads
// as something else.
func (d *Domain) Probe(env value.Env) (asked int, misread []Misreading) {
	vocabulary := d.Vocabulary()
	for a := range d.compiled.Activities[:min(len(d.compiled.Activities), mostProbed)] {
		target, inputs := d.probed(a)
		if target < 0 {
			continue
		}
		var values []string
		for i, variable := range inputs {
			values = append(values, d.example(variable, i, target, env))
		}
		if slices.Contains(values, "") {
			continue
		}
		stated := map[string]string{}
		var titles []string
		for i, variable := range inputs {
			def := &d.compiled.Variables[variable]
			stated[def.Key] = values[i]
			titles = append(titles, spoken(def))
		}
		for _, prompt := range vocabulary.Wordings(titles, values, spoken(&d.compiled.Variables[target])) {
			turn := language.Turn{Prompt: prompt, Calculate: d.compiled.Variables[target].Key, Inputs: stated, Scenario: newScenario}
			asked++
			o := vocabulary.Evaluate(language.Dialogue{Turns: []language.Turn{turn}}, false, env)[0]
			if strings.HasPrefix(o.Got, o.Want) {
				continue
			}
			misread = append(misread, Misreading{Activity: a, Prompt: turn.Prompt, Want: o.Want, Got: o.Got, Issue: engine.Issue{
				Warning: true, Path: fmt.Sprintf("activities[%d].equation", a), Offset: -1,
				Message: fmt.Sprintf("Prose reads %q as something else: %s. Give what it takes for one another titles that share no word, or an alias with a word of its own.", turn.Prompt, strings.TrimSuffix(o.Got, ".")),
			}})
		}
	}
	return asked, misread
}

// newScenario is the selector of a question that builds on nothing.
const newScenario = "new"

// probed are the output of an equation and what else it names; the output is -1 where it is not
// asked for.
func (d *Domain) probed(activity int) (target int, inputs []int) {
	target = d.compiled.Output(activity)
	refs := d.compiled.References(activity)
	if target < 0 || d.compiled.Activities[activity].Disabled || !d.compiled.Calculable(activity, target) {
		return -1, nil
	}
	for _, variable := range refs {
		def := &d.compiled.Variables[variable]
		if def.Hidden || format.IsTableKind(def.Kind) || def.IsChoice() {
			return -1, nil
		}
		if variable != target {
			inputs = append(inputs, variable)
		}
	}
	if len(inputs) == 0 {
		return -1, nil
	}
	return target, inputs
}

// spoken is how a variable is called.
func spoken(def *value.Variable) string {
	return strings.ReplaceAll(cmp.Or(def.Title, def.Key), "_", " ")
}

// exampleNumbers are tried in turn, from a place on, until one is a value of the variable.
var exampleNumbers = []string{"12", "3", "7", "5", "40", "2", "9", "25", "1", "0.5", "150", "1200", "0.1"}

// example is a value of a variable as people write it, the i-th of a prompt; "" where none is
// found.
func (d *Domain) example(variable, i, target int, env value.Env) string {
	def := &d.compiled.Variables[variable]
	write := func(number string) string { return number }
	switch kind := format.ScalarKind(def.Kind); kind {
	case "percent":
		write = func(number string) string { return number + "%" }
	case "date":
		return fmt.Sprintf("2026-03-%02d", 9+i)
	case "datetime":
		return fmt.Sprintf("2026-03-%02dT08:15", 9+i)
	case "time":
		return fmt.Sprintf("%02d:15", 8+i)
	case "duration":
		write = func(number string) string { return number + " min" }
	default:
		if unit := d.compiled.BareUnit(variable); unit != nil && !unit.IsOne() {
			write = func(number string) string { return number + " " + unit.Symbol() }
		}
	}
	for k := range exampleNumbers {
		text := write(exampleNumbers[(i+k)%len(exampleNumbers)])
		if d.takes(variable, text, target, env) {
			return text
		}
	}
	return ""
}

// takes reports whether a text is a value of a variable, within its bounds.
func (d *Domain) takes(variable int, text string, target int, env value.Env) bool {
	read, normal, errs := input.ParseValue(&d.compiled.Scope, variable, value.Scalar(text), env)
	if len(errs) > 0 {
		return false
	}
	_, errs = d.compiled.Calculate(nil, 0, engine.Request{
		Inputs: []engine.Given{{Variable: variable, Value: read, Normal: normal}}, Targets: []engine.Target{{Variable: target}},
	}, env)
	return len(errs) == 0 || !strings.HasPrefix(errs[0].Code, "input.")
}

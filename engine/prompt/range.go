package prompt

import (
	"regexp"
	"strconv"
	"strings"

	"reckon/engine"
	"reckon/engine/input"
	"reckon/engine/value"
)

// Range is the values that an input takes in a sweep, as they are written: a list, or so many steps
// from one value to another.
type Range struct {
	Name     string // of the variable
	Values   string // "1, 2, 5 km"; "" where the ends are given
	From, To string
	Steps    int
	Ratio    bool // steps by ratio, not by difference
}

// DefaultSteps is how many values a range has that does not say so.
const DefaultSteps = 11

// rangeForm is a range on one line: "speed = 60..120 km/h in 13 by ratio".
var rangeForm = regexp.MustCompile(`^(.*?)\.\.(.*?)(?:\s+in\s+([0-9]+)(?:\s+steps)?)?(\s+by\s+ratio)?$`)

// ParseRange reads "NAME = FROM..TO", with "in N" for how many values and "by ratio" behind it, or
// "NAME = VALUE, VALUE, …". It reports whether the text has one of these forms.
func ParseRange(text string) (Range, bool) {
	name, rest, ok := strings.Cut(text, "=")
	r := Range{Name: strings.TrimSpace(name), Values: strings.TrimSpace(rest), Steps: DefaultSteps}
	if m := rangeForm.FindStringSubmatch(r.Values); m != nil {
		r.Values, r.From, r.To, r.Ratio = "", strings.TrimSpace(m[1]), strings.TrimSpace(m[2]), m[4] != ""
		if m[3] != "" {
			r.Steps, _ = strconv.Atoi(m[3]) // one out of range is the largest
		}
		ok = ok && r.From != "" && r.To != ""
	} else {
		ok = ok && r.Values != ""
	}
	return r, ok && r.Name != ""
}

// Axis reads the values of a range for a variable of the domain, as values of prompts are read. A
// bare number has the unit of the other end, or of the last value of a list, where that has one.
func (r Range) Axis(d *engine.Domain, env value.Env) (engine.Axis, []value.Error) {
	variable, problem := d.FindVariable(r.Name)
	if problem != nil {
		return engine.Axis{}, []value.Error{*problem}
	}
	read := func(text string) (value.Value, []value.Error) {
		if text == "" {
			return value.Value{}, value.Problems("input.invalid_value", d.Variables[variable].Key, text, "a value is missing")
		}
		v, _, errs := input.ParseValue(&d.Scope, variable, value.Scalar(text), env)
		return v, errs
	}
	if r.Values == "" {
		from, errs := read(WithUnitOf(r.From, r.To))
		to, more := read(WithUnitOf(r.To, r.From))
		if errs = append(errs, more...); len(errs) > 0 {
			return engine.Axis{}, errs
		}
		list, errs := d.Steps(variable, from, to, r.Steps, r.Ratio)
		return engine.Axis{Variable: variable, Values: list}, errs
	}
	list := strings.TrimSpace(r.Values)
	if !strings.HasPrefix(list, "[") {
		list = "[" + list + "]"
	}
	table, errs := InlineTable(d.Variables[variable].Key, list)
	switch {
	case len(errs) > 0:
		return engine.Axis{}, errs
	case table.Rank != 1 || len(table.Cells) == 0:
		return engine.Axis{}, value.Problems("input.invalid_value", d.Variables[variable].Key, input.Quoted(r.Values), "a list of values is expected")
	}
	axis := engine.Axis{Variable: variable}
	for _, row := range table.Cells {
		v, errs := read(WithUnitOf(row[0], table.Cells[len(table.Cells)-1][0]))
		if len(errs) > 0 {
			return engine.Axis{}, errs
		}
		axis.Values = append(axis.Values, v)
	}
	return axis, nil
}

var (
	bareForm = regexp.MustCompile(`^[-+−]?\.?\d[\d_,.]*(?:[eE][-+]?\d+)?$`)
	unitForm = regexp.MustCompile(`^[-+−]?\.?\d[\d_,.]*(?:[eE][-+]?\d+)?\s*([\p{L}%°µΩ€£¥$][^\s]*(?:\s[^\d\s]\S*)*)$`)
)

// WithUnitOf is a bare number with the unit that stands behind another one, or the text as it is.
func WithUnitOf(text, other string) string {
	text, other = strings.TrimSpace(text), strings.TrimSpace(other)
	if m := unitForm.FindStringSubmatch(other); m != nil && !bareForm.MatchString(other) && bareForm.MatchString(text) {
		return text + " " + m[1]
	}
	return text
}

// ParseTarget reads what a calculate line asks for, one variable and maybe a unit.
func ParseTarget(d *engine.Domain, text string, env value.Env) (engine.Target, []value.Error) {
	if strings.ContainsAny(text, "\r\n") {
		return engine.Target{}, value.Problems("input.unknown_variable", input.Quoted(text))
	}
	r, errs := ParseStructured(d, "calculate: "+text, env)
	switch {
	case len(errs) > 0:
		return engine.Target{}, errs
	case len(r.Targets) != 1:
		return engine.Target{}, value.Problems("input.unknown_variable", input.Quoted(text))
	}
	return r.Targets[0], nil
}

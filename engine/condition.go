package engine

import (
	"strings"
	"unicode/utf8"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/input"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Condition is what values of a seek have to meet.
type Condition struct {
	Left     int
	Relation string         // one of Relations
	Right    int            // a variable, -1 for a value
	Value    units.Quantity // where Right is -1
	Text     string         // as written
}

// Relations are the relations of conditions, longer spellings first.
var Relations = []string{">=", "<=", "≥", "≤", ">", "<"}

func (c *Condition) atMost() bool {
	return c.Relation == "<=" || c.Relation == "≤" || c.Relation == "<"
}
func (c *Condition) strict() bool { return c.Relation == "<" || c.Relation == ">" }

// holds decides a condition between two numbers in coherent SI.
func (c *Condition) holds(context *decimal.Context, left, right decimal.Decimal) bool {
	r := formula.Compare(context, left, right)
	if c.atMost() {
		r = -r
	}
	return r > 0 || r == 0 && !c.strict()
}

// ParseCondition reads a condition: the name of a variable, one of Relations, and a value or the
// name of another variable, as in profit >= 1,000 USD. It fails with input.syntax_error,
// the errors of FindVariable, and those of values.
func (d *Domain) ParseCondition(text string, env value.Env) (Condition, *value.Error) {
	c := Condition{Right: -1, Text: strings.TrimSpace(text)}
	at := -1
	for _, r := range Relations {
		if i := strings.Index(text, r); i >= 0 && (at < 0 || i < at) {
			at, c.Relation = i, r
		}
	}
	if at < 0 {
		return c, d.noCondition(text, len(text))
	}
	left, right := strings.TrimSpace(text[:at]), strings.TrimSpace(text[at+len(c.Relation):])
	if left == "" {
		return c, d.noCondition(text, 0)
	}
	if right == "" || strings.ContainsAny(right, "<>=≤≥") {
		return c, d.noCondition(text, at+len(c.Relation))
	}
	var err *value.Error
	if c.Left, err = d.FindVariable(left); err != nil {
		return c, err
	}
	if d.Profiles[c.Left].Table {
		return c, value.Problem("input.invalid_table", d.Variables[c.Left].Key, "one value is expected, not a table")
	}
	if c.Right, err = d.NamedVariable(right); err != nil {
		return c, err
	}
	if c.Right >= 0 {
		return c, nil
	}
	v, _, errs := input.ParseValue(&d.Scope, c.Left, value.Scalar(right), env)
	if len(errs) > 0 {
		return c, &errs[0]
	}
	c.Value, _ = v.Single()
	return c, nil
}

func (d *Domain) noCondition(text string, at int) *value.Error {
	err := value.Problem("input.syntax_error", input.Quoted(text))
	offset := utf8.RuneCountInString(text[:at])
	err.Offset = &offset
	return err
}

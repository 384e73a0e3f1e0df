package language

import (
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"

	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/format"
)

// maxAnswered is how many values a sentence tells; what is beyond them is counted.
const maxAnswered = 20

// Answer is a result as one or two sentences: what was asked for, the values that it rests on, and
// those that were assumed for want of a stated one. Values are written by the kinds and formats of
// their variables. It is in the language of a tag, that of the domain where it is "". The same
// result always gives the same text.
func Answer(d *engine.Domain, res engine.Result, tag string) string {
	t := tablesOf(cmp.Or(tag, d.Language))
	if res.Calculated < 0 {
		return t.say("in focus again", strconv.Itoa(res.Current))
	}
	relevant := map[int]bool{}
	for _, a := range res.Activities {
		for _, v := range d.References(a) {
			relevant[v] = true
		}
	}
	asked := map[int]bool{res.Calculated: true}
	for _, also := range res.Also {
		asked[also.Variable] = true
	}
	var answers, given, kept, assumed []string
	for _, v := range res.Values {
		value := t.shown(d, v)
		text := title(d, v.Variable) + " " + value
		switch {
		case res.Several != nil && v.Variable == res.Several.Variable && !asked[v.Variable]: // beside each value
		case asked[v.Variable]:
			if res.Several != nil && len(v.Value.Cells) == len(res.Several.Values) {
				answers = append(answers, t.say("is", title(d, v.Variable), t.oneByOne(d, v, res.Several)))
			} else if v.Value.Rank > 0 {
				answers = append(answers, t.say("has", title(d, v.Variable), value))
			} else {
				answers = append(answers, t.say("is", title(d, v.Variable), value))
			}
		case !relevant[v.Variable] || d.Variables[v.Variable].Hidden && v.Source != engine.UserInput:
		case v.Source == engine.UserInput:
			given = append(given, text)
		case v.Source == engine.Calculated && v.Historical:
			kept = append(kept, text)
		case v.Source == engine.DefaultValue:
			assumed = append(assumed, text)
		}
	}
	if more := len(answers) - maxAnswered; more > 0 {
		answers = append(answers[:maxAnswered], t.count(more, "more value"))
	}
	text := t.list(answers)
	if given = append(given, kept...); len(given) > 0 {
		text = t.say("with", text, t.list(given))
	}
	text += "."
	if len(assumed) > 0 {
		text += " " + t.say("assumed", t.list(assumed))
	}
	return text
}

func title(d *engine.Domain, variable int) string {
	if t := d.Variables[variable].Title; t != "" {
		return t
	}
	return d.Variables[variable].Key
}

// A number of manyDigits significant digits and more is rounded to fewDigits, but to leastDecimals
// at least, and said to be about that.
const (
	manyDigits    = 12
	fewDigits     = 6
	leastDecimals = 2
)

// shown is a value as people read it: rendered by its display, tables by their size.
func (t *tables) shown(d *engine.Domain, v engine.ResultValue) string {
	switch v.Value.Rank {
	case 1:
		return t.count(len(v.Value.Cells), "cell")
	case 2:
		columns := 0
		if len(v.Value.Cells) > 0 {
			columns = len(v.Value.Cells[0])
		}
		return t.say("row of cells", t.count(len(v.Value.Cells), "row"), t.count(columns, "cell"))
	}
	if label := d.Variables[v.Variable].Label(v.Value.Quantity().Number); label != "" {
		return label
	}
	value := v.Value.Text()
	rendered, err := format.RenderText(value, d.Display(v.Variable, v.Value, v.Asked))
	if err != nil {
		rendered = value
	}
	one := ""
	if len(rendered.Cells) > 0 && len(rendered.Cells[0]) > 0 {
		one = rendered.Cells[0][0]
	}
	number, unit, _ := strings.Cut(one, " ")
	if significant(number) < manyDigits {
		return t.written(one)
	}
	n, err := decimal.Parse(strings.TrimSuffix(strings.ReplaceAll(number, ",", ""), "%"))
	if err != nil {
		return t.written(one)
	}
	c := decimal.NewContext(10_000)
	first, _ := n.Extent()
	short := c.Round(n, max(fewDigits-1-first, leastDecimals))
	if c.Err() != nil || short.Cmp(n) == 0 {
		return t.written(one)
	}
	if unit != "" {
		unit = " " + unit
	}
	text, err := format.Render(short.String()+unit, "number", "")
	if err != nil {
		return t.written(one)
	}
	if strings.HasSuffix(number, "%") {
		text += "%"
	}
	return t.say("about", t.written(text))
}

// written is a rendered value as the language writes it: the marks in numbers, moments, lengths of
// time.
func (t *tables) written(text string) string {
	if t.point == point {
		return text
	}
	if timed, ok := t.timed(text); ok {
		return timed
	}
	number, unit, found := strings.Cut(text, " ")
	digits := strings.TrimLeft(strings.TrimSuffix(number, "%"), "+-")
	if digits == "" || strings.Trim(digits, "0123456789.,e-…") != "" || !strings.Contains("0123456789", digits[:1]) {
		return text
	}
	if found {
		unit = " " + unit
	}
	return t.marked(number) + unit
}

// marked is a rendered number with the marks that the language has in numbers.
func (t *tables) marked(number string) string {
	group, _ := utf8.DecodeRuneInString(t.separators)
	return strings.NewReplacer(",", string(group), point, t.point).Replace(number)
}

// significant counts the digits of a rendered number from its first that is not 0 on.
func significant(number string) int {
	n := 0
	for _, r := range number {
		if r >= '1' && r <= '9' || r == '0' && n > 0 {
			n++
		}
	}
	return n
}

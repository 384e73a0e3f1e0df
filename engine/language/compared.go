package language

import (
	"cmp"
	"strconv"
	"strings"

	"reckon/engine"
	"reckon/engine/value"
)

// Compared is a comparison of two scenarios as sentences: both values, their difference, and what
// each change of an input has to do with it, in the language of a tag, that of the domain where it
// is "". The same comparison always gives the same text.
func Compared(d *engine.Domain, c engine.Comparison, first, second int, tag string) string {
	t := tablesOf(cmp.Or(tag, d.Language))
	if len(c.Changes) == 0 {
		return t.say("nothing differs", strconv.Itoa(first), strconv.Itoa(second))
	}
	read := func(variable int, v value.Value, asked bool) string {
		if q, single := v.Single(); single {
			if label := d.Variables[variable].Label(q.Number); label != "" {
				return label
			}
		}
		return t.written(d.Read(variable, v, asked))
	}
	asked := c.Of.Unit != nil
	values := []string{title(d, c.Of.Variable), read(c.Of.Variable, c.First, asked), strconv.Itoa(first), read(c.Of.Variable, c.Second, asked), strconv.Itoa(second)}
	if values[1] == "" || values[3] == "" || c.Reason != "" {
		return t.say("compared without", values...)
	}
	shown := d.Show(c)
	text := t.say("compared", append(values, t.written(shown.Difference))...)
	changes := map[int]string{}
	for _, change := range c.Changes {
		if change.First != nil && change.Second != nil {
			changes[change.Variable] = t.say("changed to", title(d, change.Variable), read(change.Variable, change.First.Value, false), read(change.Variable, change.Second.Value, false))
		}
	}
	var parts []string
	for i, share := range c.Shares {
		var by []string
		for _, variable := range share.Variables {
			if changed := changes[variable]; changed != "" {
				by = append(by, changed)
			} else {
				by = append(by, title(d, variable))
			}
		}
		if len(by) > 0 {
			parts = append(parts, t.say("share", t.written(shown.Shares[i]), t.list(by)))
		}
	}
	for _, part := range parts[:min(len(parts), maxAnswered)] {
		text += " " + part
	}
	return text
}

// hole stands for what is put into a text.
const hole = "\x00"

// Compares reports whether an answer is a comparison of two scenarios, in any language.
func Compares(answer string) bool {
	for _, tag := range Languages() {
		t := tablesOf(tag)
		if fitsText(answer, t.say("compared without", hole, hole, hole, hole, hole)) || fitsText(answer, t.say("nothing differs", hole, hole)) {
			return true
		}
		if fitsText(answer, t.say("compared", hole, hole, hole, hole, hole, hole)) {
			return true
		}
	}
	return false
}

// fitsText reports whether a text begins as one that has holes, with whatever was put in.
func fitsText(text, says string) bool {
	for i, piece := range strings.Split(says, hole) {
		at := strings.Index(text, piece)
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		text = text[at+len(piece):]
	}
	return true
}

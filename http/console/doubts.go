package console

import (
	"slices"
	"strconv"
	"strings"

	"reckon/commands"
	"reckon/engine/language"
	"reckon/engine/units"
	"reckon/engine/value"
	"reckon/projections"
)

// problemShown is an error of a message with its way out.
type problemShown struct {
	Text    string
	Code    string
	Pieces  []piece        // of the value or the question, with the place underlined; nil where none is known
	Choices []choiceShown  // what may be meant, each of which asks again
	Missing [][]fieldShown // alternatives of what is missing
}

// piece is a part of a text.
type piece struct {
	Text   string
	Marked bool
}

// choiceShown is a reading, and the question that has it alone.
type choiceShown struct{ Text, Prompt string }

// fieldShown asks for a variable.
type fieldShown struct {
	Key, Title, Description string
	Value                   string
	Units                   []string
	Unit                    string
	Choices                 []string
	Bounds                  string
}

// problems are the errors of a failed message.
func problems(d *commands.Domain, m projections.Message, question string) (list []problemShown) {
	for _, e := range commands.ErrorsOf(m.Failed) {
		p := problemShown{Text: entitled(d, e).Filled(), Code: e.Code}
		if place := placeOf(e); place != "" {
			p.Pieces = marked(question, place)
		}
		if e.Code == "input.invalid_structured_text" && len(e.Args) > 1 {
			p.Pieces = marked(question, e.Args[1])
		}
		if e.Offset != nil && len(e.Args) > 0 {
			p.Pieces = at(e.Args[0], *e.Offset)
		}
		for _, reading := range readings(e) {
			if prompt, ok := replaced(question, reading[0], reading[1]); ok && m.InputFormat != "json" {
				p.Choices = append(p.Choices, choiceShown{reading[1], prompt})
			}
		}
		for _, alternative := range e.Missing {
			if e.Code == "input.missing_calculate" {
				if m.InputFormat != "json" && len(alternative.Variables) == 1 {
					p.Choices = append(p.Choices, choiceShown{alternative.Variables[0].Title, question + "\ncalculate: " + alternative.Variables[0].Key})
				}
				continue
			}
			var fields []fieldShown
			for _, name := range alternative.Variables {
				fields = append(fields, fieldOf(d, name.Key, name.Title, language.WritingIn(languageOf(d, m))))
			}
			p.Missing = append(p.Missing, fields)
		}
		list = append(list, p)
	}
	return list
}

// entitled is an error whose args are titles where they are keys of variables, but for what the
// caller is to write.
func entitled(d *commands.Domain, e value.Error) value.Error {
	if d == nil || strings.HasPrefix(e.Code, "input.unknown_") || strings.HasPrefix(e.Code, "input.ambiguous_") {
		return e
	}
	e.Args = slices.Clone(e.Args)
	for i, arg := range e.Args {
		if at := d.Compiled().Index(arg); at >= 0 {
			e.Args[i] = d.Definition.Variables[at].Title
		}
	}
	return e
}

// placeOf is the text in the question that an error is about, "" where it is another one.
func placeOf(e value.Error) string {
	at := map[string]int{
		"input.unknown_variable": 0, "input.ambiguous_variable": 0, "input.unknown_unit": 0, "input.invalid_number": 0, "input.ambiguous_number": 0,
		"input.invalid_date": 0, "input.ambiguous_date": 0, "input.invalid_value": 1, "scenario.invalid_selector": 0,
	}
	i, ok := at[e.Code]
	if !ok || i >= len(e.Args) {
		return quoted(e)
	}
	return e.Args[i]
}

// quoted is the first text in quotation marks of what prose could not be read by.
func quoted(e value.Error) string {
	if !strings.HasPrefix(e.Code, "language.") || len(e.Args) == 0 {
		return ""
	}
	if parts := strings.SplitN(e.Args[0], `"`, 3); len(parts) == 3 {
		return parts[1]
	}
	return ""
}

// readings are what a text of the question may mean: pairs of the text and what to put there.
func readings(e value.Error) (list [][2]string) {
	with := func(texts ...string) {
		for _, text := range texts {
			if text = strings.TrimSpace(text); text != "" {
				list = append(list, [2]string{e.Args[0], text})
			}
		}
	}
	switch {
	case len(e.Args) < 1:
	case e.Code == "language.ambiguous":
		words, rest, ok := strings.Cut(strings.TrimPrefix(e.Args[0], `"`), `" as `)
		if first, second, two := strings.Cut(rest, " or "); ok && two && !strings.ContainsAny(rest, `"`) {
			list = append(list, [2]string{words, first}, [2]string{words, second})
		}
	case len(e.Args) < 2:
	case e.Code == "input.ambiguous_variable":
		with(strings.Split(strings.ReplaceAll(e.Args[1], ", ", " or "), " or ")...)
	case e.Code == "input.ambiguous_number", e.Code == "input.ambiguous_date", e.Code == "input.unknown_variable", e.Code == "input.unknown_unit":
		with(e.Args[1:]...)
	}
	return list
}

// replaced puts a text in the place of another one, once.
func replaced(text, old, by string) (string, bool) {
	if old == "" || !strings.Contains(text, old) {
		return "", false
	}
	return strings.Replace(text, old, by, 1), true
}

// marked is the line of a text that has a place in it, nil where that is not there.
func marked(text, place string) []piece {
	before, after, ok := strings.Cut(text, place)
	if !ok || place == "" {
		return nil
	}
	before = before[strings.LastIndexByte(before, '\n')+1:]
	after, _, _ = strings.Cut(after, "\n")
	return []piece{{before, false}, {place, true}, {after, false}}
}

// at is a text with the character at a place marked, which may be behind its end.
func at(text string, offset int) []piece {
	r := []rune(text)
	offset = max(0, min(offset, len(r)))
	place, after := " ", ""
	if offset < len(r) {
		place, after = string(r[offset]), string(r[offset+1:])
	}
	return []piece{{string(r[:offset]), false}, {place, true}, {after, false}}
}

// fieldOf asks for a variable by its key. Its unit is what bare numbers are in.
func fieldOf(d *commands.Domain, key, title string, w language.Writing) fieldShown {
	f := fieldShown{Key: key, Title: title}
	if d == nil {
		return f
	}
	i := slices.IndexFunc(d.Definition.Variables, func(v projections.Variable) bool { return v.Key == key })
	if i < 0 {
		return f
	}
	v := d.Definition.Variables[i]
	f.Title, f.Description = v.Title, v.Description
	for _, choice := range v.Choices {
		f.Choices = append(f.Choices, choice.Label)
	}
	switch {
	case v.Min != "" && v.Max != "":
		f.Bounds = "From " + w.Shown(v.Min) + " to " + w.Shown(v.Max) + "."
	case v.Min != "":
		f.Bounds = "At least " + w.Shown(v.Min) + "."
	case v.Max != "":
		f.Bounds = "At most " + w.Shown(v.Max) + "."
	}
	structure, _ := commands.Shape(v.Kind)
	if structure != "number" || len(f.Choices) > 0 || v.Kind != "" && v.Kind != "number" && v.Kind != "no_separator" {
		return f
	}
	if u := d.Compiled().BareUnit(d.Compiled().Index(key)); u != nil && !u.IsOne() {
		f.Unit, f.Units = u.Symbol(), unitsLike(u)
		if f.Units == nil {
			f.Units = []string{f.Unit}
		}
		return f
	}
	if dimension, known := d.Compiled().Dimension(d.Compiled().Index(key)); known && dimension != units.None {
		f.Units = offers[dimension]
	}
	return f
}

// count is a number of things in words.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

package language

import (
	"cmp"
	"regexp"
	"strings"
	"time"

	"reckon/engine"
	"reckon/engine/value"
)

// What the engine says in English has a section each in the tables of the other languages.
const (
	errorTexts   = "errors"       // templates, by their code
	errorArgs    = "arguments"    // what stands for placeholders of theirs
	explanations = "explanations" // texts of explanations
	functions    = "functions"    // what functions do, by their names
	layouts      = "layouts"      // moments
	timeNames    = "time names"   // names of months, of days and of lengths of time
)

// translation is what the tables have of that.
type translation struct {
	errors    map[string]row
	arguments []argument
	sentences map[string]string
	functions map[string]string
	names     map[string]string // of time
	inNames   *strings.Replacer
}

// argument is an arg of an error with its text in the language.
type argument struct {
	english *regexp.Regexp
	text    string
}

var placeholder = regexp.MustCompile(`%\d`)

func newTranslation(sections map[string][]row) translation {
	t := translation{errors: map[string]row{}, sentences: map[string]string{}, functions: map[string]string{}, names: map[string]string{}}
	for _, r := range sections[errorTexts] {
		t.errors[r[0]] = r
	}
	for _, r := range sections[errorArgs] {
		t.arguments = append(t.arguments, argument{regexp.MustCompile("^" + placeholder.ReplaceAllString(regexp.QuoteMeta(r[0]), "(.+)") + "$"), r[1]})
	}
	for _, r := range sections[explanations] {
		t.sentences[r[0]] = r[1]
	}
	for _, r := range sections[functions] {
		t.functions[r[0]] = r[1]
	}
	var pairs []string
	for _, r := range sections[timeNames] {
		t.names[r[0]] = r[1]
		pairs = append(pairs, r...)
	}
	t.inNames = strings.NewReplacer(pairs...)
	return t
}

// Errors are errors of prose in the language of a tag: their templates, and what the engine says in
// args. Codes stay what they are, and what the tables do not have.
func Errors(tag string, errs []value.Error) []value.Error {
	t := tablesOf(tag)
	list := make([]value.Error, len(errs))
	for i, e := range errs {
		if r := t.errors[e.Code]; r != nil {
			whole := value.Problem(e.Code, make([]string, maxArgs)...).Message
			if e.Message = r[1]; errs[i].Message != whole {
				e.Message = r[2]
			}
			args := make([]string, len(e.Args))
			for k, arg := range e.Args {
				args[k] = t.argument(arg)
			}
			e.Args = args[:len(args):len(args)]
		}
		list[i] = e
	}
	return list
}

// maxArgs is how many args an error has at most.
const maxArgs = 4

func (t *tables) argument(english string) string {
	for _, a := range t.arguments {
		if m := a.english.FindStringSubmatch(english); m != nil {
			return filled(a.text, m[1:])
		}
	}
	return english
}

// Explained is how an explanation is told in the language of a tag.
func Explained(tag string) engine.Wording {
	t := tablesOf(tag)
	if len(t.sentences) == 0 {
		return engine.Wording{}
	}
	return engine.Wording{
		Text:     func(english string) string { return cmp.Or(t.sentences[english], english) },
		Shown:    t.written,
		Function: func(name string) string { return t.functions[name] },
		Sign:     t.argumentSign(),
	}
}

// argumentSign is what stands between the arguments of functions, which no number has in it.
func (t *tables) argumentSign() string {
	if t.point == point {
		return ","
	}
	return ";"
}

// timed is a rendered moment, or length of time in words, as the language has it; ok is false of
// another text.
func (t *tables) timed(text string) (timed string, ok bool) {
	at, note, noted := strings.Cut(text, " (") // of the day of a clock time
	for _, r := range t.rows(layouts) {
		if m, err := time.Parse(r[0], at); err == nil {
			timed = t.inNames.Replace(m.Format(r[1]))
			if days, ok := t.timed(strings.TrimSuffix(note, ")")); noted && ok {
				timed += " (" + days + ")"
			}
			return timed, true
		}
	}
	parts := strings.Split(text, ", ")
	for i, part := range parts {
		number, name, _ := strings.Cut(part, " ")
		if t.names[name] == "" {
			return "", false
		}
		parts[i] = t.marked(number) + " " + t.names[name]
	}
	return strings.Join(parts, ", "), true
}

package engine

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"reckon/engine/solve"
	"reckon/engine/syntax"
)

// Words of explanations.
var (
	origins = map[Origin]string{
		OriginStated: "stated", OriginCarried: "stated earlier", OriginDefault: "default", OriginRemembered: "calculated in an earlier scenario",
	}
	methods = map[solve.Method]string{
		solve.Isolated:   "Solve it for %s:",
		solve.Collected:  "Collect the terms with %s, and solve:",
		solve.Searched:   "It cannot be rearranged for %s, so a root is searched for.",
		solve.Tried:      "The values that %s may have are tried one by one.",
		solve.Linear:     "These equations are linear in %s. They are solved together, by elimination:",
		solve.Eliminated: "These equations are solved together for %s, by elimination:",
		solve.Chained:    "These equations are solved together for %s: one value is searched for, from which the others follow:",
		solve.Approached: "These equations are solved together for %s, by approaching the values that fit all of them:",
	}
)

// line is a part of an explanation: a heading, a sentence, or a chain of what is equal.
type line struct {
	heading bool
	text    string        // of a heading or a sentence; behind a chain, a remark
	left    syntax.Node   // of a chain, else nil
	equal   []syntax.Node // to it
	table   [][]string    // rows of cells, cut short
}

// Wording puts an explanation into another language: its texts, with the verbs of package fmt in
// them, values as people read them, and what functions do, by their names. Sign stands between the
// arguments of functions, "" for a comma. The zero value leaves all in English.
type Wording struct {
	Text, Shown, Function func(english string) string
	Sign                  string
}

func (w Wording) text(english string) string {
	if w.Text == nil {
		return english
	}
	return w.Text(english)
}

func (w Wording) shown(english string) string {
	if w.Shown == nil {
		return english
	}
	return w.Shown(english)
}

// formula is one with what it shows in the other language.
func (w Wording) formula(n syntax.Node) syntax.Node {
	return syntax.Replaced(n, func(n syntax.Node) syntax.Node {
		switch n := n.(type) {
		case *syntax.Shown:
			return &syntax.Shown{X: n.X, Text: w.shown(n.Text), Unit: n.Unit}
		case *syntax.Number:
			return &syntax.Number{Text: w.shown(n.Text), Unit: n.Unit}
		}
		return n
	})
}

// documentation is what a function does.
func (w Wording) documentation(f ExplainedFunction) string {
	if w.Function == nil {
		return f.Documentation
	}
	return cmp.Or(w.Function(functionName(f.Signature)), f.Documentation)
}

func (w Wording) say(format string, args ...any) line {
	return line{text: fmt.Sprintf(w.text(format), args...)}
}

func (w Wording) head(format string, args ...any) line {
	l := w.say(format, args...)
	l.heading = true
	return l
}

// lines are what every form of an explanation says.
func (e *Explanation) lines(w Wording) []line {
	var list []line
	if len(e.Given) > 0 {
		list = append(list, w.head("Given"))
		for _, v := range e.Given {
			list = append(list, v.lines(w, w.text(origins[v.Origin]))...)
		}
	}
	for _, s := range e.Steps {
		list = append(list, e.stepLines(w, s)...)
	}
	if len(e.Checks) > 0 {
		list = append(list, w.head("Checks"))
	}
	for _, c := range e.Checks {
		title := strings.TrimRight(c.Title, ". ")
		holds := w.say("%s: holds", title)
		if !c.Holds {
			holds = w.say("%s: does not hold", title)
		}
		list = append(list, holds, c.Condition.line(), c.Numbers.line())
	}
	if len(e.Functions) > 0 {
		list = append(list, w.head("Functions"))
	}
	for _, f := range e.Functions {
		list = append(list, line{text: strings.ReplaceAll(f.Signature, ",", cmp.Or(w.Sign, ",")) + ": " + w.documentation(f)})
		if n, err := syntax.ParseExpression(f.Formula); err == nil {
			list = append(list, line{left: &syntax.Name{Text: functionName(f.Signature)}, equal: []syntax.Node{n}})
		}
	}
	if len(e.Unlike) > 0 {
		list = append(list, w.head("Kept otherwise"), w.say("Another version of Reckon found these values, which are kept. The steps above are those of this version."))
		for _, v := range e.Unlike {
			list = append(list, v.lines(w, "")...)
		}
	}
	return list
}

// functionName is the name in a signature.
func functionName(signature string) string {
	name, _, _ := strings.Cut(signature, "(")
	return name
}

// line is an equation, or a condition, by itself.
func (w Written) line() line {
	if w.Right == nil {
		return line{left: w.Left}
	}
	return line{left: w.Left, equal: []syntax.Node{w.Right}}
}

func (v ExplainedValue) lines(w Wording, remark string) []line {
	if v.StatedAs != "" {
		remark = fmt.Sprintf(w.text("%s as %s"), remark, w.shown(v.StatedAs))
	}
	if v.Title != "" && v.Title != v.Key {
		remark = strings.TrimSuffix(v.Title+", "+remark, ", ")
	}
	l := line{left: &syntax.Name{Text: v.Key}, equal: []syntax.Node{v.shown(w)}, text: remark}
	if v.Rows == 0 {
		return []line{l}
	}
	return []line{l, {table: v.tableRows()}}
}

// shown is a value as it stands behind an equals sign.
func (v ExplainedValue) shown(w Wording) syntax.Node {
	if v.Rows > 0 {
		return &syntax.Shown{Text: fmt.Sprintf(w.text("a table of %d × %d"), v.Rows, max(v.Columns, 1))}
	}
	text, unit, _ := strings.Cut(v.Value.Scalar(), " ")
	if v.Shown == "" {
		return &syntax.Shown{Text: short(text), Unit: unit}
	}
	if v.Shown == text {
		return &syntax.Shown{Text: v.Shown}
	}
	if _, timed := v.node.(*syntax.Shown); timed && v.node.(*syntax.Shown).Unit == "" || unit != "s" {
		return &syntax.Shown{Text: v.Shown}
	}
	return &syntax.Shown{Text: v.Shown + " (" + short(text) + " s)"}
}

// tableRows are the rows of a table that are shown, those that are left out as dots.
func (v ExplainedValue) tableRows() [][]string {
	var rows [][]string
	if len(v.Names) > 0 {
		rows = append(rows, v.Names)
	}
	for i, row := range v.cells {
		if v.Rows > len(v.cells) && i == firstRows {
			rows = append(rows, []string{"…"})
		}
		rows = append(rows, row)
	}
	return rows
}

// stepLines are those of one step.
func (e *Explanation) stepLines(w Wording, s ExplainedStep) []line {
	var names []string
	for _, v := range s.Found {
		names = append(names, v.Key)
	}
	title := ""
	if len(s.Equations) == 1 {
		title = s.Equations[0].Title
	} else {
		title = strings.Join(names, ", ")
	}
	list := []line{w.head("Step %d: %s", s.Number, title)}
	if len(s.Equations) == 1 && len(s.Found) == 1 {
		return append(list, e.oneLines(w, s, s.Equations[0], names[0])...)
	}
	list = append(list, w.say(methods[s.Method], strings.Join(names, ", ")))
	for _, q := range s.Equations {
		list = append(list, q.Equation.line())
	}
	for _, v := range s.Found {
		list = append(list, v.lines(w, "")...)
	}
	list = append(list, s.others(w, names[len(names)-1])...)
	if len(s.Open) > 0 {
		list = append(list, w.say("Left open, since the equations hold with many values of it: %s.", strings.Join(s.Open, ", ")))
	}
	list = append(list, w.say("Check, with all numbers put in:"))
	for _, q := range s.Equations {
		list = append(list, q.Numbers.line())
	}
	return list
}

// others are the roots that were not taken.
func (s ExplainedStep) others(w Wording, name string) (list []line) {
	if s.Chosen == "" {
		return nil
	}
	list = append(list, w.say("%s Other roots:", w.text(s.Chosen)))
	for _, o := range s.Others {
		list = append(list, line{left: &syntax.Name{Text: name}, equal: []syntax.Node{&syntax.Shown{Text: shortValue(o.Value)}}, text: w.text(o.Reason)})
	}
	return list
}

// oneLines are those of a step that solves one equation for one variable.
func (e *Explanation) oneLines(w Wording, s ExplainedStep, q ExplainedEquation, name string) []line {
	var list []line
	found := s.Found[0]
	if s.Method != solve.Stated {
		list = append(list, q.Equation.line())
		if method := methods[s.Method]; s.Solved != nil || s.Method == solve.Searched || s.Method == solve.Tried {
			list = append(list, w.say(method, name))
		}
	}
	switch {
	case s.Solved != nil:
		chain := line{left: s.Solved.Left, equal: []syntax.Node{s.Solved.Right}}
		if s.Numbers.String() != s.Solved.String() {
			chain.equal = append(chain.equal, s.Numbers.Right)
		}
		if s.Between != "" {
			number, unit, _ := strings.Cut(s.Between, " ")
			chain.equal = append(chain.equal, &syntax.Shown{Text: short(number), Unit: unit})
		}
		if last := chain.equal[len(chain.equal)-1]; syntax.Plain(last) != syntax.Plain(found.shown(w)) {
			chain.equal = append(chain.equal, found.shown(w))
		}
		list = append(list, chain)
	default:
		list = append(list, w.say("With the numbers put in:"), s.Numbers.line())
		switch s.Method {
		case solve.Searched:
		case solve.Collected:
			list = append(list, w.say("Collected, the terms with %s are a polynomial. It is solved by:", name))
		default:
			list = append(list, w.say("This is solved by:"))
		}
		if s.Search != nil && s.Search.Low != "" {
			list = append(list, w.say("The sides change places between %s = %s and %s.", name, w.shown(shortValue(s.Search.Low)), w.shown(shortValue(s.Search.High))))
		}
		if s.Search != nil && s.Search.Iterations > 0 {
			list = append(list, w.say("%d evaluations narrow this down, after %d that look for all roots.", s.Search.Iterations, max(0, s.Search.Evaluations-s.Search.Iterations)))
		}
		list = append(list, line{left: &syntax.Name{Text: name}, equal: []syntax.Node{found.shown(w)}})
	}
	if found.Rows > 0 {
		list = append(list, line{table: found.tableRows()})
	}
	list = append(list, s.others(w, name)...)
	if s.Method != solve.Stated {
		check := w.say("Check: with these numbers both sides are the same.")
		if q.Residual != "0" && q.Residual != "" {
			check = w.say("Check: with these numbers both sides are the same, to %s of their size.", w.shown(q.Residual))
		}
		list = append(list, check, q.Numbers.line())
	}
	return list
}

func shortValue(text string) string {
	number, unit, _ := strings.Cut(text, " ")
	return strings.TrimSpace(short(number) + " " + unit)
}

// Text is the explanation as lines of plain text.
func (e *Explanation) Text() string { return e.TextIn(Wording{}) }

// TextIn is Text in other words.
func (e *Explanation) TextIn(w Wording) string {
	var b strings.Builder
	plain := func(n syntax.Node) string { return syntax.PlainIn(n, w.Sign) }
	list := e.lines(w)
	for i := range list {
		if l := &list[i]; w.Shown != nil && l.left != nil {
			l.left = w.formula(l.left)
			for k, n := range l.equal {
				l.equal[k] = w.formula(n)
			}
		}
	}
	left, both := 0, 0 // widths of the remarked lines that stand together
	for i, l := range list {
		if i == 0 || !list[i-1].remarked() {
			left, both = 0, 0
			for _, next := range list[i:] {
				if !next.remarked() {
					break
				}
				left = max(left, runes(plain(next.left)))
				both = max(both, runes(plain(next.equal[0])))
			}
		}
		switch {
		case l.remarked():
			name, value := plain(l.left), plain(l.equal[0])
			fmt.Fprintf(&b, "  %s%s = %s%s   %s\n", name, spaces(left-runes(name)), value, spaces(min(both, 40)-runes(value)), oneLine(l.text))
		case l.heading:
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(oneLine(l.text) + "\n")
		case l.left != nil:
			name := plain(l.left)
			b.WriteString("  " + name)
			for k, n := range l.equal {
				if k > 0 {
					b.WriteString("\n  " + spaces(runes(name)))
				}
				b.WriteString(" = " + plain(n))
			}
			b.WriteByte('\n')
		case l.table != nil:
			for _, row := range l.table {
				b.WriteString("    |")
				for _, cell := range row {
					b.WriteString(" " + oneLine(w.shown(cell)) + " |")
				}
				b.WriteByte('\n')
			}
		default:
			b.WriteString(oneLine(l.text) + "\n")
		}
	}
	return b.String()
}

// remarked is true of a value with something behind it.
func (l line) remarked() bool { return l.left != nil && l.text != "" && len(l.equal) == 1 }

func runes(text string) int { return utf8.RuneCountInString(text) }

func spaces(n int) string { return strings.Repeat(" ", max(0, n)) }

// oneLine is a text on one line, without what would steer a terminal.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.Join(strings.Fields(text), " "))
}

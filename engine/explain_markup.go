package engine

import (
	"fmt"
	"strings"

	"reckon/engine/syntax"
)

// maxMarkup is how many characters a formula has at most that is written in two dimensions. Nobody
// reads a longer one so: it stays text.
const maxMarkup = 4000

// TeX is the explanation as a document for LaTeX.
func (e *Explanation) TeX(title string) string {
	var b strings.Builder
	b.WriteString("\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage[utf8]{inputenc}\n\\usepackage{amsmath}\n\\usepackage{textcomp}\n\\allowdisplaybreaks\n\\setlength{\\parindent}{0pt}\n\\begin{document}\n")
	fmt.Fprintf(&b, "\\section*{%s}\n", syntax.TeXText(oneLine(title)))
	formula := func(n syntax.Node) string {
		if plain := syntax.Plain(n); len(plain) > maxMarkup {
			return `\text{` + syntax.TeXText(plain) + "}"
		}
		return syntax.TeX(n)
	}
	open, more := false, false // an alignment, and a line in it
	chain := func(is bool) {
		switch {
		case is && more:
			b.WriteString(" \\\\\n")
		case is && !open:
			b.WriteString("\\begin{align*}\n")
		case !is && open:
			b.WriteString("\n\\end{align*}\n")
			more = false
		}
		open = is
	}
	for _, l := range e.lines(Wording{}) {
		chain(l.left != nil)
		switch {
		case l.heading:
			fmt.Fprintf(&b, "\\subsection*{%s}\n", syntax.TeXText(oneLine(l.text)))
		case l.left != nil:
			b.WriteString(formula(l.left))
			for k, n := range l.equal {
				if k > 0 {
					b.WriteString(` \\`)
				}
				b.WriteString(" &= " + formula(n))
			}
			if l.text != "" {
				b.WriteString(` && \text{` + syntax.TeXText(oneLine(l.text)) + "}")
			}
			more = true
		case l.table != nil:
			b.WriteString("\\begin{quote}\n")
			for _, row := range l.table {
				b.WriteString(syntax.TeXText(strings.Join(row, "  |  ")) + " \\\\\n")
			}
			b.WriteString("\\end{quote}\n")
		default:
			b.WriteString(syntax.TeXText(oneLine(l.text)) + "\n\n")
		}
	}
	chain(false)
	b.WriteString("\\end{document}\n")
	return b.String()
}

// MathML is the explanation as one math element, whose rows are the lines of the text.
func (e *Explanation) MathML(title string) string {
	var b strings.Builder
	b.WriteString(`<math xmlns="http://www.w3.org/1998/Math/MathML" display="block"><mtable columnalign="left">` + "\n")
	row := func(cells ...string) {
		b.WriteString("<mtr>")
		for _, c := range cells {
			b.WriteString(`<mtd columnalign="left">` + c + "</mtd>")
		}
		b.WriteString("</mtr>\n")
	}
	text := func(text string) string { return "<mtext>" + syntax.XMLText(oneLine(text)) + "</mtext>" }
	formula := func(n syntax.Node) string {
		if plain := syntax.Plain(n); len(plain) > maxMarkup {
			return text(plain)
		}
		return "<mrow>" + syntax.MathML(n) + "</mrow>"
	}
	heading := func(t string) { row(`<mtext mathvariant="bold">` + syntax.XMLText(oneLine(t)) + "</mtext>") }
	heading(title)
	for _, l := range e.lines(Wording{}) {
		switch {
		case l.heading:
			heading(l.text)
		case l.left != nil:
			whole := formula(l.left)
			for _, n := range l.equal {
				whole += "<mo>=</mo>" + formula(n)
			}
			if l.text != "" {
				whole += `<mspace width="2em"/>` + text(l.text)
			}
			row("<mrow>" + whole + "</mrow>")
		case l.table != nil:
			for _, cells := range l.table {
				row(text(strings.Join(cells, " | ")))
			}
		default:
			row(text(l.text))
		}
	}
	b.WriteString("</mtable></math>\n")
	return b.String()
}

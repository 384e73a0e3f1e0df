package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"reckon/commands/domainfile"
)

// Colours of a terminal, as SGR sequences give them.
const (
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	green  = "\x1b[1;32m"
	bold   = "\x1b[1m"
	plain  = "\x1b[0m"
)

// colours tells whether what is written to w may have colours: on a terminal that has them, unless
// NO_COLOR is set (no-color.org).
func colours(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// showReport says what a file's check has found, if anything.
func (t terminal) showReport(f *domainfile.File, r domainfile.Report) {
	if len(r.Findings) > 0 {
		t.tell("report", r, func(w io.Writer) { showFindings(w, f, r.Findings) })
	}
}

// showFindings writes each finding with its line of the file and a caret under its place.
func showFindings(w io.Writer, f *domainfile.File, findings []domainfile.Finding) {
	paint := func(_, text string) string { return text }
	if colours(w) {
		paint = func(colour, text string) string { return colour + text + plain }
	}
	var shown *domainfile.File // of the line that was shown last, since a file may be a single line
	var number int
	var line []rune
	for _, finding := range findings {
		f := f.Owner(finding)
		if f != shown || finding.Line != number {
			shown, number, line = f, finding.Line, []rune(f.Line(finding.Line))
		}
		kind, colour := "error", red
		if finding.Warning {
			kind, colour = "warning", yellow
		}
		place := fmt.Sprint(finding.Line)
		source, at := excerpt(line, finding.Column-1)
		margin := strings.Repeat(" ", len(place))
		message := string(escaped([]byte(finding.Message), steersText))
		fmt.Fprintf(raw(w), "%s:%d:%d: %s: %s\n  %s | %s\n  %s | %*s%s\n", inLine(f.Name), finding.Line, finding.Column, paint(colour, kind), message,
			place, source, margin, at, "", paint(green, "^"))
	}
}

// maxExcerpt is how much of a line is shown, in columns.
const maxExcerpt = 100

// excerpt is the part of a line around a place, each character of one or two columns of a terminal,
// and the column of the place in it.
func excerpt(line []rune, at int) (text string, column int) {
	at = min(max(at, 0), len(line))
	from, to := 0, len(line)
	if to > maxExcerpt {
		from = max(min(at-maxExcerpt/2, to-maxExcerpt), 0)
		to = from + maxExcerpt
	}
	var b strings.Builder
	if from > 0 {
		b.WriteString("…")
		column++
	}
	for i := from; i < to; i++ {
		r := line[i]
		switch {
		case r == '\t':
			r = ' '
		case steers(r) || r == unicode.ReplacementChar:
			r = '·'
		}
		b.WriteRune(r)
		if i < at {
			column += runeColumns(r)
		}
	}
	if to < len(line) {
		b.WriteString("…")
	}
	return b.String(), column
}

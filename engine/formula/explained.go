package formula

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Explained is all that a function's entry says of it, in lines for a terminal or a tooltip.
func (f Function) Explained() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n\n", f.Signature, f.Doc)
	if len(f.Spreadsheet) > 0 {
		fmt.Fprintf(&b, "In spreadsheets: %s\n\n", strings.Join(f.Spreadsheet, ", "))
	}
	width := len("result")
	for _, p := range f.Parameters {
		width = max(width, len(p.Name))
	}
	letters := false
	line := func(name, dimension, rest string) {
		letters = letters || strings.ContainsAny(dimension, "ab") && len(dimension) <= len("a^2")
		fmt.Fprintf(&b, "  %-*s  %s%s\n", width, name, dimension, rest)
	}
	for _, p := range f.Parameters {
		rest := ""
		if p.Default != "" {
			rest = ", " + p.Default + " when left out"
		}
		if p.Repeats {
			rest += ", any number of them"
		}
		line(p.Name, p.Dimension, rest)
	}
	line("result", f.Result, "")
	if letters {
		fmt.Fprintln(&b, "\nA letter stands for any dimension, the same wherever it appears.")
	}
	fmt.Fprintln(&b, "\nExamples")
	width = 0
	for _, e := range f.Examples {
		width = max(width, utf8.RuneCountInString(e.Expression))
	}
	for _, e := range f.Examples {
		answer := "= " + e.Value
		if e.Error != "" {
			answer = "is an error: " + e.Error
		}
		fmt.Fprintf(&b, "  %-*s  %s\n", width, e.Expression, answer)
	}
	return b.String()
}

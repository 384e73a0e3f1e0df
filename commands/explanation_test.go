package commands

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"reckon/events"
)

// explained asks a domain, and explains the answer.
func explained(t *testing.T, def events.Definition, prompts ...string) Explanation {
	t.Helper()
	d, issues := CompileFile(def)
	if d == nil {
		t.Fatal(issues)
	}
	r := d.DryRun()
	var last Place
	for _, prompt := range prompts {
		m, err := r.Say(prompt, "structured", "UTC", time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		last = Place{Message: m.MessageID}
	}
	list, err := r.Kept(last)
	if err != nil {
		t.Fatal(err)
	}
	return list[0].Explain()
}

// chainOf is a domain of so many equations, each of the one before.
func chainOf(n int) events.Definition {
	def := events.Definition{Title: "Chain", Description: "One after the other.", Variables: []events.Variable{{Key: "x_0", Title: "Start", Kind: "number"}, {Key: "step", Title: "Step", Kind: "number"}}}
	for i := 1; i <= n; i++ {
		def.Variables = append(def.Variables, events.Variable{Key: fmt.Sprintf("x_%d", i), Title: fmt.Sprintf("Value %d", i), Kind: "number"})
		def.Activities = append(def.Activities, events.Activity{Title: fmt.Sprintf("Step %d", i), Equation: fmt.Sprintf("x_%d = x_%d * 1.01 + step", i, i-1), State: "active"})
	}
	return def
}

func TestExplanationOfManyEquations(t *testing.T) {
	const n = 9990
	e := explained(t, chainOf(n), fmt.Sprintf("x_0: 0\nstep: 1\ncalculate: x_%d", n))
	if len(e.Errors) == 0 && len(e.Steps) != n {
		t.Errorf("%d steps", len(e.Steps))
	}
	for _, err := range e.Errors {
		if err.Code != "calculation.limit_exceeded" {
			t.Errorf("%s: %s", err.Code, err.Filled())
		}
	}
	t.Logf("%d steps, %v; %d bytes of text, %d of TeX, %d of MathML", len(e.Steps), e.Errors, len(e.Text()), len(e.TeX()), len(e.MathML()))
}

// hostile are texts that would do something if they were not escaped.
var hostile = []string{
	`<script>alert(1)</script>`, `\input{/etc/passwd}`, `$\write18{rm}$ & % # _ ^ ~ {`, `]]> <!-- "quoted' --> &amp;`, "a\\\\b } \\end{document}",
	"`backticks` … − “”", "日本語 Ω µ °",
}

func TestExplanationsEscapeTitles(t *testing.T) {
	for _, title := range hostile {
		def := events.Definition{
			Title: title, Description: "d", Units: []string{"widget"},
			Variables: []events.Variable{
				{Key: "a", Title: title, Kind: "number", Choices: []events.Choice{{Label: strings.TrimSpace(strings.Map(inLabel, title)), Value: "2"}, {Label: "other", Value: "3"}}},
				{Key: "Größe_1", Title: title + " 2", Kind: "number"}, {Key: "c", Title: title + " 3", Kind: "number", Unit: "widget"},
			},
			Activities:  []events.Activity{{Title: title, Equation: "Größe_1^2 = a * c / 1 [widget]", State: "active"}},
			Constraints: []events.Constraint{{Condition: "a <= 5", Message: title}},
		}
		e := explained(t, def, "a: 2\nGröße_1: 3\ncalculate: c")
		if len(e.Steps) != 1 || len(e.Checks) != 1 {
			t.Fatalf("%s: %+v", title, e)
		}
		e.Steps[0].Chosen = title + "\x1b[2J\u202e"
		markup := e.MathML()
		for d := xml.NewDecoder(strings.NewReader(markup)); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v in %s", title, err, markup)
			}
			if start, ok := token.(xml.StartElement); ok && !strings.HasPrefix(start.Name.Local, "m") {
				t.Errorf("%s: there is an element %s", title, start.Name.Local)
			}
		}
		for d := xml.NewDecoder(strings.NewReader(e.SVG(0))); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v in %s", title, err, e.SVG(0))
			}
			if start, ok := token.(xml.StartElement); ok && !slices.Contains([]string{"svg", "title", "path", "g", "rect", "text"}, start.Name.Local) {
				t.Errorf("%s: there is an element %s", title, start.Name.Local)
			}
		}
		document := e.TeX()
		for _, command := range []string{`\input`, `\write`, `\\\\b`} {
			if strings.Contains(document, command) {
				t.Errorf("%s: %s stands in %s", title, command, document)
			}
		}
		if strings.Count(document, `\end{document}`) != 1 || !strings.HasSuffix(document, "\\end{document}\n") {
			t.Errorf("%s ends %s", title, document)
		}
		for _, line := range strings.Split(e.Text(), "\n") {
			if strings.ContainsAny(line, "\r\x1b\u202e") {
				t.Errorf("%q", line)
			}
		}
	}
}

// inLabel leaves out what no label may have.
func inLabel(r rune) rune {
	if strings.ContainsRune("|#[]\"“”„?:;=\\n", r) {
		return -1
	}
	return r
}

// The drawing of an explanation has each value that was given with its origin, each equation with its numbers, and what was found,
// each behind what it came of.
func TestExplanationsAreDrawn(t *testing.T) {
	def := events.Definition{Title: "Bill & <b>", Variables: []events.Variable{
		{Key: "used", Title: "Used <script>", Kind: "number"}, {Key: "price", Title: "Price", Kind: "number", DefaultValue: json.RawMessage(`"2"`)},
		{Key: "net", Title: "Net", Kind: "number"}, {Key: "total", Title: "Total", Kind: "number"}, {Key: "inner", Title: "Inner", Kind: "number", Hidden: true, DefaultValue: json.RawMessage(`"1"`)},
	}, Activities: []events.Activity{
		{Title: "javascript:alert(1)", Equation: "net = used * price * inner", State: "active"}, {Title: "With tax", Equation: "total = net * 1.19", State: "active"},
	}}
	e := explained(t, def, "used: 50\ncalculate: total")
	svg := e.SVG(0)
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
	}
	for _, text := range []string{
		">Used &lt;script&gt; 50<", ">stated<", ">Price 2<", ">default<", ">net = used * price * inner<", ">net = 50 * 2 * 1<", ">Net 100<", ">total = 100 * 1.19<", ">Total 119<", "stroke-dasharray", "<title>Bill &amp; &lt;b&gt;: total</title>",
	} {
		if !strings.Contains(svg, text) {
			t.Errorf("there is no %s in\n%s", text, svg)
		}
	}
	if strings.Contains(svg, ">Inner") || strings.Contains(svg, "<script") {
		t.Errorf("it shows what is hidden, or what is not escaped:\n%s", svg)
	}
	if lines := strings.Count(svg, "<path"); lines != 5 {
		t.Errorf("%d lines, want 5", lines)
	}
	// Two equations together lead to what both find.
	e = explained(t, events.Definition{Title: "Two", Variables: []events.Variable{{Key: "a", Title: "A", Kind: "number"}, {Key: "b", Title: "B", Kind: "number"}, {Key: "sum", Title: "Sum", Kind: "number"}, {Key: "apart", Title: "Apart", Kind: "number"}},
		Activities: []events.Activity{{Title: "One", Equation: "sum = a + b", State: "active"}, {Title: "Other", Equation: "apart = a - b", State: "active"}}}, "sum: 10\napart: 4\ncalculate: a")
	if svg := e.SVG(0); strings.Count(svg, "<rect") != 6 || strings.Count(svg, "<path") != 8 {
		t.Errorf("%d boxes and %d lines:\n%s", strings.Count(svg, "<rect"), strings.Count(svg, "<path"), svg)
	}
}

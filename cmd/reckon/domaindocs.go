package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"strings"
	texttemplate "text/template"

	"reckon/engine/syntax"

	"reckon/commands"
	"reckon/events"
)

//go:embed templates/domain.md
var domainMarkdown string

//go:embed templates/domain.html
var domainHTML string

type domainDocs struct {
	Files []string `arg:"" name:"file" help:"Domain files, YAML or JSON."`
	HTML  bool     `help:"Write HTML, with a drawing, instead of Markdown." name:"html"`
	Out   string   `help:"Write a file for each domain into this directory, instead of standard output." placeholder:"DIR" type:"path"`
}

func (*domainDocs) Help() string {
	return "Examples:\n  reckon domain docs trip.yaml > trip.md\n  reckon domain docs trip.yaml loan.yaml --html --out docs"
}

// pageWidth is how wide a drawing may be, in pixels.
const pageWidth = 928

// domainPage is what a page about a domain is made of.
type domainPage struct {
	commands.Outline
	Tests    []events.Test
	Examples []string
	Drawing  template.HTML
}

func (c *domainDocs) Run(t terminal) error {
	for _, name := range c.Files {
		d, err := compiledDomain(t, name)
		if err != nil {
			return err
		}
		page, err := domainDocument(d, c.HTML)
		if err != nil {
			return fmt.Errorf("write a page about %s: %w", name, err)
		}
		if c.Out == "" {
			if _, err := t.out.Write(page); err != nil {
				return err
			}
			continue
		}
		ending := ".md"
		if c.HTML {
			ending = ".html"
		}
		to := filepath.Join(c.Out, strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))+ending)
		if err := os.MkdirAll(c.Out, 0o777); err != nil {
			return fmt.Errorf("make the directory of the pages: %w", err)
		}
		if err := os.WriteFile(to, page, 0o666); err != nil {
			return fmt.Errorf("write a page: %w", err)
		}
		fmt.Fprintln(t.out, to)
	}
	return nil
}

// domainDocument is a page about a domain.
func domainDocument(d *commands.Domain, inHTML bool) ([]byte, error) {
	page := domainPage{Outline: d.Outline(), Examples: d.Definition.Examples}
	for _, test := range d.Definition.Tests {
		if len(test.Expect) > 0 && len(test.After) == 0 {
			page.Tests = append(page.Tests, test)
		}
	}
	functions := map[string]any{
		"default": defaultText, "value": cellText, "line": syntax.OneLine, "bounds": bounds, "directions": directions, "paragraphs": func(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), "<", "&lt;") },
		"cell": markdownCell, "fence": fenceFor,
	}
	var text bytes.Buffer
	if inHTML {
		page.Drawing = template.HTML(page.SVG(pageWidth)) // which escapes what authors have written
		parsed, err := template.New("page").Funcs(functions).Parse(domainHTML)
		if err == nil {
			err = parsed.Execute(&text, page)
		}
		return text.Bytes(), err
	}
	parsed, err := texttemplate.New("page").Funcs(functions).Parse(domainMarkdown)
	if err == nil {
		err = parsed.Execute(&text, page)
	}
	return text.Bytes(), err
}

// markdownCell is a text within a cell of a table.
func markdownCell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "\\", `\\`).Replace(oneLine(text, 10_000))
}

// fenceFor is a fence that no line of a text ends.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

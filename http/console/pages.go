package console

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"strings"

	"reckon/http"
)

const htmlType = "text/html; charset=utf-8"

//go:embed templates
var templates embed.FS

// pages are the templates of pages by name, each with the layout.
type pages map[string]*template.Template

// newPages reads the templates. docs is where the documentation is, "" for nowhere.
func newPages(a *http.Files, docs string) pages {
	functions := template.FuncMap{"asset": a.Path, "parts": handed, "docs": func() string { return docs }}
	p := pages{}
	files, err := fs.Glob(templates, "templates/*.html")
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "templates/"), ".html")
		if err == nil && name != "layout" {
			p[name], err = template.New("layout.html").Funcs(functions).ParseFS(templates, "templates/layout.html", "templates/parts/*.html", file)
		}
	}
	if err != nil {
		panic(fmt.Sprintf("read the pages of the console: %v", err)) // they are a part of the program
	}
	return p
}

// handed is several things for a part of a page, as names and values in turn.
func handed(pairs ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

// render is a page. What it shows of the visit and of its own is escaped by html/template.
func (p pages) render(name string, v *visit, shown any) []byte {
	var body bytes.Buffer
	err := p[name].Execute(&body, struct {
		Visit *visit
		Page  any
	}{v, shown})
	if err != nil {
		panic(fmt.Sprintf("render the page %s: %v", name, err)) // it lacks nothing of what it shows
	}
	return faulted(body.Bytes(), v.faults)
}

// page answers with a page; a status of 0 is 200.
func (c *Console) page(name string, v *visit, status int, shown any) (http.Answer, error) {
	return http.Answer{
		Status: status,
		Header: map[string]string{"Content-Type": htmlType},
		Body:   c.pages.render(name, v, shown),
	}, nil
}

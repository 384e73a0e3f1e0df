package docs

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"strings"

	"reckon/http"
)

//go:embed assets
var embedded embed.FS

//go:embed templates
var templates embed.FS

// look renders pages. What they show is escaped by html/template, but for what is made here of
// Markdown, in which raw HTML is left out.
type look struct{ all *template.Template }

func newLook(files *http.Files) look {
	all, err := template.New("").Funcs(template.FuncMap{
		"asset": files.Path, "markdown": markdown, "slug": slug, "first": first,
	}).ParseFS(templates, "templates/*.html")
	if err != nil {
		panic(fmt.Sprintf("read the templates of the documentation: %v", err)) // they are a part of the program
	}
	return look{all}
}

// first is the first sentence of a text.
func first(text string) string {
	sentence, _, _ := strings.Cut(text, ". ")
	return strings.TrimSuffix(sentence, ".") + "."
}

// page is a page of the documentation.
type page struct {
	Path  string
	Title string        // the heading of level 1
	Lead  string        // a sentence under it, "" for none
	Body  template.HTML // what is below
	Query string        // that was searched for

	toc      []link    // the headings of level 2
	sections []section // as they are found
}

// link leads somewhere in the documentation.
type link struct {
	Path, Text string
	Here       bool   // it leads to the page that it stands on
	Links      []link // of the part that it leads to
}

// page is a whole page; the site is nil where there is none yet.
func (l look) page(p *page, s *site) []byte {
	shown := struct {
		*page
		Menu []group
		TOC  []link
	}{page: p, TOC: p.toc}
	if s != nil {
		shown.Menu = s.menu(p.Path)
	}
	return l.render("page", shown)
}

// part is the body of a page.
func (l look) part(name string, shown any) template.HTML {
	return template.HTML(l.render(name, shown)) // html/template has escaped it
}

func (l look) render(name string, shown any) []byte {
	var text bytes.Buffer
	if err := l.all.ExecuteTemplate(&text, name+".html", shown); err != nil {
		panic(fmt.Sprintf("render %s: %v", name, err)) // it lacks nothing of what it shows
	}
	return text.Bytes()
}

package docs

import (
	"path"
	"slices"
	"strings"

	"reckon/schemas"
)

// site is the whole documentation, made once.
type site struct {
	pages  map[string][]byte // by path
	groups []group
	index  *index
}

// group is a part of the menu.
type group struct {
	Title string
	Links []link
}

// build makes all pages.
func build(config Config, l look) *site {
	s := &site{pages: map[string][]byte{}, index: &index{}}
	var pages []*page
	titles := map[string]string{}
	for file, to := range shelf {
		text, ok := config.Books[file]
		if !ok {
			panic("there is no book " + file) // it is a part of the program
		}
		p := bookPage(file, text)
		titles[to] = p.Title
		pages = append(pages, p)
	}
	for file, text := range config.Books {
		if to := place(file); to != "" && shelf[file] == "" {
			pages = append(pages, l.starterPage(to, file, text))
		}
	}
	current := readReference(Path+"/api", schemas.OpenAPI(2), config.Address)
	first := readReference(Path+"/api-v1", schemas.OpenAPI(1), config.Address)
	administration := readReference(Path+"/admin", schemas.AdminOpenAPI(), config.Address)
	current.version, first.version = 2, 1
	current.other, first.other = first, current
	for _, r := range []*reference{current, first, administration} {
		pages = append(pages, l.referencePages(r)...)
	}
	functions := l.functionPages()
	pages = append(pages, functions...)
	pages = append(pages, l.errorsPage(current, administration), l.unitsPage(), l.formatsPage())

	book := func(name string) link { return link{Path: Path + "/" + name, Text: titles[Path+"/"+name]} }
	inFunctions := link{Path: functions[0].Path, Text: functions[0].Title}
	for _, p := range functions[1:] {
		inFunctions.Links = append(inFunctions.Links, link{Path: p.Path, Text: p.Title})
	}
	s.groups = []group{
		{"Start", []link{{Path: Path, Text: "Overview"}, book("asking"), book("webhooks"), book("assistants")}},
		{"Calling", []link{
			current.link("Reference"), first.link("Reference, body version 1"), administration.link("Administration"),
			book("contract"), {Path: Path + "/errors", Text: "Errors"}, {Path: Path + "/formats", Text: "Formats"},
		}},
		{"Domains", []link{book("authoring"), inFunctions, {Path: Path + "/units", Text: "Units"}, book("starters"), book("answered")}},
		{"Running it", []link{book("operations"), book("cluster"), book("kubernetes"), book("backup"), book("model"), book("benchmarks")}},
		{"How it works", []link{book("log"), book("engine"), book("prose")}},
	}
	pages = append(pages, &page{
		Path: Path, Title: "Reckon",
		Lead: "A calculation service: you publish domains of variables and equations, callers ask in plain English, structured text or JSON, and get the answer with its unit and the origin of every value in it.",
		Body: l.part("overview", s.groups),
	})
	slices.SortFunc(pages, func(a, b *page) int { return strings.Compare(a.Path, b.Path) })
	for _, p := range pages {
		s.index.add(p.sections)
		s.pages[p.Path] = l.page(p, s)
	}
	s.index.finish()
	return s
}

// menu is the menu as a page shows it: the parts that it is in are open.
func (s *site) menu(at string) []group {
	groups := make([]group, len(s.groups))
	for i, g := range s.groups {
		groups[i] = group{g.Title, opened(g.Links, at)}
	}
	return groups
}

func opened(links []link, at string) []link {
	list := slices.Clone(links)
	for i := range list {
		l := &list[i]
		l.Here = l.Path == at
		if l.Here || path.Dir(at) == l.Path {
			l.Links = opened(l.Links, at)
		} else {
			l.Links = nil
		}
	}
	return list
}

// starterPage is the page of a file of a starter domain.
func (l look) starterPage(to, file, text string) *page {
	name := strings.TrimPrefix(file, startersFolder)
	title := path.Base(name)
	description := ""
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, "title: "); ok {
			title = strings.TrimSpace(value)
		}
		if value, ok := strings.CutPrefix(line, "description: "); ok {
			description = strings.TrimSpace(value)
		}
	}
	p := &page{Path: to, Title: title}
	p.Body = l.part("starter", struct{ Name, Domain, Text string }{path.Base(name), strings.TrimSuffix(path.Base(name), ".yaml"), text})
	p.sections = []section{{path: to, page: "Starter domains", heading: title, names: []string{path.Base(name)}, texts: []string{description}}}
	return p
}

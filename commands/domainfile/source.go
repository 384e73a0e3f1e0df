package domainfile

import (
	"net/url"
	"strings"

	"go.yaml.in/yaml/v4"

	"reckon/events"
)

// Limits of sources.
const (
	maxSources = 100
	maxURL     = 2000
)

// source reads where a domain has figures or formulas from.
func (f *File) source(path string, n *yaml.Node) {
	var s events.Source
	f.mapping(path, n, "A source", []member{
		{"title", f.title(&s.Title)},
		{"url", f.address(&s.URL)},
		{"licence", f.line(&s.Licence, maxTitle, "licence")},
	})
	if n.Kind == yaml.MappingNode && s.Title == "" {
		f.report(path, n, "A source has a title, such as {title: Income tax rates 2026, url: \"https://example.org/rates\"}.")
	}
	if len(f.Definition.Sources) == maxSources {
		f.report(path, n, "A domain has at most %d sources.", maxSources)
	}
	f.Definition.Sources = append(f.Definition.Sources, s)
}

// address reads a URL that a browser can open.
func (f *File) address(to *string) func(string, *yaml.Node) {
	return func(path string, n *yaml.Node) {
		f.line(to, maxURL, "URL")(path, n)
		u, err := url.Parse(*to)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || strings.ContainsAny(*to, " <>\"") {
			f.report(path, n, "A URL begins with https:// or http:// and the name of a host, and has no space, quote, < or >.")
		}
	}
}

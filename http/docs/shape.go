package docs

import (
	"encoding/json"
	"html/template"
	"slices"
	"strings"
)

func (l look) schemasPage(r *reference) *page {
	p := &page{Path: r.path + "/schemas", Title: "Schemas", Lead: "What requests and answers are made of."}
	type shownSchema struct {
		Name  string
		Shape *shape
	}
	shown := struct {
		Note versionNote
		List []shownSchema
	}{Note: r.note("")}
	if r.other != nil {
		shown.Note.Other = r.other.path + "/schemas"
	}
	for _, s := range r.Components.Schemas {
		of := r.shape(&s.Value)
		shown.List = append(shown.List, shownSchema{s.Name, of})
		p.toc = append(p.toc, link{Path: "#" + s.Name, Text: s.Name})
		if r.version != 1 {
			found := section{path: p.Path + "#" + s.Name, page: r.Info.Title, heading: s.Name, names: []string{s.Name}, texts: []string{plainOf(s.Value.Description)}}
			for _, m := range s.Value.Properties {
				found.texts = append(found.texts, strings.TrimSuffix(m.Name+": "+plainOf(m.Value.Description), ": "))
			}
			p.sections = append(p.sections, found)
		}
	}
	p.Body = l.part("schemas", shown)
	return p
}

// shape is a schema as it is shown.
type shape struct {
	Type        []link // pieces of text, of which some lead to a schema
	Description template.HTML
	Facts       []string
	Values      []string // that it may have
	Members     []member
	Choices     []*shape
}

type member struct {
	Name     string
	Required bool
	Shape    *shape
}

type memberGroup struct {
	Title   string
	Members []member
}

// opened is the shape of a schema, of the one that it refers to where it does.
func (r *reference) opened(s *schema) *shape {
	if s.Ref == "" {
		return r.shape(s)
	}
	of := find(r.Components.Schemas, s.Ref)
	shown := r.shape(&of)
	shown.Type = r.reference(s.Ref)
	return shown
}

// choices shows what a value may be one of. That and null is that, or null.
func (r *reference) choices(s *schema, shown *shape) {
	of := slices.Concat(s.AnyOf, s.OneOf, s.AllOf)
	null := func(c schema) bool { return slices.Equal(c.Type, types{"null"}) }
	rest := slices.DeleteFunc(slices.Clone(of), null)
	if len(rest) == 1 {
		only := r.shape(&rest[0])
		if only.Description != "" && shown.Description == "" {
			shown.Description = only.Description
		}
		shown.Type, shown.Members, shown.Choices, shown.Values = only.Type, only.Members, only.Choices, only.Values
	} else {
		shown.Type = []link{{Text: "one of"}}
		for i := range rest {
			shown.Choices = append(shown.Choices, r.shape(&rest[i]))
		}
	}
	if len(rest) < len(of) {
		shown.Type = append(slices.Clone(shown.Type), link{Text: " or null"})
	}
}

// facts tells what bounds a value.
func (shown *shape) facts(s *schema) {
	for i := range s.Enum {
		shown.Values = append(shown.Values, flatJSON(&s.Enum[i]))
	}
	if s.Const.Kind != 0 {
		shown.Values = []string{flatJSON(&s.Const)}
	}
	between := func(least, most *string, unit string) {
		switch {
		case least != nil && most != nil:
			shown.Facts = append(shown.Facts, *least+" to "+*most+unit)
		case least != nil:
			shown.Facts = append(shown.Facts, "at least "+*least+unit)
		case most != nil:
			shown.Facts = append(shown.Facts, "at most "+*most+unit)
		}
	}
	between(s.Minimum, s.Maximum, "")
	between(s.MinLength, s.MaxLength, " characters")
	between(s.MinItems, s.MaxItems, " items")
	if s.Default.Kind != 0 {
		shown.Facts = append(shown.Facts, "default "+flatJSON(&s.Default))
	}
	for i := range s.Examples {
		shown.Facts = append(shown.Facts, "such as "+flatJSON(&s.Examples[i]))
	}
	if s.Pattern != "" && s.Format == "" {
		shown.Facts = append(shown.Facts, "matches "+s.Pattern)
	}
}

// quoted is a string of JSON.
func quoted(text string) string {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // of a string, into memory
	return strings.TrimSuffix(out.String(), "\n")
}

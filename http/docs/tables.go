package docs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"reckon/engine/format"
	"reckon/engine/formula"
	"reckon/engine/units"
	"reckon/schemas"
)

// functionPages are the list of functions, and a page for each group of them.
func (l look) functionPages() []*page {
	type shownGroup struct {
		Title, Path string
		Functions   []formula.Function
	}
	var groups []shownGroup
	spreadsheet := map[string][]formula.Function{}
	for _, f := range formula.Functions() {
		if len(groups) == 0 || groups[len(groups)-1].Title != f.Group {
			groups = append(groups, shownGroup{f.Group, Path + "/functions/" + slug(f.Group), nil})
		}
		last := &groups[len(groups)-1]
		last.Functions = append(last.Functions, f)
		for _, name := range f.Spreadsheet {
			spreadsheet[name] = append(spreadsheet[name], f)
		}
	}
	type known struct {
		Name      string
		Functions []link
	}
	var names []known
	for _, name := range slices.Sorted(maps.Keys(spreadsheet)) {
		k := known{Name: name}
		for _, f := range spreadsheet[name] {
			k.Functions = append(k.Functions, link{Path: functionPath(f), Text: f.Name})
		}
		names = append(names, k)
	}
	list := &page{
		Path: Path + "/functions", Title: "Functions",
		Lead: "What equations may call, and also values. Names are written in lower case; an argument with = has that value when it is left out.",
		Body: l.part("functions", struct {
			Groups []shownGroup
			Names  []known
		}{groups, names}),
		sections: []section{{path: Path + "/functions", page: "Functions", heading: "Functions", texts: []string{"All functions of equations, by group and by their names in spreadsheets."}}},
	}
	pages := []*page{list}
	for _, g := range groups {
		list.toc = append(list.toc, link{Path: "#" + slug(g.Title), Text: g.Title})
		p := &page{Path: g.Path, Title: g.Title, Body: l.part("group", g.Functions)}
		for _, f := range g.Functions {
			p.toc = append(p.toc, link{Path: "#" + f.Name, Text: f.Name})
			s := section{path: functionPath(f), page: "Functions · " + g.Title, heading: f.Signature, names: append([]string{f.Name}, f.Spreadsheet...), texts: []string{f.Doc}}
			if len(f.Spreadsheet) > 0 {
				s.texts = append(s.texts, "In spreadsheets: "+strings.Join(f.Spreadsheet, ", "))
			}
			for _, e := range f.Examples {
				s.texts = append(s.texts, e.Expression+" = "+cmp.Or(e.Value, e.Error))
			}
			p.sections = append(p.sections, s)
		}
		pages = append(pages, p)
	}
	list.toc = append(list.toc, link{Path: "#in-spreadsheets", Text: "Names in spreadsheets"})
	return pages
}

func functionPath(f formula.Function) string {
	return Path + "/functions/" + slug(f.Group) + "#" + f.Name
}

// shownUnit is a unit with the anchor of its row.
type shownUnit struct {
	units.Entry
	Anchor, Names string
}

func (l look) unitsPage() *page {
	type dimension struct {
		Title, Anchor string
		Units         []shownUnit
	}
	p := &page{
		Path: Path + "/units", Title: "Units",
		Lead: "What values and equations may be written in. A name is read in any case, a symbol as it stands here, with the prefixes that stand beside it.",
	}
	var dimensions []dimension
	at := map[string]int{}
	ids := &anchors{}
	anchorOf := func(text string) string { return string(ids.Generate([]byte(text), ast.KindHeading)) }
	for e := range units.Standard().All() {
		i, ok := at[e.Dimension]
		if !ok {
			i = len(dimensions)
			at[e.Dimension] = i
			dimensions = append(dimensions, dimension{Title: e.Dimension, Anchor: anchorOf(e.Dimension)})
		}
		u := shownUnit{Entry: e, Anchor: anchorOf("unit " + e.Symbol), Names: strings.Join(distinct(slices.Concat(e.Names, e.Symbols)), ", ")}
		dimensions[i].Units = append(dimensions[i].Units, u)
		p.sections = append(p.sections, section{
			path: p.Path + "#" + u.Anchor, page: "Units · " + e.Dimension, heading: e.Symbol, names: slices.Concat([]string{e.Symbol}, e.Symbols, e.Names),
			texts: []string{u.Names, e.Definition + ", " + e.Source},
		})
	}
	for _, d := range dimensions {
		p.toc = append(p.toc, link{Path: "#" + d.Anchor, Text: d.Title})
	}
	p.Body = l.part("units", dimensions)
	return p
}

// distinct is a list without what stands in it twice.
func distinct(list []string) (once []string) {
	for _, text := range list {
		if !slices.Contains(once, text) {
			once = append(once, text)
		}
	}
	return once
}

// formatSamples are values of each kind that show what its formats do.
var formatSamples = map[string][]string{
	"number":       {"1234.5678 USD", "-0.5"},
	"no_separator": {"1234.5678 m"},
	"percent":      {"0.0625"},
	"duration":     {"93784.5 s"},
	"date":         {"1772668800 s"},
	"datetime":     {"1772719629 s"},
	"time":         {"50829 s"},
}

func (l look) formatsPage() *page {
	type row struct {
		Format string
		Shown  []string
	}
	type kind struct {
		Name    string
		Samples []string
		Rows    []row
	}
	p := &page{
		Path: Path + "/formats", Title: "Formats",
		Lead: "How values are shown. An answer carries each value in full, with its kind and format, and clients show it so.",
	}
	var kinds []kind
	for _, k := range format.Kinds() {
		shown := kind{k.Name, formatSamples[k.Name], nil}
		found := section{path: p.Path + "#" + k.Name, page: p.Title, heading: "Kind " + k.Name, names: []string{k.Name}}
		for _, name := range k.Formats {
			r := row{Format: name}
			for _, value := range shown.Samples {
				text, err := format.Render(value, k.Name, name)
				if err != nil {
					panic(fmt.Sprintf("show %s as %s: %v", value, name, err)) // samples fit their kinds
				}
				r.Shown = append(r.Shown, text)
			}
			shown.Rows = append(shown.Rows, r)
			found.texts = append(found.texts, name+": "+strings.Join(r.Shown, ", "))
		}
		p.toc = append(p.toc, link{Path: "#" + k.Name, Text: k.Name})
		p.sections = append(p.sections, found)
		kinds = append(kinds, shown)
	}
	p.Body = l.part("formats", kinds)
	return p
}

// calculationError is an entry of schemas/errors.json.
type calculationError struct {
	Code        string
	Message     string
	WithoutHint string `json:"message_without_hint"`
	Args        []string
	Also        string
	Cause       string
	WayOut      string `json:"way_out"`
}

// refusal is an error of a request that is not taken.
type refusal struct {
	Code     string
	Statuses []string
	Means    []string
}

func (l look) errorsPage(references ...*reference) *page {
	p := &page{
		Path: Path + "/errors", Title: "Errors",
		Lead: "Every code there is. A request that is not taken has a status of 400 and more and a code that begins with error_; one that is taken and cannot be calculated is answered 200, with codes of calculations.",
	}
	var list []calculationError
	if err := json.Unmarshal([]byte(schemas.Errors()), &list); err != nil {
		panic(fmt.Sprintf("read the errors: %v", err)) // they are a part of the program
	}
	type family struct {
		Name   string
		Errors []calculationError
	}
	var families []family
	for _, e := range list {
		name, _, _ := strings.Cut(e.Code, ".")
		if len(families) == 0 || families[len(families)-1].Name != name {
			families = append(families, family{Name: name})
			p.toc = append(p.toc, link{Path: "#" + name, Text: name})
		}
		of := &families[len(families)-1]
		of.Errors = append(of.Errors, e)
		p.sections = append(p.sections, section{path: p.Path + "#" + e.Code, page: p.Title, heading: e.Code, names: []string{e.Code}, texts: []string{e.Message, e.Cause, e.WayOut}})
	}
	refused := refusals(references)
	for _, r := range refused {
		p.sections = append(p.sections, section{path: p.Path + "#" + r.Code, page: p.Title, heading: r.Code, names: append([]string{r.Code}, r.Statuses...), texts: r.Means})
	}
	p.toc = append(p.toc, link{Path: "#refused", Text: "Requests that are not taken"})
	p.Body = l.part("errors", struct {
		Families []family
		Refused  []refusal
	}{families, refused})
	return p
}

// refusals gathers the errors of requests from the descriptions: the codes in their order, with the
// answers that have them.
func refusals(references []*reference) (list []refusal) {
	at := func(code string) *refusal {
		i := slices.IndexFunc(list, func(r refusal) bool { return r.Code == code })
		if i < 0 {
			i = len(list)
			list = append(list, refusal{Code: code})
		}
		return &list[i]
	}
	for _, r := range references {
		for _, name := range []string{"TransportError", "Error"} {
			for _, s := range r.Components.Schemas {
				if s.Name != name {
					continue
				}
				for _, e := range s.Value.Properties {
					for _, m := range e.Value.Properties {
						for _, code := range m.Value.Enum {
							at(code.Value)
						}
					}
				}
			}
		}
		for _, c := range r.calls {
			for _, named := range c.Responses {
				a := r.answered(named.Name, named.Value)
				if a.Code == "" {
					continue
				}
				of := at(a.Code)
				of.Statuses = distinct(append(of.Statuses, a.Status))
				of.Means = distinct(append(of.Means, plainOf(a.source)))
			}
		}
	}
	for i, r := range list {
		if len(r.Means) == 0 {
			list[i].Statuses, list[i].Means = []string{undescribed[r.Code].status}, []string{undescribed[r.Code].means}
		}
	}
	return list
}

// undescribed are errors that stand in no answer of a description by themselves.
var undescribed = map[string]struct{ status, means string }{
	"error_disabled_token":         {"403", "The token, or the user that it is of, has ended."},
	"error_insufficient_scope":     {"403", "The key or the token is limited, and this takes more."},
	"error_secret_in_url":          {"400", "There is a key, a token or another secret in the address, where others may see it: have a new one made, and send that in the header Authorization."},
	"error_too_many_changes":       {"409", "More answers of the past would be others than max_changed allows."},
	"error_like_another":           {"409", "A new domain looks like one that there is: say new, or publish that one's next version."},
	"error_invalid_domain":         {"422", "The domain has findings that stop a publish; the answer lists them."},
	"error_method_not_allowed":     {"405", "The path does not answer this method."},
	"error_invalid_json":           {"400", "The body is not a JSON object that is well formed."},
	"error_payload_too_large":      {"413", "The body is larger than this path takes."},
	"error_unsupported_media_type": {"415", "The body is not sent as application/json in UTF-8."},
	"error_request_timeout":        {"408", "The body stopped coming before it was complete."},
	"error_server_internal":        {"500", "The service failed; the reference in the message finds it in the log."},
}

package docs

import (
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"
)

// reference is an interface with its pages: the overview at path, an operation each at path/id, and
// the schemas.
type reference struct {
	description
	path    string
	address string // where the service is
	version int    // of the bodies; 0 where they have none
	other   *reference
	calls   []*call
}

// call is an operation with where it is.
type call struct {
	*operation
	Method, URL string // URL is the template of the path
	Page        string
	parameters  []parameter
}

// Heading is what the menu calls it: listConversations is List conversations.
func (c *call) Heading() string {
	var text strings.Builder
	acronym := false
	for i, r := range c.ID {
		upper := unicode.IsUpper(r)
		switch {
		case i == 0:
			r = unicode.ToUpper(r)
		case upper && !acronym:
			text.WriteByte(' ')
			if next := c.ID[i+1:]; next == "" || !unicode.IsUpper(rune(next[0])) {
				r = unicode.ToLower(r)
			}
		}
		acronym = upper && i > 0
		text.WriteRune(r)
	}
	return text.String()
}

// Says is the summary as a heading.
func (c *call) Says() string { return strings.TrimSuffix(c.Summary, ".") }

func readReference(path, document, address string) *reference {
	r := &reference{path: path, address: address}
	if err := yaml.Unmarshal([]byte(document), &r.description); err != nil {
		panic(fmt.Sprintf("read the description of %s: %v", path, err)) // it is a part of the program
	}
	for _, item := range r.Paths {
		for _, o := range []struct {
			method string
			*operation
		}{{"GET", item.Value.Get}, {"PUT", item.Value.Put}, {"POST", item.Value.Post}, {"PATCH", item.Value.Patch}, {"DELETE", item.Value.Delete}} {
			if o.operation == nil {
				continue
			}
			c := &call{operation: o.operation, Method: o.method, URL: item.Name, Page: path + "/" + o.ID}
			for _, p := range slices.Concat(item.Value.Parameters, o.Parameters) {
				if p.Ref != "" {
					p = find(r.Components.Parameters, p.Ref)
				}
				c.parameters = append(c.parameters, p)
			}
			r.calls = append(r.calls, c)
		}
	}
	return r
}

// link is the entry of the menu, with those of the operations.
func (r *reference) link(text string) link {
	l := link{Path: r.path, Text: text}
	for _, c := range r.calls {
		l.Links = append(l.Links, link{Path: c.Page, Text: c.Heading()})
	}
	l.Links = append(l.Links, link{Path: r.path + "/schemas", Text: "Schemas"})
	return l
}

// find is the operation with an id, nil for none.
func (r *reference) find(id string) *call {
	if r == nil {
		return nil
	}
	if i := slices.IndexFunc(r.calls, func(c *call) bool { return c.ID == id }); i >= 0 {
		return r.calls[i]
	}
	return nil
}

func (l look) referencePages(r *reference) []*page {
	pages := []*page{l.referenceOverview(r), l.schemasPage(r)}
	for _, c := range r.calls {
		pages = append(pages, l.callPage(r, c))
	}
	return pages
}

// versionNote says which bodies a reference is about.
type versionNote struct {
	Version int
	Other   string // the same page of the other version, "" for none
}

func (r *reference) note(other string) versionNote { return versionNote{r.version, other} }

func (l look) referenceOverview(r *reference) *page {
	type tagged struct {
		Name, Description string
		Calls             []*call
	}
	var tags []tagged
	p := &page{Path: r.path, Title: r.Info.Title, Lead: r.Info.Summary}
	for _, t := range r.Tags {
		of := tagged{strings.ToUpper(t.Name[:1]) + t.Name[1:], t.Description, nil}
		for _, c := range r.calls {
			if slices.Contains(c.Tags, t.Name) {
				of.Calls = append(of.Calls, c)
			}
		}
		tags = append(tags, of)
		p.toc = append(p.toc, link{Path: "#" + slug(of.Name), Text: of.Name})
	}
	other := ""
	if r.other != nil {
		other = r.other.path
	}
	p.Body = l.part("reference", struct {
		Description, Schemas string
		Note                 versionNote
		Tags                 []tagged
	}{r.Info.Description, r.path + "/schemas", r.note(other), tags})
	if r.version != 1 {
		p.sections = []section{{path: r.path, page: p.Title, heading: p.Title, texts: []string{r.Info.Summary, plainOf(r.Info.Description)}}}
	}
	return p
}

// plainOf is the text of Markdown.
func plainOf(source string) string { return plain(parse([]byte(source)), []byte(source)) }

// sample is an example with what it is called.
type sample struct{ Name, Text string }

// answered is a response as it is shown.
type answered struct {
	Status, Code string // Code is that of the example of a failure
	Description  template.HTML
	Headers      []member
	Type         string // of the body, "" for none
	Shape        *shape
	Samples      []sample

	source string // of the description
}

func (l look) callPage(r *reference, c *call) *page {
	p := &page{Path: c.Page, Title: c.Says()}
	shown := struct {
		*call
		Note     versionNote
		Key      string // what the caller has to have, "" for nothing
		Curl     []sample
		Groups   []memberGroup
		BodyText template.HTML
		Body     *shape
		Good     []answered
		Failures []answered
	}{call: c, Curl: r.curl(c)}
	shown.Note = r.note("")
	if o := r.other.find(c.ID); o != nil {
		shown.Note.Other = o.Page
	}
	if c.Security == nil {
		shown.Key = "an API key"
		if strings.HasPrefix(c.URL, "/admin") {
			shown.Key = "a token of a user"
		}
	}
	for _, in := range []struct{ in, title string }{{"path", "In the path"}, {"query", "In the query"}, {"header", "Header fields"}} {
		g := memberGroup{Title: in.title}
		for _, q := range c.parameters {
			if q.In == in.in {
				s := r.shape(&q.Schema)
				s.Description = markdown(q.Description)
				g.Members = append(g.Members, member{q.Name, q.Required, s})
			}
		}
		if len(g.Members) > 0 {
			shown.Groups = append(shown.Groups, g)
		}
	}
	if c.RequestBody != nil {
		shown.BodyText = markdown(c.RequestBody.Description)
		for _, content := range c.RequestBody.Content {
			shown.Body = r.opened(&content.Value.Schema)
		}
	}
	for _, named := range c.Responses {
		a := r.answered(named.Name, named.Value)
		if named.Name < "400" {
			shown.Good = append(shown.Good, a)
		} else {
			shown.Failures = append(shown.Failures, a)
		}
	}
	p.toc = []link{{Path: "#request", Text: "Request"}, {Path: "#answers", Text: "Answers"}}
	if len(shown.Failures) > 0 {
		p.toc = append(p.toc, link{Path: "#failures", Text: "Failures"})
	}
	p.Body = l.part("call", shown)
	if r.version != 1 {
		s := section{path: c.Page, page: r.Info.Title, heading: c.Says(), names: []string{c.Method + " " + c.URL, c.ID}, texts: []string{plainOf(c.Description)}}
		for _, q := range c.parameters {
			s.texts = append(s.texts, q.Name+": "+plainOf(q.Description))
		}
		p.sections = []section{s}
	}
	return p
}

// answered is a response of a status.
func (r *reference) answered(status string, a response) answered {
	if a.Ref != "" {
		a = find(r.Components.Responses, a.Ref)
	}
	shown := answered{Status: status, Description: markdown(a.Description), source: a.Description}
	for _, h := range a.Headers {
		if h.Value.Ref != "" {
			h.Value = find(r.Components.Headers, h.Value.Ref)
		}
		s := r.shape(&h.Value.Schema)
		s.Description = markdown(h.Value.Description)
		shown.Headers = append(shown.Headers, member{h.Name, false, s})
	}
	for _, content := range a.Content {
		shown.Type, shown.Shape = content.Name, r.opened(&content.Value.Schema)
		shown.Samples = samples(&content.Value)
		if code := memberOf(memberOf(&content.Value.Example, "error"), "code"); code != nil {
			shown.Code = code.Value
		}
	}
	return shown
}

// memberOf is a member of an object, nil for none.
func memberOf(node *yaml.Node, name string) *yaml.Node {
	if node == nil || node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i < len(node.Content); i += 2 {
		if node.Content[i].Value == name {
			return node.Content[i+1]
		}
	}
	return nil
}

func samples(m *media) (list []sample) {
	if m.Example.Kind != 0 {
		list = append(list, sample{"Example", asJSON(&m.Example)})
	}
	for _, e := range m.Examples {
		list = append(list, sample{exampleName(e.Name), asJSON(&e.Value.Value)})
	}
	return list
}

// exampleName is the name of an example as people read it.
func exampleName(name string) string {
	text := strings.ReplaceAll(name, "_", " ")
	if text == "json" {
		return "JSON"
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// curl are calls of an operation that work when an id and a key are put in.
func (r *reference) curl(c *call) (list []sample) {
	at := r.address + c.URL
	var query []string
	for _, p := range c.parameters {
		value := ""
		switch {
		case len(p.Schema.Examples) > 0:
			value = p.Schema.Examples[0].Value
		case p.In == "path" && refName(p.Schema.Ref) == "UUID":
			value = exampleID
		case p.In == "path":
			value = pathExamples[p.Name]
		}
		switch {
		case p.In == "path" && value != "":
			at = strings.ReplaceAll(at, "{"+p.Name+"}", url.PathEscape(value))
		case p.In == "query" && p.Required:
			query = append(query, p.Name+"="+url.QueryEscape(value))
		}
	}
	if len(query) > 0 {
		at += "?" + strings.Join(query, "&")
	}
	line := "curl"
	if c.Method != "GET" && (c.Method != "POST" || c.RequestBody == nil) {
		line += " -X " + c.Method
	}
	line += " " + shellQuoted(at)
	if c.Security == nil {
		variable := "RECKON_KEY"
		if strings.HasPrefix(c.URL, "/admin") {
			variable = "RECKON_TOKEN"
		}
		line += " \\\n  -H \"Authorization: Bearer $" + variable + `"`
	}
	if c.RequestBody == nil {
		return []sample{{"curl", line}}
	}
	for _, content := range c.RequestBody.Content {
		with := line + " \\\n  -H 'Content-Type: " + content.Name + "'"
		for _, s := range samples(&content.Value) {
			list = append(list, sample{s.Name, with + " \\\n  -d " + shellQuoted(s.Text)})
		}
		if len(list) == 0 {
			list = append(list, sample{"curl", with})
		}
	}
	return list
}

const exampleID = "0198f2c4-0000-7000-8000-000000000001"

// pathExamples are values of the parameters of paths that are no ids.
var pathExamples = map[string]string{"account": "acme", "user": "ada@example.com", "domain": "dm_5f1c6a0b6f0e4f6fa0d5", "version": "newest", "scenario_id": "1"}

// shellQuoted is a word of a shell's line.
func shellQuoted(text string) string {
	plain := strings.IndexFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/:._-%@", r))
	}) < 0
	if plain {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

func (r *reference) reference(ref string) []link {
	return []link{{Path: r.path + "/schemas#" + refName(ref), Text: refName(ref)}}
}

func (r *reference) shape(s *schema) *shape {
	shown := &shape{Description: markdown(s.Description)}
	inner := s
	switch {
	case s.Ref != "":
		shown.Type = r.reference(s.Ref)
	case len(s.AnyOf)+len(s.OneOf)+len(s.AllOf) > 0:
		r.choices(s, shown)
	case slices.Contains(s.Type, "array") && s.Items != nil:
		items := r.shape(s.Items)
		shown.Type = append([]link{{Text: "array of "}}, items.Type...)
		if len(items.Type) == 0 {
			shown.Type = []link{{Text: "array"}}
		}
		shown.Members, shown.Choices, shown.Values = items.Members, items.Choices, items.Values
		shown.Facts = append(shown.Facts, items.Facts...)
		if s.Items.Ref == "" && shown.Description == "" {
			shown.Description = items.Description
		}
		if slices.Contains(s.Type, "null") {
			shown.Type = append(shown.Type, link{Text: " or null"})
		}
	default:
		kind := strings.Join(s.Type, " or ")
		if s.Format != "" {
			kind += " (" + s.Format + ")"
		}
		if kind == "" && s.Const.Kind != 0 {
			kind = "constant"
		}
		if kind != "" {
			shown.Type = []link{{Text: kind}}
		}
	}
	for _, m := range inner.Properties {
		shown.Members = append(shown.Members, member{m.Name, slices.Contains(s.Required, m.Name), r.shape(&m.Value)})
	}
	if s.Additional != nil && (len(s.Additional.Type) > 0 || s.Additional.Ref != "") {
		shown.Members = append(shown.Members, member{"any other name", false, r.shape(s.Additional)})
	}
	shown.facts(s)
	return shown
}

package console

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/rogpeppe/go-internal/diff"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/engine/syntax"
	"reckon/events"
	"reckon/http"
	"reckon/projections"
)

// domainsShown is what the list of domains shows.
type domainsShown struct {
	Rows  []domainRow
	Edits bool
}

// domainRow is a domain in the list.
type domainRow struct {
	ID                        uuid.UUID
	Title, Description, State string
	Draft                     bool // a draft waits to be published
	Asked                     string
	Changed                   string
}

// domainsPage lists the domains of the account with their states.
func (c *Console) domainsPage(v *visit) (http.Answer, error) {
	ctx := v.x.Request().Context()
	if err := c.views.Fresh(ctx); err != nil {
		return http.Answer{}, err
	}
	used, err := c.views.AccountUsed(ctx, v.account.ID, time.Now().AddDate(0, 0, -30))
	if err != nil {
		return http.Answer{}, err
	}
	asked := map[uuid.UUID]int{}
	for _, d := range used.Days {
		for id, n := range d.Domains {
			asked[id] += n.Messages
		}
	}
	all, err := c.admin(v).Domains(ctx, v.account.ID)
	if err != nil {
		return http.Answer{}, err
	}
	s := domainsShown{Edits: v.role.May(projections.RoleDeveloper)}
	for _, d := range all {
		if d.Blank() || d.Published == nil && !s.Edits {
			continue
		}
		def := d.Published
		if def == nil {
			def = d.Draft
		}
		s.Rows = append(s.Rows, domainRow{
			ID: d.ID, Title: def.Title, Description: short(def.Description, 200), State: stateOf(d), Draft: d.Draft != nil && s.Edits,
			Asked: count(asked[d.ID], "question", "questions") + " in 30 days", Changed: moment(d.UpdatedAt, zoneOf(v.account)),
		})
	}
	return c.page("domains", v, 0, s)
}

// stateOf is what a domain is, in words.
func stateOf(d projections.Domain) string {
	switch {
	case d.Retired:
		return "retired"
	case d.Version == 0:
		return "draft"
	}
	return "version " + strconv.Itoa(d.Version)
}

// domainPageShown is what the page of a domain shows.
type domainPageShown struct {
	ID        uuid.UUID
	Key       string
	State     string
	Serves    bool
	Retired   bool
	Draft     bool
	Edits     bool
	Outline   commands.Outline
	Groups    []variablesShown
	Equations []equationShown
	Examples  []exampleShown
	Sources   []sourceShown
	Drawing   template.HTML
	Tests     int
	Versions  []versionShown
	Diff      []diffLine
	From, To  int
	Source    string // of the version To
	Once      uuid.UUID
	Done      string
}

// variablesShown are variables that stand together.
type variablesShown struct {
	Title string
	Rows  []variableShown
}

type variableShown struct {
	Key, Title, Description, Unit, Default, Bounds, Names string
}

type equationShown struct {
	Title, Equation, Solves string
	Active                  bool
}

// sourceShown is where a domain has something from; URL is "" unless it can be followed.
type sourceShown struct{ Title, URL, Licence string }

type versionShown struct {
	Number            int
	At, By, Comment   string
	Newest, HasSource bool
}

// diffLine is a line of a difference: Kind is added, removed, place or "".
type diffLine struct{ Kind, Text string }

// domainPage shows a domain so that people can read it.
func (c *Console) domainPage(v *visit) (http.Answer, error) { return c.showDomain(v, 0) }

func (c *Console) showDomain(v *visit, status int) (http.Answer, error) {
	d, err := c.kept(v)
	if err != nil {
		return http.Answer{}, err
	}
	s := domainPageShown{
		ID: d.ID, Key: d.Key, State: stateOf(d), Serves: d.Serves() && v.account.Suspended == nil, Retired: d.Retired,
		Edits: v.role.May(projections.RoleDeveloper), Once: once(),
	}
	if v.x.Request().URL.Query().Has("published") && d.Serves() {
		s.Done = "Version " + strconv.Itoa(d.Version) + " is published, and answers from now on."
	}
	def, version := d.Published, d.Version
	if s.Draft = d.Draft != nil && s.Edits; def == nil {
		if !s.Edits {
			return http.Answer{}, http.NotFound("There is no such domain in this account.")
		}
		def = d.Draft
	}
	if s.Versions, s.Diff, err = c.versions(v, d, &s); err != nil {
		return http.Answer{}, err
	}
	s.Tests, s.Examples = len(def.Tests), examplesOf(def)
	for _, source := range def.Sources {
		row := sourceShown{Title: source.Title, Licence: source.Licence}
		if u, err := url.Parse(source.URL); err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" {
			row.URL = source.URL
		}
		s.Sources = append(s.Sources, row)
	}
	compiled, issues := commands.Compile(d.ID, d.Key, version, *def)
	if compiled == nil { // a draft with errors
		s.Outline = commands.Outline{Title: def.Title, Description: def.Description}
		v.fault("The draft has errors, as the editor shows: " + issues[0].Message)
		return c.page("domain", v, status, s)
	}
	s.Outline = compiled.Outline()
	s.outline()
	return c.page("domain", v, status, s)
}

// outline takes over what can be read of a domain that holds together.
func (s *domainPageShown) outline() {
	for _, of := range []struct {
		title  string
		groups []commands.VariableGroup
	}{{"Inputs", s.Outline.Inputs()}, {"Outputs", s.Outline.Outputs()}, {"Helpers of the equations", s.Outline.Hidden()}} {
		for _, group := range of.groups {
			shown := variablesShown{Title: of.title}
			if group.Title != "" {
				shown.Title += ": " + group.Title
			}
			for _, is := range group.Variables {
				row := variableShown{Key: is.Key, Title: is.Title, Description: is.Description, Unit: is.Unit, Default: is.Default.Scalar(), Names: strings.Join(is.Aliases, ", ")}
				row.Bounds = strings.Join(slices.DeleteFunc([]string{prefixed("from ", is.Min), prefixed("to ", is.Max)}, func(text string) bool { return text == "" }), " ")
				for i, choice := range is.Choices {
					if row.Bounds += choice.Label; i < len(is.Choices)-1 {
						row.Bounds += ", "
					}
				}
				shown.Rows = append(shown.Rows, row)
			}
			s.Groups = append(s.Groups, shown)
		}
	}
	titles := map[string]string{}
	for _, v := range s.Outline.Variables {
		titles[v.Key] = v.Title
	}
	for _, e := range s.Outline.Equations {
		row := equationShown{Title: e.Title, Equation: e.Equation, Active: e.Active}
		if row.Title == syntax.OneLine(e.Equation) {
			row.Title = ""
		}
		var solved []string
		for _, key := range e.SolvesFor {
			solved = append(solved, titles[key])
		}
		row.Solves = strings.Join(solved, ", ")
		s.Equations = append(s.Equations, row)
	}
	s.Drawing = graphs(s.Outline.SVG)
}

func prefixed(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

// versions lists what was published of a domain, the newest first, and what differs between the two
// that the query names.
func (c *Console) versions(v *visit, d projections.Domain, s *domainPageShown) (list []versionShown, lines []diffLine, err error) {
	published, err := c.admin(v).Versions(v.x.Request().Context(), d)
	if err != nil {
		return nil, nil, err
	}
	query := v.x.Request().URL.Query()
	from, _ := strconv.Atoi(query.Get("from"))
	to, _ := strconv.Atoi(query.Get("to"))
	var texts [2][]byte
	for _, e := range slices.Backward(published) {
		data := e.Data.(*events.DomainPublished)
		list = append(list, versionShown{
			data.Version, moment(e.Time, zoneOf(v.account)), c.actor(e), data.Comment, data.Version == d.Version, data.Source != "",
		})
		for i, number := range []int{from, to} {
			if number == data.Version && err == nil {
				texts[i], err = domainfile.Text("", data.Definition)
			}
		}
		if data.Version == to {
			s.Source = data.Source
		}
	}
	if err != nil || texts[1] == nil {
		return list, nil, err
	}
	s.From, s.To = from, to
	if texts[0] == nil {
		return list, nil, nil
	}
	return list, differing(string(diff.Diff(fmt.Sprint("version ", from), texts[0], fmt.Sprint("version ", to), texts[1]))), nil
}

// differing are the lines of a difference, without those that name both sides.
func differing(text string) (lines []diffLine) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		case strings.HasPrefix(line, "@@"):
			lines = append(lines, diffLine{"place", "…"})
		case strings.HasPrefix(line, "+"):
			lines = append(lines, diffLine{"added", line})
		case strings.HasPrefix(line, "-"):
			lines = append(lines, diffLine{"removed", line})
		default:
			lines = append(lines, diffLine{"", line})
		}
	}
	return lines
}

// restoreVersion makes an earlier version the newest one.
func (c *Console) restoreVersion(v *visit) (http.Answer, error) {
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
	}
	number, err := strconv.Atoi(form.Get("version"))
	return c.changeDomain(v, "?published=yes", func(ctx context.Context, a commands.Admin, d projections.Domain) error {
		if err != nil || number < 1 {
			return fmt.Errorf("version %q %w", form.Get("version"), commands.ErrNone)
		}
		_, err := a.Again(ctx, v.account.Name, d, number, fmt.Sprintf("Version %d again.", number))
		return err
	})
}

// retire ends new calculations with a domain, or takes that back.
func (c *Console) retire(v *visit) (http.Answer, error) {
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
	}
	return c.changeDomain(v, "", func(ctx context.Context, a commands.Admin, d projections.Domain) error {
		return a.Retire(ctx, d.AccountID, d.ID, form.Get("retired") == "yes")
	})
}

// discardDraft forgets the draft of a domain.
func (c *Console) discardDraft(v *visit) (http.Answer, error) {
	if _, err := v.form(); err != nil {
		return http.Answer{}, err
	}
	return c.changeDomain(v, "", func(ctx context.Context, a commands.Admin, d projections.Domain) error {
		return a.Discard(ctx, d.AccountID, d.ID, 0)
	})
}

// changeDomain changes the domain that the path names, and shows it; then is a query of that page.
func (c *Console) changeDomain(v *visit, then string, change func(context.Context, commands.Admin, projections.Domain) error) (http.Answer, error) {
	d, err := c.kept(v)
	if err != nil {
		return http.Answer{}, err
	}
	if err := change(v.x.Request().Context(), c.admin(v), d); err != nil {
		if !v.refusedDomain(err) {
			return http.Answer{}, err
		}
		return c.showDomain(v, unprocessable)
	}
	if is, _ := c.views.Domain(v.account.ID, d.ID); d.Version == 0 && is.Blank() {
		return redirect(Path + "/domains"), nil
	}
	return redirect(domainPath(d.ID) + then), nil
}

func domainPath(id uuid.UUID) string { return Path + "/domains/" + id.String() }

// refusedDomain notes why a change of a domain cannot be made, and tells whether the error says
// that.
func (v *visit) refusedDomain(err error) bool {
	if invalid := (*commands.InvalidError)(nil); errors.As(err, &invalid) {
		v.fault(sentence(err) + " The editor shows them.")
		return true
	}
	return v.refused(err)
}

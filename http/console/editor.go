package console

import (
	"context"
	"errors"
	"fmt"
	nethttp "net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/events"
	"reckon/http"
	"reckon/projections"
)

// Starter is a text that a domain can begin as.
type Starter struct{ Name, Title, Description, Text string }

// editorShown is what the editor shows. With a script the page does the same without being left.
type editorShown struct {
	ID       uuid.UUID // zero for a domain that is not kept yet
	Title    string    // as it is kept
	State    string
	Drafted  bool // there is a draft to publish
	Text     string
	Seen     uint64 // sequence of the domain that the text goes back to
	Checked  bool
	Findings []findingShown
	Graph    *graphShown
	Theirs   *string // what is kept meanwhile, where that is not what the text goes back to
	Starters []Starter
}

// Path is where the form of the editor goes.
func (s editorShown) Path() string {
	if s.ID == uuid.Nil {
		return Path + "/domains/new"
	}
	return editPath(s.ID)
}

func editPath(id uuid.UUID) string { return Path + "/domains/" + id.String() + "/edit" }

// findingShown is a finding with how far the word reaches that it is about, and how to mend it.
type findingShown struct {
	domainfile.Finding
	End int             `json:"end"` // column
	Fix *domainfile.Fix `json:"fix,omitempty"`
}

func findingsOf(f *domainfile.File, report domainfile.Report) []findingShown {
	list := []findingShown{}
	for _, finding := range report.Findings {
		shown := findingShown{Finding: finding, End: f.WordEnd(finding.Line, finding.Column)}
		if fix, ok := f.Fix(finding); ok {
			shown.Fix = &fix
		}
		list = append(list, shown)
	}
	return list
}

// maxText is how long a form with a domain file is at most, as browsers encode it.
const maxText = 3*commands.MaxSource + 4<<10

var errTooLong = http.Failure(nethttp.StatusRequestEntityTooLarge, "error_payload_too_large",
	fmt.Sprintf("The editor takes files of at most %d KiB. Publish larger ones with `reckon domain publish`.", commands.MaxSource>>10))

// newDomain shows what a domain can begin as, or the editor with one of that.
func (c *Console) newDomain(v *visit) (http.Answer, error) {
	from, chosen := v.x.Request().URL.Query()["from"]
	s := editorShown{Starters: c.config.Starters()}
	if !chosen {
		return c.page("newdomain", v, 0, s)
	}
	if from[0] != "" {
		i := slices.IndexFunc(s.Starters, func(s Starter) bool { return s.Name == from[0] })
		if i < 0 {
			return http.Answer{}, http.NotFound("There is nothing of this name to begin with.")
		}
		s.Text = s.Starters[i].Text
	}
	return c.page("editor", v, 0, s)
}

// kept is the domain that the path names.
func (c *Console) kept(v *visit) (d projections.Domain, err error) {
	if err = c.views.Fresh(v.x.Request().Context()); err != nil {
		return d, err
	}
	id, ok := v.x.ID("id")
	if ok {
		d, ok = c.views.Domain(v.account.ID, id)
	}
	if !ok || d.Blank() {
		return d, http.NotFound("There is no such domain in this account.")
	}
	return d, nil
}

// written is what an author wrote of a domain: its draft, else its newest version, as they wrote it
// where that was kept and stands by itself.
func (c *Console) written(ctx context.Context, v *visit, d projections.Domain) (string, error) {
	admin := c.admin(v)
	var source string
	def := d.Published
	if d.Draft != nil {
		def = d.Draft
		e, err := admin.Draft(ctx, d)
		if err != nil {
			return "", err
		}
		source = e.Data.(*events.DomainDrafted).Source
	} else if versions, err := admin.Versions(ctx, d); err != nil {
		return "", err
	} else if n := len(versions); n > 0 {
		source = versions[n-1].Data.(*events.DomainPublished).Source
	}
	if source != "" && domainfile.Parse(fileName, []byte(source)).Readable() { // it needs no files beside it
		return source, nil
	}
	text, err := domainfile.Text(d.Key, *def)
	return string(text), err
}

// shownOf is what the editor shows of a domain.
func shownOf(d projections.Domain) editorShown {
	s := editorShown{ID: d.ID, Title: commands.Title(d), Seen: d.Sequence, Drafted: d.Draft != nil && !d.Retired}
	switch {
	case d.Retired:
		s.State = "Retired: it is taken into use again before it is changed."
	case d.Draft != nil && d.Version > 0:
		s.State = fmt.Sprintf("A draft. Version %d answers.", d.Version)
	case d.Draft != nil:
		s.State = "A draft. No version is published."
	default:
		s.State = fmt.Sprintf("Version %d, as it answers.", d.Version)
	}
	return s
}

// editDomain is the editor with a domain.
func (c *Console) editDomain(v *visit) (http.Answer, error) {
	d, err := c.kept(v)
	if err != nil {
		return http.Answer{}, err
	}
	s := shownOf(d)
	if s.Text, err = c.written(v.x.Request().Context(), v, d); err != nil {
		return http.Answer{}, err
	}
	return c.page("editor", v, 0, s)
}

// saveDomain checks or keeps what the form of the editor has, of a domain that is kept or of
// another one.
func (c *Console) saveDomain(v *visit) (http.Answer, error) {
	form, err := v.formOf(maxText)
	if err != nil {
		return http.Answer{}, err
	}
	var s editorShown
	var d projections.Domain
	if _, named := v.x.Named("id"); named {
		if d, err = c.kept(v); err != nil {
			return http.Answer{}, err
		}
		s = shownOf(d)
	}
	s.Text = strings.ReplaceAll(form.Get("text"), "\r\n", "\n")
	if len(s.Text) > commands.MaxSource {
		return http.Answer{}, errTooLong
	}
	if form.Get("do") == "check" {
		return c.checked(v, form, s)
	}
	seen, err := seenIn(form)
	if err != nil {
		return http.Answer{}, err
	}
	ctx := v.x.Request().Context()
	done, err := c.keep(ctx, v, d, s.Text, seen)
	switch {
	case errors.Is(err, commands.ErrSeen):
		theirs, err := c.written(ctx, v, d)
		if err != nil {
			return http.Answer{}, err
		}
		s.Theirs = &theirs
		return c.page("editor", v, nethttp.StatusConflict, s)
	case isInvalid(err):
		return c.checked(v, form, s)
	case err != nil:
		if !v.refused(err) {
			return http.Answer{}, err
		}
		s.Findings = nil
		return c.page("editor", v, unprocessable, s)
	}
	return redirect(editPath(done.DomainID)), nil
}

// checked is the page of the editor with what is found in its text.
func (c *Console) checked(v *visit, form url.Values, s editorShown) (http.Answer, error) {
	if seen, err := seenIn(form); err == nil && s.ID != uuid.Nil {
		s.Seen = seen
	}
	f := domainfile.Parse(fileName, []byte(s.Text))
	d, report := f.Check()
	s.Checked, s.Findings, s.Graph = true, findingsOf(f, report), graphOf(d)
	status := 0
	if form.Get("do") != "check" {
		status = unprocessable
		v.fault(notKept, "text")
	}
	return c.page("editor", v, status, s)
}

// fileName is what the text of the editor is called in findings.
const fileName = "domain.yaml"

func seenIn(form url.Values) (seen uint64, err error) {
	if text := form.Get("seen"); text != "" {
		if _, err = fmt.Sscan(text, &seen); err != nil {
			err = http.Failure(nethttp.StatusBadRequest, "error_invalid_form", "The form cannot be read. Go back and send it again.")
		}
	}
	return seen, err
}

var (
	errTaken = errors.New("there is a domain of this title or key in the account: give this one another title, or edit that one")
	errOther = errors.New("the file states the key of another domain: take the line with the key out")
)

func isInvalid(err error) bool {
	invalid := (*commands.InvalidError)(nil)
	return errors.As(err, &invalid) || errors.Is(err, errUnreadable)
}

// errUnreadable says that a text is not as a domain file must be.
var errUnreadable = errors.New("the text is no domain file")

// keep makes a text the draft of a domain as it was seen, or of another domain for the zero one. It
// fails as Publish does, with errUnreadable, errTaken and errOther.
func (c *Console) keep(ctx context.Context, v *visit, d projections.Domain, text string, seen uint64) (done commands.Published, err error) {
	f := domainfile.Parse(fileName, []byte(text))
	if !f.Readable() {
		return done, errUnreadable
	}
	p := commands.Publication{Account: v.account.Name, Key: f.Key, Definition: f.Definition, Draft: true, Source: text, New: true}
	admin := c.admin(v)
	if d.ID == uuid.Nil {
		all, err := admin.Domains(ctx, v.account.ID)
		if err != nil {
			return done, err
		}
		for _, other := range all {
			if f.Key != "" && other.Key == f.Key || strings.EqualFold(commands.Title(other), f.Definition.Title) {
				return done, errTaken
			}
		}
	} else {
		if f.Key != "" && f.Key != d.Key {
			return done, errOther
		}
		p.Key, p.Seen = d.Key, seen
	}
	done, err = admin.Publish(ctx, p)
	if err == nil {
		err = c.views.Fresh(ctx)
	}
	return done, err
}

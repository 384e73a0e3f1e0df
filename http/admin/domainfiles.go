package admin

import (
	"errors"
	"fmt"
	"mime"
	nethttp "net/http"
	"path"
	"strconv"
	"strings"
	"testing/fstest"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/commands/history"
	"reckon/events"
	"reckon/http"
	"reckon/projections"
)

// fileLimit is how large a body with a domain file is, and with the files beside it, in bytes.
const fileLimit = 16 << 20

// File is a domain file as its author wrote it, YAML or JSON, with the files that it uses.
type File struct {
	Name   string            `json:"name"`             // as findings name it
	Source string            `json:"source"`           // of at most 4 MiB
	Beside map[string]string `json:"beside,omitempty"` // by their paths from its folder
}

// Publication is a domain file to draft or publish.
type Publication struct {
	File
	Comment    string     `json:"comment,omitempty"`     // of the author, at most 1,000 characters
	New        bool       `json:"new,omitempty"`         // a new domain is meant, though there is one that it looks like
	MaxChanged *int       `json:"max_changed,omitempty"` // publish only if at most so many answers of the past would be others
	Since      *time.Time `json:"since,omitempty"`       // how far back MaxChanged looks; 30 days where it is null
	DryRun     bool       `json:"dry_run,omitempty"`     // do all but publish
}

// Published is what became of a Publication.
type Published struct {
	ID        uuid.UUID         `json:"id"`
	Key       string            `json:"key"`
	Title     string            `json:"title"`
	Version   int               `json:"version"`   // the newest published one; 0 when there is only a draft
	Unchanged bool              `json:"unchanged"` // the same definition stood there already
	Compared  *history.Compared `json:"compared,omitempty"`
}

// Diff is a domain file to compare with the past.
type Diff struct {
	File
	Since *time.Time `json:"since,omitempty"` // 30 days where it is null
}

// usualSince is how far back the past is looked at where nobody says.
const usualSince = 30 * 24 * time.Hour

func sinceOf(at *time.Time) time.Time {
	if at == nil {
		return time.Now().Add(-usualSince)
	}
	return *at
}

// yamlOrJSON checks the headers of a body that is a domain file by itself, or an object with one.
func yamlOrJSON(header nethttp.Header, length int) error {
	if isYAML(header) {
		header = header.Clone()
		header.Set("Content-Type", "application/json")
	}
	return http.JSON(header, length)
}

func isYAML(header nethttp.Header) bool {
	media, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	return err == nil && (media == "application/yaml" || media == "application/x-yaml" || media == "text/yaml")
}

// file reads a body that holds a domain file: as YAML the file alone, as JSON an object, into a
// pointer to a struct that has the file.
func (q *request) file(into any, file *File) (*domainfile.File, error) {
	body, err := q.Body(fileLimit, yamlOrJSON)
	if err != nil {
		return nil, err
	}
	if isYAML(q.Request().Header) {
		file.Source = string(body)
	} else if _, err := http.Object(body, into); err != nil {
		return nil, err
	}
	if file.Name == "" {
		file.Name = "domain.yaml"
	}
	switch {
	case strings.TrimSpace(file.Source) == "":
		return nil, http.InvalidParam("source", "is required and must be the text of a domain file")
	case len(file.Source) > domainfile.MaxBytes:
		return nil, http.InvalidParam("source", fmt.Sprintf("must have at most %d MiB", domainfile.MaxBytes>>20))
	case strings.ContainsRune(file.Name, 0) || len(file.Name) > 1000:
		return nil, http.InvalidParam("name", "must be the name of a file")
	case file.Beside == nil:
		return domainfile.Parse(file.Name, []byte(file.Source)), nil
	}
	files := fstest.MapFS{}
	for name, text := range file.Beside {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return domainfile.ParseBeside(files, path.Base(file.Name), []byte(file.Source)), nil
}

// readable refuses a file that is not as a domain file must be.
func readable(f *domainfile.File) error {
	if f.Readable() {
		return nil
	}
	_, report := f.Compile()
	return invalidDomain(report)
}

// invalidDomain is the 422 of a domain with errors, which are told with their places.
func invalidDomain(report domainfile.Report) error {
	var told []string
	for _, f := range report.Findings {
		if !f.Warning && len(told) < maxTold {
			name := report.File
			if f.File != "" {
				name = f.File
			}
			told = append(told, fmt.Sprintf("%s:%d:%d: %s", name, f.Line, f.Column, f.Message))
		}
	}
	return http.Failure(nethttp.StatusUnprocessableEntity, "error_invalid_domain", strings.Join(told, "\n"))
}

// maxTold is how many findings an error tells of.
const maxTold = 20

// checkFile answers with what is found in a domain file, and runs its tests.
func (q *request) checkFile() (http.Answer, error) {
	var file File
	f, err := q.file(&file, &file)
	if err != nil {
		return http.Answer{}, err
	}
	_, report := f.Check()
	return http.Answer{Body: report}, nil
}

// seen is the sequence that the domain of the path must stand at, by the header If-Match; 0 for
// whichever, as for what was done before.
func (q *request) seen(d projections.Domain) (uint64, error) {
	if q.repeats() {
		return 0, nil
	}
	matching, given := q.Matches("If-Match", tagOf(d))
	switch {
	case given && !matching:
		return 0, fmt.Errorf("%q %w", commands.Title(d), commands.ErrSeen)
	case !given:
		return 0, nil
	}
	return d.Sequence, nil
}

// tagOf is the ETag of a domain and all of its parts, which is another one after each change of it.
func tagOf(d projections.Domain) string { return fmt.Sprintf("\"%d\"", d.Sequence) }

func (q *request) publishFile() (http.Answer, error) { return q.publish(false) }
func (q *request) draftFile() (http.Answer, error)   { return q.publish(true) }

// publish publishes a domain file, or keeps it as a draft: of the domain that the path names, else
// of the one that the file is of.
func (q *request) publish(draft bool) (http.Answer, error) {
	var p Publication
	f, err := q.file(&p, &p.File)
	if err == nil {
		err = readable(f)
	}
	if err != nil {
		return http.Answer{}, err
	}
	publication := commands.Publication{
		Account: q.account.Name, Key: f.Key, Definition: f.Definition, Draft: draft, Comment: p.Comment, New: p.New, Source: p.Source,
	}
	if len(p.Source) > commands.MaxSource {
		publication.Source = ""
	}
	if _, named := q.Named("domain"); named {
		d, err := q.domain()
		if err == nil && f.Key != "" && f.Key != d.Key {
			err = http.InvalidParam("source", "states the key of another domain, "+f.Key)
		}
		if err == nil {
			publication.Seen, err = q.seen(d)
		}
		if err != nil {
			return http.Answer{}, err
		}
		publication.Key = d.Key
	}
	answer := Published{Title: f.Definition.Title}
	if p.MaxChanged != nil && !q.repeats() {
		if answer.Compared, err = q.tooManyChange(publication, *p.MaxChanged, sinceOf(p.Since)); err != nil {
			return http.Answer{}, q.invalid(f, err)
		}
	}
	if p.DryRun {
		if _, report := f.Check(); !report.Valid {
			return http.Answer{}, invalidDomain(report)
		}
		domain, _, err := q.admin.Next(q.ctx(), publication)
		answer.ID, answer.Key, answer.Version = domain.ID, domain.Key, domain.Version
		return http.Answer{Body: answer}, q.invalid(f, err)
	}
	done, err := q.admin.Publish(q.ctx(), publication)
	if err != nil {
		return http.Answer{}, q.invalid(f, err)
	}
	answer.ID, answer.Key, answer.Version, answer.Unchanged = done.DomainID, done.Key, done.Version, done.Unchanged
	return http.Answer{Header: map[string]string{"ETag": tagOf(projections.Domain{Sequence: done.Sequence})}, Body: answer}, nil
}

// invalid is an error of a publication of a file, with the places of what stops it.
func (q *request) invalid(f *domainfile.File, err error) error {
	if stopped := (*commands.InvalidError)(nil); errors.As(err, &stopped) {
		_, report := f.Check()
		return invalidDomain(report)
	}
	return err
}

// tooManyChange computes the past with a definition, and refuses one that changes more answers than
// it may.
func (q *request) tooManyChange(p commands.Publication, most int, since time.Time) (*history.Compared, error) {
	if most < 0 {
		return nil, http.InvalidParam("max_changed", "must be an integer from 0 on")
	}
	done, err := history.Compare(q.ctx(), q.admin, history.Comparison{Publication: p, Since: since}, func(history.Shift) error { return nil }, func(history.Compared) {})
	if err == nil && done.Shifted() > most {
		err = http.Failure(nethttp.StatusConflict, "error_too_many_changes",
			fmt.Sprintf("%d of %d answers would be others, more than max_changed %d", done.Shifted(), done.Messages, most))
	}
	return &done, err
}

// diffFile computes what the account has asked with a domain file, and answers with what differs.
func (q *request) diffFile() (http.Answer, error) {
	var d Diff
	f, err := q.file(&d, &d.File)
	if err == nil {
		err = readable(f)
	}
	if err != nil {
		return http.Answer{}, err
	}
	return lines(func(send func(string, any) error) error {
		comparison := history.Comparison{
			Publication: commands.Publication{Account: q.account.Name, Key: f.Key, Definition: f.Definition}, Since: sinceOf(d.Since),
		}
		done, err := history.Compare(q.ctx(), q.admin, comparison, func(s history.Shift) error { return send("shift", s) },
			func(done history.Compared) { _ = send("progress", Progress{done.Read, done.Total}) })
		if err != nil {
			return q.invalid(f, err)
		}
		return send("summary", done)
	}), nil
}

// Draft is a draft of a domain.
type Draft struct {
	Domain    Domain    `json:"domain"`
	Comment   string    `json:"comment"`
	DraftedAt time.Time `json:"drafted_at"`
	ActedAs
	Source     string            `json:"source"`     // what the author wrote, "" where that was not kept
	File       string            `json:"file"`       // a domain file made of the draft, without comments
	Definition events.Definition `json:"definition"` // with the ids of its parts
}

func (q *request) draft() (http.Answer, error) {
	d, err := q.domain()
	if err == nil && d.Draft == nil {
		err = http.NotFound(fmt.Sprintf("%q has no draft: keep one with `reckon domain draft FILE --account NAME`", commands.Title(d)))
	}
	if err != nil {
		return http.Answer{}, err
	}
	e, err := q.admin.Draft(q.ctx(), d)
	if err != nil {
		return http.Answer{}, err
	}
	emails, err := q.emails()
	if err != nil {
		return http.Answer{}, err
	}
	draft := e.Data.(*events.DomainDrafted)
	text, err := domainfile.Text(d.Key, draft.Definition)
	return http.Answer{Tag: tagOf(d), Body: Draft{
		domainOf(d), draft.Comment, e.Time, actedBy(draft.By, emails), draft.Source, string(text), draft.Definition,
	}}, err
}

func (q *request) discardDraft() (http.Answer, error) {
	d, err := q.domain()
	var seen uint64
	if err == nil {
		seen, err = q.seen(d)
	}
	if err == nil {
		err = q.admin.Discard(q.ctx(), d.AccountID, d.ID, seen)
	}
	return http.Answer{Status: nethttp.StatusNoContent}, err
}

// Again is what is said of a draft or an earlier version that is published.
type Again struct {
	Comment    string     `json:"comment,omitempty"`     // "" for the author's
	MaxChanged *int       `json:"max_changed,omitempty"` // as that of a Publication
	Since      *time.Time `json:"since,omitempty"`
}

// publishAgain publishes the draft of a domain, or the version that the path names, as the header
// If-Match says that the domain was seen.
func (q *request) publishAgain() (http.Answer, error) {
	var again Again
	d, err := q.domain()
	if err == nil {
		err = q.object(&again)
	}
	if err == nil {
		_, err = q.seen(d)
	}
	if err != nil {
		return http.Answer{}, err
	}
	number := 0
	if text, named := q.Named("version"); named {
		if number, err = strconv.Atoi(text); err != nil || number < 1 {
			return http.Answer{}, http.NotFound(fmt.Sprintf("there is no version %s", text))
		}
	} else if again.MaxChanged != nil && d.Draft != nil && !q.repeats() {
		draft := commands.Publication{Account: q.account.Name, Key: d.Key, Definition: *d.Draft}
		if _, err := q.tooManyChange(draft, *again.MaxChanged, sinceOf(again.Since)); err != nil {
			return http.Answer{}, err
		}
	}
	done, err := q.admin.Again(q.ctx(), q.account.Name, d, number, again.Comment)
	if stopped := (*commands.InvalidError)(nil); errors.As(err, &stopped) {
		return http.Answer{}, http.Failure(nethttp.StatusUnprocessableEntity, "error_invalid_domain", stopped.Issues[0].Path+": "+stopped.Issues[0].Message)
	}
	return http.Answer{Body: Published{ID: done.DomainID, Key: done.Key, Title: commands.Title(d), Version: done.Version, Unchanged: done.Unchanged}}, err
}

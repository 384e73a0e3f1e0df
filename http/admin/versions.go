package admin

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/rogpeppe/go-internal/diff"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/events"
	"reckon/http"
)

// Version is a published version of a domain as lists show it.
type Version struct {
	Version     int       `json:"version"`
	PublishedAt time.Time `json:"published_at"`
	Title       string    `json:"title"`
	Variables   int       `json:"variables"`
	Activities  int       `json:"activities"`
	Tests       int       `json:"tests"`
	Comment     string    `json:"comment"`
	HasSource   bool      `json:"has_source"` // what the author wrote was kept
	ActedAs
}

// VersionSource is a published version with its texts, and all that it takes to calculate with it.
type VersionSource struct {
	Version
	Source     string            `json:"source"` // what the author wrote, "" where that was not kept
	File       string            `json:"file"`   // a domain file made of the version, with the key of the domain and without comments
	Key        string            `json:"key"`    // of the domain
	Definition events.Definition `json:"definition"`
}

func versionOf(e events.Event, emails map[uuid.UUID]string) Version {
	data := e.Data.(*events.DomainPublished)
	def := data.Definition
	return Version{
		data.Version, e.Time, def.Title, len(def.Variables), len(def.Activities), len(def.Tests),
		data.Comment, data.Source != "", actedBy(data.By, emails),
	}
}

// publications are the published versions of the domain that the path names, oldest first.
func (q *request) publications() ([]events.Event, error) {
	d, err := q.domain()
	if err != nil {
		return nil, err
	}
	published, err := q.admin.Versions(q.ctx(), d)
	if err != nil {
		return nil, err
	}
	if len(published) == 0 {
		return nil, http.NotFound(fmt.Sprintf("%q is not published yet, it is a draft", commands.Title(d)))
	}
	return published, nil
}

func (q *request) versions() (http.Answer, error) {
	published, err := q.publications()
	if err != nil {
		return http.Answer{}, err
	}
	emails, err := q.emails()
	if err != nil {
		return http.Answer{}, err
	}
	rows := []Version{}
	for _, e := range published {
		rows = append(rows, versionOf(e, emails))
	}
	return answerPart(q, "versions", published[0].Data.(*events.DomainPublished).DomainID, rows)
}

// published finds a version by its number as text, the newest for "" and "newest".
func published(list []events.Event, number string) (events.Event, error) {
	newest := list[len(list)-1]
	if number == "" || number == "newest" {
		return newest, nil
	}
	n, err := strconv.Atoi(number)
	for _, e := range list {
		if err == nil && e.Data.(*events.DomainPublished).Version == n {
			return e, nil
		}
	}
	return newest, http.NotFound(fmt.Sprintf("there is no version %s: the newest is %d", number, newest.Data.(*events.DomainPublished).Version))
}

func (q *request) version() (http.Answer, error) {
	list, err := q.publications()
	if err != nil {
		return http.Answer{}, err
	}
	number, _ := q.Named("version")
	e, err := published(list, number)
	if err != nil {
		return http.Answer{}, err
	}
	emails, err := q.emails()
	if err != nil {
		return http.Answer{}, err
	}
	data := e.Data.(*events.DomainPublished)
	text, err := domainfile.Text(data.Key, data.Definition)
	return http.Answer{Body: VersionSource{versionOf(e, emails), data.Source, string(text), data.Key, data.Definition}}, err
}

// TextDiff is what differs between the texts of two versions.
type TextDiff struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Diff string `json:"diff"` // in the unified form, "" where they are the same
}

// diffVersions compares the texts of the versions that the parameters from and to name, the newest
// one without.
func (q *request) diffVersions() (http.Answer, error) {
	list, err := q.publications()
	if err != nil {
		return http.Answer{}, err
	}
	var sides [2]events.Event
	var texts [2][]byte
	for i, name := range []string{"from", "to"} {
		number, err := q.Query(name)
		if err == nil && name == "from" && number == "" {
			err = http.InvalidParam("from", "is required and must be the number of a version")
		}
		if err == nil {
			sides[i], err = published(list, number)
		}
		if err == nil {
			texts[i], err = domainfile.Text("", sides[i].Data.(*events.DomainPublished).Definition)
		}
		if err != nil {
			return http.Answer{}, err
		}
	}
	from, to := sides[0].Data.(*events.DomainPublished).Version, sides[1].Data.(*events.DomainPublished).Version
	text := diff.Diff(fmt.Sprint("version ", from), texts[0], fmt.Sprint("version ", to), texts[1])
	_, text, _ = bytes.Cut(text, []byte("\n")) // which names both once more
	return http.Answer{Body: TextDiff{from, to, string(text)}}, nil
}

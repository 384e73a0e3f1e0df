package console

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/rogpeppe/go-internal/diff"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/commands/history"
	"reckon/http"
	"reckon/projections"
)

// publishShown is what the page that publishes a draft shows.
type publishShown struct {
	ID       uuid.UUID
	Title    string
	Seen     uint64
	Findings []findingShown
	Stops    bool // an error stops it
	Tests    int
	Diff     []diffLine
	First    bool // no version was published yet
	Past     pastAnswers
	Most     string // as it was written in the form
	Comment  string
}

// pastAnswers is what a draft would make of what was asked.
type pastAnswers struct {
	Days     int
	Messages int
	Changed  int
	Cut      bool // there was no time to look at all
	Rows     []changedAnswer
}

// changedAnswer is an answer that would be another one.
type changedAnswer struct {
	Conversation, Message uuid.UUID
	Prompt, Effect        string
	Values                []string
}

const (
	blastDays    = 30
	blastRows    = 50
	blastPatient = 8 * time.Second
)

// effects are what a draft makes of an answer, in words.
var effects = map[history.Effect]string{
	history.Changes: "another value", history.Fails: "an error in place of an answer", history.Succeeds: "an answer in place of an error",
	history.FailsOtherwise: "another error",
}

func (c *Console) publishPage(v *visit) (http.Answer, error) {
	return c.publishing(v, 0, publishShown{})
}

// publishing shows what publishing the draft would change.
func (c *Console) publishing(v *visit, status int, s publishShown) (http.Answer, error) {
	d, err := c.kept(v)
	if err != nil {
		return http.Answer{}, err
	}
	if d.Draft == nil {
		return redirect(domainPath(d.ID)), nil
	}
	ctx := v.x.Request().Context()
	s.ID, s.Title, s.Seen, s.First, s.Tests = d.ID, commands.Title(d), d.Sequence, d.Version == 0, len(d.Draft.Tests)
	text, err := c.written(ctx, v, d)
	if err != nil {
		return http.Answer{}, err
	}
	file := domainfile.Parse(fileName, []byte(text))
	_, report := file.Check()
	s.Findings, s.Stops = findingsOf(file, report), !report.Valid
	if !s.First {
		was, err := domainfile.Text("", *d.Published)
		if err != nil {
			return http.Answer{}, err
		}
		is, err := domainfile.Text("", *d.Draft)
		if err != nil {
			return http.Answer{}, err
		}
		s.Diff = differing(string(diff.Diff(fmt.Sprint("version ", d.Version), was, "the draft", is)))
	}
	if !s.Stops && !s.First {
		if s.Past, err = c.blast(ctx, v, d); err != nil {
			return http.Answer{}, err
		}
	}
	return c.page("publish", v, status, s)
}

// blast computes with the draft what was asked of late. It ends early where that takes long, and
// says so.
func (c *Console) blast(ctx context.Context, v *visit, d projections.Domain) (p pastAnswers, err error) {
	limited, cancel := context.WithTimeout(ctx, blastPatient)
	defer cancel()
	p.Days = blastDays
	comparison := history.Comparison{
		Publication: commands.Publication{Account: v.account.Name, Key: d.Key, Definition: *d.Draft}, Since: time.Now().AddDate(0, 0, -blastDays),
	}
	done, err := history.Compare(limited, c.admin(v), comparison, func(s history.Shift) error {
		if p.Changed++; len(p.Rows) < blastRows {
			row := changedAnswer{Conversation: s.ConversationID, Message: s.MessageID, Prompt: short(strings.Join(strings.Fields(s.Prompt), " "), 120), Effect: effects[s.Effect]}
			for _, change := range s.Values[:min(len(s.Values), 3)] {
				row.Values = append(row.Values, change.Describe())
			}
			p.Rows = append(p.Rows, row)
		}
		return nil
	}, func(now history.Compared) { p.Messages = now.Messages })
	if err == nil {
		p.Messages = done.Messages
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		p.Cut, err = true, nil
	}
	return p, err
}

// publish publishes the draft as it was seen, unless it changes more answers than it may.
func (c *Console) publish(v *visit) (http.Answer, error) {
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
	}
	s := publishShown{Comment: strings.TrimSpace(strings.ReplaceAll(form.Get("comment"), "\r\n", "\n")), Most: strings.TrimSpace(form.Get("most"))}
	d, err := c.kept(v)
	if err != nil {
		return http.Answer{}, err
	}
	if d.Draft == nil {
		v.fault("There is no draft any more: somebody published or discarded it.")
		return c.showDomain(v, unprocessable)
	}
	seen, err := seenIn(form)
	if err != nil {
		return http.Answer{}, err
	}
	ctx := v.x.Request().Context()
	if err := c.mayPublish(ctx, v, d, seen, s); err != nil {
		return http.Answer{}, err
	}
	if v.faults == nil {
		if _, err := c.admin(v).Again(ctx, v.account.Name, d, 0, s.Comment); err != nil && !v.refusedDomain(err) {
			return http.Answer{}, err
		}
	}
	if v.faults != nil {
		return c.publishing(v, unprocessable, s)
	}
	return redirect(domainPath(d.ID) + "?published=yes"), nil
}

// mayPublish notes what is in the way of publishing a draft.
func (c *Console) mayPublish(ctx context.Context, v *visit, d projections.Domain, seen uint64, s publishShown) error {
	switch {
	case seen > 0 && seen != d.Sequence:
		v.fault("The draft was changed meanwhile. Look at it again: this is how it is now.")
		return nil
	case s.Most == "" || d.Version == 0:
		return nil
	}
	most, err := strconv.Atoi(s.Most)
	if err != nil || most < 0 {
		v.fault("The number of answers that may change must be a whole number from 0 on, or empty.", "most")
		return nil
	}
	past, err := c.blast(ctx, v, d)
	switch {
	case err != nil:
		return err
	case past.Changed > most:
		v.fault(fmt.Sprintf("It is not published: %d answers would change, and %d may.", past.Changed, most), "most")
	case past.Cut:
		v.fault("It is not published: there was no time to look at all answers. Leave the number empty, or publish with `reckon domain publish --max-changed`.", "most")
	}
	return nil
}

package admin

import (
	"time"

	"github.com/google/uuid"

	"reckon/commands/history"
	"reckon/events"
	"reckon/http"
	"reckon/projections"
)

// Snapshot is a conversation as it stood at a moment.
type Snapshot struct {
	Conversation projections.Conversation `json:"conversation"`
	Messages     []projections.Message    `json:"messages"`
	Scenarios    []SnapshotScenario       `json:"scenarios"`
}

// SnapshotScenario is a what-if branch of a conversation.
type SnapshotScenario struct {
	Index    int `json:"index"`
	Original int `json:"original"` // that it branched off from, 0 for none
	Message  int `json:"message"`  // number of the one that it stands at
}

// Read makes what the routes of package history answer with, as it was.
func (s Snapshot) Read() history.Snapshot {
	read := history.Snapshot{Head: s.Conversation, Messages: s.Messages}
	for _, scenario := range s.Scenarios {
		read.Scenarios = append(read.Scenarios, history.Scenario{
			Index: scenario.Index, Original: scenario.Original, Message: s.Messages[scenario.Message-1],
		})
	}
	return read
}

// conversationHistory answers with a conversation as it is, or was at a time or right behind a
// message.
func (q *request) conversationHistory() (http.Answer, error) {
	id, err := q.conversation()
	if err != nil {
		return http.Answer{}, err
	}
	at, err := q.moment()
	if err != nil {
		return http.Answer{}, err
	}
	s, err := history.At(q.ctx(), q.log.Load(), id, at)
	if err != nil {
		return http.Answer{}, err
	}
	shown := Snapshot{Conversation: s.Head, Messages: list(s.Messages), Scenarios: []SnapshotScenario{}}
	for _, scenario := range s.Scenarios {
		shown.Scenarios = append(shown.Scenarios, SnapshotScenario{scenario.Index, scenario.Original, scenario.Message.Number})
	}
	text, err := events.Marshal(shown)
	return http.Answer{Header: map[string]string{"Content-Type": "application/json"}, Body: text}, err
}

// moment reads the parameters at, a time, and message, an id.
func (q *request) moment() (at history.Moment, err error) {
	text, err := q.Query("at")
	if err == nil && text != "" {
		if at.Time, err = time.Parse(time.RFC3339, text); err != nil {
			err = http.InvalidParam("at", "must be a time, as 2027-01-31T18:00:00Z")
		}
	}
	if err != nil {
		return at, err
	}
	text, err = q.Query("message")
	if err == nil && text != "" {
		ok := false
		if at.Message, ok = http.CanonicalUUID(text); !ok || at.Message == uuid.Nil {
			err = http.InvalidParam("message", "must be the id of a message")
		}
	}
	return at, err
}

// message is the id of the message that the path names, which is one of the account's.
func (q *request) message() (uuid.UUID, error) {
	id, _ := q.ID("message")
	account, err := history.AccountOf(q.ctx(), q.log.Load(), id)
	if err == nil && account != q.account.ID {
		err = http.NotFound(q.nothing())
	}
	return id, err
}

// TestOf is a test that an answered message makes.
type TestOf struct {
	Test   events.Test      `json:"test"`
	Domain events.DomainRef `json:"domain"` // that answered
}

// testOf answers with a test that the message makes.
func (q *request) testOf() (http.Answer, error) {
	id, err := q.message()
	if err != nil {
		return http.Answer{}, err
	}
	test, ref, err := history.TestOf(q.ctx(), q.log.Load(), id)
	return http.Answer{Body: TestOf{test, ref}}, err
}

// bisect computes an answered message with each published version of its domain.
func (q *request) bisect() (http.Answer, error) {
	id, err := q.message()
	if err != nil {
		return http.Answer{}, err
	}
	b, err := history.Bisect(q.ctx(), q.log.Load(), id)
	return http.Answer{Body: b}, err
}

// Replay says since when messages were answered that are computed again; null is for ever.
type Replay struct {
	Since *time.Time `json:"since,omitempty"`
}

// Progress is how many of how many are done.
type Progress struct {
	Done  uint64 `json:"done"`
	Total uint64 `json:"total"`
}

// replay computes answered messages again: those of a conversation, of the account, or of
// all of them. Who has no part
// in an account sees of a message that it differs and where, and neither prompt nor value.
func (q *request) replay() (http.Answer, error) {
	var r Replay
	if err := q.object(&r); err != nil {
		return http.Answer{}, err
	}
	selected := history.Selection{Account: q.account.ID}
	if _, named := q.Named("conversation"); named {
		id, err := q.conversation()
		if err != nil {
			return http.Answer{}, err
		}
		selected.Conversation = id
	}
	if r.Since != nil {
		selected.Since = *r.Since
	}
	sees := q.caller.shell() || q.role != ""
	return lines(func(send func(string, any) error) error {
		done, err := history.Replay(q.ctx(), q.log.Load(), selected, func(d history.Difference) error {
			if !sees {
				d.Prompt = ""
				for i := range d.Changes {
					d.Changes[i].Was, d.Changes[i].Is = nil, nil
				}
			}
			return send("difference", d)
		}, func(done history.Replayed) { _ = send("progress", Progress{done.Read, done.Total}) })
		if err != nil {
			return err
		}
		return send("summary", done)
	}), nil
}

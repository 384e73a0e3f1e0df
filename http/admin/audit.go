package admin

import (
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
	"reckon/http"
)

// Audited is something that was administered.
type Audited struct {
	Sequence uint64    `json:"sequence"`
	Time     time.Time `json:"time"`
	Event    string    `json:"event"` // wire name
	Subject  string    `json:"subject"`
	ActedAs
	Data map[string]any `json:"data"`
}

// ActedAs is who administered, as lists show it.
type ActedAs struct {
	By    *events.Actor `json:"by"`    // null where it was recorded before actors were
	Email string        `json:"email"` // of the user who did it, "" for none
}

func actedBy(by *events.Actor, emails map[uuid.UUID]string) ActedAs {
	is := ActedAs{By: by}
	if by != nil && by.UserID != nil {
		is.Email = emails[*by.UserID]
	}
	return is
}

// emails are the addresses of all users.
func (q *request) emails() (map[uuid.UUID]string, error) {
	users, err := q.admin.Users(q.ctx())
	emails := map[uuid.UUID]string{}
	for _, user := range users {
		emails[user.ID] = user.Email
	}
	return emails, err
}

func (q *request) audit() (http.Answer, error) {
	since, err := q.since()
	if err != nil {
		return http.Answer{}, err
	}
	all, err := q.admin.Audit(q.ctx(), q.account.Name, since)
	if err != nil {
		return http.Answer{}, err
	}
	part, next, err := http.Part(q.Exchange, uuid.NewSHA1(q.account.ID, []byte("audit")), all)
	if err != nil {
		return http.Answer{}, err
	}
	emails, err := q.emails()
	if err != nil {
		return http.Answer{}, err
	}
	rows := []Audited{}
	for _, e := range part {
		row, err := auditedOf(e, emails)
		if err != nil {
			return http.Answer{}, err
		}
		rows = append(rows, row)
	}
	return http.Answer{Body: map[string]any{"audit": rows, "next_cursor": next}}, nil
}

// since is the parameter that says when something begins, the zero time for ever.
func (q *request) since() (time.Time, error) {
	text, err := q.Query("since")
	if err != nil || text == "" {
		return time.Time{}, err
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		err = http.InvalidParam("since", "must be a time, as 2027-01-31T18:00:00Z")
	}
	return at, err
}

func auditedOf(e events.Event, emails map[uuid.UUID]string) (Audited, error) {
	row := Audited{Sequence: e.Sequence, Time: e.Time, Subject: e.Subject.String(), Event: events.Name(e.Data)}
	var err error
	if row.Data, err = commands.Audited(e); err != nil {
		return row, err
	}
	row.ActedAs = actedBy(e.Data.(events.Administration).Actor(), emails)
	return row, nil
}

package console

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
	"reckon/http"
)

// auditShown is what the page of the audit shows.
type auditShown struct {
	Rows        []auditRow
	Kinds       []string // of what was administered, as the filter names them
	Kind, Since string   // as the filter has them
	By          string
	Next        string // address of older ones, "" for none
	First       bool
}

// auditRow is something that was administered.
type auditRow struct {
	At, What, By string
	Details      []detail
}

type detail struct{ Name, Value string }

const (
	auditPart = 50
	maxDetail = 200
)

// auditPage shows what was administered in the account, the newest first.
func (c *Console) auditPage(v *visit) (http.Answer, error) {
	query := v.x.Request().URL.Query()
	s := auditShown{Kind: query.Get("kind"), By: strings.TrimSpace(query.Get("by")), First: query.Get("before") == ""}
	since := time.Time{}
	if day, err := time.ParseInLocation(time.DateOnly, query.Get("since"), zoneOf(v.account)); err == nil {
		since, s.Since = day, query.Get("since")
	}
	all, err := c.admin(v).Audit(v.x.Request().Context(), v.account.Name, since)
	if err != nil {
		return http.Answer{}, err
	}
	before := ^uint64(0)
	if !s.First {
		if _, err := fmt.Sscan(query.Get("before"), &before); err != nil {
			return http.Answer{}, http.InvalidParam("before", "must be the number of an event, as this page links to it")
		}
	}
	for _, e := range slices.Backward(all) {
		kind := kindOf(e)
		if !slices.Contains(s.Kinds, kind) {
			s.Kinds = append(s.Kinds, kind)
		}
		if e.Sequence >= before || s.Kind != "" && kind != s.Kind {
			continue
		}
		by := c.actor(e)
		if !strings.Contains(strings.ToLower(by), strings.ToLower(s.By)) {
			continue
		}
		if len(s.Rows) == auditPart {
			query.Set("before", fmt.Sprint(before))
			s.Next = Path + "/audit?" + query.Encode()
			break
		}
		details, err := commands.Audited(e)
		if err != nil {
			return http.Answer{}, err
		}
		row := auditRow{At: moment(e.Time, zoneOf(v.account)), What: whatOf(e), By: by}
		for name, value := range details {
			if text := fmt.Sprint(value); text != "" && value != nil {
				row.Details = append(row.Details, detail{strings.ReplaceAll(name, "_", " "), short(text, maxDetail)})
			}
		}
		slices.SortFunc(row.Details, func(a, b detail) int { return strings.Compare(a.Name, b.Name) })
		s.Rows = append(s.Rows, row)
		before = e.Sequence
	}
	slices.Sort(s.Kinds)
	return c.page("audit", v, 0, s)
}

// whatOf is what an event says in words: reckon.key.created.v1 is "key created".
func whatOf(e events.Event) string {
	parts := strings.Split(events.Name(e.Data), ".")
	return strings.Join(parts[1:len(parts)-1], " ")
}

// kindOf is what an event is about: key of reckon.key.created.v1.
func kindOf(e events.Event) string {
	kind, _, _ := strings.Cut(whatOf(e), " ")
	return kind
}

// actor is who administered.
func (c *Console) actor(e events.Event) string {
	by := e.Data.(events.Administration).Actor()
	switch {
	case by == nil:
		return "not recorded"
	case by.UserID != nil:
		name := "somebody who is gone"
		if user, found := c.views.User(*by.UserID); found && user.ID != uuid.Nil {
			name = user.Email
		}
		if by.How == events.ByToken {
			name += ", by a token"
		}
		return name
	case by.How == events.ByShell:
		return strings.TrimSuffix("a shell of the server, "+by.Name, ", ")
	}
	return "the service"
}

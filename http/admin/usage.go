package admin

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/http"
	"reckon/projections"
)

// Used is what was used on a day, of a domain, with a key, or how often an error was the answer: of
// the members that name it one is there.
type Used struct {
	Day      string    `json:"day,omitempty"`
	DomainID uuid.UUID `json:"domain_id,omitzero"`
	KeyID    uuid.UUID `json:"key_id,omitzero"`
	Code     string    `json:"code,omitempty"`
	Name     string    `json:"name"`     // of the domain or the key; "others" of all that were too many to count one by one
	Messages int       `json:"messages"` // that were answered, with an error too
	Errors   int       `json:"errors"`
	Bytes    int       `json:"bytes"` // of what is stored of them; 0 for a code
}

// counted is what can be asked for with the parameter by.
var counted = []string{"day", "domain", "key", "code"}

// usage adds up what the account has used since a moment, by day in order, by others the most
// first.
func (q *request) usage() (http.Answer, error) {
	since, err := q.since()
	by := ""
	if err == nil {
		by, err = q.Query("by")
	}
	if err != nil {
		return http.Answer{}, err
	}
	if by = cmp.Or(by, "day"); !slices.Contains(counted, by) {
		return http.Answer{}, http.InvalidParam("by", "must be "+strings.Join(counted, ", "))
	}
	domains, err := q.admin.Domains(q.ctx(), q.account.ID)
	if err != nil {
		return http.Answer{}, err
	}
	names := map[uuid.UUID]string{uuid.Nil: "others"}
	for _, d := range domains {
		names[d.ID] = commands.Title(d)
	}
	for _, k := range q.account.Keys {
		names[k.ID] = strings.TrimSpace(k.Name + " …" + k.Hint)
	}
	var used projections.AccountUsed
	err = q.reading(q.ctx(), func(v read) (err error) {
		used, err = v.AccountUsed(q.ctx(), q.account.ID, since)
		return err
	})
	if err != nil {
		return http.Answer{}, err
	}
	return answerPart(q, "usage", q.account.ID, usedBy(by, used.Days, names))
}

// usedBy adds days up by day, domain, key or code. names are those of domains and keys, and under
// uuid.Nil that of what was too much to count one by one.
func usedBy(by string, days []projections.DayUsed, names map[uuid.UUID]string) []Used {
	rows := []Used{}
	counts, codes := map[uuid.UUID]projections.Count{}, map[string]int{}
	for _, d := range days {
		var of map[uuid.UUID]projections.Count
		switch by {
		case "day":
			rows = append(rows, Used{Day: d.Day, Messages: d.Messages, Errors: d.Errors, Bytes: d.Bytes})
		case "domain":
			of = d.Domains
		case "key":
			of = d.Keys
		case "code":
			for code, n := range d.Codes {
				codes[cmp.Or(code, names[uuid.Nil])] += n
			}
		}
		for id, c := range of {
			counts[id] = counts[id].Plus(c)
		}
	}
	for id, c := range counts {
		row := Used{Name: names[id], Messages: c.Messages, Errors: c.Errors, Bytes: c.Bytes}
		if row.DomainID = id; by == "key" {
			row.DomainID, row.KeyID = uuid.Nil, id
		}
		rows = append(rows, row)
	}
	for code, n := range codes {
		rows = append(rows, Used{Code: code, Messages: n, Errors: n})
	}
	if by != "day" {
		slices.SortFunc(rows, func(a, b Used) int {
			return cmp.Or(
				cmp.Compare(b.Messages, a.Messages), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Code, b.Code),
				cmp.Compare(a.DomainID.String(), b.DomainID.String()), cmp.Compare(a.KeyID.String(), b.KeyID.String()),
			)
		})
	}
	return rows
}

// unanswered lists the questions with words that nobody understood, the newest first.
func (q *request) unanswered() (http.Answer, error) {
	since, err := q.since()
	if err != nil {
		return http.Answer{}, err
	}
	var used projections.AccountUsed
	err = q.reading(q.ctx(), func(v read) (err error) {
		used, err = v.AccountUsed(q.ctx(), q.account.ID, since)
		return err
	})
	if err != nil {
		return http.Answer{}, err
	}
	return answerPart(q, "unanswered", q.account.ID, used.Unanswered)
}

package commands

import (
	"context"
	"fmt"
	"slices"
	"time"

	"reckon/events"
)

// Audit lists what was administered from a moment on, in the order in which it was: in an account
// and its domains, or without a name in all accounts and of all users.
func (a Admin) Audit(ctx context.Context, account string, since time.Time) ([]events.Event, error) {
	accounts, err := a.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	subjects, known := []events.Subject{}, account == ""
	for _, of := range accounts {
		if account != "" && of.ID != AccountID(account) {
			continue
		}
		known = true
		subjects = append(subjects, events.AccountSubject(of.ID))
		domains, err := a.Log.Domains(ctx, of.ID)
		if err != nil {
			return nil, err
		}
		for _, domain := range domains {
			subjects = append(subjects, events.DomainSubject(of.ID, domain))
		}
	}
	if !known {
		return nil, noAccount(account)
	}
	if account == "" {
		users, err := a.Log.Users(ctx)
		if err != nil {
			return nil, err
		}
		for _, user := range users {
			subjects = append(subjects, events.UserSubject(user))
		}
	}
	list := []events.Event{}
	for _, subject := range subjects {
		history, err := a.Log.Read(ctx, subject, 0)
		if err != nil {
			return nil, fmt.Errorf("read what was administered: %w", err)
		}
		for _, e := range history {
			if _, is := e.Data.(events.Administration); is && !e.Time.Before(since) {
				list = append(list, e)
			}
		}
	}
	slices.SortFunc(list, func(a, b events.Event) int { return int(int64(a.Sequence) - int64(b.Sequence)) })
	return list, nil
}

// notAudited are members of events that an audit leaves out: what is shown already, what is of use
// only to find a secret, and what is too long.
var notAudited = []string{"by", "hash", "definition", "source", "seal", "public_key", "credential", "challenge"}

// Audited is what an event of administration says, as an audit shows it: by the names that it has
// on the wire, and of a domain its title.
func Audited(e events.Event) (data map[string]any, err error) {
	text, err := events.Marshal(e.Data)
	if err == nil {
		err = events.Unmarshal(text, &data)
	}
	if err != nil {
		return nil, fmt.Errorf("read event %d: %w", e.Sequence, err)
	}
	if definition, is := data["definition"].(map[string]any); is {
		data["title"] = definition["title"]
	}
	for _, name := range notAudited {
		delete(data, name)
	}
	return data, nil
}

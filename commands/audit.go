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

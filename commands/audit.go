package commands

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// Audit lists what was administered from a moment on, in the order in which it was: in an account,
// its domains and its conversations, or without a name in all accounts and of all users.
func (a Admin) Audit(ctx context.Context, account string, since time.Time) ([]events.Event, error) {
	accounts, err := a.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	if a.Views != nil {
		if err := a.Views.Fresh(ctx); err != nil {
			return nil, err
		}
	}
	subjects, known, asked := []events.Subject{}, account == "", map[uuid.UUID]bool{}
	for _, of := range accounts {
		if account != "" && of.ID != AccountID(account) {
			continue
		}
		known, asked[of.ID] = true, true
		subjects = append(subjects, events.AccountSubject(of.ID))
		domains, err := a.Log.Domains(ctx, of.ID)
		if err != nil {
			return nil, err
		}
		for _, domain := range domains {
			subjects = append(subjects, events.DomainSubject(of.ID, domain))
		}
		if a.Views != nil {
			for _, conversation := range a.Views.Described(of.ID) {
				subjects = append(subjects, events.ConversationSubject(of.ID, conversation))
			}
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
	add := func(history []events.Event) {
		for _, e := range history {
			if _, is := e.Data.(events.Administration); is && !e.Time.Before(since) {
				list = append(list, e)
			}
		}
	}
	for _, subject := range subjects {
		history, err := a.Log.Read(ctx, subject, 0)
		if err != nil {
			return nil, fmt.Errorf("read what was administered: %w", err)
		}
		add(history)
	}
	if a.Views == nil { // which conversations people described only all of them tell
		through, err := a.Log.Last(ctx)
		if err == nil {
			conversations := func(s events.Subject) bool {
				return asked[s.Account()] && s.Conversation() != uuid.Nil && !s.IsPrompt()
			}
			err = a.Log.Skim(ctx, 0, through, conversations, func(_ uint64, part []events.Event) error {
				add(part)
				return nil
			})
		}
		if err != nil {
			return nil, fmt.Errorf("read what was administered: %w", err)
		}
	}
	slices.SortFunc(list, func(a, b events.Event) int { return int(int64(a.Sequence) - int64(b.Sequence)) })
	return list, nil
}

// notAudited are members of events that an audit leaves out: what is shown already, what is of use
// only to find a secret, and what is too long.
var notAudited = []string{"by", "hash", "definition", "source", "seal", "public_key", "credential", "challenge"}

// Audited is what an event of administration says, as an audit shows it: by the names that it has
// on the wire, of a domain its title, and of a conversation's title and notes only which of
// them was written.
func Audited(e events.Event) (data map[string]any, err error) {
	text, err := events.Marshal(e.Data)
	if err == nil {
		err = events.Unmarshal(text, &data)
	}
	if err != nil {
		return nil, fmt.Errorf("read event %d: %w", e.Sequence, err)
	}
	if _, is := e.Data.(*events.ConversationDescribed); is {
		written := []string{}
		for _, name := range []string{"title", "notes"} {
			if _, is := data[name]; is {
				written = append(written, name)
			}
			delete(data, name)
		}
		data["written"] = written
	}
	if definition, is := data["definition"].(map[string]any); is {
		data["title"] = definition["title"]
	}
	for _, name := range notAudited {
		delete(data, name)
	}
	return data, nil
}

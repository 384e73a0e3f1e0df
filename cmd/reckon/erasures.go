package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
	"reckon/events/log"
	"reckon/http/admin"
	"reckon/projections"
)

// erasure is a line of a list of conversations that were erased.
type erasure struct {
	AccountID      uuid.UUID `json:"account_id"`
	ConversationID uuid.UUID `json:"conversation_id"`
	Time           time.Time `json:"time"`
	By             string    `json:"by"`
	Reason         string    `json:"reason"`
}

// printErasures prints what rows of an audit say was erased, each conversation once.
func printErasures(t terminal, rows []admin.Audited) error {
	listed := map[erasure]bool{}
	for _, r := range rows {
		if r.Event != events.Name(&events.ConversationErased{}) {
			continue
		}
		e := erasure{AccountID: events.SubjectOf(r.Subject).Account(), Time: r.Time, By: actorOf(r.ActedAs)}
		text, _ := r.Data["conversation_id"].(string)
		e.Reason, _ = r.Data["reason"].(string)
		var err error
		if e.ConversationID, err = uuid.Parse(text); err != nil {
			return fmt.Errorf("event %d: %w", r.Sequence, err)
		}
		if of := (erasure{AccountID: e.AccountID, ConversationID: e.ConversationID}); !listed[of] {
			listed[of] = true
			line, err := events.Marshal(e)
			if err == nil {
				_, err = fmt.Fprintf(t.out, "%s\n", line)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// readErasures reads such a list, none for "".
func readErasures(name string) (list []erasure, err error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("--erasures: %w", err)
	}
	for i, line := range bytes.Split(text, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var e erasure
		if err := json.Unmarshal(line, &e); err != nil || e.AccountID == uuid.Nil || e.ConversationID == uuid.Nil {
			return nil, fmt.Errorf("%s:%d: this is no line that 'reckon audit --erasures' prints, with an account_id and a conversation_id", name, i+1)
		}
		list = append(list, e)
	}
	return list, nil
}

// eraseAgain erases what a list names, and returns how much that is and the sequence of the newest
// event that says so. An account that is not there is passed over.
func eraseAgain(ctx context.Context, l *log.Log, list []erasure) (erased int, last uint64, err error) {
	a := commands.Admin{Log: l, By: shell()}
	for _, e := range list {
		sequence, _, err := a.EraseAgain(ctx, e.AccountID, e.ConversationID, e.Reason)
		if errors.Is(err, commands.ErrNone) {
			continue
		}
		if err != nil {
			return erased, last, fmt.Errorf("erase conversation %s again: %w", e.ConversationID, err)
		}
		erased, last = erased+1, max(last, sequence)
	}
	return erased, last, nil
}

// forget waits until everything that was erased up to an event is in no file of the directory,
// which no server has.
func (d directory) forget(t terminal, sequence uint64) error {
	return d.joins(t, func(l *log.Log) error {
		views, err := projections.Open(t, l, d.Data, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		return errors.Join(views.Forgotten(t, sequence), views.Close())
	})
}

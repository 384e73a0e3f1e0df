// Package logtest holds what the tests of package log, and of the packages that stand on it, have
// in common: events, a cluster of three logs, and a NATS that knows nothing of the service. It
// imports none of them.
package logtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// Patience is how long the nodes of a cluster may take: elections take seconds, more on a loaded
// machine.
const Patience = 90 * time.Second

// Created is the first event of a new account.
func Created(name string) events.Event {
	account := uuid.New()
	return events.Event{
		ID:      uuid.New(),
		Time:    time.Date(2026, 3, 5, 14, 7, 9, 123e6, time.UTC),
		Subject: events.AccountSubject(account),
		Data:    &events.AccountCreated{AccountID: account, Name: name, TimeZone: "UTC", BodyVersion: 2},
	}
}

// Changed is a later event of the same account.
func Changed(e events.Event) events.Event {
	e.ID = uuid.New()
	e.Data = &events.AccountChanged{TimeZone: "Europe/Vienna", BodyVersion: 1}
	return e
}

// WantError checks that an error is the one that is wanted.
func WantError(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got error %v, want %v", what, err, want)
	}
}

// Until tries until it works.
func Until(t *testing.T, what string, try func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	for {
		err := try(ctx)
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("%s: %v", what, err)
		}
		select { // what is waited for needs the processor
		case <-ctx.Done():
		case <-time.After(2 * time.Millisecond):
		}
	}
}

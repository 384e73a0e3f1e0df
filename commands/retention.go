package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

// Retention erases the conversations of accounts that keep them for a time only, and those that
// never came to be, a few at once and the oldest first. Every node may do it: what one has erased
// the next one finds erased.
type Retention struct {
	log    *log.Log
	views  *projections.Views
	logger *slog.Logger
}

// NewRetention returns one that works while Run runs.
func NewRetention(log *log.Log, views *projections.Views, logger *slog.Logger) *Retention {
	return &Retention{log: log, views: views, logger: logger}
}

const (
	day = 24 * time.Hour

	// maxErased is how many conversations are erased at once.
	maxErased = 50
	// retentionNext is when that is done again where there was more, and retentionRest where there was
	// not: each time the views are made anew.
	retentionNext = 5 * time.Minute
	retentionRest = time.Hour
	// retentionShare is how many times as long as it took nothing is erased.
	retentionShare = 20

	// commandAfter is how long after a prompt that is stored apart, and how long after its time in the
	// queue, nothing comes of a command any more.
	commandAfter = time.Hour

	// clockTolerance is how far the clock may be from that of the log's leader.
	clockTolerance = time.Minute
	// clockProof is how long a clock that seems to have leapt must have run on.
	clockProof = day
)

// errClock says that the clock may be wrong, by which conversations would be erased too early.
var errClock = errors.New("nothing is erased by its age yet")

// Run erases until ctx ends.
func (r *Retention) Run(ctx context.Context) {
	told, began, rest := "", time.Now(), retentionNext
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(rest):
		}
		now := time.Now()
		if set := now.Round(0).Sub(began.Round(0)) - now.Sub(began); set.Abs() > clockTolerance {
			began = now // the clock was set, or the machine slept
		}
		full, err := r.pass(ctx, now.Round(0), now.Sub(began))
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			told = ""
		case told != err.Error():
			told = err.Error()
			r.logger.Error("what is to be forgotten by now is kept longer, and it is tried again", "error", err)
		}
		if rest = retentionRest; full {
			rest = retentionNext
		}
		rest = max(rest, retentionShare*time.Since(now))
	}
}

// pass erases what is to be erased at a moment, maxErased conversations at most, and waits until
// this node has forgotten them. ran is for how long the clock has run since the service was started
// or the clock was set. full says that there may be more. Where another node is at it, it leaves
// the account to that one.
func (r *Retention) pass(ctx context.Context, now time.Time, ran time.Duration) (full bool, err error) {
	if err := r.views.CaughtUp(ctx); err != nil {
		return false, err
	}
	if r.log.Damaged() != nil {
		return false, nil
	}
	var due []projections.Conversation
	newest := map[uuid.UUID]uint64{} // event of each account
	reasons := map[uuid.UUID]string{}
	// What the views say of an account is what this event and all before it make.
	look := func(account uuid.UUID) (err error) {
		if newest[account], err = r.log.Newest(ctx, events.AccountSubject(account)); err == nil {
			err = r.views.Folded(ctx, newest[account])
		}
		return err
	}
	for _, a := range r.views.Retaining() {
		if err := look(a.ID); err != nil {
			return false, err
		}
		if a, _ = r.views.Account(a.ID); a.Retention == 0 { // meanwhile
			continue
		}
		list, err := r.views.Inactive(ctx, a.ID, now.Add(-time.Duration(a.Retention)*day), maxErased)
		if err != nil {
			return false, err
		}
		due, reasons[a.ID] = append(due, list...), fmt.Sprintf("retention of %d days", a.Retention)
	}
	lost, awaited, err := r.lost(ctx, now)
	if err != nil {
		return false, err
	}
	for _, c := range lost {
		if newest[c.AccountID] == 0 {
			if err := look(c.AccountID); err != nil {
				return false, err
			}
		}
		if gone, err := r.views.Erased(ctx, c.AccountID, c.ID); err != nil {
			return false, err
		} else if !gone {
			due = append(due, c)
		}
	}
	if len(due) == 0 {
		return false, r.log.SetAwaited(awaited)
	}
	if trusted, err := r.clock(ctx, now, ran); err != nil || !trusted {
		return false, err
	}
	slices.SortStableFunc(due, func(a, b projections.Conversation) int { return a.LastActivityAt.Compare(b.LastActivityAt) })
	full = len(due) >= maxErased
	erased, last, behind := 0, uint64(0), full
	for _, c := range due[:min(maxErased, len(due))] {
		expected := newest[c.AccountID]
		if expected == 0 { // behind
			continue
		}
		reason := reasons[c.AccountID]
		if c.Sequence == 0 {
			reason = "its request ended before it was taken in"
		}
		sequence, err := r.erase(ctx, c, reason, expected)
		if err != nil && !errors.Is(err, log.ErrConflict) {
			return false, fmt.Errorf("erase conversation %s: %w", c.ID, err)
		}
		if errors.Is(err, log.ErrConflict) {
			newest[c.AccountID], behind = 0, true
		} else if sequence > 0 {
			newest[c.AccountID], last = sequence, sequence
			erased++
		}
	}
	if !behind {
		if err := r.log.SetAwaited(awaited); err != nil {
			return false, err
		}
	}
	if erased == 0 {
		return full, nil
	}
	r.logger.Info("conversations were erased that are no longer kept, or never came to be", "conversations", erased)
	return full, r.views.Forgotten(ctx, last)
}

// lost finds conversations that never came to be: a long prompt was stored for its first message,
// and the request ended before its command was. Of those that are found no command can come any
// more, since those of that time are gone. It returns up to which event that is all.
func (r *Retention) lost(ctx context.Context, now time.Time) (list []projections.Conversation, through uint64, err error) {
	after, err := r.log.Awaited()
	if err != nil {
		return nil, 0, err
	}
	queue, err := r.log.State(ctx, log.CommandsStream)
	if err != nil {
		return nil, 0, err
	}
	through = r.views.At()
	if after > through { // of another log
		after = 0
	}
	next, err := r.log.Since(ctx, now.Add(-queue.Config.MaxAge-commandAfter))
	switch {
	case err == nil:
		through = max(after, min(through, next-1))
	case !errors.Is(err, log.ErrNotFound):
		return nil, 0, err
	}
	err = r.log.Skim(ctx, after, through, events.Subject.IsPrompt, func(_ uint64, some []events.Event) error {
		for _, e := range some {
			c := projections.Conversation{AccountID: e.Subject.Account(), ID: e.Subject.Conversation(), LastActivityAt: e.Time}
			if _, found, err := r.views.Conversation(ctx, c.AccountID, c.ID); err != nil {
				return err
			} else if found || e.Sequence > through {
				continue
			}
			if len(list) == maxErased {
				through = e.Sequence - 1
				continue
			}
			list = append(list, c)
		}
		return nil
	})
	return list, through, err
}

// erase erases a conversation unless something has come to it since, which is a sequence of 0. It
// fails with log.ErrConflict where the account has got an event behind the one that is expected.
func (r *Retention) erase(ctx context.Context, c projections.Conversation, reason string, expected uint64) (uint64, error) {
	newest, err := r.log.Newest(ctx, events.ConversationSubject(c.AccountID, c.ID))
	switch none := errors.Is(err, log.ErrNotFound); {
	case err != nil && !none:
		return 0, err
	case none != (c.Sequence == 0) || newest > c.Sequence:
		return 0, nil
	}
	sequences, err := r.log.Sequences(ctx, c.AccountID, c.ID)
	if err != nil {
		return 0, err
	}
	data := &events.ConversationErased{ConversationID: c.ID, Reason: reason, Events: events.Runs(sequences)}
	return Admin{Log: r.log}.record(ctx, newEvent(events.AccountSubject(c.AccountID), data), expected)
}

// clock tells whether the clock can be trusted with what is erased by it, and fails with errClock
// where it seems wrong. The clock of another server that leads the log must agree; of several nodes
// the one that leads has nothing to compare with, and leaves it to the others. And events that are
// one to two days old say that the clock has not leapt over days in which the service was stopped.
// Where there are none it may have, or nobody has asked for anything: it then must have run for a
// day.
func (r *Retention) clock(ctx context.Context, now time.Time, ran time.Duration) (bool, error) {
	asked := time.Now()
	leader, leads, err := r.log.Clock(ctx)
	if err != nil || leads && !r.log.Alone() {
		return false, err
	}
	if apart := now.Add(time.Since(asked)).Sub(leader); !leads && apart.Abs() > clockTolerance {
		way := "ahead of"
		if apart < 0 {
			way = "behind"
		}
		return false, fmt.Errorf("%w: the clock of this node is %s %s that of the server that leads the log: set them", errClock, apart.Abs().Round(time.Second), way)
	}
	if ran >= clockProof {
		return true, nil
	}
	first, err := r.log.Since(ctx, now.Add(-2*day))
	if err == nil {
		var next uint64
		if next, err = r.log.Since(ctx, now.Add(-day)); errors.Is(err, log.ErrNotFound) || err == nil && first < next {
			return true, nil
		}
	}
	if errors.Is(err, log.ErrNotFound) {
		err = nil
	}
	return false, cmp.Or(err, fmt.Errorf("%w: the log has no event that is one to two days old by the clock of this node: set it, or if it is right this goes on after a day", errClock))
}

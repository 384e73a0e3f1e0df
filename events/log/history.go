package log

import (
	"bytes"
	"context"
	"fmt"

	"reckon/events"
	"reckon/events/log/natsfile"
)

const (
	// blockEvents and blockBytes bound what is read, and folded at once. As much again is read and
	// decoded meanwhile.
	blockEvents = 1024
	blockBytes  = 4 << 20
)

// history folds what is durable behind a sequence, from the block files, up to the first record
// that is not as it must be. It returns the sequence of the last event that was folded: those of
// the reading that are behind it the server must be asked for.
func (g *grouped) history(ctx context.Context, after uint64, r reading) (uint64, error) {
	type portion struct {
		list    []events.Event
		upTo    uint64
		failure error // of the event that follows
	}
	through := min(r.through, g.events.Durable())
	portions, ended := make(chan portion), make(chan struct{})
	defer func() {
		close(ended)
		for range portions {
		}
	}()
	go func() {
		defer close(portions)
		p, count, size := portion{upTo: after}, 0, 0
		hand := func() bool {
			select {
			case portions <- p:
				p, count, size = portion{upTo: p.upTo}, 0, 0
				return true
			case <-ended:
				return false
			}
		}
		for m, err := range g.events.Messages(after, through) {
			if err != nil {
				g.log.logger.Warn("the server is asked for events, since a block cannot be read", "after", p.upTo, "error", err)
				break
			}
			if subject := (events.SubjectOf(m.Subject)); r.want == nil || r.want(subject) {
				body := m.Data
				if r.brief { // the event keeps it
					body = bytes.Clone(body)
				}
				var e events.Event
				if e, p.failure = events.DecodeText(subject, m.Sequence, m.Headers, body, r.brief); p.failure != nil {
					break
				}
				if p.list == nil {
					p.list = make([]events.Event, 0, min(blockEvents, through-p.upTo))
				}
				p.list, size = append(p.list, e), size+len(m.Data)
			}
			p.upTo = m.Sequence
			if count++; (count == blockEvents || size >= blockBytes) && !hand() {
				return
			}
		}
		hand()
	}()
	for {
		select {
		case <-ctx.Done():
			return after, ctx.Err()
		case p, ok := <-portions:
			if !ok {
				return after, nil
			}
			if p.upTo > after {
				if err := r.fold(p.upTo, p.list); err != nil {
					return after, fmt.Errorf("fold events to %d: %w", p.upTo, err)
				}
				after = p.upTo
			}
			switch {
			case p.failure != nil:
				return after, p.failure
			case after == through:
			case ctx.Err() != nil:
				return after, ctx.Err()
			case g.commit.Err() != nil: // it is closed, or of no use any more, as who asks the server is told
				return after, nil
			}
		}
	}
}

// pick reads the events with these sequences, in that order. ok is false when one of them is
// not to be had from the blocks; the server is to be asked for all then.
func (g *grouped) pick(ctx context.Context, sequences []uint64) (list []events.Event, ok bool, err error) {
	r := g.events.Reader("evt.")
	defer r.Close()
	list = make([]events.Event, len(sequences))
	for i, sequence := range sequences {
		if err := ctx.Err(); err != nil {
			return nil, true, err
		}
		if g.commit.Err() != nil {
			return nil, false, nil
		}
		m, err := r.Read(sequence)
		if err != nil {
			if err != natsfile.ErrElsewhere {
				g.log.logger.Warn("the server is asked for an event, since its block cannot be read", "event", sequence, "error", err)
			}
			return nil, false, nil
		}
		if list[i], err = events.DecodeText(events.SubjectOf(m.Subject), sequence, m.Headers, m.Data, false); err != nil {
			return nil, true, err
		}
	}
	return list, true, nil
}

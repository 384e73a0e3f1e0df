package log

import (
	"context"
	"fmt"
	"time"

	"reckon/events"
)

// withoutGaps is a fold of all events behind a sequence that fails where some are passed over which
// were not deleted: views would go on without them, and nobody would ever see that. An existing
// NATS, where ticks go by themselves, has gaps.
func (l *Log) withoutGaps(ctx context.Context, after uint64, fold func(uint64, []events.Event) error) func(uint64, []events.Event) error {
	if _, external := l.backing.(*external); external || l.dir == "" || l.Damaged() != nil {
		return fold
	}
	return func(upTo uint64, list []events.Event) error {
		for _, e := range list {
			if e.Sequence > after+1 {
				if err := l.deleted(ctx, Run{First: after + 1, Last: e.Sequence - 1}); err != nil {
					return err
				}
			}
			after = e.Sequence
		}
		if upTo > after {
			if err := l.deleted(ctx, Run{First: after + 1, Last: upTo}); err != nil {
				return err
			}
			after = upTo
		}
		return fold(upTo, list)
	}
}

// deletedPatience is how long a node may take to delete what another one has deleted.
const deletedPatience = 5 * time.Second

// deleted fails when events are not there that were not deleted, as the files of the directory have
// it. A node that keeps no copy of the log cannot tell, nor can anybody where the files are not
// known.
func (l *Log) deleted(ctx context.Context, missing Run) error {
	if known := l.gone.Load(); known != nil && covers(*known, missing) {
		return nil
	}
	for began := time.Now(); ; {
		found, err := Check(ctx, l.dir, Checking{Live: true})
		if err != nil || len(found.found) == 0 || found.found[0].Blocks == 0 {
			return err
		}
		gone := found.found[0].Gone
		if covers(gone, missing) {
			l.gone.Store(&gone)
			return nil
		}
		if time.Since(began) > deletedPatience {
			if len(found.Damage) > 0 {
				return &DamagedError{Dir: l.dir, Damage: found.Damage}
			}
			return fmt.Errorf("%w: events %d to %d are not there, and were not deleted", ErrDamaged, missing.First, missing.Last)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(clusterRetry):
		}
	}
}

// Erased tells whether an event is not there and not missing, as the files of the directory have
// it. A node that keeps no copy of the log cannot tell.
func (l *Log) Erased(ctx context.Context, sequence uint64) (bool, error) {
	gone, err := l.goneEvents(ctx)
	return covers(gone, Run{First: sequence, Last: sequence}), err
}

// covers tells whether runs, which are in order, have all of another one.
func covers(runs []Run, all Run) bool {
	for _, r := range runs {
		if r.First <= all.First && all.First <= r.Last {
			if r.Last >= all.Last {
				return true
			}
			all.First = r.Last + 1
		}
	}
	return false
}

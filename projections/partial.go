package projections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"reckon/events/log"
)

// OpenPartial is Open for a log that is damaged, where Open fails with ErrPartial: the views are
// made of what is whole of it. The directory must be one for these views alone.
func OpenPartial(ctx context.Context, log *log.Log, dir string, logger *slog.Logger) (*Views, error) {
	v := newViews(log, logger)
	v.part = true
	if err := v.run(ctx, dir); err != nil {
		return nil, err
	}
	return v, nil
}

// Partial tells whether the views are made of a part of the log: what they do not have may have
// been there.
func (v *Views) Partial() bool { return v != nil && v.part }

// Damaged is nil for views of a log that is whole, as far as is known, else an ErrDamaged.
func (v *Views) Damaged() error { return v.log.Damaged() }

// covers fails with ErrPartial where the views have not folded all that is damaged of the log
// while it was whole.
func (v *Views) covers(err error) error {
	var lost *log.DamagedError
	through := uint64(0)
	if errors.As(v.log.Damaged(), &lost) {
		through = lost.Through()
	}
	if err != nil || v.missing != nil || v.checkpoint.Sequence < through {
		at := fmt.Errorf("they are at event %d, and what is damaged ends at %d", v.checkpoint.Sequence, through)
		return fmt.Errorf("%w: %w", ErrPartial, errors.Join(at, err))
	}
	return nil
}

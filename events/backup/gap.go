package backup

import (
	"errors"
	"fmt"
	"strings"

	"reckon/events/log"
)

// ErrHole says that events are missing of a log that has no gaps but where events were deleted.
var ErrHole = errors.New("events are missing")

// Gap is a run of messages that are missing.
type Gap struct {
	Stream string `json:"stream"`
	log.Run
}

func (g Gap) String() string {
	if g.First == g.Last {
		return fmt.Sprintf("message %d of %s", g.First, g.Stream)
	}
	return fmt.Sprintf("messages %d to %d of %s", g.First, g.Last, g.Stream)
}

// maxGaps is how many gaps an error names.
const maxGaps = 10

func list(gaps []Gap) string {
	var text strings.Builder
	for i, g := range gaps {
		if i == maxGaps {
			fmt.Fprintf(&text, ", and %d more gaps", len(gaps)-i)
			break
		}
		if i > 0 {
			text.WriteString(", ")
		}
		text.WriteString(g.String())
	}
	return text.String()
}

// run is the events of a log that were read, in order.
type run struct {
	newest uint64 // sequence of the last one
	gaps   []log.Run
}

// add takes a message of any stream in.
func (r *run) add(m log.Record) {
	if m.Stream == log.EventsStream {
		r.follow(m.Sequence)
	}
}

func (r *run) follow(sequence uint64) {
	if sequence > r.newest+1 {
		r.gaps = append(r.gaps, log.Run{First: r.newest + 1, Last: sequence - 1})
	}
	r.newest = sequence
}

// whole fails with ErrHole where events up to a sequence are missing that are not known to be gone.
func (r *run) whole(through uint64, gone []log.Run) error {
	r.follow(through + 1)
	var missing []Gap
	add := func(first, last uint64) {
		if first <= last {
			missing = append(missing, Gap{log.EventsStream, log.Run{First: first, Last: last}})
		}
	}
	for _, gap := range r.gaps {
		for _, g := range gone {
			if g.Last >= gap.First && g.First <= gap.Last {
				add(gap.First, g.First-1)
				gap.First = g.Last + 1
			}
		}
		add(gap.First, gap.Last)
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrHole, list(missing))
}

package backup

import (
	"errors"
	"testing"

	"reckon/events/log"
)

// A gap is no hole where it is declared as a whole; what is not is named.
func TestDeclaredGaps(t *testing.T) {
	for _, row := range []struct {
		what    string
		there   []uint64
		through uint64
		gone    []log.Run
		want    string // "" for no hole
	}{
		{"nothing", nil, 0, nil, ""},
		{"all there", []uint64{1, 2, 3}, 3, nil, ""},
		{"one undeclared", []uint64{1, 3}, 3, nil, "events are missing: message 2 of EVENTS"},
		{"one declared", []uint64{1, 3}, 3, []log.Run{{First: 2, Last: 2}}, ""},
		{"the first", []uint64{3}, 3, []log.Run{{First: 1, Last: 2}}, ""},
		{"the last undeclared", []uint64{1}, 3, nil, "events are missing: messages 2 to 3 of EVENTS"},
		{"the last declared", []uint64{1}, 3, []log.Run{{First: 2, Last: 3}}, ""},
		{"more declared than is missing", []uint64{1, 2, 5}, 5, []log.Run{{First: 2, Last: 6}}, ""},
		{"half declared", []uint64{1, 6}, 6, []log.Run{{First: 2, Last: 3}}, "events are missing: messages 4 to 5 of EVENTS"},
		{"but for the middle", []uint64{1, 6}, 6, []log.Run{{First: 2, Last: 3}, {First: 5, Last: 5}}, "events are missing: message 4 of EVENTS"},
		{"two runs for one gap", []uint64{1, 6}, 6, []log.Run{{First: 2, Last: 3}, {First: 4, Last: 5}}, ""},
		{"two gaps, one declared", []uint64{1, 3, 5}, 5, []log.Run{{First: 4, Last: 4}}, "events are missing: message 2 of EVENTS"},
		{"none at all", nil, 2, nil, "events are missing: messages 1 to 2 of EVENTS"},
	} {
		var r run
		for _, sequence := range row.there {
			r.add(log.Record{Stream: log.EventsStream, Sequence: sequence})
			r.add(log.Record{Stream: log.CommandsStream, Sequence: 2 * sequence}) // of which many are gone
		}
		err := r.whole(row.through, row.gone)
		if row.want == "" && err != nil || row.want != "" && (!errors.Is(err, ErrHole) || err.Error() != row.want) {
			t.Errorf("%s: got error %v, want %q", row.what, err, row.want)
		}
	}
}

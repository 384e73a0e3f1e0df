package natsfile

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/nats-io/nats.go"
)

// A block of a stream whose messages expire is missed between others, unless all that it had may have expired or was
// deleted.
func TestLostBlocks(t *testing.T) {
	for _, c := range []struct {
		name  string
		life  bool                               // the messages of the second block have lives of their own, but for one
		spoil func(*testing.T, Check, *store)    // with the server running
		after func(*testing.T, func(int) string) // with it stopped, and the paths of its blocks
		gone  bool                               // the second block is
		want  int                                // block that is missed, 0 for none
	}{
		{name: "a file is gone", after: func(t *testing.T, path func(int) string) { remove(t, path(2)) }, gone: true, want: 2},
		{name: "nothing is gone"},
		{name: "the oldest two are gone, as if they had expired", after: func(t *testing.T, path func(int) string) { remove(t, path(1)); remove(t, path(2)) }, gone: true},
		{name: "a file is gone whose messages have lives of their own", life: true, after: func(t *testing.T, path func(int) string) { remove(t, path(2)) }, gone: true},
		{name: "all of its messages were deleted", gone: true, spoil: func(t *testing.T, f Check, s *store) {
			stream, err := s.js.Stream(t.Context(), "GONE")
			if err != nil {
				t.Fatal(err)
			}
			for sequence := f.Sealed[1].First; sequence <= f.Sealed[1].Last; sequence++ {
				if err := stream.SecureDeleteMsg(t.Context(), sequence); err != nil {
					t.Fatal(err)
				}
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := run(t)
			data := bytes.Repeat([]byte{'x'}, 900<<10)
			var last uint64
			for i := range 36 { // nine are in a block
				header := nats.Header{"Ce-Id": {"an id"}}
				if c.life && i > 9 && i < 18 {
					header.Set("Nats-TTL", "1h")
				}
				last = s.publish(t, fmt.Sprint("gone.", i), data, header)
			}
			if err := s.gone.Wait(t.Context(), last); err != nil {
				t.Fatal(err)
			}
			check := Check{Dir: MessagesOf(s.dir, "GONE"), Stream: "GONE", Subject: func(string) bool { return false }}
			found, err := check.Run(t.Context())
			if err != nil || len(found.Damage) > 0 || len(found.Sealed) != 3 {
				t.Fatalf("a whole stream is %+v, %v", found, err)
			}
			check.Sealed = found.Sealed
			if c.spoil != nil {
				c.spoil(t, check, s)
			}
			s.group.Close()
			s.end()
			blocks := blocks{"GONE", check.Dir}
			if c.after != nil {
				c.after(t, blocks.block)
			}
			there, err := blocks.numbers()
			if err != nil {
				t.Fatal(err)
			}
			if gone := !slices.Contains(there, 2); gone != c.gone {
				t.Fatalf("there are blocks %v", there)
			}
			found, err = check.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case c.want == 0 && len(found.Damage) > 0:
				t.Errorf("it is damaged: %v", found.Damage)
			case c.want > 0 && (len(found.Damage) != 1 || found.Damage[0].File != blocks.block(c.want) || found.Damage[0].Reason != "the file is missing" ||
				found.Damage[0].First != check.Sealed[1].First || found.Damage[0].Last != check.Sealed[1].Last):
				t.Errorf("it is %+v, want that block %d is missing", found.Damage, c.want)
			}
			// What is known is the same where nothing was read before.
			check.Sealed = nil
			if found, err = check.Run(t.Context()); err != nil || len(found.Damage) > 0 {
				t.Errorf("without what was known it is %+v, %v", found.Damage, err)
			}
		})
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

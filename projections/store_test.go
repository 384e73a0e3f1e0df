package projections

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// silence keeps the server from answering what is asked of a bucket: its stream is changed, and
// what it hears no more is heard by somebody who says nothing. end makes it as it was.
func silence(t *testing.T, s *store, b *bucket, change func(*jetstream.StreamConfig), unheard string) (end func()) {
	t.Helper()
	stream, err := s.publisher.Stream(t.Context(), b.stream())
	if err != nil {
		t.Fatal(err)
	}
	config := stream.CachedInfo().Config
	changed := config
	change(&changed)
	nobody, err := s.reads.Subscribe(unheard, func(*nats.Msg) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.reads.Flush(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.publisher.UpdateStream(t.Context(), changed); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if _, err := s.publisher.UpdateStream(t.Context(), config); err != nil {
			t.Fatal(err)
		}
		if err := nobody.Unsubscribe(); err != nil {
			t.Fatal(err)
		}
	}
}

// A bucket that does not answer for a while holds nothing up for longer: readiness says which and
// why, nothing is lost and nothing is counted twice, also where the views are closed meanwhile.
func TestABucketThatDoesNotAnswerIsAskedAgain(t *testing.T) {
	t.Parallel()
	type configuration = jetstream.StreamConfig
	for _, row := range []struct {
		name, says string
		change     func(*configuration)
		unheard    string // of the names of the bucket and its stream
	}{
		{"written and not acknowledged", "write bucket ", func(c *configuration) { c.NoAck = true }, "nothing"},
		{"not written", "write bucket ", func(c *configuration) { c.Subjects = []string{"nothing"} }, "$KV.BUCKET.>"},
		{"written in part", "write bucket ", func(c *configuration) { c.Subjects = []string{strings.TrimSuffix(c.Subjects[0], ">") + "*"} }, "$KV.BUCKET.*.>"},
		{"not read", "read batch of bucket ", func(c *configuration) { c.AllowDirect = false }, "$JS.API.DIRECT.GET.KV_BUCKET"},
	} {
		for _, closed := range []bool{false, true} {
			name := row.name
			if closed {
				name += " until the end"
			}
			t.Run(name, func(t *testing.T) {
				s := openSome(t)
				s.close(t)
				var record recorder
				s.v = newViews(s.log, record.logger())
				s.v.patience = 200 * time.Millisecond
				if err := s.v.run(t.Context(), s.dir); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { s.v.Close() })
				if err := s.v.CaughtUp(t.Context()); err != nil {
					t.Fatal(err)
				}
				b := bucketOf(s.v, "usage")
				end := silence(t, s.v.store, b, row.change, strings.ReplaceAll(row.unheard, "BUCKET", b.name))
				one := s.h.append(first(s.accounts[0]))
				for range 9 {
					s.h.append(after(one, 1))
				}
				s.h.append(first(uuid.New()))
				eventually(t, "readiness says what fails", func() bool {
					err := s.v.Ready()
					return err != nil && strings.Contains(err.Error(), row.says+b.name+": ")
				})
				if said := record.String(); !strings.Contains(said, row.says+b.name) {
					t.Errorf("the log says\n%s", said)
				}
				if closed {
					s.reopen(t)
				} else {
					end()
				}
				eventually(t, "it is ready", func() bool { return s.v.Ready() == nil })
				shown := state(t, s.v, s.accounts...)
				if anew := state(t, openViews(t, s.log, t.TempDir()), s.accounts...); shown != anew {
					t.Errorf("it shows\n%s\nand made anew\n%s", shown, anew)
				}
				verified(t, s.v)
				s.reopen(t)
				if again := state(t, s.v, s.accounts...); shown != again {
					t.Errorf("it showed\n%s\nand opened again\n%s", shown, again)
				}
				verified(t, s.v)
			})
		}
	}
}

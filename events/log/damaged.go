package log

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events/log/natsfile"
)

// Damaged is nil for a log that is whole as far as is known, else a *DamagedError: it takes
// nothing, and what it shows is what is whole of it.
func (l *Log) Damaged() error {
	if e := l.damaged.Load(); e != nil {
		return e
	}
	return nil
}

// Through is the sequence of the last event that is known to be damaged, 0 where only commands are.
func (e *DamagedError) Through() (last uint64) {
	for _, d := range e.Damage {
		if d.Stream == EventsStream {
			last = max(last, d.Last)
		}
	}
	return last
}

// Rebuild makes the log's files anew in an empty directory: what a check of a data directory has
// found whole, and for the other messages, in their places, what given has. missing is told of
// those that it has not: others keep their sequences. Nothing is on disk yet. No server may run.
func Rebuild(ctx context.Context, dir string, c Checked, to string, given func(stream string, sequence uint64) (Record, bool), missing func(stream string, sequence uint64)) error {
	if err := natsfile.CopyStore(natsfile.StoreOf(storePath(dir)), natsfile.StoreOf(to)); err != nil {
		return err
	}
	for _, want := range []jetstream.StreamConfig{commandsConfig(0), eventsConfig()} {
		if !slices.Contains(c.unset, want.Name) {
			continue
		}
		want.MaxAge = 0 // nobody knows how long; the server's next start says
		text, err := json.Marshal(want)
		if err == nil {
			err = natsfile.WriteSettings(to, text)
		}
		if err != nil {
			return err
		}
	}
	for i, of := range checksOf(dir) {
		msgs := natsfile.MessagesOf(to, of.Stream)
		if err := os.MkdirAll(msgs, 0o700); err != nil {
			return fmt.Errorf("make the log anew: %w", err)
		}
		err := of.Mend(ctx, c.found[i], msgs, func(sequence uint64) (natsfile.Message, bool) {
			r, ok := given(of.Stream, sequence)
			return natsfile.Message{Sequence: sequence, Subject: r.Subject, Headers: headerText(r), Data: r.Data}, ok
		}, func(sequence uint64) { missing(of.Stream, sequence) })
		if err != nil {
			return err
		}
	}
	return nil
}

// Settle writes down, for the next start, that a log which a check has read is whole.
func (c Checked) Settle(dir string) error {
	marks, err := natsfile.OpenMarks(markPath(dir))
	if err != nil {
		return err
	}
	if err := errors.Join(endMarks(marks, dir), marks.Close()); err != nil {
		return err
	}
	return c.keep(dir)
}

// Stored reads the messages of a stream that stand in the files of a log's store up to a sequence,
// in their order, without what the server keeps of them for itself.
func Stored(store, stream string, through uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for m, err := range natsfile.Stored(store, stream, through) {
			r := Record{Stream: stream, Sequence: m.Sequence, Subject: m.Subject, Data: m.Data}
			if len(m.Headers) > 0 && err == nil {
				var headers nats.Header
				headers, err = nats.DecodeHeadersMsg(m.Headers)
				r.Headers = storedHeaders(headers)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// headerText is what a record's headers are in a block.
func headerText(r Record) []byte {
	if len(r.Headers) == 0 {
		return nil
	}
	text := bytes.NewBufferString("NATS/1.0\r\n")
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		for _, value := range r.Headers[name] {
			fmt.Fprintf(text, "%s: %s\r\n", name, value)
		}
	}
	text.WriteString("\r\n")
	return text.Bytes()
}

// wholeName is the directory in a damaged one where a log is that is made of what is whole.
const wholeName = ".whole"

// PartialDir is a place in a data directory for what is made of a damaged log. It is gone when that
// log is opened again.
func PartialDir(dir string) string { return filepath.Join(dir, wholeName) }

// OpenDamaged opens what is whole of the log of a single node whose files are damaged, to be read.
// The files stay as they are: a server runs on others, which have the same blocks but for those
// that are damaged. It fails like Open, and where nothing is damaged.
func OpenDamaged(ctx context.Context, o Options) (_ *Log, err error) {
	lock, err := Lock(o.Dir)
	if err != nil {
		return nil, err
	}
	l := newLog(o.Dir, lock, o.logger())
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if err := errors.Join(claimMode(o.Dir, mode{}), removeCredentials(o.Dir)); err != nil {
		return nil, err
	}
	found, err := Check(ctx, o.Dir, Checking{})
	if err == nil && len(found.Damage) == 0 {
		err = errors.New("open what is whole of the log: nothing is damaged")
	}
	if err == nil && found.Gone {
		err = &DamagedError{o.Dir, found.Damage, wayOfGone}
	}
	if err != nil {
		return nil, err
	}
	l.damaged.Store(&DamagedError{o.Dir, found.Damage, wayOfOne})
	whole := PartialDir(o.Dir)
	if err := os.RemoveAll(whole); err != nil {
		return nil, fmt.Errorf("open what is whole of the log: %w", err)
	}
	none := func(string, uint64) (Record, bool) { return Record{}, false }
	if err := Rebuild(ctx, o.Dir, found, storePath(whole), none, func(string, uint64) {}); err != nil {
		return nil, err
	}
	c := newCredentials()
	s, err := startServer(ctx, whole, c, true, false, l.logger)
	if err != nil {
		return nil, err
	}
	b := &remains{single: &single{plain: plain{l}, server: s}, dir: whole}
	l.backing, c.URL = b, s.ClientURL()
	if err := l.connect(s, c); err != nil {
		return nil, err
	}
	if err := b.seal(ctx, o); err != nil {
		return nil, err
	}
	if b.newest, err = l.newestEvent(ctx); err != nil {
		return nil, err
	}
	return l, c.write(o.Dir)
}

// remains is a single server that has what is whole of a damaged log, and takes nothing.
type remains struct {
	*single
	dir    string
	newest uint64 // event that is there
}

// seal has the server refuse whatever would change the streams.
func (r *remains) seal(ctx context.Context, o Options) error {
	js, err := jetstream.New(r.log.conn)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	retention, err := keptRetention(ctx, js, o.IdempotencyRetention)
	if err == nil {
		err = ensureStreams(ctx, js, retention)
	}
	for _, of := range checked {
		var s jetstream.Stream
		if err == nil {
			s, err = js.Stream(ctx, of.Stream)
		}
		if err == nil {
			config := s.CachedInfo().Config
			config.Sealed = true
			_, err = js.UpdateStream(ctx, config)
		}
	}
	if err != nil {
		return fmt.Errorf("seal what is whole of the log: %w", err)
	}
	return r.log.bind(ctx)
}

func (r *remains) last(context.Context) (uint64, error) { return r.newest, nil }
func (r *remains) known() (uint64, bool)                { return r.newest, true }

func (r *remains) close() error {
	r.end()
	return os.RemoveAll(r.dir)
}

package log

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
	"reckon/events/log/logtest"
)

// open runs a log in a directory for the length of a test.
func open(t testing.TB, dir string) *Log {
	t.Helper()
	l, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// serverOf is the server of a single log in this process, nil for another one.
func serverOf(l *Log) *server.Server {
	switch b := l.backing.(type) {
	case *grouped:
		return b.server
	case *single:
		return b.server
	}
	return nil
}

func appended(t testing.TB, l *Log, e events.Event, expected uint64) uint64 {
	t.Helper()
	sequence, err := l.Append(t.Context(), e, expected)
	if err != nil {
		t.Fatal(err)
	}
	return sequence
}

// enqueue publishes a command and returns when it is on disk.
func enqueue(ctx context.Context, l *Log, s events.Subject, command []byte, kept bool) error {
	sequence, err := l.Enqueue(ctx, s, command, kept)
	if err == nil {
		err = l.CommandDurable(ctx, sequence)
	}
	return err
}

// apiCode is the JetStream error code inside an error, 0 without one.
func apiCode(err error) jetstream.ErrorCode {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return api.ErrorCode
	}
	return 0
}

func TestAppendReadsBack(t *testing.T) {
	l := open(t, t.TempDir())
	e := logtest.Created("Rechner & Söhne <GmbH>")
	first := appended(t, l, e, 0)
	other := logtest.Created("other")
	between := appended(t, l, other, 0)
	second := appended(t, l, logtest.Changed(e), first)
	if first != 1 || between != 2 || second != 3 {
		t.Errorf("sequences are %d, %d, %d, want 1, 2, 3", first, between, second)
	}

	read, err := l.Read(t.Context(), e.Subject, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(read) != 2 || read[0].Sequence != first || read[1].Sequence != second {
		t.Fatalf("read %+v, want events 1 and 3", read)
	}
	got := read[0]
	if got.ID != e.ID || !got.Time.Equal(e.Time) || got.Subject != e.Subject || *got.Data.(*events.AccountCreated) != *e.Data.(*events.AccountCreated) {
		t.Errorf("read %+v, want %+v", got, e)
	}
	if later, err := l.Read(t.Context(), e.Subject, first); err != nil || len(later) != 1 || later[0].Sequence != second {
		t.Errorf("after %d: read %+v (%v), want event %d", first, later, err, second)
	}
	if none, err := l.Read(t.Context(), e.Subject, second); err != nil || len(none) != 0 {
		t.Errorf("after %d: read %+v (%v), want nothing", second, none, err)
	}
	if last, err := l.Last(t.Context()); err != nil || last != second {
		t.Errorf("last is %d (%v), want %d", last, err, second)
	}
}

func TestAppendConflicts(t *testing.T) {
	l := open(t, t.TempDir())
	e := logtest.Created("a")
	first := appended(t, l, e, 0)
	for _, expected := range []uint64{0, first + 1, first + 1000} {
		_, err := l.Append(t.Context(), logtest.Changed(e), expected)
		logtest.WantError(t, "append to a full subject", err, ErrConflict)
		if apiCode(err) != codeWrongLastSequence {
			t.Errorf("expecting %d: code %d, want %d", expected, apiCode(err), codeWrongLastSequence)
		}
	}
	_, err := l.Append(t.Context(), logtest.Created("b"), first)
	logtest.WantError(t, "append to an empty subject, expecting an event", err, ErrConflict)
	if last, err := l.Last(t.Context()); err != nil || last != first {
		t.Errorf("after conflicts the newest event is %d (%v), want %d", last, err, first)
	}
}

func TestAppendRefusesWhatIsNoEvent(t *testing.T) {
	l := open(t, t.TempDir())
	whole := logtest.Created("a")
	for name, change := range map[string]func(*events.Event){
		"no id":             func(e *events.Event) { e.ID = uuid.Nil },
		"no time":           func(e *events.Event) { e.Time = time.Time{} },
		"no subject":        func(e *events.Event) { e.Subject = events.Subject{} },
		"command's subject": func(e *events.Event) { e.Subject = events.CommandSubject(uuid.New(), "k") },
		"no data":           func(e *events.Event) { e.Data = nil },
		"no pointer":        func(e *events.Event) { e.Data = events.AccountCreated{} },
		"nil pointer":       func(e *events.Event) { e.Data = (*events.AccountCreated)(nil) },
		"no event type":     func(e *events.Event) { e.Data = &events.Variable{} },
	} {
		e := whole
		change(&e)
		if _, err := l.Append(t.Context(), e, 0); err == nil {
			t.Errorf("%s: appended", name)
		}
	}
	text := make([]byte, MaxPayload) // random, so that compressing it does not help
	_, _ = rand.Read(text)
	large := whole
	large.Data = &events.AccountCreated{Name: hex.EncodeToString(text)}
	_, err := l.Append(t.Context(), large, 0)
	logtest.WantError(t, "an event beyond the largest payload", err, nats.ErrMaxPayload)
	if errors.Is(err, ErrUnknown) {
		t.Error("an event that was never sent is said to have an unknown outcome")
	}
}

func TestEnqueueOnce(t *testing.T) {
	l := open(t, t.TempDir())
	s := events.CommandSubject(uuid.New(), "order 1")
	if _, err := l.Command(t.Context(), s); !errors.Is(err, ErrNotFound) {
		t.Errorf("before: got error %v, want %v", err, ErrNotFound)
	}
	if err := enqueue(t.Context(), l, s, []byte(`{"n":1}`), true); err != nil {
		t.Fatal(err)
	}
	err := enqueue(t.Context(), l, s, []byte(`{"n":2}`), true)
	logtest.WantError(t, "second command", err, ErrConflict)
	if apiCode(err) != codeStoreFailed {
		t.Errorf("second command: code %d, want %d", apiCode(err), codeStoreFailed)
	}
	if got, err := l.Command(t.Context(), s); err != nil || string(got) != `{"n":1}` {
		t.Errorf("command is %s (%v), want the first", got, err)
	}
	if err := enqueue(t.Context(), l, events.AccountSubject(uuid.New()), nil, true); err == nil {
		t.Error("a command was put among the events")
	}

	// A publisher that expects nothing meets the limit of one message a subject.
	_, err = l.js.Publish(t.Context(), s.String(), []byte("intruder"))
	if apiCode(err) != codeStoreFailed {
		t.Errorf("publisher without expectation: error %v, want code %d", err, codeStoreFailed)
	}
	logtest.WantError(t, "publisher without expectation", publishError("publish", err), ErrConflict)
}

func TestCommandsWithoutKeyExpire(t *testing.T) {
	l := open(t, t.TempDir())
	for kept, want := range map[bool]string{true: "", false: "10m0s"} {
		s := events.CommandSubject(uuid.New(), "k")
		if err := enqueue(t.Context(), l, s, []byte("c"), kept); err != nil {
			t.Fatal(err)
		}
		m, err := l.load(t.Context(), CommandsStream, loadRequest{Last: s.String()})
		if err != nil {
			t.Fatal(err)
		}
		header, err := nats.DecodeHeadersMsg(m.Headers)
		if err != nil {
			t.Fatal(err)
		}
		if got := header.Get(jetstream.MsgTTLHeader); got != want {
			t.Errorf("kept %v: time to live %q, want %q", kept, got, want)
		}
	}
}

func TestPublishErrors(t *testing.T) {
	api := func(code int, number jetstream.ErrorCode, text string) error {
		return &jetstream.APIError{Code: code, ErrorCode: number, Description: text}
	}
	sentinels := []error{ErrConflict, ErrInFlight, ErrUnknown}
	for _, c := range []struct {
		name string
		err  error
		want error // nil: none of the three
	}{
		{"wrong last sequence", api(400, 10071, "wrong last sequence: 7"), ErrConflict},
		{"subject full", api(503, 10077, "maximum messages per subject exceeded"), ErrConflict},
		{"in flight", api(400, 10164, "wrong last sequence"), ErrInFlight},
		{"store closed", api(503, 10077, "store is closed"), ErrUnknown},
		{"no leader", api(503, 10008, "JetStream system temporarily unavailable"), ErrUnknown},
		{"too large for the stream", api(400, 10054, "message size exceeds maximum allowed"), nil},
		{"no time to live", api(400, 10166, "per-message TTL is disabled"), nil},
		{"too large for the connection", nats.ErrMaxPayload, nil},
		{"timeout", nats.ErrTimeout, ErrUnknown},
		{"deadline", context.DeadlineExceeded, ErrUnknown},
		{"cancelled", context.Canceled, ErrUnknown},
		{"no responders", jetstream.ErrNoStreamResponse, ErrUnknown},
		{"closed", nats.ErrConnectionClosed, ErrUnknown},
		{"interrupted", nats.ErrReconnectBufExceeded, ErrUnknown},
		{"unreadable acknowledgement", jetstream.ErrInvalidJSAck, ErrUnknown},
	} {
		err := publishError("append", c.err)
		if !errors.Is(err, c.err) {
			t.Errorf("%s: %v does not wrap its cause", c.name, err)
		}
		for _, s := range sentinels {
			if errors.Is(err, s) != (s == c.want) {
				t.Errorf("%s: %v is %v: %v", c.name, err, s, errors.Is(err, s))
			}
		}
	}
}

func TestOutcomeUnknownWhenTheServerIsGone(t *testing.T) {
	l := open(t, t.TempDir())
	appended(t, l, logtest.Created("a"), 0)
	serverOf(l).Shutdown()
	serverOf(l).WaitForShutdown()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err := l.Append(ctx, logtest.Created("b"), 0)
	logtest.WantError(t, "append", err, ErrUnknown)
	err = enqueue(ctx, l, events.CommandSubject(uuid.New(), "k"), []byte("c"), true)
	logtest.WantError(t, "enqueue", err, ErrUnknown)
	if _, err := l.Command(ctx, events.CommandSubject(uuid.New(), "k")); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("read without a server: error %v, want one that does not say that nothing is there", err)
	}
}

func TestOutcomeUnknownWhenTimeIsUp(t *testing.T) {
	l := open(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := l.Append(ctx, logtest.Created("a"), 0)
	logtest.WantError(t, "append", err, ErrUnknown)
	logtest.WantError(t, "append", err, context.Canceled)
}

func TestReopen(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	e := logtest.Created("a")
	first := appended(t, l, e, 0)
	command := events.CommandSubject(uuid.New(), "k")
	if err := enqueue(t.Context(), l, command, []byte("c"), true); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := l.Append(t.Context(), logtest.Changed(e), first)
	logtest.WantError(t, "append to a closed log", err, ErrUnknown)

	l = open(t, dir)
	if read, err := l.Read(t.Context(), e.Subject, 0); err != nil || len(read) != 1 || read[0].ID != e.ID {
		t.Errorf("read %+v (%v), want the event from before", read, err)
	}
	logtest.WantError(t, "the same command", enqueue(t.Context(), l, command, []byte("d"), true), ErrConflict)
	if second := appended(t, l, logtest.Changed(e), first); second != first+1 {
		t.Errorf("next sequence is %d, want %d", second, first+1)
	}
}

func TestAccountsAndDomains(t *testing.T) {
	l := open(t, t.TempDir())
	if accounts, err := l.Accounts(t.Context()); err != nil || len(accounts) != 0 {
		t.Errorf("accounts of an empty log: %v (%v)", accounts, err)
	}
	a, b := logtest.Created("a"), logtest.Created("b")
	appended(t, l, logtest.Changed(a), appended(t, l, a, 0))
	appended(t, l, b, 0)
	account := a.Subject.Account()
	domain := uuid.New()
	d := events.Event{ID: uuid.New(), Time: a.Time, Subject: events.DomainSubject(account, domain), Data: &events.DomainDrafted{DomainID: domain}}
	appended(t, l, d, 0)

	accounts, err := l.Accounts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := map[uuid.UUID]bool{}
	for _, id := range accounts {
		found[id] = true
	}
	if len(accounts) != 2 || !found[account] || !found[b.Subject.Account()] {
		t.Errorf("accounts are %v, want %s and %s", accounts, account, b.Subject.Account())
	}
	if domains, err := l.Domains(t.Context(), account); err != nil || len(domains) != 1 || domains[0] != domain {
		t.Errorf("domains are %v (%v), want %s", domains, err, domain)
	}
	if domains, err := l.Domains(t.Context(), b.Subject.Account()); err != nil || len(domains) != 0 {
		t.Errorf("domains of the other account are %v (%v), want none", domains, err)
	}
}

// Only the process deletes: nobody who finds credentials in the data directory does.
func TestOnlyTheProcessDeletes(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	appended(t, l, logtest.Created("a"), 0)
	if err := enqueue(t.Context(), l, events.CommandSubject(uuid.New(), "k"), []byte("c"), true); err != nil {
		t.Fatal(err)
	}
	c, err := readCredentials(dir)
	if err != nil {
		t.Fatal(err)
	}
	outside, err := connectOutside(c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	js, err := jetstream.New(outside, jetstream.WithDefaultTimeout(200*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{CommandsStream, EventsStream} {
		s, err := js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if s.DeleteMsg(t.Context(), 1) == nil || s.SecureDeleteMsg(t.Context(), 1) == nil || s.Purge(t.Context()) == nil || js.DeleteStream(t.Context(), name) == nil {
			t.Errorf("%s lets others delete messages", name)
		}
		if info, err := s.Info(t.Context()); err != nil || info.State.Msgs != 1 {
			t.Errorf("%s holds %+v (%v), want 1 message", name, info, err)
		}
		if s, err = l.js.Stream(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		if err := s.SecureDeleteMsg(t.Context(), 1); err != nil {
			t.Errorf("%s does not let the process delete a message: %v", name, err)
		}
	}
}

func TestRetentionIsApplied(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		open            func(context.Context, Options) (*Log, error)
		retention, want time.Duration
	}{
		{Join, time.Hour, time.Hour + 10*time.Minute},
		{Open, 0, 24*time.Hour + 10*time.Minute},
		{Open, 720 * time.Hour, 720*time.Hour + 10*time.Minute},
		{Join, 0, 720*time.Hour + 10*time.Minute},
		{Open, time.Hour, time.Hour + 10*time.Minute},
	} {
		l, err := c.open(t.Context(), Options{Dir: dir, IdempotencyRetention: c.retention})
		if err != nil {
			t.Fatal(err)
		}
		s, err := l.js.Stream(t.Context(), CommandsStream)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.CachedInfo().Config.MaxAge; got != c.want {
			t.Errorf("retention %s: commands are kept for %s, want %s", c.retention, got, c.want)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNothingIsLoggedWithoutCause(t *testing.T) {
	var logged bytes.Buffer
	l, err := Open(t.Context(), Options{Dir: t.TempDir(), Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	if err != nil {
		t.Fatal(err)
	}
	e := logtest.Created("a")
	appended(t, l, e, 0)
	if _, err := l.Append(t.Context(), e, 0); !errors.Is(err, ErrConflict) {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if logged.Len() > 0 {
		t.Errorf("logged:\n%s", logged.String())
	}
}

func TestCommandsAreDeliveredUntilAcknowledged(t *testing.T) {
	l := open(t, t.TempDir())
	s := events.CommandSubject(uuid.New(), "k")
	if err := enqueue(t.Context(), l, s, []byte("c"), true); err != nil {
		t.Fatal(err)
	}
	for attempt := uint64(1); attempt <= 2; attempt++ {
		c, err := l.Commands(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := c.Next(jetstream.FetchMaxWait(5 * time.Second))
		if err != nil {
			t.Fatal(err)
		}
		meta, err := m.Metadata()
		if err != nil || m.Subject() != s.String() || meta.NumDelivered != attempt {
			t.Fatalf("delivery %d is %s, %+v (%v)", attempt, m.Subject(), meta, err)
		}
		if attempt == 1 {
			err = m.Nak()
		} else {
			err = m.DoubleAck(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	c, err := l.Commands(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	info, err := c.Info(t.Context())
	if err != nil || info.NumPending != 0 || info.NumAckPending != 0 {
		t.Errorf("after the acknowledgement: %+v (%v)", info, err)
	}
	if _, err := l.Command(t.Context(), s); err != nil {
		t.Errorf("an acknowledged command is gone: %v", err)
	}
}

func TestDirectoryIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	l := open(t, dir)
	for path, want := range map[string]os.FileMode{"": os.ModeDir | 0o700, "lock": 0o600, "nats.json": 0o600, "nats-reader.json": 0o600} {
		info, err := os.Stat(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", info.Name(), info.Mode(), want)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{credentialsPath(dir), readerCredentialsPath(dir)} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is left behind: %v", path, err)
		}
	}
}

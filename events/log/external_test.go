package log

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
	"reckon/events/log/logtest"
)

// openAt opens a log on an existing NATS for the length of a test.
func openAt(t *testing.T, e *External) *Log {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), logtest.Patience)
	defer cancel()
	l, err := Open(ctx, Options{Dir: t.TempDir(), External: e})
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

func TestExternal(t *testing.T) {
	t.Parallel()
	e := &External{URLs: logtest.NATS(t)}
	first, second := openAt(t, e), openAt(t, e)
	shared(t, first, second)

	visitor, err := Join(t.Context(), Options{External: e})
	if err != nil {
		t.Fatal(err)
	}
	if visitor.Local() {
		t.Error("a visitor without a data directory holds one")
	}
	if err := visitor.Close(); err != nil {
		t.Error(err)
	}
	// Its own data directory leads nowhere without the NATS, and with it to the views of the server that holds it.
	_, err = Join(t.Context(), Options{Dir: first.dir})
	logtest.WantError(t, "join by the directory alone", err, ErrMode)
	visitor, err = Join(t.Context(), Options{Dir: first.dir, External: e})
	if err != nil {
		t.Fatal(err)
	}
	defer visitor.Close()
	if visitor.Local() || visitor.ViewsID() != first.ViewsID() || visitor.ViewsID() == second.ViewsID() {
		t.Errorf("a visitor of a directory in use reaches the views %s, want %s", visitor.ViewsID(), first.ViewsID())
	}
}

func TestExternalCluster(t *testing.T) {
	t.Parallel()
	urls, servers := logtest.NATSCluster(t)
	e := &External{URLs: urls}
	first, second := openAt(t, e), openAt(t, e)
	if first.backing.(*external).replicas != clusterReplicas {
		t.Errorf("the streams have %d replicas, want %d", first.backing.(*external).replicas, clusterReplicas)
	}
	shared(t, first, second)
	webhookKeys(t, first, second)
	for _, s := range servers {
		if s.JetStreamIsStreamLeader(server.DEFAULT_GLOBAL_ACCOUNT, EventsStream) {
			s.Shutdown()
			s.WaitForShutdown()
			break
		}
	}
	account := logtest.Created("b")
	logtest.Until(t, "append", func(ctx context.Context) error {
		_, err := first.Append(ctx, account, 0)
		if errors.Is(err, ErrConflict) { // one whose outcome was unknown is there
			return nil
		}
		return err
	})
	logtest.Until(t, "read", func(ctx context.Context) error {
		read, err := second.Read(ctx, account.Subject, 0)
		if err == nil && len(read) != 1 {
			t.Fatalf("read %d events, want 1", len(read))
		}
		return err
	})
	d := events.Delivery{ID: uuid.New(), AccountID: uuid.New(), WebhookID: uuid.New(), Event: events.CalculationCompleted, Attempt: 1, Due: time.Now().UTC()}
	for _, l := range []*Log{first, second} { // which is one
		logtest.Until(t, "have something sent", func(ctx context.Context) error { return l.Deliver(ctx, d) })
	}
	logtest.Until(t, "one delivery waits", func(ctx context.Context) error {
		s, err := second.State(ctx, DeliveriesStream)
		if err == nil && s.State.Msgs != 1 {
			t.Fatalf("%d deliveries wait, want 1", s.State.Msgs)
		}
		return err
	})
	webhookKeys(t, first, second)
}

// shared uses two logs of the same NATS: what one appends the other one must see, also behind ticks that are gone.
func shared(t *testing.T, first, second *Log) {
	t.Helper()
	e := logtest.Created("a")
	sequence := appended(t, first, e, 0)
	last, err := second.Last(t.Context())
	if err != nil || last <= sequence {
		t.Fatalf("the read index is %d (%v), want more than %d", last, err, sequence)
	}
	again, err := first.Last(t.Context())
	if err != nil || again <= last {
		t.Fatalf("the next read index is %d (%v), want more than %d", again, err, last)
	}
	newest := appended(t, second, logtest.Changed(e), sequence)
	_, err = first.Append(t.Context(), logtest.Changed(e), sequence)
	logtest.WantError(t, "append behind an event that is not the last", err, ErrConflict)

	// A tick goes after its time. A reading up to one that is gone ends all the same.
	through, err := first.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	logtest.Until(t, "wait for the ticks to go", func(ctx context.Context) error {
		info, err := first.events.Info(ctx)
		if err == nil && info.State.Msgs > 2 {
			err = fmt.Errorf("there are %d messages", info.State.Msgs)
		}
		if err != nil {
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
		}
		return err
	})
	var read []events.Event
	upTo := uint64(0)
	ctx, cancel := context.WithTimeout(t.Context(), logtest.Patience)
	defer cancel()
	err = first.Scan(ctx, 0, through, nil, func(at uint64, list []events.Event) error {
		for _, e := range list {
			if e.Data != nil { // a replica may have a tick that the leader has no more
				read = append(read, e)
			}
		}
		upTo = at
		return nil
	})
	if err != nil || upTo != through || len(read) != 2 || read[1].Sequence != newest {
		t.Fatalf("scanned %d events up to %d (%v), want 2 up to %d", len(read), upTo, err, through)
	}

	if err := errors.Join(first.Ready(), first.Broken()); err != nil {
		t.Error(err)
	}
}

// Every setting that the service relies on is checked by its name.
func TestExternalSettings(t *testing.T) {
	e := &External{URLs: logtest.NATS(t)}
	conn, err := connect(e.URLs[0], credentials{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	rows := []struct {
		stream string
		change func(*jetstream.StreamConfig)
		want   string // "" where it is right
	}{
		{EventsStream, func(*jetstream.StreamConfig) {}, ""},
		{EventsStream, func(c *jetstream.StreamConfig) { c.Storage = jetstream.MemoryStorage }, "storage is memory and must be file"},
		{EventsStream, func(c *jetstream.StreamConfig) { c.Retention = jetstream.InterestPolicy }, "retention is interest and must be limits"},
		{EventsStream, func(c *jetstream.StreamConfig) { c.Subjects = []string{"evt.*.>"} }, "subjects is evt.*.> and must be evt.>"},
		{EventsStream, func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour }, "max_age is 1h0m0s and must be none"},
		{EventsStream, func(c *jetstream.StreamConfig) { c.MaxMsgs = 1000 }, "max_msgs is 1000 and must be none"},
		{EventsStream, func(c *jetstream.StreamConfig) { c.MaxBytes = 1 << 20 }, "max_bytes is 1048576 and must be none"},
		{EventsStream, func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 5 }, "max_msgs_per_subject is 5 and must be none"},
		{EventsStream, func(c *jetstream.StreamConfig) { c.DenyDelete = true }, ""}, // as earlier versions made it
		{EventsStream, func(c *jetstream.StreamConfig) { c.DenyPurge = true }, ""},
		{EventsStream, func(c *jetstream.StreamConfig) { c.AllowRollup = true }, "allow_rollup_hdrs is true and must be false"},
		{EventsStream, func(c *jetstream.StreamConfig) { c.AllowDirect = false }, "allow_direct is false and must be true"},
		{EventsStream, func(c *jetstream.StreamConfig) { c.AllowMsgTTL = false }, "allow_msg_ttl is false and must be true"},
		{EventsStream, func(c *jetstream.StreamConfig) { c.MaxMsgSize = 1 << 20 }, "max_msg_size is 1048576 and must be none"},
		{EventsStream, func(c *jetstream.StreamConfig) { c.MaxMsgSize = MaxPayload }, ""},
		{EventsStream, func(c *jetstream.StreamConfig) { c.MaxConsumers = 5 }, "max_consumers is 5 and must be none"},
		{EventsStream, func(c *jetstream.StreamConfig) { c.NoAck = true }, "no_ack is true and must be false"},
		{EventsStream, func(c *jetstream.StreamConfig) { c.ConsumerLimits.InactiveThreshold = time.Second }, "consumer_limits.inactive_threshold is 1s and must be none"},
		{EventsStream, func(c *jetstream.StreamConfig) { c.ConsumerLimits.MaxAckPending = 7 }, "consumer_limits.max_ack_pending is 7 and must be none"},
		{EventsStream, func(c *jetstream.StreamConfig) {
			c.SubjectTransform = &jetstream.SubjectTransformConfig{Source: "evt.*.account", Destination: "evt.{{wildcard(1)}}.key"}
		}, "subject_transform is set and must be none"},
		{EventsStream, func(c *jetstream.StreamConfig) { c.Sources = []*jetstream.StreamSource{{Name: "OTHER"}} }, "sources is set and must be none"},
		{EventsStream, func(c *jetstream.StreamConfig) {
			*c = jetstream.StreamConfig{Name: c.Name, Mirror: &jetstream.StreamSource{Name: "OTHER"}}
		}, "mirror is set and must be none"},
		{EventsStream, func(c *jetstream.StreamConfig) { c.PersistMode = jetstream.AsyncPersistMode }, "persist_mode is async and must be default"},
		{EventsStream, func(c *jetstream.StreamConfig) {
			c.Compression, c.RePublish = jetstream.S2Compression, &jetstream.RePublish{Source: ">", Destination: "copy.>"}
		}, ""},
		{CommandsStream, func(*jetstream.StreamConfig) {}, ""},
		{CommandsStream, func(c *jetstream.StreamConfig) { c.MaxAge = 48 * time.Hour }, ""},
		{CommandsStream, func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour }, "max_age is 1h0m0s and must be 24h10m0s"},
		{CommandsStream, func(c *jetstream.StreamConfig) { c.DiscardNewPerSubject = false }, "discard_new_per_subject is false and must be true"},
		{CommandsStream, func(c *jetstream.StreamConfig) { c.Discard, c.DiscardNewPerSubject = jetstream.DiscardOld, false }, "discard is old and must be new"},
		{CommandsStream, func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 2 }, "max_msgs_per_subject is 2 and must be 1"},
		{CommandsStream, func(c *jetstream.StreamConfig) { c.AllowDirect = true }, "allow_direct is true and must be false"},
		{CommandsStream, func(c *jetstream.StreamConfig) { c.AllowMsgTTL = false }, "allow_msg_ttl is false and must be true"},
	}
	for _, row := range rows {
		for _, c := range (&external{}).streams(0) {
			if c.Name == row.stream {
				row.change(&c)
				// The server may still be removing the files of the stream that had the name before.
				logtest.Until(t, row.want, func(ctx context.Context) error {
					_, err := js.CreateStream(ctx, c)
					return err
				})
			}
		}
		l, err := Open(t.Context(), Options{Dir: t.TempDir(), External: e})
		switch {
		case row.want == "" && err != nil:
			t.Errorf("a stream %s that is as it must be: %v", row.stream, err)
		case row.want == "":
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		case !errors.Is(err, ErrSettings) || !strings.Contains(err.Error(), "stream "+row.stream+": ") || !strings.Contains(err.Error(), row.want):
			t.Errorf("got error %v, want that stream %s has %s", err, row.stream, row.want)
		}
		for _, name := range []string{EventsStream, CommandsStream} {
			if err := js.DeleteStream(t.Context(), name); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
				t.Fatal(err)
			}
		}
	}

	for _, want := range (&external{}).streams(0) { // which a stream becomes only after it was made
		have := want
		have.Sealed = true
		if list := differences(have, want); len(list) != 1 || list[0].String() != "sealed is true and must be false" {
			t.Errorf("%s, sealed: %v", want.Name, list)
		}
	}

	clustered := &external{replicas: clusterReplicas}
	for _, want := range clustered.streams(0) {
		for replicas, right := range map[int]bool{1: false, 3: true, 5: true} {
			have := want
			have.Replicas = replicas
			if list := differences(have, want); (len(list) == 0) != right {
				t.Errorf("%s with %d replicas: %v", want.Name, replicas, list)
			}
		}
	}
}

// What cannot get better by waiting ends the start, and what can does not.
func TestExternalOutOfReach(t *testing.T) {
	e := &External{URLs: logtest.NATS(t)}
	for name, wrong := range map[string]*External{
		"no credentials file": {URLs: e.URLs, CredsFile: filepath.Join(t.TempDir(), "none")},
		"no authority":        {URLs: e.URLs, CAFile: filepath.Join(t.TempDir(), "none")},
	} {
		if _, err := Open(t.Context(), Options{Dir: t.TempDir(), External: wrong}); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: got error %v, want that a file is missing", name, err)
		}
	}
	token := &External{URLs: []string{"nats://a-token@127.0.0.1:1"}}
	if _, err := Join(t.Context(), Options{External: token}); err == nil || strings.Contains(err.Error(), "a-token") {
		t.Errorf("join where nobody is, with a token: got error %v", err)
	}
	nowhere := &External{URLs: []string{"nats://someone:a-password@127.0.0.1:1"}}
	if _, err := Join(t.Context(), Options{External: nowhere}); err == nil || strings.Contains(err.Error(), "a-password") {
		t.Errorf("join where nobody is: got error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	waits := ""
	_, err := Open(ctx, Options{Dir: t.TempDir(), External: nowhere, Waiting: func(what string) {
		waits = what
		cancel()
	}})
	if !errors.Is(err, context.Canceled) || !strings.Contains(waits, "127.0.0.1:1") {
		t.Errorf("open where nobody is waits for %q and ends with %v", waits, err)
	}
}

// A user of NATS that may not do what the log needs ends the start, or the node as soon as that shows.
func TestExternalPermissions(t *testing.T) {
	if testing.Short() {
		t.Skip("servers of others take long")
	}
	t.Parallel()
	account := server.NewAccount("log")
	deny := func(name string, publish, subscribe []string) *server.User {
		return &server.User{Username: name, Password: "a-password", Account: account, Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Deny: publish}, Subscribe: &server.SubjectPermission{Deny: subscribe},
		}}
	}
	s := logtest.RunNATS(t, &server.Options{
		Accounts: []*server.Account{account},
		Users: []*server.User{
			deny("all", nil, nil),
			deny("info", []string{"$JS.API.STREAM.INFO.>"}, nil),
			deny("inbox", nil, []string{"_INBOX.>"}),
			deny("events", []string{"evt.>"}, nil),
			deny("consumers", []string{"$JS.API.CONSUMER.>"}, nil),
		},
	})
	account, err := s.LookupAccount("log")
	if err == nil {
		err = account.EnableJetStream(nil, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	as := func(user string) *External {
		return &External{URLs: []string{"nats://" + user + ":a-password@" + s.Addr().String()}}
	}
	openAt(t, as("all"))
	for user, subject := range map[string]string{"info": "$JS.API.STREAM.INFO.COMMANDS", "inbox": "_INBOX."} {
		ctx, cancel := context.WithTimeout(t.Context(), logtest.Patience)
		defer cancel()
		l, err := Open(ctx, Options{Dir: t.TempDir(), External: as(user)})
		if err == nil {
			l.Close()
		}
		if !errors.Is(err, nats.ErrPermissionViolation) || !strings.Contains(err.Error(), subject) {
			t.Errorf("%s: opening ends with %v, want that %s is not permitted", user, err, subject)
		}
		if _, err := Join(ctx, Options{External: as(user)}); !errors.Is(err, nats.ErrPermissionViolation) || !strings.Contains(err.Error(), subject) {
			t.Errorf("%s: joining ends with %v, want that %s is not permitted", user, err, subject)
		}
	}
	for user, use := range map[string]func(context.Context, *Log) error{
		"events": func(ctx context.Context, l *Log) error {
			_, err := l.Last(ctx)
			return err
		},
		"consumers": func(ctx context.Context, l *Log) error {
			_, err := l.Commands(ctx, nil)
			return err
		},
	} {
		l := openAt(t, as(user))
		if err := l.Broken(); err != nil {
			t.Errorf("%s: broken before anything was refused: %v", user, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), clusterTry) // NATS answers nothing
		defer cancel()
		err := use(ctx, l)
		if broken := l.Broken(); err == nil || !errors.Is(broken, ErrBroken) || !strings.Contains(broken.Error(), "Permissions Violation for Publish") {
			t.Errorf("%s: it ends with %v, and then is broken with %v", user, err, broken)
		}
	}
}

func TestModes(t *testing.T) {
	e := &External{URLs: logtest.NATS(t)}
	single, external := t.TempDir(), t.TempDir()
	if err := open(t, single).Close(); err != nil {
		t.Fatal(err)
	}
	l, err := Open(t.Context(), Options{Dir: external, External: e})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	cluster, node := t.TempDir(), Options{Cluster: &Cluster{Name: "c", Node: "a"}}
	if err := claimMode(cluster, node.mode()); err != nil {
		t.Fatal(err)
	}
	rows := []struct {
		dir  string
		as   Options
		want string // "" where it is allowed
	}{
		{single, Options{External: e}, "a single node"},
		{single, node, "a single node"},
		{external, Options{}, "a node with an existing NATS"},
		{external, node, "a node with an existing NATS"},
		{external, Options{External: e}, ""},
		{cluster, Options{}, "node a of the cluster c"},
		{cluster, Options{External: e}, "node a of the cluster c"},
		{cluster, Options{Cluster: &Cluster{Name: "c", Node: "b"}}, "node a of the cluster c"},
		{cluster, Options{Cluster: &Cluster{Name: "d", Node: "a"}}, "node a of the cluster c"},
		{cluster, node, ""},
	}
	for _, row := range rows {
		err := claimMode(row.dir, row.as.mode())
		if row.want == "" && err != nil || row.want != "" && (!errors.Is(err, ErrMode) || !strings.Contains(err.Error(), "belongs to "+row.want)) {
			t.Errorf("%s as %s: got error %v, want %q", row.dir, row.as.mode(), err, row.want)
		}
	}
	// The log of a node is never opened without the others, nor made where there is none.
	for _, dir := range []string{external, cluster} {
		if _, err := Join(t.Context(), Options{Dir: dir}); !errors.Is(err, ErrMode) {
			t.Errorf("join %s: got error %v, want %v", dir, err, ErrMode)
		}
	}
	if _, err := os.Stat(filepath.Join(cluster, "log")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("joining made a log: %v", err)
	}
}

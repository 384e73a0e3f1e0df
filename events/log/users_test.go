package log

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
	"reckon/events/log/logtest"
)

// asReader connects as any client with the credentials of the reader does. Errors that the server sends come on the channel.
func asReader(t *testing.T, dir string) (*nats.Conn, <-chan error) {
	t.Helper()
	text, err := os.ReadFile(readerCredentialsPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	var c struct{ URL, User, Password string }
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	refusals := make(chan error, 64)
	conn, err := nats.Connect(c.URL, nats.UserInfo(c.User, c.Password), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refusals <- err }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn, refusals
}

func TestReaderReadsEvents(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	first := logtest.Created("a")
	appended(t, l, first, 0)
	second := logtest.Created("b")
	appended(t, l, second, 0)
	conn, refusals := asReader(t, dir)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	durable, err := js.CreateOrUpdateConsumer(t.Context(), EventsStream, jetstream.ConsumerConfig{
		Durable: "warehouse", FilterSubject: "evt.*.account", AckPolicy: jetstream.AckExplicitPolicy,
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := durable.Next()
	if err != nil || m.Headers().Get(events.HeaderID) != first.ID.String() {
		t.Fatalf("the first event is %+v (%v)", m, err)
	}
	if err := m.DoubleAck(t.Context()); err != nil {
		t.Errorf("acknowledge: %v", err)
	}
	if again, err := js.Consumer(t.Context(), EventsStream, "warehouse"); err != nil || again.CachedInfo().AckFloor.Stream != 1 {
		t.Errorf("after the acknowledgement: %+v (%v)", again, err)
	}
	ordered, err := js.OrderedConsumer(t.Context(), EventsStream, jetstream.OrderedConsumerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	batch, err := ordered.Fetch(2)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for m := range batch.Messages() {
		ids = append(ids, m.Headers().Get(events.HeaderID))
	}
	if want := []string{first.ID.String(), second.ID.String()}; batch.Error() != nil || !slices.Equal(ids, want) {
		t.Errorf("in order: %v (%v), want %v", ids, batch.Error(), want)
	}
	stream, err := js.Stream(t.Context(), EventsStream)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := stream.GetMsg(t.Context(), 2); err != nil || m.Header.Get(events.HeaderID) != second.ID.String() {
		t.Errorf("event 2 is %+v (%v)", m, err)
	}
	for len(refusals) > 0 {
		// What an ordered consumer leaves behind goes by itself.
		if err := <-refusals; !strings.Contains(err.Error(), `"$JS.API.CONSUMER.DELETE.EVENTS.`) {
			t.Errorf("refused: %v", err)
		}
	}
}

func TestReaderDoesNothingElse(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	e := logtest.Created("a")
	appended(t, l, e, 0)
	if _, err := l.Commands(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	conn, refusals := asReader(t, dir)
	refused := func(what, subject string) {
		t.Helper()
		if err := conn.Flush(); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-refusals:
			if !errors.Is(err, nats.ErrPermissionViolation) || !strings.Contains(err.Error(), `"`+subject+`"`) {
				t.Errorf("%s %s: %v", what, subject, err)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s %s is allowed", what, subject)
		}
	}
	for _, subject := range []string{
		e.Subject.String(), "evt.a.b", "cmd.a.b",
		"$JS.API.STREAM.CREATE.EVENTS", "$JS.API.STREAM.UPDATE.EVENTS", "$JS.API.STREAM.DELETE.EVENTS", "$JS.API.STREAM.PURGE.EVENTS",
		"$JS.API.STREAM.MSG.DELETE.EVENTS", "$JS.API.STREAM.SNAPSHOT.EVENTS", "$JS.API.STREAM.CREATE.OTHER",
		"$JS.API.CONSUMER.DELETE.EVENTS.warehouse", "$JS.API.CONSUMER.PAUSE.EVENTS.warehouse", "$JS.API.META.LEADER.STEPDOWN",
		"$JS.API.STREAM.INFO.COMMANDS", "$JS.API.STREAM.MSG.GET.COMMANDS", "$JS.API.DIRECT.GET.COMMANDS", "$JS.API.CONSUMER.CREATE.COMMANDS.a",
		"$JS.API.CONSUMER.DURABLE.CREATE.COMMANDS.a", "$JS.API.CONSUMER.MSG.NEXT.COMMANDS.workers", "$JS.API.CONSUMER.INFO.COMMANDS.workers",
		"$JS.ACK.COMMANDS.workers.1.1.1.1.0", "reckon.views." + conn.ConnectedServerId(), "$SYS.REQ.SERVER.PING",
	} {
		if err := conn.PublishRequest(subject, conn.NewInbox(), []byte("{}")); err != nil {
			t.Fatal(err)
		}
		refused("publish", subject)
	}
	for _, subject := range []string{">", "evt.>", "cmd.>", inboxPrefix + ".>", "$JS.>", "reckon.>", "_R_.>", "$SYS.>"} {
		if _, err := conn.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		refused("subscribe", subject)
	}
	if last, err := l.Last(t.Context()); err != nil || last != 1 {
		t.Errorf("the log has %d events (%v)", last, err)
	}
}

// Answers to Reckon, commands among them, do not come where a reader listens.
func TestReaderHearsNoAnswersOfOthers(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	conn, _ := asReader(t, dir)
	heard, err := conn.SubscribeSync("_INBOX.>")
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	joined, err := Join(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer joined.Close()
	for _, log := range []*Log{l, joined} {
		if _, err := log.Last(t.Context()); err != nil {
			t.Fatal(err)
		}
		consumer, err := log.Commands(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if batch, err := consumer.FetchNoWait(1); err != nil {
			t.Fatal(err)
		} else {
			for range batch.Messages() {
				t.Error("a command is there")
			}
		}
	}
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	if n, _, err := heard.Pending(); err != nil || n != 0 {
		m, _ := heard.NextMsg(time.Second)
		t.Errorf("heard %d answers (%v), the first on %s", n, err, m.Subject)
	}
}

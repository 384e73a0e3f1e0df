package projections

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
	"reckon/events/log"
)

var (
	messages = flag.Int("messages", 20_000, "how many messages the history of a benchmark has")
	length   = flag.Int("length", 5, "about how many of them a conversation has")
)

// generated is a history of so many messages, the same at every call: of four accounts, each with a
// key and a domain, and of conversations of about as many messages as -length says, of which some
// hundred go on at a time. One message in ten fails, one in five branches off, and one in twenty is
// in prose, which makes three events.
func generated(count int) iter.Seq[events.Event] {
	random := rand.New(rand.NewPCG(1, 2))
	at := start
	id := func() (id uuid.UUID) {
		binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli())<<16|random.Uint64()&0xffff)
		binary.BigEndian.PutUint64(id[8:], random.Uint64())
		id[6], id[8] = id[6]&0x0f|0x70, id[8]&0x3f|0x80
		return id
	}
	event := func(s events.Subject, data any) events.Event {
		at = at.Add(time.Millisecond)
		return events.Event{ID: id(), Time: at, Subject: s, Data: data}
	}
	type conversation struct {
		account uuid.UUID
		request events.Message
		last    int
	}
	return func(yield func(events.Event) bool) {
		var accounts []uuid.UUID
		for i := range 4 {
			account, domain := id(), id()
			accounts = append(accounts, account)
			for _, e := range []events.Event{
				event(events.AccountSubject(account), &events.AccountCreated{AccountID: account, Name: fmt.Sprint("account ", i), TimeZone: "UTC", BodyVersion: 2}),
				event(events.AccountSubject(account), &events.KeyCreated{KeyID: id(), Hash: fmt.Sprintf("%064x", i)}),
				event(events.DomainSubject(account, domain), &events.DomainPublished{DomainID: domain, Key: "dm_1", Version: 1, Definition: Definition{Title: "Road trip"}}),
			} {
				if !yield(e) {
					return
				}
			}
		}
		open := make([]conversation, 256)
		for n := range count {
			c := &open[random.IntN(len(open))]
			if c.last == 0 || random.IntN(*length) == 0 {
				*c = conversation{account: accounts[random.IntN(len(accounts))], request: request(id(), "distance: 150 mi\nspeed: 60 mi/h\ncalculate: time in min")}
			}
			m := c.request
			m.MessageID, m.ReceivedAt = id(), at
			subject := events.ConversationSubject(c.account, m.ConversationID)
			var list []events.Event
			if n%20 == 19 {
				m.InputFormat, m.Prompt = "natural_language", "How long do 150 miles take at 60 mph?"
				list = append(list, event(subject, &events.MessageStarted{Message: m}), event(subject, &events.MessageInterpreted{
					Message: m, Parsed: json.RawMessage(`{"version":2,"inputs":[],"calculate":{"key":"time","unit":null}}`), Proposer: "a model",
				}))
			}
			switch {
			case c.last > 0 && n%10 == 0:
				list = append(list, failedAt(event, c.account, m))
			case c.last == 0:
				c.last = 1
				list = append(list, completedAt(event, id, c.account, m, "new", 0, 1))
			case n%5 == 0:
				from := 1 + random.IntN(c.last)
				c.last++
				list = append(list, completedAt(event, id, c.account, m, "discard", from, c.last))
			default:
				list = append(list, completedAt(event, id, c.account, m, "extend", c.last, c.last))
			}
			for _, e := range list {
				if !yield(e) {
					return
				}
			}
		}
	}
}

func failedAt(event func(events.Subject, any) events.Event, account uuid.UUID, m events.Message) events.Event {
	e := failed(account, m, `{"inputs":[]}`)
	return event(e.Subject, e.Data)
}

// completedAt is completed with ids that are the same each time.
func completedAt(event func(events.Subject, any) events.Event, id func() uuid.UUID, account uuid.UUID, m events.Message, action string, original, current int) events.Event {
	e := completed(account, m, action, original, current)
	data := e.Data.(*events.MessageCompleted)
	for i := range data.Results.Variables {
		data.Results.Variables[i].ID = id()
	}
	data.Results.Activities[0].ID = id()
	data.Results.Activities[0].Variables[0].ID = data.Results.Variables[0].ID
	return event(e.Subject, data)
}

// writeHistory makes a log that holds a generated history and returns its directory and how many
// events it has. The server that writes it does not wait for the disk at every event.
func writeHistory(t testing.TB, count int) (dir string, last uint64) {
	t.Helper()
	dir = t.TempDir()
	made, err := log.Open(t.Context(), log.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := log.RunServer(t.Context(), &server.Options{ServerName: "log", DontListen: true, StoreDir: filepath.Join(dir, "log"), MaxPayload: 4 << 20}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.WaitForShutdown()
	defer s.Shutdown()
	conn, err := nats.Connect("", nats.InProcessServer(s))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn, jetstream.WithPublishAsyncMaxPending(4096), jetstream.WithPublishAsyncTimeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	for e := range generated(count) {
		m, err := log.Message(e)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := js.PublishMsgAsync(m, jetstream.WithStallWait(time.Minute)); err != nil {
			t.Fatal(err)
		}
		last++
	}
	select {
	case <-js.PublishAsyncComplete():
	case <-t.Context().Done():
		t.Fatal(context.Cause(t.Context()))
	}
	return dir, last
}

package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"reckon/commands/commandstest"
	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

// cluster is some nodes on one log: each has views and a worker of its own.
type cluster struct {
	log     *log.Log
	nodes   []*Service
	account projections.Account
	domain  uuid.UUID
}

func startNodes(t *testing.T, n int) *cluster {
	t.Helper()
	c := startLog(t)
	for range n {
		c.join(t, Model{})
	}
	return c
}

// startLog is a cluster without nodes.
func startLog(t *testing.T) *cluster {
	t.Helper()
	ctx := t.Context()
	log, err := log.Open(ctx, log.Options{Dir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	})
	c := &cluster{log: log}
	c.settle(t)
	return c
}

// settle makes the account and its domain.
func (c *cluster) settle(t *testing.T) {
	t.Helper()
	admin := Admin{Log: c.log}
	var err error
	if c.account, err = admin.CreateAccount(t.Context(), CreateAccount{Name: "acme", TimeZone: "Europe/Berlin"}); err != nil {
		t.Fatal(err)
	}
	published, err := admin.Publish(t.Context(), Publication{Account: "acme", Definition: trip(t).Definition})
	if err != nil {
		t.Fatal(err)
	}
	c.domain = published.DomainID
}

// join adds a node that asks a proposer; see start.
func (c *cluster) join(t *testing.T, p Model) (s *Service, stop func()) {
	t.Helper()
	return c.start(t, func(s *Service) { s.model = p })
}

// start adds a node, which is prepared before its worker runs. stop ends the worker, and waits
// until it has ended.
func (c *cluster) start(t *testing.T, prepare func(*Service)) (s *Service, stop func()) {
	t.Helper()
	s = c.idle(t)
	prepare(s)
	c.nodes = append(c.nodes, s)
	return s, run(t, s)
}

// idle is a node without a worker.
func (c *cluster) idle(t *testing.T) *Service {
	t.Helper()
	views, err := projections.Open(t.Context(), c.log, t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.asRead(t, views)
		if err := views.Close(); err != nil {
			t.Error(err)
		}
	})
	return New(c.log, views, slog.New(slog.DiscardHandler))
}

// asRead compares the messages of a node, which may have them from the worker that made them, with
// what the log has: a node that is started again must show the same.
func (c *cluster) asRead(t *testing.T, views *projections.Views) {
	t.Helper()
	ctx := context.Background()
	last, err := c.log.Last(ctx)
	if err == nil {
		err = c.log.Scan(ctx, 0, last, nil, func(_ uint64, list []events.Event) error {
			for _, e := range list {
				request := e.Message()
				if request == nil {
					continue
				}
				m, found, err := views.Message(ctx, e.Subject.Account(), request.ConversationID, request.MessageID)
				if err != nil || !found || m.Sequence != e.Sequence {
					continue // a newer one, or one that is not folded yet
				}
				want := projections.Message{Message: *request, Status: m.Status, UpdatedAt: e.Time, Number: m.Number, Sequence: e.Sequence}
				want.Interpreted, _ = e.Data.(*events.MessageInterpreted)
				want.Completed, _ = e.Data.(*events.MessageCompleted)
				want.Failed, _ = e.Data.(*events.MessageFailed)
				if !reflect.DeepEqual(m, want) {
					t.Errorf("message %s is\n%+v\nand the log has\n%+v", m.MessageID, m, want)
				}
			}
			return nil
		})
	}
	if err != nil {
		t.Errorf("read the log: %v", err)
	}
}

// run starts the worker of a node. stop ends it, and waits until it has ended.
func run(t *testing.T, s *Service) (stop func()) {
	t.Helper()
	running, end := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { s.Run(running) })
	stop = func() {
		end()
		work.Wait()
	}
	t.Cleanup(stop)
	return stop
}

func (c *cluster) request(text string) Request {
	return Request{Account: c.account, Domain: c.domain, Prompt: text, Fingerprint: strings.Repeat("0", 64)}
}

const drive = commandstest.Drive

// once sends a request with a key to all nodes many times at once. All are answered with the same
// message, which is returned, and one of them as the first.
func (c *cluster) once(t *testing.T, r Request) projections.Message {
	t.Helper()
	answers := make([]Answer, 16)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			var err error
			if answers[i], err = c.nodes[i%len(c.nodes)].Calculate(t.Context(), r); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	first := 0
	for _, a := range answers {
		if a.Message.MessageID != answers[0].Message.MessageID {
			t.Errorf("messages %s and %s", a.Message.MessageID, answers[0].Message.MessageID)
		}
		if !a.Replayed {
			first++
		}
	}
	if first != 1 {
		t.Errorf("%d answers say that they are the first", first)
	}
	return answers[0].Message
}

func TestOneKeyRunsOnceOnWhicheverNode(t *testing.T) {
	c := startNodes(t, 2)
	key := "the key"
	r := c.request(drive)
	r.IdempotencyKey = &key
	c.once(t, r)
	r.Fingerprint = strings.Repeat("1", 64)
	if _, err := c.nodes[0].Calculate(t.Context(), r); !errors.Is(err, ErrIdempotencyConflict) {
		t.Errorf("another body: %v", err)
	}
}

// TestScenariosAreCountedWithoutHoles lets callers on two nodes work in one conversation; each of
// their what-ifs must get an index of its own, and a 200 from one node must be there on the other.
func TestScenariosAreCountedWithoutHoles(t *testing.T) {
	c := startNodes(t, 2)
	first, err := c.nodes[0].Calculate(t.Context(), c.request(drive))
	if err != nil {
		t.Fatal(err)
	}
	const callers, each = 8, 5
	seen := make([]int, callers*each+2)
	var mutex sync.Mutex
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			for n := range each {
				r := c.request(fmt.Sprintf("scenario: 1\nspeed: %d mi/h\ncalculate: time", 100+i*each+n))
				r.Conversation = &first.Message.ConversationID
				a, err := c.nodes[(i+n)%2].Calculate(t.Context(), r)
				if err != nil {
					t.Error(err)
					return
				}
				if a.Message.Completed == nil {
					t.Errorf("failed: %s", a.Message.Failed.Errors)
					return
				}
				index := a.Message.Completed.Results.Scenario.Current
				mutex.Lock()
				seen[index]++
				mutex.Unlock()
				other := c.nodes[(i+n+1)%2].views
				if err := other.Fresh(t.Context()); err != nil {
					t.Error(err)
					return
				}
				if _, ok, err := other.Scenario(t.Context(), c.account.ID, first.Message.ConversationID, index); err != nil || !ok {
					t.Errorf("scenario %d is not on the other node: %v", index, err)
				}
			}
		})
	}
	all.Wait()
	for index := 2; index < len(seen); index++ {
		if seen[index] != 1 {
			t.Errorf("scenario %d was given %d times", index, seen[index])
		}
	}
}

// TestACommandThatCannotBeDecidedEndsAsACrash queues a command for a version that no domain has. It
// ends in one final event, and each request with its key is told so.
func TestACommandThatCannotBeDecidedEndsAsACrash(t *testing.T) {
	t.Parallel()
	c := startNodes(t, 1)
	key := "poison"
	command := Calculate{
		Type: calculateType, AccountID: c.account.ID, IdempotencyKey: &key, Fingerprint: strings.Repeat("0", 64),
		ConversationID: uuid.New(), MessageID: uuid.New(), DomainID: c.domain, DomainVersion: 99,
		InputFormat: "structured", Prompt: drive, Now: time.Now().UTC(), ReceivedAt: time.Now().UTC(), TimeZone: "UTC",
	}
	subject := events.CommandSubject(c.account.ID, "key "+key)
	if _, err := c.log.Enqueue(t.Context(), subject, Encode(command), true); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r := c.request(drive)
		r.IdempotencyKey = &key
		a, err := c.nodes[0].Calculate(t.Context(), r)
		var crashed *CrashedError
		if !errors.As(err, &crashed) || crashed.MessageID != command.MessageID || !a.Replayed {
			t.Errorf("replayed %v: %v", a.Replayed, err)
		}
	}
	list, err := c.log.Read(t.Context(), events.ConversationSubject(c.account.ID, command.ConversationID), 0)
	if err != nil || len(list) != 1 {
		t.Errorf("%d final events: %v", len(list), err)
	}
}

func TestReferencesAreCheckedBeforeAKeyIsSpent(t *testing.T) {
	c := startNodes(t, 1)
	key := "kept"
	r := c.request(drive)
	r.IdempotencyKey = &key
	r.Domain = uuid.New()
	if _, err := c.nodes[0].Calculate(t.Context(), r); !errors.Is(err, ErrUnknownDomain) {
		t.Errorf("unknown domain: %v", err)
	}
	r.Domain = c.domain
	unknown := uuid.New()
	r.Conversation = &unknown
	if _, err := c.nodes[0].Calculate(t.Context(), r); !errors.Is(err, ErrUnknownConversation) {
		t.Errorf("unknown conversation: %v", err)
	}
	r.Conversation = nil
	r.Prompt = `{"inputs": [`
	if _, err := c.nodes[0].Calculate(t.Context(), r); !errors.Is(err, ErrPromptJSON) {
		t.Errorf("broken JSON: %v", err)
	}
	r.Prompt = strings.Repeat("how long? ", 2000)
	if _, err := c.nodes[0].Calculate(t.Context(), r); !errors.Is(err, ErrPromptTooLong) {
		t.Errorf("long prose: %v", err)
	}
	r.Prompt = drive
	if a, err := c.nodes[0].Calculate(t.Context(), r); err != nil || a.Replayed {
		t.Errorf("the key was spent: replayed %v, %v", a.Replayed, err)
	}
}

func TestZonesThatMeanTheMachineAreNone(t *testing.T) {
	for name, known := range map[string]bool{
		"Europe/Berlin": true, "UTC": true, "America/New_York": true,
		"": false, "Local": false, "../etc/passwd": false, "/etc/localtime": false, "Mars/Olympus": false, "posixrules": false,
	} {
		if _, ok := Zone(name); ok != known {
			t.Errorf("%q: %v", name, ok)
		}
	}
}

func TestCommandFitsItsSchema(t *testing.T) {
	for _, name := range []string{calculateType, events.ApartCommand} {
		schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "schemas", "commands", name+".schema.json"))
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		command, err := decodeCalculate(data)
		if err != nil {
			t.Fatal(err)
		}
		again := encodeCalculate(command)
		instance, err := jsonschema.UnmarshalJSON(strings.NewReader(string(again)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(instance); err != nil {
			t.Error(err)
		}
		var written, read any
		if json.Unmarshal(data, &written) != nil || json.Unmarshal(again, &read) != nil || fmt.Sprint(written) != fmt.Sprint(read) {
			t.Errorf("the fixture reads back as %s", again)
		}
		at, apart := events.PromptOf(again)
		if apart != command.Apart || apart && at != command.promptAt() {
			t.Errorf("the prompt of %s stands at %q, apart %t", name, at, apart)
		}
	}
}

// Package commands takes requests in, queues them on the log, and decides them: pure functions turn
// a command and the views it needs into an event, workers append it, and whoever waits is woken by
// the fold.
package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/trace"

	"reckon/engine/prompt"
	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

// Errors of Service.Calculate that are not answers, matched with errors.Is.
var (
	// ErrIdempotencyConflict says that the idempotency key was used with another body.
	ErrIdempotencyConflict = errors.New("the idempotency key was used with another body")
	// ErrUnknownDomain says that the account has no published domain with this id.
	ErrUnknownDomain = errors.New("no such domain")
	// ErrUnknownConversation says that the account has no conversation with this id.
	ErrUnknownConversation = errors.New("no such conversation")
	// ErrPromptJSON says that a prompt that must be JSON is not.
	ErrPromptJSON = errors.New("the prompt is not valid JSON")
	// ErrPromptTooLong says that a prompt turned out to be prose, and longer than prose may be.
	ErrPromptTooLong = errors.New("the prompt is too long")
	// ErrUnavailable says that no answer could be had in time; the same request may be sent again.
	ErrUnavailable = errors.New("no answer in time")
)

// CrashedError says that the service failed while it calculated; the failure is recorded under the
// message id.
type CrashedError struct{ MessageID uuid.UUID }

func (e *CrashedError) Error() string { return "calculation " + e.MessageID.String() + " failed" }

// MaxProse is how many bytes a natural-language prompt may have.
const MaxProse = 16 << 10

// deadline is how long a request waits for its answer. After a node of a cluster is lost, writes
// pause for 3 to 6 s: the others elect leaders.
const deadline = 12 * time.Second

// patience is how long a request that was sent again waits for somebody else's work, a little
// longer than a command that its worker has left is held back from the others.
const patience = 4 * time.Second

// handedOver is how long a request waits, when the cluster has elected a leader or this node
// reaches no queue, until its command is taken for one that nobody has. Most are not, and what is
// worked on twice costs a processor's time only.
const handedOver = 300 * time.Millisecond

// Request is a calculate request that has been authenticated and whose fields are valid.
type Request struct {
	Account        projections.Account
	Key            uuid.UUID
	Domain         uuid.UUID
	Format         string // input_format; "" is automatic
	Prompt         string
	Conversation   *uuid.UUID // nil starts a new one
	TimeZone       string     // as sent; "" when absent
	Language       string     // tag of a known one; "" when absent
	Source         string     // SourceAPI or SourceChat; "" is the first
	IdempotencyKey *string
	Fingerprint    string       // hex SHA-256 of the canonical body
	AllowProse     func() error // is asked before natural language is read, and nil allows it
	Trace          Trace
}

// Where requests come from.
const (
	SourceAPI  = "api"
	SourceChat = "chat" // a person, in the console
)

// Nodes is how many nodes answer for the log, as far as this one knows.
func (s *Service) Nodes() int { return s.log.Nodes() }

// Answer is what became of a request.
type Answer struct {
	Message  projections.Message
	Replayed bool // an earlier request with the same idempotency key was answered
}

// Service takes calculate requests in, and works through the queue that all nodes share.
type Service struct {
	log      *log.Log
	views    *projections.Views
	logger   *slog.Logger
	inFlight *inFlight
	versions Versions
	writers  [1 << 16]sync.Mutex // by the end of a conversation's id: its appends are serialised within this node

	slots    *FairSemaphore // of commands in work
	deciding *FairSemaphore // of commands that are decided, which is what takes a processor
	prose    *FairSemaphore // of requests in natural language that are read
	recent   *recentAccounts
	pulling  atomic.Bool // whether Run reaches the queue

	disk disk

	measures *measures
	spans    Spans

	model   Model
	waiting atomic.Int32 // how many wait for a slot in prose
}

// Turns is how much of what takes a processor is done at once for one account: one processor is
// left to the others, where there is more than one.
func Turns() int { return max(1, min(runtime.NumCPU(), runtime.GOMAXPROCS(0))-1) }

// New returns a service on a log and this node's views of it. Calculations are answered while Run
// runs, here or on another node.
func New(log *log.Log, views *projections.Views, logger *slog.Logger) *Service {
	s := &Service{
		log: log, views: views, logger: logger, inFlight: newInFlight(), measures: newMeasures(),
		slots: NewFairSemaphore(slots, slots), recent: &recentAccounts{},
		deciding: NewFairSemaphore(math.MaxInt, Turns()),
		prose:    NewFairSemaphore(2*proseSlots, proseSlots),
	}
	s.slots.recent, s.slots.contended = s.recent, slotsContended
	s.versions = NewVersions(s.readVersion)
	return s
}

// Calculate queues a request and waits until it is answered and readable on this node, 12 seconds
// at most; one in natural language until it is in progress at least. A request whose idempotency
// key is in the queue already is answered as that one was. It fails with the errors above, or with
// *CrashedError.
func (s *Service) Calculate(ctx context.Context, r Request) (Answer, error) {
	if r.Account.Suspended != nil {
		return Answer{}, ErrSuspended
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	command, replayed, err := s.enqueue(ctx, r)
	if err != nil {
		return Answer{}, err
	}
	message, err := s.awaitOrWork(ctx, command, replayed)
	if err != nil {
		if erased, _ := s.views.Erased(context.WithoutCancel(ctx), command.AccountID, command.ConversationID); erased { // meanwhile
			return Answer{}, ErrUnknownConversation
		}
		return Answer{}, unavailable(err)
	}
	// A failure of the service is an answer in natural language, since the request that asked has been
	// answered before.
	if message.Failed != nil && message.Failed.Crashed && message.InputFormat != prompt.NaturalLanguage {
		err = &CrashedError{MessageID: command.MessageID}
	}
	return Answer{Message: message, Replayed: replayed}, err
}

// awaitOrWork waits until a command is answered, one in natural language until it is in progress.
// One that nobody seems to work on is worked on here; whoever else does, the log takes one event.
func (s *Service) awaitOrWork(ctx context.Context, c Calculate, replayed bool) (projections.Message, error) {
	await, prose := s.views.AwaitAnswer, c.InputFormat == prompt.NaturalLanguage
	if prose {
		await = s.views.AwaitMessage
	}
	// The leader of the queue may have taken the command out and have been followed by another one
	// before it sent it.
	patient, cancel := s.log.AfterElection(ctx, c.ReceivedAt, handedOver)
	defer cancel()
	// And a command can be acknowledged while its event is in the log no more: what was not written
	// out went with the machine.
	lost := patient
	if replayed {
		lost, cancel = context.WithTimeout(patient, patience)
		defer cancel()
	}
	for {
		look, cancel := lost, context.CancelFunc(func() {})
		if !s.log.Alone() {
			look, cancel = context.WithTimeout(lost, handedOver)
		}
		message, err := await(look, c.AccountID, c.ConversationID, c.MessageID)
		cancel()
		if err == nil || ctx.Err() != nil || look.Err() == nil {
			return message, err
		}
		// Without an election there may be no queue for a while.
		if lost.Err() != nil || !s.pulling.Load() {
			break
		}
	}
	c.Opens = false
	err := s.readPrompt(ctx, &c)
	if err != nil {
		return projections.Message{}, err
	}
	if prose && (patient.Err() != nil || lost.Err() == nil) {
		_, err = s.begin(c) // the model is asked when it is delivered again
	} else {
		err = s.finish(c, "")
	}
	if err != nil {
		return projections.Message{}, err
	}
	return await(ctx, c.AccountID, c.ConversationID, c.MessageID)
}

// Note says that an account has asked for something, so that long calculations of others make way.
func (s *Service) Note(account uuid.UUID) { s.recent.note(account) }

// Rest returns what is to be called every 100 microseconds or so while something takes a processor
// for an account: every quarter of a millisecond it makes way for other goroutines, and for other
// accounts.
func (s *Service) Rest(account uuid.UUID) func() {
	return (&timeSlice{recent: s.recent, account: account}).yield
}

// Await waits until a message in progress is answered and readable on this node, or ctx ends; then
// it is as it was given.
func (s *Service) Await(ctx context.Context, account uuid.UUID, m projections.Message) (projections.Message, error) {
	answer, err := s.views.AwaitAnswer(ctx, account, m.ConversationID, m.MessageID)
	switch {
	case err == nil:
		return answer, nil
	case ctx.Err() != nil:
		return m, nil
	}
	return m, unavailable(err)
}

// enqueue looks the idempotency key up, completes the command and publishes it. The stream itself
// decides who was first.
func (s *Service) enqueue(ctx context.Context, r Request) (command Calculate, replayed bool, err error) {
	if err := errors.Join(s.log.Damaged(), s.disk.room()); err != nil {
		return command, false, err
	}
	message, err := uuid.NewV7()
	if err != nil {
		return command, false, fmt.Errorf("make message id: %w", err)
	}
	var subject events.Subject
	if r.IdempotencyKey != nil {
		subject = events.KeyedSubject(r.Account.ID, *r.IdempotencyKey)
		earlier, err := s.earlier(ctx, subject, r.Fingerprint)
		if !errors.Is(err, log.ErrNotFound) {
			return earlier, true, err
		}
		if len(r.Prompt) >= events.LongPrompt { // which is stored before the command is
			if err := s.unerased(ctx, subject); err != nil {
				return command, false, err
			}
		}
	}
	command, err = s.complete(ctx, r, message)
	if err != nil {
		return command, false, err
	}
	span := s.spans.Begin("publish command", trace.SpanKindProducer, command.Trace, time.Time{})
	span.Text("reckon.format", command.InputFormat)
	command.Trace = span.Trace
	defer func() { span.End(err != nil) }()
	if err := s.storeApart(ctx, &command); err != nil {
		return command, false, unavailable(err)
	}
	data := encodeCalculate(command)
	if r.IdempotencyKey == nil {
		subject = events.KeylessSubject(command.AccountID, message)
	}
	own := s.inFlight.expect(subject, command)
	defer func() { s.inFlight.leave(own, jetstream.Msg.Nak) }()
	for {
		sequence, err := s.log.Enqueue(ctx, subject, data, r.IdempotencyKey != nil)
		if err == nil {
			s.start(own, sequence)
			own = nil
			return command, false, nil
		}
		if !errors.Is(err, log.ErrConflict) && !errors.Is(err, log.ErrInFlight) && !errors.Is(err, log.ErrUnknown) {
			return command, false, unavailable(err)
		}
		first, lookup := s.earlier(ctx, subject, r.Fingerprint)
		if lookup == nil {
			return first, first.MessageID != message, nil
		}
		if !errors.Is(lookup, log.ErrNotFound) {
			return first, false, lookup
		}
		if err := s.unerased(ctx, subject); err != nil {
			return command, false, err
		}
		// The other publish is under way, or this one never arrived.
		if err := pause(ctx, 5*time.Millisecond, 50*time.Millisecond); err != nil {
			return command, false, unavailable(err)
		}
	}
}

// earlier reads the command at a subject. It fails with log.ErrNotFound where there is none, and
// with ErrIdempotencyConflict where it came from another body, and with ErrUnknownConversation
// where its conversation was erased.
func (s *Service) earlier(ctx context.Context, subject events.Subject, fingerprint string) (Calculate, error) {
	data, err := s.log.Command(ctx, subject)
	if errors.Is(err, log.ErrNotFound) {
		return Calculate{}, err
	}
	if err != nil {
		return Calculate{}, unavailable(err)
	}
	command, err := decodeCalculate(data)
	if errors.Is(err, ErrErased) {
		return Calculate{}, ErrUnknownConversation
	}
	if err != nil {
		return Calculate{}, err
	}
	if err := s.views.Fresh(ctx); err != nil {
		return Calculate{}, unavailable(err)
	}
	if erased, err := s.views.Erased(ctx, command.AccountID, command.ConversationID); err != nil || erased {
		return Calculate{}, cmp.Or(err, ErrUnknownConversation)
	}
	if command.Fingerprint != fingerprint {
		return Calculate{}, ErrIdempotencyConflict
	}
	return command, nil
}

// unerased fails with ErrUnknownConversation where the key of a subject is one of an erased
// conversation.
func (s *Service) unerased(ctx context.Context, subject events.Subject) error {
	switch erased, err := s.log.KeyErased(ctx, subject); {
	case err != nil:
		return unavailable(err)
	case erased:
		return ErrUnknownConversation
	}
	return nil
}

// complete makes a request a command: references are checked, and all that is decided by the moment
// is written down.
func (s *Service) complete(ctx context.Context, r Request, message uuid.UUID) (Calculate, error) {
	if err := s.views.Fresh(ctx); err != nil {
		return Calculate{}, unavailable(err)
	}
	view, ok := s.views.Domain(r.Account.ID, r.Domain)
	if !ok || !view.Serves() {
		return Calculate{}, ErrUnknownDomain
	}
	var conversation uuid.UUID
	if r.Conversation != nil {
		conversation = *r.Conversation
		if _, ok, err := s.views.Conversation(ctx, r.Account.ID, conversation); err != nil {
			return Calculate{}, err
		} else if !ok {
			return Calculate{}, ErrUnknownConversation
		}
	} else {
		id, err := uuid.NewV7()
		if err != nil {
			return Calculate{}, fmt.Errorf("make conversation id: %w", err)
		}
		conversation = id
	}
	format, err := resolveFormat(r.Format, r.Prompt, func() (*Domain, error) {
		return s.Domain(ctx, r.Account.ID, r.Domain, view.Version)
	})
	if err != nil {
		return Calculate{}, err
	}
	if format == prompt.NaturalLanguage && r.AllowProse != nil {
		if err := r.AllowProse(); err != nil {
			return Calculate{}, err
		}
	}
	zone := r.TimeZone
	if _, ok := Zone(zone); !ok {
		zone = r.Account.TimeZone
	}
	now := time.Now().UTC()
	return Calculate{
		Opens:     r.Conversation == nil,
		AccountID: r.Account.ID, KeyID: r.Key,
		IdempotencyKey: r.IdempotencyKey, Fingerprint: r.Fingerprint,
		ConversationID: conversation, MessageID: message,
		DomainID: r.Domain, DomainVersion: view.Version,
		InputFormat: format, Prompt: r.Prompt, Source: r.Source,
		ReceivedAt: now.Truncate(time.Millisecond), Now: now.Truncate(time.Second), TimeZone: zone, Language: cmp.Or(r.Language, r.Account.Language),
		Trace: r.Trace,
	}, nil
}

// resolveFormat finds the format of a prompt, whose domain is asked for only where that decides. It
// fails with ErrPromptJSON for a prompt that must be JSON and is not, and with ErrPromptTooLong.
func resolveFormat(format, text string, domain func() (*Domain, error)) (string, error) {
	switch format {
	case "", prompt.Automatic:
		d, err := domain()
		if err != nil {
			return "", err
		}
		format, err = prompt.Detect(d.compiled, text)
		if err != nil {
			return "", ErrPromptJSON
		}
	case prompt.JSON:
		if !prompt.ValidJSON(text) {
			return "", ErrPromptJSON
		}
	}
	if format == prompt.NaturalLanguage && len(text) > MaxProse {
		return "", ErrPromptTooLong
	}
	return format, nil
}

// unavailable makes a failure to reach or to wait one that the caller may retry.
func unavailable(err error) error { return fmt.Errorf("%w: %w", ErrUnavailable, err) }

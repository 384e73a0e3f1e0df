// Package webhooks sends what becomes of calculations to the webhooks of accounts, as Standard
// Webhooks has it. All nodes share the work: a consumer of EVENTS finds what is to be sent and
// stores it as deliveries, which name what they are about and have nothing of it, and a consumer of
// those sends it. What is sent is sent once at least, and has the same id each time.
package webhooks

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/commands"
	"reckon/events"
	"reckon/events/log"
	"reckon/http"
	"reckon/projections"
)

const (
	// maxSending is how many attempts a node makes at once. An account has accountSending of them, and
	// less where few are left; a webhook has hookSending, and one while it fails.
	maxSending     = 256
	accountSending = 8
	hookSending    = 4
	// parked is for how long a delivery is put back whose webhook has as many attempts under way as it
	// may, at least and at most.
	parkedLeast = time.Second
	parkedMost  = time.Minute
	// maxFailures is how many messages in a row may fail for good before a webhook is disabled.
	maxFailures = 5
	// look is how often it is looked whether there are webhooks, and again how long it rests after a
	// failure of the log.
	look  = time.Second
	again = time.Second
	batch = 256
	// keepEvery is how often it is said of a delivery that an attempt is under way.
	keepEvery = log.SendWait / 5
)

// pauses are those between two attempts, more or less a tenth. All together are longer than a day,
// so that a receiver may be away for one.
var pauses = []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 10 * time.Hour}

// Sender sends what is to be sent while Run runs, here or on another node.
type Sender struct {
	log      *log.Log
	views    *projections.Views
	post     *Post
	logger   *slog.Logger
	measures *measures
	pauses   []time.Duration

	sending sync.WaitGroup
	room    chan struct{} // holds one for each attempt under way

	mu       sync.Mutex
	hooks    map[uuid.UUID]*busy
	accounts map[uuid.UUID]int // attempts under way
}

// busy is what is under way for a webhook on this node.
type busy struct {
	sending int
	parked  int  // deliveries that were put back since one was sent
	failing bool // the last attempt has failed
}

// New returns a Sender on a log and this node's views of it.
func New(l *log.Log, views *projections.Views, post *Post, logger *slog.Logger) *Sender {
	return &Sender{
		log: l, views: views, post: post, logger: logger, measures: newMeasures(), pauses: pauses,
		room: make(chan struct{}, maxSending), hooks: map[uuid.UUID]*busy{}, accounts: map[uuid.UUID]int{},
	}
}

// Run sends until ctx ends, while somebody has webhooks.
func (s *Sender) Run(ctx context.Context) {
	defer s.sending.Wait()
	told, ended := "", false
	for {
		err := s.views.CaughtUp(ctx)
		if err == nil && len(s.views.Webhooked()) == 0 {
			if !ended {
				err = s.log.EndAnnouncements(ctx)
				ended = err == nil
			}
		} else if err == nil {
			ended = false
			err = s.work(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			told = ""
		case err.Error() != told:
			told = err.Error()
			s.logger.Warn("webhooks wait, and it is tried again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(look):
		}
	}
}

// work finds and sends for as long as somebody has webhooks and the log answers.
func (s *Sender) work(ctx context.Context) error {
	if _, err := s.log.WebhookKey(ctx, true); err != nil { // where a backup was restored there may be no streams yet
		return err
	}
	since := time.Now()
	for _, a := range s.views.Webhooked() {
		for _, w := range a.Webhooks {
			if w.CreatedAt.Before(since) {
				since = w.CreatedAt
			}
		}
	}
	announced, err := s.log.Announcements(ctx, since)
	if err != nil {
		return err
	}
	deliveries, err := s.log.Deliveries(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var both sync.WaitGroup
	for _, do := range []func(context.Context) error{
		func(ctx context.Context) error { return s.announce(ctx, announced) },
		func(ctx context.Context) error { return s.deliver(ctx, deliveries) },
	} {
		both.Go(func() {
			for ctx.Err() == nil && len(s.views.Webhooked()) > 0 {
				if err := do(ctx); err != nil {
					cancel(err)
				}
			}
			cancel(nil)
		})
	}
	both.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// announce stores for a while what is to be sent of what happens.
func (s *Sender) announce(ctx context.Context, c jetstream.Consumer) error {
	fetched, err := c.Fetch(batch, jetstream.FetchMaxWait(look))
	if err != nil {
		return err
	}
	var list []jetstream.Msg
	for m := range fetched.Messages() {
		if list = append(list, m); len(fetched.Messages()) > 0 && len(list) < batch {
			continue
		}
		if err := s.store(ctx, list); err != nil {
			return err // they are delivered again
		}
		list = list[:0]
	}
	return s.unlessIdle(ctx, fetched.Error())
}

// unlessIdle is an error of a fetch unless it only says that there was nothing.
func (s *Sender) unlessIdle(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, jetstream.ErrNoMessages) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// store stores what is to be sent of some events, and acknowledges them when it is on disk.
func (s *Sender) store(ctx context.Context, list []jetstream.Msg) error {
	at, err := list[len(list)-1].Metadata()
	if err != nil {
		return err
	}
	if err := s.views.Folded(ctx, at.Sequence.Stream); err != nil {
		return err
	}
	stored := false
	for _, m := range list {
		account, has := s.views.Account(events.SubjectOf(m.Subject()).Account())
		if !has || len(account.Webhooks) == 0 || account.Suspended != nil {
			continue
		}
		e, is, err := log.Announced(m)
		if err != nil {
			return err
		}
		if !is || e.Sends() == "" {
			continue
		}
		for _, w := range account.Webhooks {
			if w.Disabled != nil || e.Sequence < w.Since || !slices.Contains(w.Events, e.Sends()) {
				continue
			}
			d := events.Delivery{
				ID: events.DeliveryID(w.ID, e.Message().MessageID), AccountID: account.ID, WebhookID: w.ID, Event: e.Sends(), Sequence: e.Sequence,
				ConversationID: e.Message().ConversationID, MessageID: e.Message().MessageID, HappenedAt: e.Time, Attempt: 1, Due: e.Time,
			}
			err := s.log.Deliver(ctx, d)
			if errors.Is(err, log.ErrFull) {
				err = s.drop(ctx, d, w, "too much is waiting for it")
			}
			if err != nil {
				return err
			}
			stored = true
		}
	}
	if stored {
		if err := s.log.DeliveriesDurable(); err != nil {
			return err
		}
	}
	for _, m := range list {
		if err := m.Ack(); err != nil {
			return err
		}
	}
	return nil
}

// deliver sends for a while what is to be sent.
func (s *Sender) deliver(ctx context.Context, c jetstream.Consumer) error {
	select {
	case s.room <- struct{}{}:
		<-s.room
	case <-ctx.Done():
		return nil
	}
	fetched, err := c.Fetch(max(1, maxSending-len(s.room)), jetstream.FetchMaxWait(look))
	if err != nil {
		return err
	}
	for m := range fetched.Messages() {
		if err := s.take(ctx, m); err != nil {
			return err
		}
	}
	return s.unlessIdle(ctx, fetched.Error())
}

// take begins with a delivery, or puts it back until its time.
func (s *Sender) take(ctx context.Context, m jetstream.Msg) error {
	d, err := log.DeliveryOf(m)
	if err != nil {
		s.logger.Error("a delivery cannot be read, and is dropped", "error", err)
		return m.Ack()
	}
	if wait := time.Until(d.Due); wait > 0 {
		return m.NakWithDelay(wait)
	}
	if err := s.views.Folded(ctx, d.Sequence); err != nil {
		return err
	}
	account, _ := s.views.Account(d.AccountID)
	w, has := account.Webhook(d.WebhookID)
	if !has || w.Disabled != nil || account.Suspended != nil || !d.Resent && d.Sequence < w.Since {
		s.measures.deliveries.WithLabelValues(events.Dropped).Inc()
		return m.Ack()
	}
	if wait, may := s.begin(d); !may {
		return m.NakWithDelay(wait)
	}
	s.room <- struct{}{}
	s.sending.Go(func() {
		attempted := make(chan struct{})
		s.sending.Go(func() { hold(m, attempted) })
		failing, err := s.attempt(ctx, d, account, w)
		close(attempted)
		if err == nil {
			err = m.Ack()
		}
		switch {
		case err != nil && ctx.Err() != nil:
			_ = m.Nak() // another node may go on at once; without it, it comes again by itself
		case err != nil:
			s.logger.Warn("a delivery is made again", "webhook_id", d.WebhookID, "error", err)
			_ = m.NakWithDelay(again)
		}
		<-s.room
		s.end(d, failing)
	})
	return nil
}

// hold keeps a delivery from the other nodes until its attempt is over.
func hold(m jetstream.Msg, attempted <-chan struct{}) {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	for {
		select {
		case <-attempted:
			return
		case <-tick.C:
			_ = m.InProgress() // without it, it is delivered twice
		}
	}
}

// begin takes a place for an attempt, or says when to try again.
func (s *Sender) begin(d events.Delivery) (wait time.Duration, may bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.hooks[d.WebhookID]
	if b == nil {
		b = &busy{}
		s.hooks[d.WebhookID] = b
	}
	most := hookSending
	if b.failing {
		most = 1
	}
	total := 0
	for _, n := range s.accounts {
		total += n
	}
	each := max(1, min(accountSending, (maxSending-total)/4))
	if b.sending >= most || s.accounts[d.AccountID] >= each {
		b.parked++
		return min(max(parkedLeast, time.Duration(b.parked/most)*parkedLeast), parkedMost) + rand.N(parkedLeast), false
	}
	b.sending++
	s.accounts[d.AccountID]++
	return 0, true
}

func (s *Sender) end(d events.Delivery, failing bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.hooks[d.WebhookID]
	b.sending, b.failing = b.sending-1, failing
	if b.parked = 0; b.sending == 0 && !failing {
		delete(s.hooks, d.WebhookID)
	}
	if s.accounts[d.AccountID]--; s.accounts[d.AccountID] == 0 {
		delete(s.accounts, d.AccountID)
	}
}

// attempt sends a delivery, and keeps what became of it, or has it sent again later.
func (s *Sender) attempt(ctx context.Context, d events.Delivery, account projections.Account, w projections.Webhook) (failing bool, err error) {
	message, found, err := s.views.Message(ctx, account.ID, d.ConversationID, d.MessageID)
	if err != nil {
		return false, err
	}
	if !found {
		return false, s.drop(ctx, d, w, "what it is about is erased")
	}
	key, err := s.log.WebhookKey(ctx, false)
	if err != nil {
		return false, err
	}
	secrets, err := commands.WebhookSecrets(key, w, time.Now())
	if errors.Is(err, commands.ErrForeignSecret) {
		if err := s.disable(ctx, w, account, "it "+commands.ErrForeignSecret.Error()); err != nil {
			return false, err
		}
		return false, s.drop(ctx, d, w, "it "+commands.ErrForeignSecret.Error())
	}
	if err != nil {
		return false, err
	}
	body, err := events.Marshal(envelope{d.Event, d.HappenedAt, http.PresentMessage(message, account.BodyVersion)})
	if err != nil {
		return false, err
	}
	a := s.post.send(ctx, w.URL, d.ID, body, secrets)
	if ctx.Err() != nil {
		return false, ctx.Err() // the node stops, and another one sends it
	}
	return a.problem != "", s.became(ctx, d, account, w, a)
}

// became goes on from what a receiver answered.
func (s *Sender) became(ctx context.Context, d events.Delivery, account projections.Account, w projections.Webhook, a answer) error {
	o := outcome(d, w, a)
	s.measures.took.Observe(a.took.Seconds())
	if o.Result == events.Failed && !a.gone() && d.Attempt <= len(s.pauses) {
		next := d
		next.Attempt++
		pause := s.pauses[d.Attempt-1]
		pause += time.Duration((rand.Float64() - 0.5) / 5 * float64(pause))
		next.Due = o.At.Add(max(pause, a.after))
		err := s.log.Deliver(ctx, next)
		if err == nil {
			err = s.log.DeliveriesDurable()
		}
		switch {
		case err == nil:
			o.Result, o.Next = events.Retrying, &next.Due
		case !errors.Is(err, log.ErrFull):
			return err
		}
	}
	o, err := keep(ctx, s.log, o)
	if err != nil {
		return err
	}
	s.measures.deliveries.WithLabelValues(o.Result).Inc()
	switch {
	case a.gone():
		return s.disable(ctx, w, account, "the receiver answered 410, which says that it is gone")
	case o.Result == events.Failed && o.Failures >= maxFailures:
		return s.disable(ctx, w, account, "5 messages in a row could not be delivered; the last time "+a.problem)
	}
	return nil
}

// drop keeps that something is not sent.
func (s *Sender) drop(ctx context.Context, d events.Delivery, w projections.Webhook, why string) error {
	o := outcome(d, w, answer{problem: why})
	o.Result = events.Dropped
	s.measures.deliveries.WithLabelValues(events.Dropped).Inc()
	_, err := keep(ctx, s.log, o)
	return err
}

// disable disables a webhook, and says so once.
func (s *Sender) disable(ctx context.Context, w projections.Webhook, account projections.Account, why string) error {
	done, err := commands.Admin{Log: s.log, Views: s.views}.DisableFailing(ctx, account.ID, w.ID, w.Since, why)
	if done {
		s.measures.disabled.Inc()
		s.logger.Warn("a webhook is disabled", "account_id", account.ID, "webhook_id", w.ID, "reason", why)
	}
	return err
}

// Resend has something sent again that was sent to a webhook before, by its id. It fails with
// commands.ErrNone.
func Resend(ctx context.Context, l *log.Log, account uuid.UUID, w projections.Webhook, id uuid.UUID) (events.Delivery, error) {
	list, err := l.Outcomes(ctx, account, w.ID)
	if err != nil {
		return events.Delivery{}, err
	}
	for _, o := range list {
		if o.ID != id || o.Event == events.WebhookTest {
			continue
		}
		d := o.Delivery
		d.Attempt, d.Due, d.Resent = 1, time.Now().UTC().Truncate(time.Millisecond), true
		err := l.Deliver(ctx, d)
		if err == nil {
			err = l.DeliveriesDurable()
		}
		return d, err
	}
	return events.Delivery{}, commands.ErrNone
}

package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"reckon/events"
	"reckon/events/log"
)

// A server's views are reached from another process through the connection to its log: a request on
// a subject of its own, and as answers any number of parts of which the last one says that it is
// done. The one who asks is sent a ping each second, also while an order waits for another one, and
// answers it; a verification that nobody waits for ends, a rebuild goes on.

type controlRequest struct {
	Action      string   `json:"action"` // rebuild, verify, find, use, forget or state
	Projections []string `json:"projections,omitempty"`
	Find        *finding `json:"find,omitempty"`
	Use         *using   `json:"use,omitempty"`
	Sequence    uint64   `json:"sequence,omitempty"` // of the event up to which what is erased is to be forgotten
}

// using is what an account has used, which is asked for.
type using struct {
	Account uuid.UUID `json:"account"`
	Since   time.Time `json:"since"`
}

// finding is a page of a search that is asked for.
type finding struct {
	Account uuid.UUID  `json:"account"`
	Search  Search     `json:"search"`
	Limit   int        `json:"limit"`
	After   *uuid.UUID `json:"after,omitempty"`
}

// controlReply is a part of an answer, or a ping when nothing is set.
type controlReply struct {
	Progress     *Progress     `json:"progress,omitempty"`
	Difference   *Difference   `json:"difference,omitempty"`
	Verification *Verification `json:"verification,omitempty"`
	Conversation *Conversation `json:"conversation,omitempty"`
	Next         *uuid.UUID    `json:"next,omitempty"` // of a search
	Day          *DayUsed      `json:"day,omitempty"`
	Used         *AccountUsed  `json:"used,omitempty"` // without its days
	State        *State        `json:"state,omitempty"`
	Done         bool          `json:"done,omitempty"`
	Error        string        `json:"error,omitempty"` // of what is done
}

// maxListed is how many differences are told one by one.
const maxListed = 10_000

// pingEvery is how often it is looked whether the one who asked still waits.
const pingEvery = time.Second

// controlSubject is where the views that a log leads to take orders.
func controlSubject(log *log.Log) string { return "reckon.views." + log.ViewsID() }

// listen takes orders from other processes until ctx ends.
func (v *Views) listen(ctx context.Context) error {
	conn := v.log.JetStream().Conn()
	subscription, err := conn.Subscribe(controlSubject(v.log), func(m *nats.Msg) {
		if ctx.Err() == nil && m.Reply != "" {
			v.tasks.Go(func() { v.serve(ctx, conn, m) })
		}
	})
	if err != nil {
		return fmt.Errorf("take orders for the views: %w", err)
	}
	v.tasks.Go(func() {
		<-ctx.Done()
		_ = subscription.Unsubscribe() // the connection may be gone
	})
	return nil
}

func (v *Views) serve(ctx context.Context, conn *nats.Conn, m *nats.Msg) {
	send := func(p controlReply) {
		if text, err := events.Marshal(p); err == nil {
			_ = conn.Publish(m.Reply, text) // whether anybody hears it, pings tell
		}
	}
	done := func(err error) {
		p := controlReply{Done: true}
		if err != nil {
			p.Error = err.Error()
		}
		send(p)
	}
	var o controlRequest
	if err := events.Unmarshal(m.Data, &o); err != nil {
		done(errors.New("the order is not understood"))
		return
	}
	tell := func(p Progress) { send(controlReply{Progress: &p}) }
	waited, stop := context.WithCancel(ctx)
	defer stop()
	go keepAlive(waited, conn, m.Reply, stop)
	switch o.Action {
	case "rebuild":
		done(v.Rebuild(ctx, o.Projections, tell))
	case "verify":
		listed := 0
		result, err := v.Verify(waited, tell, func(d Difference) {
			if listed++; listed <= maxListed {
				send(controlReply{Difference: &d})
			}
		})
		send(controlReply{Verification: &result})
		done(err)
	case "find":
		var page Page
		err := errors.New("the order is not understood")
		if f := o.Find; f != nil {
			if err = v.Fresh(waited); err == nil {
				page, err = v.Find(waited, f.Account, f.Search, f.Limit, f.After)
			}
		}
		for i := range page.Conversations {
			send(controlReply{Conversation: &page.Conversations[i]})
		}
		if page.Next != nil {
			send(controlReply{Next: page.Next})
		}
		done(err)
	case "use":
		var used AccountUsed
		err := errors.New("the order is not understood")
		if u := o.Use; u != nil {
			if err = v.Fresh(waited); err == nil {
				used, err = v.AccountUsed(waited, u.Account, u.Since)
			}
		}
		for i := range used.Days {
			send(controlReply{Day: &used.Days[i]})
		}
		used.Days = nil
		send(controlReply{Used: &used})
		done(err)
	case "state":
		state := v.State()
		send(controlReply{State: &state})
		done(nil)
	case "forget":
		done(v.Forgotten(waited, o.Sequence))
	default:
		done(errors.New("the order is not understood"))
	}
}

// keepAlive calls stop when nobody waits at a subject any more.
func keepAlive(ctx context.Context, conn *nats.Conn, subject string, stop func()) {
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ping.C:
		}
		limited, cancel := context.WithTimeout(ctx, 10*pingEvery)
		_, err := conn.RequestWithContext(limited, subject, []byte("{}"))
		cancel()
		if err != nil {
			stop()
			return
		}
	}
}

// Remote is the views of the server that a log was joined through.
type Remote struct {
	conn    *nats.Conn
	subject string
}

// RemoteOf reaches the views of the server of a log that is not Local.
func RemoteOf(log *log.Log) Remote { return Remote{log.JetStream().Conn(), controlSubject(log)} }

// Rebuild is Views.Rebuild. When ctx ends the rebuild goes on in the server.
func (r Remote) Rebuild(ctx context.Context, names []string, tell func(Progress)) error {
	return r.ask(ctx, controlRequest{Action: "rebuild", Projections: names}, func(p controlReply) {
		if p.Progress != nil && tell != nil {
			tell(*p.Progress)
		}
	})
}

// Verify is Views.Verify, of which at most 10,000 differences are reported.
func (r Remote) Verify(ctx context.Context, tell func(Progress), report func(Difference)) (Verification, error) {
	var result Verification
	err := r.ask(ctx, controlRequest{Action: "verify"}, func(p controlReply) {
		switch {
		case p.Progress != nil && tell != nil:
			tell(*p.Progress)
		case p.Difference != nil:
			report(*p.Difference)
		case p.Verification != nil:
			result = *p.Verification
		}
	})
	return result, err
}

// Find is Views.Find of all there was when it was called.
func (r Remote) Find(ctx context.Context, account uuid.UUID, search Search, limit int, after *uuid.UUID) (Page, error) {
	page := Page{Conversations: []Conversation{}}
	err := r.ask(ctx, controlRequest{Action: "find", Find: &finding{account, search, limit, after}}, func(p controlReply) {
		switch {
		case p.Conversation != nil:
			page.Conversations = append(page.Conversations, *p.Conversation)
		case p.Next != nil:
			page.Next = p.Next
		}
	})
	return page, err
}

// AccountUsed is Views.AccountUsed with all there was when it was called.
func (r Remote) AccountUsed(ctx context.Context, account uuid.UUID, since time.Time) (AccountUsed, error) {
	var used AccountUsed
	days := []DayUsed{}
	err := r.ask(ctx, controlRequest{Action: "use", Use: &using{account, since}}, func(p controlReply) {
		switch {
		case p.Day != nil:
			days = append(days, *p.Day)
		case p.Used != nil:
			used = *p.Used
		}
	})
	used.Days = days
	return used, err
}

// Forgotten is Views.Forgotten. When ctx ends the server goes on.
func (r Remote) Forgotten(ctx context.Context, sequence uint64) error {
	return r.ask(ctx, controlRequest{Action: "forget", Sequence: sequence}, func(controlReply) {})
}

// ask gives an order and hands on the parts of its answer. A server that has just started is asked
// again until its views are open, for 10 s at most.
func (r Remote) ask(ctx context.Context, o controlRequest, hear func(controlReply)) error {
	text, err := events.Marshal(o)
	if err != nil {
		return err
	}
	inbox := r.conn.NewInbox()
	answers, err := r.conn.SubscribeSync(inbox)
	if err == nil {
		defer answers.Unsubscribe()
		err = r.conn.PublishRequest(r.subject, inbox, text)
	}
	if err != nil {
		return fmt.Errorf("ask the running server: %w", err)
	}
	patience := time.Now().Add(10 * time.Second)
	for {
		limited, cancel := context.WithTimeout(ctx, time.Minute)
		m, err := answers.NextMsgWithContext(limited)
		cancel()
		if errors.Is(err, nats.ErrNoResponders) && time.Now().Before(patience) {
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
			if err = r.conn.PublishRequest(r.subject, inbox, text); err == nil && ctx.Err() == nil {
				continue
			}
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, nats.ErrConnectionClosed):
			return errors.New("the running server has ended meanwhile: give the command again")
		case err != nil:
			return fmt.Errorf("ask the running server: %w", err)
		}
		if m.Reply != "" {
			_ = m.Respond(nil) // a ping that is lost is asked again
			continue
		}
		var p controlReply
		if err := events.Unmarshal(m.Data, &p); err != nil {
			return fmt.Errorf("read the answer of the running server: %w", err)
		}
		if p.Done {
			if p.Error != "" {
				return errors.New(p.Error)
			}
			return nil
		}
		hear(p)
	}
}

package log

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
)

const (
	// fewPicks is how many requests are under way at first, and manyPicks as long as no event is
	// larger than that many of them make pickWindow bytes: the server ends a connection on which
	// more than 64 MiB are waiting.
	fewPicks, manyPicks = 8, 64
	pickWindow          = 16 << 20
	// pickRun is how many events one request is answered with, when they stand side by side.
	pickRun = 256
	// pickBytes is how many bytes one request is answered with; what is left of a run is read from
	// the leader.
	pickBytes = 4 << 20
	// pickPatience is how long an answer may take before the event is read from the leader.
	pickPatience = time.Second
)

// AtAll reads the events with these sequences, in that order, beside what else goes on in the log.
// The blocks or any replica may answer, since an event never changes; what they do not have, or do
// not answer in time, is read from the stream's leader. It fails with ErrNotFound when the log does
// not have one of them.
func (l *Log) AtAll(ctx context.Context, sequences []uint64) ([]events.Event, error) {
	if list, ok, err := l.backing.pick(ctx, sequences); ok {
		return list, err
	}
	return l.fromServer(ctx, sequences)
}

// fromServer is AtAll where the server is asked.
func (l *Log) fromServer(ctx context.Context, sequences []uint64) ([]events.Event, error) {
	p := picking{list: make([]events.Event, len(sequences)), wanted: sequences}
	conn := l.reads
	if conn == nil {
		conn = l.conn
	}
	read := p.read
	if len(sequences) <= fewPicks {
		read = p.readFew
	}
	if err := read(ctx, conn); err != nil {
		return nil, err
	}
	for i, e := range p.list {
		if e.Sequence != 0 {
			continue
		}
		var err error
		if p.list[i], err = l.At(ctx, sequences[i]); err != nil {
			return nil, err
		}
	}
	return p.list, nil
}

// picking is a reading of some events.
type picking struct {
	wanted []uint64
	list   []events.Event // in the places of what is wanted; those without a sequence are not read
	asked  int            // how many of the wanted ones are asked for

	open, largest int // requests under way, and bytes of the largest answer
}

// readFew is read for so few events that they are asked for at once, without a subscription of
// their own.
func (p *picking) readFew(ctx context.Context, conn *nats.Conn) error {
	limited, cancel := context.WithTimeout(ctx, pickPatience)
	defer cancel()
	errs := make([]error, len(p.wanted))
	one := func(i int) {
		m, err := conn.RequestWithContext(limited, directGet, []byte(`{"seq":`+strconv.FormatUint(p.wanted[i], 10)+`}`))
		if err != nil || m.Header.Get("Status") != "" || m.Header.Get(jetstream.SequenceHeader) != strconv.FormatUint(p.wanted[i], 10) {
			return // the leader is asked, and what it says counts
		}
		e, err := decode(m.Header.Get(jetstream.SubjectHeader), p.wanted[i], m, false)
		if errs[i] = err; err == nil {
			p.list[i] = e
		}
	}
	var all sync.WaitGroup
	for i := range p.wanted {
		if i == len(p.wanted)-1 {
			one(i)
		} else {
			all.Go(func() { one(i) })
		}
	}
	all.Wait()
	return errors.Join(append(errs, ctx.Err())...)
}

// read asks for all events and takes the answers in. What is not answered is left out. It fails
// when an event cannot be decoded or ctx ends.
func (p *picking) read(ctx context.Context, conn *nats.Conn) error {
	inbox := conn.NewInbox() + "."
	answers, err := conn.SubscribeSync(inbox + "*")
	if err != nil {
		return nil // the leader is asked, and what it says counts
	}
	defer answers.Unsubscribe()
	if err := answers.SetPendingLimits(-1, -1); err != nil {
		return nil
	}
	for {
		for p.open < p.window() && p.asked < len(p.wanted) {
			if p.ask(conn, inbox) != nil {
				return nil
			}
			p.open++
		}
		if p.open == 0 {
			return nil
		}
		limited, cancel := context.WithTimeout(ctx, pickPatience)
		m, err := answers.NextMsgWithContext(limited)
		cancel()
		if err != nil {
			return ctx.Err()
		}
		ended, err := p.take(m, strings.TrimPrefix(m.Subject, inbox))
		if err != nil {
			return err
		}
		if ended {
			p.open--
		}
	}
}

// directGet is where replicas of EVENTS answer.
const directGet = "$JS.API.DIRECT.GET." + eventsStream

// window is how many requests may be under way.
func (p *picking) window() int {
	if p.largest == 0 {
		return fewPicks
	}
	return min(max(pickWindow/p.largest, fewPicks), manyPicks)
}

// ask asks for the next event, or for all that stand side by side from that on. The subject of the
// answers says how many, by the places of the first and of the one behind the last.
func (p *picking) ask(conn *nats.Conn, inbox string) error {
	first := p.asked
	p.asked++
	for p.asked < len(p.wanted) && p.asked-first < pickRun && p.wanted[p.asked] == p.wanted[p.asked-1]+1 {
		p.asked++
	}
	request := fmt.Sprintf(`{"seq":%d}`, p.wanted[first])
	if p.asked-first > 1 {
		request = fmt.Sprintf(`{"seq":%d,"batch":%d,"max_bytes":%d}`, p.wanted[first], p.asked-first, pickBytes)
	}
	return conn.PublishRequest(directGet, fmt.Sprintf("%s%d-%d", inbox, first, p.asked), []byte(request))
}

// take takes an answer to the request for the events of some places in, and tells whether it is the
// last one.
func (p *picking) take(m *nats.Msg, places string) (ended bool, err error) {
	from, to, _ := strings.Cut(places, "-")
	first, firstErr := strconv.Atoi(from)
	end, endErr := strconv.Atoi(to)
	if firstErr != nil || endErr != nil {
		return false, nil
	}
	p.largest = max(p.largest, len(m.Data))
	single := end-first == 1
	if m.Header.Get("Status") != "" {
		return true, nil
	}
	sequence, err := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
	if err != nil || sequence < p.wanted[first] || sequence > p.wanted[end-1] {
		return single, nil
	}
	e, err := decode(m.Header.Get(jetstream.SubjectHeader), sequence, m, false)
	if err != nil {
		return false, err
	}
	p.list[first+int(sequence-p.wanted[first])] = e
	return single, nil
}

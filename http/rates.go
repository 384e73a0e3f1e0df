package http

import (
	"fmt"
	"math"
	nethttp "net/http"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/time/rate"

	"reckon/projections"
)

// rates are how fast the accounts with limits may still ask on this node. It may be used from
// several goroutines.
type rates struct {
	mutex    sync.Mutex
	accounts map[uuid.UUID]*accountRates
}

// accountRates are token buckets that hold what is allowed in a second. One without a limit is nil.
type accountRates struct {
	limits                     projections.Limits
	nodes                      int
	calculations, reads, prose *rate.Limiter
}

// bucketOf is a bucket for this node's share of a limit.
func bucketOf(perSecond, nodes int) *rate.Limiter {
	if perSecond == 0 {
		return nil
	}
	share := float64(perSecond) / float64(nodes)
	return rate.NewLimiter(rate.Limit(share), int(math.Ceil(share)))
}

// of are the rates of an account, nil for one without limits. Of a limit each node allows an equal
// share. Other limits, and other shares, begin with full buckets.
func (r *rates) of(a projections.Account, nodes func() int) *accountRates {
	limits := a.Allowed()
	if limits == (projections.Limits{}) {
		return nil
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	known, n := r.accounts[a.ID], nodes()
	if known == nil || known.limits != limits || known.nodes != n {
		known = &accountRates{limits, n, bucketOf(limits.Calculations, n), bucketOf(limits.Reads, n), bucketOf(limits.Prose, n)}
		if r.accounts == nil {
			r.accounts = map[uuid.UUID]*accountRates{}
		}
		r.accounts[a.ID] = known
	}
	return known
}

// allow takes a request out of what an account may still ask, and says in the answer's header what
// is left.
func (s *Server) allow(x *Exchange) error {
	r := s.rates.of(x.account, s.service.Nodes)
	switch {
	case r == nil:
		return nil
	case x.r.Method != nethttp.MethodPost:
		return x.take("reads", r.reads)
	}
	if err := x.take("calculations", r.calculations); err != nil {
		return err
	}
	return s.allowMonth(x)
}

// allowMonth takes a calculation out of what an account may still use in this month, of what all
// nodes have answered. What is under way does not count yet.
func (s *Server) allowMonth(x *Exchange) error {
	l := x.account.Allowed()
	if l.MonthMessages == 0 && l.MonthBytes == 0 {
		return nil
	}
	if err := s.views.Fresh(x.r.Context()); err != nil {
		return err
	}
	now := time.Now().UTC()
	begin := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	end := begin.AddDate(0, 1, 0)
	used := s.views.Used(x.account.ID, now)
	for _, q := range []struct {
		name, unit  string
		limit, used int
	}{
		{"month-messages", "", l.MonthMessages, used.Messages},
		{"month-bytes", `;qu="content-bytes"`, l.MonthBytes, used.Bytes},
	} {
		if q.limit == 0 {
			continue
		}
		wait := int(end.Sub(now)/time.Second) + 1
		x.w.Header().Add("RateLimit-Policy", fmt.Sprintf("%q;q=%d%s;w=%d", q.name, q.limit, q.unit, end.Sub(begin)/time.Second))
		x.w.Header().Add("RateLimit", fmt.Sprintf("%q;r=%d;t=%d", q.name, max(0, q.limit-q.used), wait))
		if q.used >= q.limit {
			s.measures.limited.WithLabelValues(q.name).Inc()
			return tooFast("The account", q.name, "month", wait)
		}
	}
	return nil
}

// Calculates has a request of a Face count as a calculation for an account, or as a read where it
// is a GET, within the account's limits. prose is for commands.Request.AllowProse.
func (x *Exchange) Calculates(account projections.Account) (prose func() error, err error) {
	x.account = account
	return func() error { return x.server.allowProse(x) }, x.server.allow(x)
}

// allowProse is allow for what turns out to be natural language.
func (s *Server) allowProse(x *Exchange) error {
	if r := s.rates.of(x.account, s.service.Nodes); r != nil {
		return x.take("prose", r.prose)
	}
	return nil
}

// take takes one token from a bucket, which is named by what it allows, and writes the fields of
// draft-ietf-httpapi-ratelimit-headers-10: what is allowed in which time, and what is left of it.
func (x *Exchange) take(name string, bucket *rate.Limiter) error {
	if bucket == nil {
		return nil
	}
	return x.takeOf("The account", name, bucket)
}

func (x *Exchange) takeOf(who, name string, bucket *rate.Limiter) error {
	now := time.Now()
	allowed := bucket.AllowN(now, 1)
	tokens := bucket.TokensAt(now)
	x.w.Header().Add("RateLimit-Policy", fmt.Sprintf("%q;q=%d;w=1", name, bucket.Burst()))
	x.w.Header().Add("RateLimit", fmt.Sprintf("%q;r=%d;t=1", name, max(0, int(tokens))))
	if allowed {
		return nil
	}
	x.server.measures.limited.WithLabelValues(name).Inc()
	return tooFast(who, name, "second", max(1, int(math.Ceil((1-tokens)/float64(bucket.Limit())))))
}

// tooFast says who used too much of what in which time, and after how many seconds there is some
// again.
func tooFast(who, name, time string, wait int) *failure {
	return &failure{
		nethttp.StatusTooManyRequests, "error_rate_limited",
		who + " has used all (" + name + ") that it may in a " + time + ". Send the request again later, as Retry-After says.",
		map[string]string{"Retry-After": strconv.Itoa(wait)},
	}
}

// Pace is how fast each of several callers may ask, all of them equally. It may be used from
// several goroutines.
type Pace struct {
	who, name string // as answers call a caller, and what is asked for
	perSecond int
	nodes     func() int

	mutex   sync.Mutex
	shared  int // by how many nodes the buckets are shared
	callers map[uuid.UUID]*rate.Limiter
}

// NewPace lets each caller ask so many times in a second, of which each of so many nodes allows an
// equal share. Other shares begin with full buckets.
func NewPace(who, name string, perSecond int, nodes func() int) *Pace {
	return &Pace{who: who, name: name, perSecond: perSecond, nodes: nodes, callers: map[uuid.UUID]*rate.Limiter{}}
}

// mostPaced is how many callers are known before those are forgotten who have not asked lately.
const mostPaced = 10_000

// Take takes a request out of what a caller may still ask, and says in the answer's header what is
// left. It fails with the answer 429.
func (p *Pace) Take(x *Exchange, caller uuid.UUID) error {
	return x.takeOf(p.who, p.name, p.of(caller, time.Now()))
}

func (p *Pace) of(caller uuid.UUID, now time.Time) *rate.Limiter {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if n := p.nodes(); n != p.shared {
		p.shared = n
		clear(p.callers)
	}
	bucket := p.callers[caller]
	if bucket != nil {
		return bucket
	}
	if len(p.callers) >= mostPaced {
		for other, b := range p.callers {
			if b.TokensAt(now) >= float64(b.Burst()) {
				delete(p.callers, other)
			}
		}
	}
	bucket = bucketOf(p.perSecond, p.shared)
	p.callers[caller] = bucket
	return bucket
}

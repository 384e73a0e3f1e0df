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
	if a.Limits == (projections.Limits{}) {
		return nil
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	known, n := r.accounts[a.ID], nodes()
	if known == nil || known.limits != a.Limits || known.nodes != n {
		known = &accountRates{a.Limits, n, bucketOf(a.Limits.Calculations, n), bucketOf(a.Limits.Reads, n), bucketOf(a.Limits.Prose, n)}
		if r.accounts == nil {
			r.accounts = map[uuid.UUID]*accountRates{}
		}
		r.accounts[a.ID] = known
	}
	return known
}

// allow takes a request out of what an account may still ask, and says in the answer's header what
// is left.
func (s *Server) allow(x *exchange) error {
	r := s.rates.of(x.account, s.service.Nodes)
	switch {
	case r == nil:
		return nil
	case x.r.Method != nethttp.MethodPost:
		return x.take("reads", r.reads)
	}
	return x.take("calculations", r.calculations)
}

// allowProse is allow for what turns out to be natural language.
func (s *Server) allowProse(x *exchange) error {
	if r := s.rates.of(x.account, s.service.Nodes); r != nil {
		return x.take("prose", r.prose)
	}
	return nil
}

// take takes one token from a bucket, which is named by what it allows, and writes the fields of
// draft-ietf-httpapi-ratelimit-headers-10: what is allowed in which time, and what is left of it.
func (x *exchange) take(name string, bucket *rate.Limiter) error {
	if bucket == nil {
		return nil
	}
	now := time.Now()
	allowed := bucket.AllowN(now, 1)
	tokens := bucket.TokensAt(now)
	x.w.Header().Add("RateLimit-Policy", fmt.Sprintf("%q;q=%d;w=1", name, bucket.Burst()))
	x.w.Header().Add("RateLimit", fmt.Sprintf("%q;r=%d;t=1", name, max(0, int(tokens))))
	if allowed {
		return nil
	}
	return tooFast(name, max(1, int(math.Ceil((1-tokens)/float64(bucket.Limit())))))
}

// tooFast says which kind of requests was too much, and after how many seconds one may come.
func tooFast(name string, wait int) *failure {
	return &failure{
		nethttp.StatusTooManyRequests, "error_rate_limited",
		"The account has made as many requests (" + name + ") as it may in a second. Send the request again later.",
		map[string]string{"Retry-After": strconv.Itoa(wait)},
	}
}

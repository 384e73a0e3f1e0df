package main

import (
	"encoding/json"
	"fmt"
	nethttp "net/http"
	"slices"
	"strings"
	"time"
)

// record is what callers saw of a cluster.
type record struct {
	ledger
	lists    []listed
	uses     []keyUse
	waits    []wait
	failures []string // requests that nobody answered in time, and answers that no caller should get
}

// listed is the first page of an account's conversations, as a node showed it.
type listed struct {
	began, ended int
	account      string
	shown        []string // the most recently active first
	whole        bool     // there is no other page
}

// keyUse is a use of a key that was revoked.
type keyUse struct {
	key, node string
	after     time.Duration // from the acknowledgement of the revocation to the beginning of the request
	status    int
}

// wait is how long a caller waited for an answer, all tries together.
type wait struct {
	what        string
	from, until time.Time
	tries       []string // what became of each, and how long it took
}

func (r *record) fail(format string, args ...any) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

// impatient callers go to another node when one does not answer.
var impatient = nethttp.Client{Timeout: 4 * time.Second, Transport: &nethttp.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Second}}

// persist asks node after node, from one on, until an answer is neither a 503 nor lost, for as long as a caller is patient.
// It returns the last status, and the node that answered.
func (c *cluster) persist(what string, from int, try func(n *node) (status int, err error)) (status int, by int) {
	w := wait{what: what, from: time.Now()}
	var last error
	for {
		by = from % len(c.nodes)
		began := time.Now()
		status, last = try(c.nodes[by])
		w.until = time.Now()
		w.tries = append(w.tries, fmt.Sprintf("%s %d %.1fs", c.nodes[by].name, status, w.until.Sub(began).Seconds()))
		if last == nil && status != nethttp.StatusServiceUnavailable {
			break
		}
		if w.until.Sub(w.from) > patienceCaller {
			c.fail("%s is not answered in %d tries, at last with status %d: %v", what, len(w.tries), status, last)
			return 0, by
		}
		if len(w.tries)%len(c.nodes) == 0 {
			<-time.After(100 * time.Millisecond) // a caller's manners
		}
		from++
	}
	if status != nethttp.StatusOK {
		c.fail("%s is answered %d", what, status)
	}
	c.mutex.Lock()
	c.waits = append(c.waits, w)
	c.mutex.Unlock()
	return status, by
}

// calculate posts until it is answered. ok is false when it is not.
func (c *cluster) calculate(who tenant, from int, key, conversation, prompt string) (p post, by int, ok bool) {
	status, by := c.persist("key "+key, from, func(n *node) (status int, err error) {
		p, status, err = c.post(&impatient, n.url, who, key, conversation, prompt)
		return status, err
	})
	return p, by, status == nethttp.StatusOK
}

// look reads a conversation until it is shown.
func (c *cluster) look(who tenant, from int, conversation string) {
	c.persist("conversation "+conversation, from, func(n *node) (int, error) {
		return c.read(&impatient, n.url, who, conversation)
	})
}

// list reads the first page of an account's conversations until it is shown.
func (c *cluster) list(who tenant, from int) {
	c.persist("the list of "+who.account, from, func(n *node) (int, error) {
		l := listed{began: c.moment(), account: who.account}
		a, err := request(&impatient, "GET", n.url+"/v1/conversations?limit=100", who.secret, "", nil)
		if err != nil || a.status != nethttp.StatusOK {
			return a.status, err
		}
		l.ended = c.moment()
		var page struct {
			Conversations []struct{ ID string }
			Next          *string `json:"next_cursor"`
		}
		if err := json.Unmarshal(a.body, &page); err != nil {
			return a.status, err
		}
		for _, one := range page.Conversations {
			l.shown = append(l.shown, one.ID)
		}
		l.whole = page.Next == nil
		c.mutex.Lock()
		defer c.mutex.Unlock()
		c.lists = append(c.lists, l)
		return a.status, nil
	})
}

// longest is the longest wait of callers from a moment on, of those that waited already what came after it.
func (c *cluster) longest(from time.Time) (longest wait) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, w := range c.waits {
		if w.from.Before(from) {
			w.from = from
		}
		if w.length() > longest.length() {
			longest = w
		}
	}
	return longest
}

func (w wait) length() time.Duration { return w.until.Sub(w.from) }

// String tells a wait with what became of its first and last tries.
func (w wait) String() string {
	tries := w.tries
	if len(tries) > 8 {
		tries = slices.Concat(tries[:4], []string{"…"}, tries[len(tries)-3:])
	}
	return fmt.Sprintf("%.2f s for %s: %d tries: %s", w.length().Seconds(), w.what, len(w.tries), strings.Join(tries, ", "))
}

// typical is the median wait of callers that were answered from a moment on.
func (c *cluster) typical(from time.Time) time.Duration {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var all []time.Duration
	for _, w := range c.waits {
		if w.until.After(from) {
			all = append(all, w.length())
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2].Round(100 * time.Microsecond)
}

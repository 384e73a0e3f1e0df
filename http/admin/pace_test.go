package admin

import (
	nethttp "net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"reckon/http"
)

// Whoever asks too often is told when to go on, and does not stand in the way of others.
func TestPace(t *testing.T) {
	w := newWorld(t)
	const most = 3 // so that the slowest machine is fast enough to be refused
	alone := func() int { return 1 }
	w.server.users, w.server.strangers = http.NewPace("The user", "requests", most, alone), http.NewPace("This address", "requests without a token", most, alone)
	for _, c := range []struct {
		who, others string
		policy      string
		first       int
	}{
		{"nobody", "member", `"requests without a token";q=3;w=1`, nethttp.StatusUnauthorized},
		{"wrong", "member", `"requests without a token";q=3;w=1`, nethttp.StatusUnauthorized},
		{"owner", "member", `"requests";q=3;w=1`, nethttp.StatusOK},
	} {
		w.tokens["wrong"] = "reckon_token_0000"
		answers := make(chan got)
		for range 10 * most {
			go func() { answers <- w.as(c.who, "GET", "tokens", "") }()
		}
		refused := 0
		for range 10 * most {
			g := <-answers
			if g.header.Get("RateLimit-Policy") != c.policy || !strings.Contains(g.header.Get("RateLimit"), ";r=") {
				t.Fatalf("%s: %d %v", c.who, g.status, g.header)
			}
			switch g.status {
			case c.first:
			case nethttp.StatusTooManyRequests:
				refused++
				if wait, err := strconv.Atoi(g.header.Get("Retry-After")); err != nil || wait < 1 || g.code() != "error_rate_limited" {
					t.Errorf("%s: %v %s", c.who, g.header, g.body)
				}
			default:
				t.Errorf("%s: %d %s", c.who, g.status, g.body)
			}
		}
		if refused == 0 {
			t.Errorf("%s is never refused", c.who)
		}
		if g := w.as(c.others, "GET", "tokens", ""); g.status != nethttp.StatusOK {
			t.Errorf("beside %s: %d %s", c.who, g.status, g.body)
		}
	}
}

// Of what a user may ask each node of a cluster answers its share, by how many nodes there are then.
func TestPaceIsShared(t *testing.T) {
	w := newWorld(t)
	var nodes atomic.Int32
	w.server.users = http.NewPace("The user", "requests", 90, func() int { return int(nodes.Load()) })
	for _, c := range []struct {
		nodes  int32
		policy string
	}{
		{1, `"requests";q=90;w=1`}, {3, `"requests";q=30;w=1`}, {4, `"requests";q=23;w=1`}, {1, `"requests";q=90;w=1`},
	} {
		nodes.Store(c.nodes)
		if g := w.as("owner", "GET", "tokens", ""); g.header.Get("RateLimit-Policy") != c.policy {
			t.Errorf("one of %d nodes says %q", c.nodes, g.header.Get("RateLimit-Policy"))
		}
	}
}

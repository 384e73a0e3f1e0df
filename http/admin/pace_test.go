package admin

import (
	nethttp "net/http"
	"strconv"
	"strings"
	"testing"

	"reckon/http"
)

// Whoever asks too often is told when to go on, and does not stand in the way of others.
func TestPace(t *testing.T) {
	w := newWorld(t)
	const most = 3 // so that the slowest machine is fast enough to be refused
	w.server.users, w.server.strangers = http.NewPace("The user", "requests", most), http.NewPace("This address", "requests without a token", most)
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

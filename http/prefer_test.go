package http

import (
	"fmt"
	nethttp "net/http"
	"testing"
	"time"
)

func TestPreferredWait(t *testing.T) {
	for _, c := range []struct {
		values []string
		want   int // seconds, 0 for what is waited without a preference, -1 for not at all
	}{
		{nil, 0},
		{[]string{"wait=10"}, 10},
		{[]string{"wait=1"}, 1},
		{[]string{"wait=30"}, 30},
		{[]string{"wait=31"}, 30},
		{[]string{"wait=99999999999999999999999"}, 30},
		{[]string{"wait=010"}, 10},
		{[]string{`wait="10"`}, 10},
		{[]string{"Wait = 10"}, 10},
		{[]string{"respond-async, wait=10"}, 10},
		{[]string{"respond-async", "wait=10"}, 10},
		{[]string{"wait=10; strict", "handling=lenient"}, 10},
		{[]string{"wait=5, wait=20"}, 5},
		{[]string{`note="a, wait=3", wait=7`}, 7},
		{[]string{`note="a \", wait=3", wait=7`}, 7},
		{[]string{"", ",,", "wait=7"}, 7},
		{[]string{"wait"}, 0},
		{[]string{"wait="}, 0},
		{[]string{`wait=""`}, 0},
		{[]string{`wait="`}, 0},
		{[]string{"wait=0"}, 0},
		{[]string{"wait=00"}, 0},
		{[]string{"wait=-5"}, 0},
		{[]string{"wait=+5"}, 0},
		{[]string{"wait=1.5"}, 0},
		{[]string{"wait=5s"}, 0},
		{[]string{"wait=x, wait=5"}, 0},
		{[]string{"waiting=5"}, 0},
		{[]string{"return=minimal"}, 0},
		{[]string{"respond-async"}, -1},
		{[]string{"handling=lenient", "wait=x, Respond-Async; soon"}, -1},
		{[]string{"respond-asynchronously"}, 0},
	} {
		got, preference := preferredWait(nethttp.Header{"Prefer": c.values})
		want, applied := time.Duration(c.want)*time.Second, fmt.Sprintf("wait=%d", c.want)
		switch c.want {
		case 0:
			want, applied = proseWait, ""
		case -1:
			want, applied = 0, "respond-async"
		}
		if got != want || preference != applied {
			t.Errorf("%q: %s by %q, want %s by %q", c.values, got, preference, want, applied)
		}
	}
}

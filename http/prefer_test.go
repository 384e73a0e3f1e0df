package http

import (
	nethttp "net/http"
	"testing"
)

func TestPreferredWait(t *testing.T) {
	for _, c := range []struct {
		values []string
		want   int
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
	} {
		if got := preferredWait(nethttp.Header{"Prefer": c.values}); got != c.want {
			t.Errorf("%q: %d, want %d", c.values, got, c.want)
		}
	}
}

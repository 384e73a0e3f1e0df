package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the expected report anew")

// TestReport holds the report of fixed numbers against testdata/report.txt: each round of a work
// takes so many microseconds longer than the one before, and the second one is disturbed.
func TestReport(t *testing.T) {
	b := &bench{service: &service{base: &url.URL{}}, floor: &floor{}}
	r := newReport(Options{URL: "http://127.0.0.1:8080", Nodes: 1, Seconds: 1.5, Messages: 1000}, "1.2.3")
	r.Processors = 2
	for round := range rounds {
		r.appends = append(r.appends, float64(100+round))
		for i, w := range b.works() {
			for _, callers := range []int{1, 64} {
				if w.only != 0 && w.only != callers {
					continue
				}
				each := time.Duration(200+50*i+round) * time.Microsecond
				s := &sample{latencies: append(slices.Repeat([]time.Duration{each}, 2000), 20*each), perSecond: float64(callers) / each.Seconds()}
				if round == 1 {
					s.perSecond /= 10
				}
				if w.key == "json_fresh" && callers == 64 {
					s.refused = map[int]int{503: 2, 429: 1}
				}
				r.add(w, callers, s)
			}
		}
	}
	r.finish()
	r.Lag = &lagReport{From: "append", Callers: 64, PerSecond: 1234.4, Probes: 100, IdleP50: 300, P50: 1500, P99: 10_500}
	r.Fairness = []fairnessReport{{Load: "heavy calculations", Callers: 8, Alone: 2500, Beside: 5500, PerSecond: 12, Ratio: 2.2, Goal: 2}}
	r.judge()
	var got bytes.Buffer
	if err := r.Print(&got); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join("testdata", "report.txt")
	if *update {
		if err := os.WriteFile(name, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the report is\n%s", got.Bytes())
	}
}

func TestQuantiles(t *testing.T) {
	s := &sample{latencies: []time.Duration{5, 1, 4, 2, 3}}
	for part, want := range map[float64]time.Duration{0: 1, 0.2: 1, 0.21: 2, 0.5: 3, 0.99: 5, 1: 5} {
		if got := s.quantile(part); got != want {
			t.Errorf("quantile %v is %d, want %d", part, got, want)
		}
	}
	if got := new(sample).quantile(0.5); got != 0 {
		t.Errorf("the median of nothing is %d", got)
	}
}

// TestConnectionReadsAnswers sends two requests for each form of an answer, so that the second one
// finds what the first left.
func TestConnectionReadsAnswers(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		asked.Add(1)
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("Authorization") != "Bearer secret" || r.Method == "POST" && string(body) != `{"a":1}` {
			w.WriteHeader(nethttp.StatusTeapot)
			return
		}
		switch r.URL.Path {
		case "/base/length":
			_, _ = w.Write(bytes.Repeat([]byte("x"), 2000))
		case "/base/chunks":
			for range 3 {
				_, _ = w.Write([]byte("part"))
				w.(nethttp.Flusher).Flush()
			}
		case "/base/last":
			w.Header().Set("Connection", "close")
			_, _ = w.Write([]byte("bye"))
		case "/base/empty":
		default:
			nethttp.NotFound(w, r)
		}
	}))
	defer server.Close()
	base, err := url.Parse(server.URL + "/base")
	if err != nil {
		t.Fatal(err)
	}
	c, err := dial(t.Context(), base, time.Now().Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for path, want := range map[string]int{"/length": 200, "/chunks": 200, "/last": 200, "/empty": 200, "/other": 404} {
		for _, method := range []string{"GET", "POST"} {
			if status, err := c.do(t.Context(), written(base, method, path, "secret", []byte(`{"a":1}`)[:len(method)/4*7])); err != nil || status != want {
				t.Errorf("%s %s: status %d, %v", method, path, status, err)
			}
		}
	}
	if asked.Load() != 10 {
		t.Errorf("%d requests arrived", asked.Load())
	}
}

func TestConnectionRefusesWhatIsNoAnswer(t *testing.T) {
	for _, text := range []string{"", "SSH-2.0-x\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\nwithout a length", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"} {
		c := connection{in: bufio.NewReader(strings.NewReader(text))}
		if status, err := c.answer(); err == nil {
			t.Errorf("%q is an answer with status %d", text, status)
		}
	}
}

func TestLoadCountsWhatIsRefused(t *testing.T) {
	l := load{callers: 3, length: 20 * time.Millisecond}
	var begun, ended atomic.Int64
	s, err := l.run(t.Context(), func(_ context.Context, caller int) (step, func(), error) {
		begun.Add(1)
		return func(context.Context) error {
			if caller == 0 {
				return &refusal{503}
			}
			return nil
		}, func() { ended.Add(1) }, nil
	})
	if err != nil || s.refused[503] == 0 || len(s.latencies) < 2 {
		t.Errorf("%d refused, %d measured: %v", s.refused[503], len(s.latencies), err)
	}
	if begun.Load() != 3 || ended.Load() != 3 {
		t.Errorf("%d callers began and %d ended", begun.Load(), ended.Load())
	}
}

func TestLoadLeavesOutWhatPrepares(t *testing.T) {
	l := load{callers: 2, length: 20 * time.Millisecond}
	var steps atomic.Int64
	s, err := l.run(t.Context(), func(context.Context, int) (step, func(), error) {
		prepared := false
		return func(context.Context) error {
			steps.Add(1)
			if prepared = !prepared; prepared {
				return errUnmeasured
			}
			return nil
		}, func() {}, nil
	})
	if err != nil || len(s.latencies) < 2 || len(s.latencies) > int(steps.Load())/2 || len(s.refused) != 0 {
		t.Errorf("%d steps, %d measured, %v refused: %v", steps.Load(), len(s.latencies), s.refused, err)
	}
}

func TestLoadEndsWithTheFirstFailure(t *testing.T) {
	failure := errors.New("no more")
	for _, early := range []bool{true, false} {
		_, err := load{callers: 4, length: time.Hour}.run(t.Context(), func(_ context.Context, caller int) (step, func(), error) {
			if early && caller == 2 {
				return nil, nil, failure
			}
			return func(context.Context) error {
				if caller == 1 {
					return failure
				}
				return nil
			}, func() {}, nil
		})
		if !errors.Is(err, failure) {
			t.Errorf("the load ended with %v", err)
		}
	}
}

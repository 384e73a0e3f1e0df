package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	nethttp "net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestBenchMeasuresEverything runs the program with tiny numbers and looks at the shape of what it prints for programs.
func TestBenchMeasuresEverything(t *testing.T) {
	program, err := exec.LookPath("reckon")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "bench", "--json", "--callers", "1,64", "--seconds", "0.09", "--messages", "2", "--scratch", t.TempDir())
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var r benchReport
	d := json.NewDecoder(bytes.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if r.Server != "own" || r.Seconds != 0.09 || r.Messages != 2 || r.Lag.From != "append" || r.Lag.Probes == 0 || r.Fairness == nil {
		t.Errorf("the report is of something else: %+v", r)
	}
	var seen []string
	for _, row := range r.Rows {
		seen = append(seen, fmt.Sprintf("%d %s", row.Callers, row.Work))
		if len(row.Rounds) != rounds || row.Refused != nil {
			t.Errorf("%d %s: %d rounds, refused %v", row.Callers, row.Work, len(row.Rounds), row.Refused)
		}
		if row.P50 > row.P99 || row.P99 > row.P999 {
			t.Errorf("%d %s: latencies fall: %v, %v, %v", row.Callers, row.Work, row.P50, row.P99, row.P999)
		}
	}
	slices.Sort(seen)
	want := []string{"1 long_detail"}
	for _, work := range []string{"bucket", "context", "detail", "json_fresh", "json_long", "list", "log_publishes", "structured_fresh", "structured_long", "synced_publishes"} {
		want = append(want, "1 "+work, "64 "+work)
	}
	slices.Sort(want)
	if !slices.Equal(seen, want) {
		t.Errorf("the report has %q", seen)
	}
}

// TestBenchReport holds the report of fixed numbers against testdata/bench/report.txt: each round of a work takes so many
// microseconds longer than the one before, and the second one is disturbed.
func TestBenchReport(t *testing.T) {
	b := &bench{
		benchCommand: benchCommand{URL: "http://127.0.0.1:8080", Seconds: 1.5, Messages: 1000},
		service:      &service{base: &url.URL{}}, floor: &floor{}, used: time.Second, asked: 100_000,
	}
	works, err := b.works()
	if err != nil {
		t.Fatal(err)
	}
	r := newReport(b)
	r.Version, r.Processors = "1.2.3", 2
	for round := range rounds {
		r.appends = append(r.appends, time.Duration(100+round)*time.Microsecond)
		for i, w := range works {
			for _, callers := range []int{1, 64} {
				if w.only != 0 && w.only != callers {
					continue
				}
				s := &sample{}
				each := time.Duration(200+50*i+round) * time.Microsecond
				for range 2000 {
					s.latencies.record(each)
				}
				s.latencies.record(20 * each)
				s.perSecond = float64(callers) / each.Seconds()
				if round == 1 {
					s.perSecond /= 10
				}
				if w.key == "json_long" && callers == 64 {
					s.refused = map[int]int{503: 2, 429: 1}
				}
				r.add(w, callers, s)
			}
		}
	}
	r.finish()
	r.Lag = lagReport{From: "append", Callers: 64, PerSecond: 1234.4, Probes: 100, IdleP50: 300, P50: 1500, P99: 10_500, P999: 2e6}
	r.Fairness = &fairnessReport{Alone: 2500, Beside: 5500, Heavy: 12, Ratio: 2.2}
	r.judge()
	var got bytes.Buffer
	if err := r.print(terminal{out: &got}, false); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join("testdata", "bench", "report.txt")
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

func TestHistogramQuantiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Int64Range(0, math.MaxInt64), 1, 200).Draw(t, "nanoseconds")
		var one, other, h histogram
		for i, ns := range list {
			list[i] = ns >> rapid.IntRange(0, 62).Draw(t, "shift")
			if i%2 == 0 {
				one.record(time.Duration(list[i]))
			} else {
				other.record(time.Duration(list[i]))
			}
		}
		h.add(&one)
		h.add(&other)
		slices.Sort(list)
		for _, part := range []float64{0.01, 0.5, 0.99, 0.999, 1} {
			exact := list[max(int(math.Ceil(part*float64(len(list))))-1, 0)]
			got := int64(h.quantile(part))
			if got < exact || got-exact > exact/128 {
				t.Fatalf("quantile %v is %d, exactly %d", part, got, exact)
			}
		}
	})
	var none histogram
	if none.quantile(0.5) != 0 {
		t.Errorf("an empty histogram has the median %d", none.quantile(0.5))
	}
}

// TestConnectionReadsAnswers sends two requests for each form of an answer, so that the second one finds what the first left.
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
	if err != nil || s.refused[503] == 0 || s.steps < 3 || s.latencies.count > s.steps-uint64(s.refused[503]) {
		t.Errorf("%d refused, %d measured of %d: %v", s.refused[503], s.latencies.count, s.steps, err)
	}
	if begun.Load() != 3 || ended.Load() != 3 {
		t.Errorf("%d callers began and %d ended", begun.Load(), ended.Load())
	}
}

func TestLoadLeavesOutWhatPrepares(t *testing.T) {
	l := load{callers: 2, length: 20 * time.Millisecond}
	s, err := l.run(t.Context(), func(context.Context, int) (step, func(), error) {
		prepared := false
		return func(context.Context) error {
			if prepared = !prepared; prepared {
				return errUnmeasured
			}
			return nil
		}, func() {}, nil
	})
	if err != nil || s.latencies.count < 2 || s.latencies.count > s.steps/2 || len(s.refused) != 0 {
		t.Errorf("%d steps, %d measured, %v refused: %v", s.steps, s.latencies.count, s.refused, err)
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

// served is a server in this process, on a data directory of its own.
func served(b *testing.B) *service {
	b.Helper()
	ctx, stop := context.WithCancel(context.Background())
	data := filepath.Join(b.TempDir(), "data")
	out, in := io.Pipe()
	over := make(chan int, 1)
	go func() {
		over <- run(terminal{Context: ctx, in: nil, out: in, err: io.Discard}, []string{"serve", "--dev", "--data", data, "--listen", "127.0.0.1:0"})
		in.Close()
	}()
	b.Cleanup(func() {
		stop()
		if code := <-over; code != 0 {
			b.Errorf("the server ended with status %d", code)
		}
	})
	var output strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		fmt.Fprintln(&output, lines.Text())
		if strings.HasPrefix(lines.Text(), "curl ") {
			break
		}
	}
	m := regexp.MustCompile(`(?s)is ready on (\S+)\n.*  (\S+)  ` + benchTitle + `\n.*(reckon_live_\w+)\n`).FindStringSubmatch(output.String())
	if m == nil {
		b.Fatalf("the server did not start: %s", &output)
	}
	s, err := newService(b.Context(), m[1], m[3], m[2], benchPrompt)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// press has 64 callers send requests to a server in this process. In its profiles all that is below connection.do is the
// callers' part.
func press(b *testing.B, s *service, requests [][]byte) {
	b.Helper()
	b.ReportAllocs()
	b.SetParallelism(goalCallers / runtime.GOMAXPROCS(0))
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		do, end, err := s.caller(b.Context(), 0, time.Hour, requests)
		if err != nil {
			b.Error(err)
			return
		}
		defer end()
		for pb.Next() {
			if err := do(b.Context()); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}

// BenchmarkCalculate calculates in new conversations.
func BenchmarkCalculate(b *testing.B) {
	s := served(b)
	press(b, s, s.questions("structured", s.structured, nil))
}

// BenchmarkGet reads recent conversations.
func BenchmarkGet(b *testing.B) {
	s := served(b)
	ids, err := s.recent(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	var paths []string
	for _, id := range ids {
		paths = append(paths, "/v1/conversations/"+id)
	}
	press(b, s, s.gets(paths...))
}

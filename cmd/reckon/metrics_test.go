package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	nethttp "net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.yaml.in/yaml/v4"

	"reckon/commands"
	"reckon/events/log"
	"reckon/http"
	"reckon/http/metrics"
	"reckon/http/webhooks"
	"reckon/projections"
)

// written is what a program writes while others read it.
type written struct {
	mutex sync.Mutex
	text  bytes.Buffer
	more  chan struct{} // closed when something is written; nil while nobody waits
}

func (w *written) Write(text []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.more != nil {
		close(w.more)
		w.more = nil
	}
	return w.text.Write(text)
}

func (w *written) String() string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.text.String()
}

// awaits waits until what is written has a form, and returns its first group.
func (w *written) awaits(t *testing.T, form string) string {
	t.Helper()
	late := time.After(30 * time.Second)
	for {
		w.mutex.Lock()
		if w.more == nil {
			w.more = make(chan struct{})
		}
		more := w.more
		w.mutex.Unlock()
		if m := regexp.MustCompile(form).FindStringSubmatch(w.String()); m != nil {
			return m[1]
		}
		select {
		case <-more:
		case <-late:
			t.Fatalf("there is no %s in: %s", form, w)
		}
	}
}

// serving runs a server on a directory until the test ends, and returns what it writes.
func serving(t *testing.T, dir string, flags ...string) (out, errs *written) {
	t.Helper()
	out, errs = &written{}, &written{}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() {
		ended <- run(terminal{Context: ctx, in: &bytes.Buffer{}, out: out, err: errs}, append([]string{"serve", "--data", dir, "--listen", "127.0.0.1:0"}, flags...))
	}()
	t.Cleanup(func() {
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("the server ended with status %d: %s", code, errs)
		}
	})
	return out, errs
}

func fetchText(t *testing.T, url string) (status int, text string) {
	t.Helper()
	r, err := nethttp.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(body)
}

func TestMetricsOfAServer(t *testing.T) {
	dir := t.TempDir()
	out, errs := serving(t, dir, "--dev", "--metrics-listen", "0", "--console", "off")
	watched := errs.awaits(t, `address=(http://127\.0\.0\.1:\d+)/metrics`)
	url, key := out.awaits(t, `(http://127\.0\.0\.1:\d+)`), out.awaits(t, `(reckon_live_\w+)`)
	const secret = "4711"
	question := out.awaits(t, ` -d '(\{.*\})'`)
	var asked struct {
		DomainID string `json:"domain_id"`
	}
	if err := json.Unmarshal([]byte(question), &asked); err != nil {
		t.Fatal(err)
	}
	domain := asked.DomainID
	wrong := `{"domain_id": "` + domain + `", "input_format": "structured", "prompt": "nobody knows this: ` + secret + `"}`
	for _, body := range []string{question, wrong} {
		r, err := nethttp.NewRequestWithContext(t.Context(), "POST", url+"/v1/calculate", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		answer, err := nethttp.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != 200 {
			t.Fatalf("status %d of %s", answer.StatusCode, body)
		}
	}
	if code := run(terminal{Context: t.Context(), in: &bytes.Buffer{}, out: io.Discard, err: io.Discard}, []string{"backup", "--data", dir, filepath.Join(t.TempDir(), "a.gz")}); code != 0 {
		t.Fatalf("backup: exit status %d", code)
	}
	fetchText(t, url+"/v1/conversations/"+domain+"?a="+secret)
	fetchText(t, url+"/there/is/nothing/"+secret)

	_, text := fetchText(t, watched+"/metrics")
	for end := time.Now().Add(10 * time.Second); !strings.Contains(text, `outcome="completed"} 1`) && time.Now().Before(end); {
		_, text = fetchText(t, watched+"/metrics") // what is answered is counted a moment later
	}
	for _, line := range []string{
		`reckon_http_requests_total{class="2xx",listener="public",method="POST",route="/v1/calculate"} 2`,
		`reckon_http_requests_total{class="4xx",listener="public",method="GET",route="none"} 2`,
		`reckon_http_refusals_total{code="error_unauthorized",listener="public"} 1`,
		`reckon_calculations_total{format="structured",outcome="completed"} 1`,
		`reckon_calculations_total{format="structured",outcome="failed"} 1`,
		`reckon_engine_seconds_count{format="structured"} 2`,
		`reckon_queue_wait_seconds_count 2`,
		`reckon_ready 1`,
		`reckon_log_nodes 1`,
		`reckon_log_damaged 0`,
		`reckon_fold_lag_events 0`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("there is no %s", line)
		}
	}
	for _, form := range []string{
		`reckon_log_append_seconds_count [1-9]`, `reckon_log_messages\{stream="EVENTS"\} [1-9]`, `reckon_disk_free_bytes [1-9]`,
		`reckon_backup_last_timestamp_seconds [1-9]`, `reckon_queue_pending \d`, `go_goroutines [1-9]`,
	} {
		if !regexp.MustCompile(`(?m)^` + form).MatchString(text) {
			t.Errorf("there is no %s", form)
		}
	}
	for _, what := range []string{secret, key, domain, `"dev"`} {
		if strings.Contains(text, what) {
			t.Errorf("metrics name %q", what)
		}
	}
	for path, want := range map[string]int{"/debug/pprof/": 200, "/debug/pprof/heap?debug=1": 200, "/debug/pprof/cmdline": 404, "/v1/domains": 404, "/": 404} {
		if status, _ := fetchText(t, watched+path); status != want {
			t.Errorf("%s is answered %d, not %d", path, status, want)
		}
	}
	for _, path := range []string{"/metrics", "/debug/pprof/"} {
		if status, _ := fetchText(t, url+path); status != 404 {
			t.Errorf("callers are answered %d at %s", status, path)
		}
	}
}

func TestMetricsHaveAnAddressOfTheirOwn(t *testing.T) {
	for _, c := range []struct{ listen, metrics, says string }{
		{"127.0.0.1:20080", "20080", "is the address of --listen"},
		{"0.0.0.0:20080", "127.0.0.1:20080", "is the address of --listen"},
		{"localhost:20080", "127.0.0.1:20080", "is the address of --listen"},
		{"127.0.0.1:0", "here:there:1", "give a port"},
		{"127.0.0.1:0", "127.0.0.1:", "give a port"},
		{"127.0.0.1:0", "127.0.0.1:99999", "give a port"},
		{"127.0.0.1:0", "192.0.2.1:20080", "choose another address with --metrics-listen"},
	} {
		c2 := serveCommand{Listen: c.listen, MetricsListen: c.metrics}
		s, err := c2.watched(t.Context(), slog.New(slog.DiscardHandler))
		if s != nil || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("--listen %s --metrics-listen %s: %v", c.listen, c.metrics, err)
		}
	}
	for text, want := range map[string]string{"9100": "127.0.0.1:9100", ":9100": "127.0.0.1:9100", "[::1]:9100": "[::1]:9100", "0.0.0.0:9100": "0.0.0.0:9100"} {
		if got, err := metrics.Address(text); err != nil || got != want {
			t.Errorf("%s is %s, %v", text, got, err)
		}
	}
}

// names are those of all that a server collects.
func names(t *testing.T) (all []string) {
	t.Helper()
	dir := t.TempDir()
	logger := slog.New(slog.DiscardHandler)
	credentials := filepath.Join(dir, "credentials")
	if code := run(terminal{Context: t.Context(), in: &bytes.Buffer{}, out: io.Discard, err: io.Discard}, []string{"cluster", "credentials", credentials, "--host", "localhost"}); code != 0 {
		t.Fatal("no certificates")
	}
	l, err := log.Open(t.Context(), log.Options{Dir: dir, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	views, err := projections.Open(t.Context(), l, dir, logger)
	if err != nil {
		t.Fatal(err)
	}
	defer views.Close()
	service := commands.New(l, views, logger)
	service.KeepFree(dir, commands.Free{})
	c := serveCommand{directory: directory{Data: dir}}
	c.ClusterTLSCert, c.ClusterTLSCA = filepath.Join(credentials, nodeCertificate), filepath.Join(credentials, authorityCertificate)
	told := told{}
	c.collect(&told, []*http.Server{http.New(logger, ""), http.NewAside(logger, "")}, l, views, service, webhooks.New(l, views, webhooks.NewPost(false), logger))
	all = told.described(metrics.New("", logger).Registry)
	slices.Sort(all)
	return slices.Compact(all)
}

// told is a registry that keeps what it is told.
type told struct{ collectors []prometheus.Collector }

func (r *told) Register(c prometheus.Collector) error {
	r.collectors = append(r.collectors, c)
	return prometheus.NewRegistry().Register(c)
}

func (r *told) MustRegister(all ...prometheus.Collector) {
	for _, c := range all {
		if err := r.Register(c); err != nil {
			panic(err)
		}
	}
}

func (*told) Unregister(prometheus.Collector) bool { return false }

// described lists the names of all that was told, and of what another registry has.
func (r *told) described(beside *prometheus.Registry) (names []string) {
	to := make(chan *prometheus.Desc)
	go func() {
		defer close(to)
		for _, c := range append(r.collectors, beside) {
			c.Describe(to)
		}
	}()
	form := regexp.MustCompile(`fqName: "([^"]+)"`)
	for d := range to {
		names = append(names, form.FindStringSubmatch(d.String())[1])
	}
	return names
}

// nameForm finds names of metrics in a text.
var nameForm = regexp.MustCompile(`\b(?:reckon|go|process)_[a-z0-9_]+`)

func TestDashboardAndAlertsNameWhatIsCollected(t *testing.T) {
	known := names(t)
	dashboard, alerts := root(t, "http/metrics/dashboard.json"), root(t, "http/metrics/alerts.yaml")
	book, operations := root(t, "http/metrics/README.md"), root(t, "cmd/reckon/OPERATIONS.md")
	there := func(name string) bool {
		for _, suffix := range []string{"", "_bucket", "_sum", "_count"} {
			if base, ok := strings.CutSuffix(name, suffix); ok && slices.Contains(known, base) {
				return true
			}
		}
		return false
	}
	for file, text := range map[string]string{"dashboard.json": dashboard, "alerts.yaml": alerts, "README.md": book} {
		found := nameForm.FindAllString(text, -1)
		if len(found) < 20 {
			t.Errorf("%s names %d metrics", file, len(found))
		}
		for _, name := range found {
			if !there(name) && name != "process_" && name != "go_" {
				t.Errorf("%s names %s, which nothing collects", file, name)
			}
		}
	}
	for _, name := range known {
		switch {
		case !strings.HasPrefix(name, "reckon_"):
		case !strings.Contains(book, "`"+name+"`"):
			t.Errorf("%s is not in http/metrics/README.md", name)
		case !strings.Contains(dashboard, name):
			t.Errorf("%s is not on the dashboard", name)
		}
	}
	if !json.Valid([]byte(dashboard)) {
		t.Error("the dashboard is no JSON")
	}
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(alerts), &rules); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			count++
			if !strings.Contains(operations, "`"+r.Alert+"`") {
				t.Errorf("OPERATIONS.md does not say what to do about %s", r.Alert)
			}
			file, place, _ := strings.Cut(r.Annotations["runbook"], "#")
			if _, err := os.Stat(filepath.Join("..", "..", file)); err != nil || place != "watching" {
				t.Errorf("%s has no runbook: %q", r.Alert, r.Annotations["runbook"])
			}
		}
	}
	if count < 10 {
		t.Errorf("there are %d alerts", count)
	}
}

func TestMetricsWaitForNobody(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		metrics.New("1", slog.New(slog.DiscardHandler)).Serve(ctx, listener)
		close(ended)
	}()
	silent, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	if _, text := fetchText(t, "http://"+listener.Addr().String()+"/metrics"); !strings.Contains(text, `reckon_build_info{version="1"} 1`) {
		t.Error(text)
	}
	stop()
	<-ended
}

package traces

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestOpen(t *testing.T) {
	const at = "http://127.0.0.1:4318"
	for _, c := range []struct {
		name string
		env  string // NAME=value, one a line
		open bool
		err  string // "" for none
	}{
		{"nothing is named", "", false, ""},
		{"a service without a collector", "OTEL_SERVICE_NAME=abacus", false, ""},
		{"a collector", "OTEL_EXPORTER_OTLP_ENDPOINT=" + at, true, ""},
		{"one of traces", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=" + at + "/v1/traces", true, ""},
		{"disabled", "OTEL_EXPORTER_OTLP_ENDPOINT=" + at + "\nOTEL_SDK_DISABLED=TRUE", false, ""},
		{"no exporter", "OTEL_EXPORTER_OTLP_ENDPOINT=" + at + "\nOTEL_TRACES_EXPORTER=none", false, ""},
		{"another exporter", "OTEL_EXPORTER_OTLP_ENDPOINT=" + at + "\nOTEL_TRACES_EXPORTER=zipkin", false, "OTEL_TRACES_EXPORTER=zipkin"},
		{"no address", "OTEL_EXPORTER_OTLP_ENDPOINT=127.0.0.1:4318", false, "OTEL_EXPORTER_OTLP_ENDPOINT is no address"},
		{"a file", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=file:///SECRET", false, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is no address"},
		{"gRPC", "OTEL_EXPORTER_OTLP_ENDPOINT=" + at + "\nOTEL_EXPORTER_OTLP_PROTOCOL=grpc", false, "http/protobuf"},
		{"headers", "OTEL_EXPORTER_OTLP_ENDPOINT=" + at + "\nOTEL_EXPORTER_OTLP_HEADERS=a=b,c=d%20e", true, ""},
		{"a header without a name", "OTEL_EXPORTER_OTLP_ENDPOINT=" + at + "\nOTEL_EXPORTER_OTLP_HEADERS=SECRET", false, "OTEL_EXPORTER_OTLP_HEADERS is no list"},
		{"a broken header", "OTEL_EXPORTER_OTLP_ENDPOINT=" + at + "\nOTEL_EXPORTER_OTLP_TRACES_HEADERS=a=SECRET%zz", false, "OTEL_EXPORTER_OTLP_TRACES_HEADERS is no list"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for line := range strings.Lines(c.env) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
				t.Setenv(name, value)
			}
			provider, end, err := Open(t.Context(), "v0", slog.New(slog.DiscardHandler))
			defer end()
			if (provider != nil) != c.open || (err != nil) != (c.err != "") {
				t.Fatalf("%v, %v", provider, err)
			}
			if err != nil && (!strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "SECRET")) {
				t.Errorf("%v, want %s", err, c.err)
			}
		})
	}
}

// lines are written by several at once.
type lines struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (l *lines) Write(line []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(line)
}

func (l *lines) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

// A collector that takes nothing, and one that does not answer, are complained of once, and hold
// nothing up for long.
func TestCollectorsThatFail(t *testing.T) {
	hang := make(chan struct{})
	for name, answer := range map[string]http.HandlerFunc{
		"refuses": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) },
		"hangs":   func(_ http.ResponseWriter, r *http.Request) { <-hang },
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(answer)
			defer server.Close()
			if name == "hangs" {
				defer close(hang)
			}
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
			t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=SECRET")
			t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1")
			var logged lines
			provider, end, err := Open(t.Context(), "v0", slog.New(slog.NewTextHandler(&logged, nil)))
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				_, span := provider.Tracer("test").Start(t.Context(), "something")
				span.End()
			}
			began := time.Now()
			end()
			if took := time.Since(began); took > 2*endPatience {
				t.Errorf("it takes %s to end", took)
			}
			// The end says so once more, where what hung is given up.
			if text := logged.String(); !strings.Contains(text, "spans are not") || strings.Count(text, "level=WARN") > map[string]int{"refuses": 1, "hangs": 2}[name] || strings.Contains(text, "SECRET") {
				t.Errorf("logged is %s", text)
			}
		})
	}
}

// Package metrics answers those who watch the program, on an address of its own: what Prometheus
// collects at /metrics, and profiles of the Go runtime at /debug/pprof/. Nobody is asked who they
// are, so the address is one of this machine unless it is told otherwise.
package metrics

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	nethttp "net/http"
	"net/http/pprof"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const (
	scrapes  = 4                // that collect at once
	patience = 10 * time.Second // for what is collected
	// profileTime is how long an answer may take: profiles are taken for as long as a caller says.
	profileTime = 3 * time.Minute
)

// Server has what is collected. It is safe for concurrent use.
type Server struct {
	*prometheus.Registry
	logger *slog.Logger
}

// New is a Server that knows the process, the runtime and the version of the program.
func New(version string, logger *slog.Logger) *Server {
	s := &Server{prometheus.NewRegistry(), logger}
	s.MustRegister(
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewGoCollector(),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "reckon_build_info", Help: "1, with the version of the program as a label.", ConstLabels: prometheus.Labels{"version": version},
		}, func() float64 { return 1 }),
	)
	return s
}

// Address reads the address to answer on: HOST:PORT, or a port alone, which is of this machine.
func Address(text string) (string, error) {
	if !strings.Contains(text, ":") {
		text = ":" + text
	}
	host, port, err := net.SplitHostPort(text)
	if _, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil {
		return "", fmt.Errorf("%q: give a port, which is answered on this machine alone, or HOST:PORT", text)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}

// Handler answers at /metrics and /debug/pprof/.
func (s *Server) Handler() nethttp.Handler {
	mux := nethttp.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.Registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(s.logger.Handler(), slog.LevelWarn), ErrorHandling: promhttp.ContinueOnError,
		MaxRequestsInFlight: scrapes, Timeout: patience,
	}))
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	// The command line may name what is not for everybody who may look at a profile.
	mux.HandleFunc("GET /debug/pprof/cmdline", nethttp.NotFound)
	return mux
}

// Serve answers on a listener until ctx ends, and closes it.
func (s *Server) Serve(ctx context.Context, l net.Listener) {
	server := &nethttp.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: profileTime,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(s.logger.Handler(), slog.LevelWarn),
	}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(l); ctx.Err() == nil {
		s.logger.Error("metrics are answered no more", "error", err)
	}
}

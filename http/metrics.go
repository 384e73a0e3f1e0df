package http

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// measures count requests. They name routes and not paths, and nobody who asks.
type measures struct {
	requests    *prometheus.CounterVec   // by route, method and class of status
	took        *prometheus.HistogramVec // seconds until the answer is written, by route
	refusals    *prometheus.CounterVec   // by error code
	limited     *prometheus.CounterVec   // refusals by a limit of the account, by limit
	connections atomic.Pointer[connections]
}

// noRoute stands for the route of a request to nothing that there is.
const noRoute = "none"

func newMeasures() *measures {
	return &measures{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "reckon_http_requests_total", Help: "Requests that were answered, by route, method and class of the status.",
		}, []string{"route", "method", "class"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "reckon_http_request_seconds", Help: "How long a request takes, from its header to the end of its answer.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"route"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "reckon_http_refusals_total", Help: "Requests that were refused or failed, by the code of the error.",
		}, []string{"code"}),
		limited: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "reckon_http_rate_limited_total", Help: "Requests that were answered 429, by the limit.",
		}, []string{"limit"}),
	}
}

// count counts a request that is answered.
func (m *measures) count(x *Exchange) {
	route := x.route
	if route == "" {
		route = noRoute
	}
	m.requests.WithLabelValues(route, known(x.r.Method), strconv.Itoa(x.status/100)+"xx").Inc()
	if !x.streams { // which take as long as the caller likes
		m.took.WithLabelValues(route).Observe(time.Since(x.start).Seconds())
	}
}

// Metrics are those of the server.
func (s *Server) Metrics() []prometheus.Collector {
	m := s.measures
	all := []prometheus.Collector{m.requests, m.took, m.refusals, m.limited}
	gauge := func(name, help string, value func() int) {
		all = append(all, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(value()) }))
	}
	gauge("reckon_http_in_flight", "Requests that are being answered.", func() int { taken, _ := s.requests.Load(); return taken })
	gauge("reckon_http_in_flight_limit", "How many requests are answered at once.", func() int { return maxRequests })
	gauge("reckon_http_waiting", "Requests that wait until they may be answered.", func() int { _, waiting := s.requests.Load(); return waiting })
	gauge("reckon_http_bodies", "Large bodies and answers in memory.", func() int { taken, _ := s.bodies.Load(); return taken })
	gauge("reckon_http_bodies_limit", "How many large bodies and answers may be in memory.", func() int { return s.bodies.Slots() })
	gauge("reckon_http_bodies_waiting", "Requests that wait for a place for a large body.", func() int { _, waiting := s.bodies.Load(); return waiting })
	gauge("reckon_http_streams", "Streams of events that are open.", func() int { taken, _ := s.streams.Load(); return taken })
	gauge("reckon_http_streams_limit", "How many streams of events may be open.", func() int { return s.streams.Slots() })
	gauge("reckon_http_connections", "Connections that are open.", func() int { open, _ := m.open(); return open })
	gauge("reckon_http_connections_limit", "How many connections may be open.", func() int { _, most := m.open(); return most })
	return all
}

// open is how many connections there are, and may be; 0 before the server serves.
func (m *measures) open() (open, most int) {
	l := m.connections.Load()
	if l == nil {
		return 0, 0
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return len(l.open), l.most.open
}

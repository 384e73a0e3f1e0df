package log

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
)

func newAppends() prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "reckon_log_append_seconds", Help: "How long it takes until an event is in the log, and on disk.",
		Buckets: []float64{.0001, .0003, .001, .003, .01, .03, .1, .3, 1, 3, 10},
	})
}

// Metrics are those of the log. Most of them are asked for as they are collected.
func (l *Log) Metrics() []prometheus.Collector {
	return append([]prometheus.Collector{
		l.appends,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "reckon_log_nodes", Help: "How many nodes keep the log, as far as this one knows.",
		}, func() float64 { return float64(l.Nodes()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "reckon_log_elections_total", Help: "How often this node heard that a leader was elected.",
		}, func() float64 { return float64(l.backing.elected()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "reckon_log_damaged", Help: "1 while something of the log is known to be damaged, else 0.",
		}, func() float64 { return oneIf(l.Damaged() != nil) }),
		collected{l},
	}, l.backing.metrics()...)
}

// Heard is the highest sequence of EVENTS that this process has heard of.
func (l *Log) Heard() uint64 {
	known, _ := l.backing.known()
	return max(known, l.newest.Load())
}

// askPatience is how long the server may take to say what is collected. What it does not say by
// then is left out.
const askPatience = time.Second

var (
	streamMessages = prometheus.NewDesc("reckon_log_messages", "How many messages a stream holds.", []string{"stream"}, nil)
	streamBytes    = prometheus.NewDesc("reckon_log_bytes", "How many bytes a stream holds.", []string{"stream"}, nil)
	queuePending   = prometheus.NewDesc("reckon_queue_pending", "How many commands of all nodes the queue has not delivered yet.", nil, nil)
	queueUnsettled = prometheus.NewDesc("reckon_queue_unacknowledged", "How many commands of all nodes are delivered and not acknowledged yet.", nil, nil)
	logTerm        = prometheus.NewDesc("reckon_log_term", "Term of the Raft group of EVENTS, as this node knows it.", nil, nil)
	logLeads       = prometheus.NewDesc("reckon_log_leads", "1 while this node leads EVENTS, else 0.", nil, nil)
	logLed         = prometheus.NewDesc("reckon_log_led", "1 while this node knows who leads EVENTS, else 0.", nil, nil)
)

// collected are the metrics for which the server is asked.
type collected struct{ log *Log }

func (collected) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{streamMessages, streamBytes, queuePending, queueUnsettled, logTerm, logLeads, logLed} {
		to <- d
	}
}

func (c collected) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), askPatience)
	defer cancel()
	for _, stream := range []string{CommandsStream, EventsStream} {
		if s, err := c.log.State(ctx, stream); err == nil {
			gauge(streamMessages, float64(s.State.Msgs), stream)
			gauge(streamBytes, float64(s.State.Bytes), stream)
		}
	}
	if q, err := c.log.js.Consumer(ctx, CommandsStream, workersName); err == nil {
		gauge(queuePending, float64(q.CachedInfo().NumPending))
		gauge(queueUnsettled, float64(q.CachedInfo().NumAckPending))
	}
	if t, ok := c.log.backing.term(); ok {
		gauge(logTerm, float64(t.Term))
		gauge(logLeads, oneIf(t.Leader == t.Node))
		gauge(logLed, oneIf(t.Leader != ""))
	}
}

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// Queued is how many commands of all nodes the queue has not delivered yet; 0 while there is none.
func (l *Log) Queued(ctx context.Context) (uint64, error) {
	q, err := l.js.Consumer(ctx, CommandsStream, workersName)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("ask how long the queue is: %w", err)
	}
	return q.CachedInfo().NumPending, nil
}

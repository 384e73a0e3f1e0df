package webhooks

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"reckon/events"
)

// measures count what a node sends. They name no account.
type measures struct {
	deliveries *prometheus.CounterVec // by what became of them
	took       prometheus.Histogram
	disabled   prometheus.Counter
}

func newMeasures() *measures {
	m := &measures{
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "reckon_webhook_deliveries_total", Help: "Attempts of this node to send something to a webhook, by what became of them.",
		}, []string{"outcome"}),
		took: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "reckon_webhook_seconds", Help: "How long receivers take to answer, or not to.",
			Buckets: []float64{.01, .03, .1, .3, 1, 3, 5, 10, 15},
		}),
		disabled: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "reckon_webhooks_disabled_total", Help: "Webhooks that this node has disabled because they failed.",
		}),
	}
	for _, outcome := range []string{events.Delivered, events.Retrying, events.Failed, events.Dropped} {
		m.deliveries.WithLabelValues(outcome)
	}
	return m
}

// askPatience is how long the log may take to say how much waits. What it does not say by then is
// 0.
const askPatience = time.Second

// Metrics are those of webhooks.
func (s *Sender) Metrics() []prometheus.Collector {
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	count := func(disabled bool) float64 {
		n := 0
		for _, a := range s.views.Webhooked() {
			for _, w := range a.Webhooks {
				if (w.Disabled != nil) == disabled {
					n++
				}
			}
		}
		return float64(n)
	}
	waiting := func(which func(announced, deliveries uint64) uint64) func() float64 {
		return func() float64 {
			if len(s.views.Webhooked()) == 0 {
				return 0
			}
			ctx, cancel := context.WithTimeout(context.Background(), askPatience)
			defer cancel()
			announced, deliveries, err := s.log.WebhooksWaiting(ctx)
			if err != nil {
				return 0
			}
			return float64(which(announced, deliveries))
		}
	}
	return []prometheus.Collector{
		s.measures.deliveries, s.measures.took, s.measures.disabled,
		gauge("reckon_webhooks", "Webhooks that are sent to.", func() float64 { return count(false) }),
		gauge("reckon_webhooks_disabled", "Webhooks that are disabled.", func() float64 { return count(true) }),
		gauge("reckon_webhook_backlog", "Deliveries of all nodes that wait for an attempt or for its end.",
			waiting(func(_, deliveries uint64) uint64 { return deliveries })),
		gauge("reckon_webhook_lag_events", "Events of all nodes that have not been looked at yet for what is to be sent.",
			waiting(func(announced, _ uint64) uint64 { return announced })),
	}
}

package projections

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func newQuestions() prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "reckon_read_index_seconds", Help: "How long the log takes to say how far it is, where it has to be asked.",
		Buckets: []float64{.0001, .0003, .001, .003, .01, .03, .1, .3, 1, 3},
	})
}

// Metrics are those of the views.
func (v *Views) Metrics() []prometheus.Collector {
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	return []prometheus.Collector{
		v.index.took,
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "reckon_read_index_behind_total", Help: "How often a reader was told that this node cannot confirm in time what it has seen.",
		}, func() float64 { return float64(v.behind.Load()) }),
		gauge("reckon_read_index_age_seconds", "How old the newest read index is that this node has confirmed by itself.", func() float64 {
			return (time.Since(v.index.started) - time.Duration(v.index.confirmed.Load())).Seconds()
		}),
		gauge("reckon_fold_sequence", "Sequence of the newest event that this node shows.", func() float64 { return float64(v.folded.Load()) }),
		gauge("reckon_fold_lag_events", "How many events this node knows of and does not show yet.", func() float64 {
			folded := v.folded.Load()
			return float64(max(v.target, v.log.Heard(), folded) - folded)
		}),
		gauge("reckon_ready", "1 while this node is ready, as /readyz says, else 0.", func() float64 {
			if v.Ready() != nil {
				return 0
			}
			return 1
		}),
	}
}

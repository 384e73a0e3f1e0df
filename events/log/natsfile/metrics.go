package natsfile

import "github.com/prometheus/client_golang/prometheus"

// measure makes what the syncs of a stream are measured by.
func (s *Stream) measure(name string) {
	stream := prometheus.Labels{"stream": name}
	s.syncs = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "reckon_log_sync_seconds", Help: "How long a sync of a stream's files takes.", ConstLabels: stream,
		Buckets: []float64{.0001, .0003, .001, .003, .01, .03, .1, .3, 1, 3, 10},
	})
	s.covered = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "reckon_log_sync_messages", Help: "How many messages share a sync.", ConstLabels: stream,
		Buckets: []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512},
	})
}

// Metrics are those of the syncs.
func (g *Group) Metrics() (all []prometheus.Collector) {
	for _, s := range g.streams {
		all = append(all, s.syncs, s.covered)
	}
	return all
}

package commands

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"reckon/engine/prompt"
	"reckon/events"
	"reckon/events/log"
)

// measures count what a service does. They name no account.
type measures struct {
	calculations *prometheus.CounterVec   // by input format and outcome
	errors       *prometheus.CounterVec   // by the first code of a failed message
	engine       *prometheus.HistogramVec // seconds of a decision, by input format
	waited       prometheus.Histogram     // seconds from COMMANDS to the begin of work
	conflicts    *prometheus.CounterVec   // appends that did not come about, by reason
	model        *prometheus.CounterVec   // by outcome
	modelTook    prometheus.Histogram     // seconds
}

// Failures of a model by name, for those that a Model's Ask wraps.
var (
	// ErrModelTimeout says that a model did not answer in time.
	ErrModelTimeout = errors.New("language.timeout")
	// ErrModelRejected says that a model gave nothing that holds. That is no failure of its server.
	ErrModelRejected = errors.New("no proposal that holds")
	// ErrModelBroken says that a model was not asked, as it has failed again and again.
	ErrModelBroken = errors.New("the model has failed again and again and is not asked for a while")
	// ErrModelOverBudget says that a model was not asked, as the account has used up its requests.
	ErrModelOverBudget = errors.New("the account has used up its requests to the model until the next hour begins")
)

func newMeasures() *measures {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &measures{
		calculations: counter("reckon_calculations_total", "Calculations that this node has answered.", "format", "outcome"),
		errors:       counter("reckon_calculation_errors_total", "Calculations that failed, by the code of their first error.", "code"),
		engine: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "reckon_engine_seconds", Help: "How long reading a prompt and calculating take, without the log.",
			Buckets: []float64{.00003, .0001, .0003, .001, .003, .01, .03, .1, .3, 1, 3, 10},
		}, []string{"format"}),
		waited: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "reckon_queue_wait_seconds", Help: "How long a command waits from when the log has it until work on it begins.",
			Buckets: []float64{.0001, .0003, .001, .003, .01, .03, .1, .3, 1, 3, 10},
		}),
		conflicts: counter("reckon_append_conflicts_total", "Appends of a message's events that were decided again, by the reason.", "reason"),
		model:     counter("reckon_model_questions_total", "Questions for the language model, by what became of them.", "outcome"),
		modelTook: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "reckon_model_seconds", Help: "How long the language model takes for a question, with a second attempt.",
			Buckets: []float64{.1, .3, 1, 2, 3, 5, 10, 15, 30},
		}),
	}
	// An increase from nothing is seen only where there is a 0 before.
	for _, format := range []string{prompt.Structured, prompt.JSON, prompt.NaturalLanguage} {
		for _, outcome := range []string{"completed", "failed", "crashed"} {
			m.calculations.WithLabelValues(format, outcome)
		}
	}
	for _, outcome := range []string{"answered", "rejected", "timeout", "unavailable", "broken", "over_budget"} {
		m.model.WithLabelValues(outcome)
	}
	return m
}

// appended counts an event that ends a message.
func (m *measures) appended(c Calculate, e *events.Event) {
	switch data := e.Data.(type) {
	case *events.MessageCompleted:
		m.calculations.WithLabelValues(c.InputFormat, "completed").Inc()
	case *events.MessageFailed:
		outcome := "failed"
		if data.Crashed {
			outcome = "crashed"
		}
		m.calculations.WithLabelValues(c.InputFormat, outcome).Inc()
		var errs []struct{ Code string }
		if json.Unmarshal(data.Errors, &errs) == nil && len(errs) > 0 {
			m.errors.WithLabelValues(errs[0].Code).Inc()
		}
	}
}

// lost counts an append that did not come about.
func (m *measures) lost(err error) {
	reason := "failed"
	switch {
	case errors.Is(err, log.ErrInFlight):
		reason = "in_flight"
	case errors.Is(err, log.ErrConflict):
		reason = "conflict"
	case errors.Is(err, log.ErrUnknown):
		reason = "unknown"
	}
	m.conflicts.WithLabelValues(reason).Inc()
}

// asked counts a question to a model, also one that was not sent, and gives its outcome.
func (m *measures) asked(took time.Duration, err error) string {
	outcome := "unavailable"
	switch {
	case err == nil:
		outcome = "answered"
	case errors.Is(err, ErrModelBroken):
		outcome = "broken"
	case errors.Is(err, ErrModelOverBudget):
		outcome = "over_budget"
	case errors.Is(err, ErrModelRejected):
		outcome = "rejected"
	case errors.Is(err, ErrModelTimeout), errors.Is(err, context.DeadlineExceeded):
		outcome = "timeout"
	}
	m.model.WithLabelValues(outcome).Inc()
	if outcome != "broken" && outcome != "over_budget" {
		m.modelTook.Observe(took.Seconds())
	}
	return outcome
}

// Metrics are those of the service.
func (s *Service) Metrics() []prometheus.Collector {
	m := s.measures
	all := []prometheus.Collector{m.calculations, m.errors, m.engine, m.waited, m.conflicts, m.model, m.modelTook}
	gauge := func(name, help string, labels prometheus.Labels, value func() float64) {
		all = append(all, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, value))
	}
	for kind, of := range map[string]*FairSemaphore{"any": s.slots, "prose": s.prose} {
		kind := prometheus.Labels{"kind": kind}
		gauge("reckon_commands_in_work", "Commands that this node works on, in the slots of any and in those of prose.", kind, func() float64 { taken, _ := of.Load(); return float64(taken) })
		gauge("reckon_commands_waiting", "Commands that wait on this node for a slot.", kind, func() float64 { _, waiting := of.Load(); return float64(waiting) })
	}
	gauge("reckon_commands_slots", "How many commands this node works on at once.", nil, func() float64 { return slots })
	if d := &s.disk; d.dir != "" {
		space := func(of func(free, total uint64) uint64) func() float64 {
			return func() float64 {
				free, total, err := DiskSpace(d.dir)
				if err != nil {
					return -1
				}
				return float64(of(free, total))
			}
		}
		gauge("reckon_disk_free_bytes", "What is free on the disk of the data directory; -1 where it does not say.", nil, space(func(free, _ uint64) uint64 { return free }))
		gauge("reckon_disk_size_bytes", "How large the disk of the data directory is.", nil, space(func(_, total uint64) uint64 { return total }))
		gauge("reckon_disk_kept_free_bytes", "Below how much free space calculations are refused.", nil, space(func(_, total uint64) uint64 { return d.least(total) }))
	}
	return all
}

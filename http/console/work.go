package console

import (
	"context"
	"errors"
	nethttp "net/http"
	"slices"
	"sync"
	"time"

	"reckon/http"
	"reckon/projections"
)

// maxDifferences is how many documents that differ a page names.
const maxDifferences = 50

// work is a verification or a rebuild of this node's views, of which the console runs one at a
// time. It goes on when whoever has begun it goes away.
type work struct {
	mutex       sync.Mutex
	verifies    bool
	what        string // models that are rebuilt, "" for all
	began       time.Time
	ended       time.Time // the zero time while it runs
	progress    projections.Progress
	result      projections.Verification
	differences []projections.Difference
	err         error
	cancel      context.CancelFunc
}

// workShown is work as a page shows it.
type workShown struct {
	Any      bool // there is, or was, one
	Runs     bool
	Verifies bool
	What     string
	Share    int // in percent
	Read     string
	Total    string
	Left     string // until the end, "" where it cannot be told
	Ended    string
	Took     string
	Wrong    string

	Documents   string
	Differing   string // documents that differ, "" for none
	Differences []projections.Difference
	More        string // that are not named
}

// start begins to work, unless something runs.
func (w *work) start(verifies bool, what string, do func(context.Context, func(projections.Progress), func(projections.Difference)) (projections.Verification, error)) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.cancel != nil {
		return false
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.verifies, w.what, w.began, w.ended, w.cancel = verifies, what, time.Now(), time.Time{}, cancel
	w.progress, w.result, w.differences, w.err = projections.Progress{}, projections.Verification{}, nil, nil
	go func() {
		result, err := do(ctx, func(p projections.Progress) {
			w.mutex.Lock()
			defer w.mutex.Unlock()
			w.progress = p
		}, func(d projections.Difference) {
			w.mutex.Lock()
			defer w.mutex.Unlock()
			if len(w.differences) < maxDifferences {
				w.differences = append(w.differences, d)
			}
		})
		w.mutex.Lock()
		defer w.mutex.Unlock()
		w.result, w.err, w.ended, w.cancel = result, err, time.Now(), nil
		cancel()
	}()
	return true
}

// stop ends a verification. A rebuild goes on to its end.
func (w *work) stop() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.cancel != nil && w.verifies {
		w.cancel()
	}
}

func (w *work) shown(now time.Time) workShown {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	s := workShown{Any: !w.began.IsZero(), Runs: w.cancel != nil, Verifies: w.verifies, What: w.what}
	if p := w.progress; p.Total > 0 {
		s.Share, s.Read, s.Total = int(100*p.Events/p.Total), grouped(int(p.Events)), grouped(int(p.Total))
		if p.Left >= 1 {
			s.Left = count(int(p.Left), "second", "seconds")
		}
	}
	if s.Runs || !s.Any {
		return s
	}
	s.Ended, s.Took = moment(w.ended, time.UTC), count(int(w.ended.Sub(w.began).Seconds()), "second", "seconds")
	s.Documents, s.Differences = grouped(int(w.result.Documents)), slices.Clone(w.differences)
	if n := int(w.result.Differences); n > 0 {
		s.Differing = grouped(n)
		if n > len(s.Differences) {
			s.More = grouped(n - len(s.Differences))
		}
	}
	switch {
	case errors.Is(w.err, context.Canceled):
		s.Wrong = "It was stopped."
	case w.err != nil:
		s.Wrong = sentence(w.err)
	}
	return s
}

// verify begins to compare this node's views with what the history makes.
func (c *Console) verify(v *visit) (http.Answer, error) {
	return c.begin(v, true, "", func(ctx context.Context, tell func(projections.Progress), report func(projections.Difference)) (projections.Verification, error) {
		return projections.RemoteOf(c.log).Verify(ctx, tell, report)
	})
}

// rebuild begins to build this node's views anew: those that the form names, or all.
func (c *Console) rebuild(v *visit) (http.Answer, error) {
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
	}
	model := form.Get("model")
	var names []string
	if model != "" {
		if !slices.Contains(projections.Names(), model) {
			return http.Answer{}, http.NotFound("There is no such view.")
		}
		names = []string{model}
	}
	return c.begin(v, false, model, func(ctx context.Context, tell func(projections.Progress), _ func(projections.Difference)) (projections.Verification, error) {
		return projections.Verification{}, projections.RemoteOf(c.log).Rebuild(ctx, names, tell)
	})
}

// begin begins work of the console.
func (c *Console) begin(v *visit, verifies bool, what string, do func(context.Context, func(projections.Progress), func(projections.Difference)) (projections.Verification, error)) (http.Answer, error) {
	if !c.work.start(verifies, what, do) {
		return c.installation(v, nethttp.StatusConflict, installationShown{Wrong: "Something runs already: one verification or rebuild at a time."})
	}
	return redirect(installationPath + "#views"), nil
}

// stopVerifying ends a verification that runs.
func (c *Console) stopVerifying(*visit) (http.Answer, error) {
	c.work.stop()
	return redirect(installationPath + "#views"), nil
}

package nodes

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"reckon/projections"
)

// maxDifferences is how many documents that differ a task names.
const maxDifferences = 50

// Work verifies or rebuilds the views of a node, one at a time. It goes on when whoever has begun
// it goes away, and is forgotten when the node ends.
type Work struct {
	mutex  sync.Mutex
	task   *Task // nil before the first one
	cancel context.CancelFunc
}

// Task is what a node verifies or rebuilds, or did last.
type Task struct {
	Verifies    bool                     `json:"verifies"`
	View        string                   `json:"view"` // that is rebuilt, "" for all
	Began       time.Time                `json:"began"`
	Ended       *time.Time               `json:"ended"` // null while it runs
	Progress    projections.Progress     `json:"progress"`
	Result      projections.Verification `json:"result"`
	Differences []projections.Difference `json:"differences"` // the first ones
	Stopped     bool                     `json:"stopped"`
	Error       string                   `json:"error"` // why it has not come to its end, "" for no such thing
}

// Runs tells whether it has not ended.
func (t *Task) Runs() bool { return t != nil && t.Ended == nil }

// Start begins to work, unless something runs.
func (w *Work) Start(verifies bool, view string, do func(context.Context, func(projections.Progress), func(projections.Difference)) (projections.Verification, error)) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.task.Runs() {
		return false
	}
	ctx, cancel := context.WithCancel(context.Background())
	t := &Task{Verifies: verifies, View: view, Began: time.Now(), Differences: []projections.Difference{}}
	w.task, w.cancel = t, cancel
	go func() {
		result, err := do(ctx, func(p projections.Progress) {
			w.mutex.Lock()
			defer w.mutex.Unlock()
			t.Progress = p
		}, func(d projections.Difference) {
			w.mutex.Lock()
			defer w.mutex.Unlock()
			if len(t.Differences) < maxDifferences {
				t.Differences = append(t.Differences, d)
			}
		})
		w.mutex.Lock()
		defer w.mutex.Unlock()
		now := time.Now()
		t.Result, t.Ended = result, &now
		if t.Stopped = errors.Is(err, context.Canceled); err != nil && !t.Stopped {
			t.Error = err.Error()
		}
		cancel()
	}()
	return true
}

// Stop ends a verification. A rebuild goes on to its end.
func (w *Work) Stop() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.task.Runs() && w.task.Verifies {
		w.cancel()
	}
}

// Task is a copy of what is, or was last, under way, nil for nothing.
func (w *Work) Task() *Task {
	if w == nil {
		return nil
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.task == nil {
		return nil
	}
	t := *w.task
	t.Differences = slices.Clone(t.Differences)
	return &t
}

// Name is the name of the node.
func (s Source) Name() string { return nameOf(s.Log) }

// StopAt has the node that has a name end its verification, wherever it is asked.
func (s Source) StopAt(name string) error {
	if name == s.Name() {
		s.Work.Stop()
		return nil
	}
	return s.Log.JetStream().Conn().Publish(stopSubject, []byte(name))
}

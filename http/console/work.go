package console

import (
	"context"
	"errors"
	nethttp "net/http"
	"net/url"
	"slices"
	"time"

	"reckon/commands/nodes"
	"reckon/http"
	"reckon/projections"
)

// taskShown is a verification or a rebuild as a page shows it.
type taskShown struct {
	Node     string // "" where there is one
	At       string // the name of the node
	Runs     bool
	Verifies bool
	What     string // view that is rebuilt, "" for all
	Share    int    // in percent
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

// tasks are the tasks of all nodes.
func (s *installationShown) tasks(all nodes.Installation) {
	for _, a := range all.Nodes {
		if a.Node == nil || a.Node.Task == nil {
			continue
		}
		shown := taskOf(a.Node.Task)
		if shown.At = a.Name; len(all.Nodes) > 1 {
			shown.Node = a.Name
		}
		s.Tasks, s.Works = append(s.Tasks, shown), s.Works || shown.Runs
	}
}

// lost says what became of a task that was begun on a node which knows of none: it was started
// anew, or does not answer.
func (s *installationShown) lost(all nodes.Installation, name string) {
	i := slices.IndexFunc(all.Nodes, func(a nodes.Answer) bool { return a.Name == name || len(all.Nodes) == 1 })
	switch {
	case name == "" || i >= 0 && all.Nodes[i].Node != nil && all.Nodes[i].Node.Task != nil:
	case i < 0 || all.Nodes[i].Node == nil:
		s.Lost, s.Works = name+", on which it was begun, does not answer. Its work goes on if it only cannot be reached, and is gone if it has ended.", true
	default:
		where := name
		if len(all.Nodes) == 1 {
			where = "this node" // whose id may be another one since
		}
		s.Lost = "What was begun on " + where + " has not come to its end: it was started again meanwhile. Nothing is lost: it serves the views as they were. Begin again."
	}
}

func taskOf(t *nodes.Task) taskShown {
	s := taskShown{Runs: t.Runs(), Verifies: t.Verifies, What: t.View}
	if p := t.Progress; p.Total > 0 {
		s.Share, s.Read, s.Total = int(100*p.Events/p.Total), grouped(int(p.Events)), grouped(int(p.Total))
		if p.Left >= 1 {
			s.Left = count(int(p.Left), "second", "seconds")
		}
	}
	if s.Runs {
		return s
	}
	s.Ended, s.Took = moment(*t.Ended, time.UTC), count(int(t.Ended.Sub(t.Began).Seconds()), "second", "seconds")
	s.Documents, s.Differences = grouped(int(t.Result.Documents)), t.Differences
	if n := int(t.Result.Differences); n > 0 {
		s.Differing = grouped(n)
		if n > len(s.Differences) {
			s.More = grouped(n - len(s.Differences))
		}
	}
	switch {
	case t.Stopped:
		s.Wrong = "It was stopped."
	case t.Error != "":
		s.Wrong = sentence(errors.New(t.Error))
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

// begin begins work of this node.
func (c *Console) begin(v *visit, verifies bool, what string, do func(context.Context, func(projections.Progress), func(projections.Difference)) (projections.Verification, error)) (http.Answer, error) {
	if !c.config.Node.Work.Start(verifies, what, do) {
		v.fault("Something runs already: one verification or rebuild at a time.")
		return c.installation(v, nethttp.StatusConflict, installationShown{})
	}
	return redirect(installationPath + "?" + url.Values{"work": {c.source().Name()}}.Encode() + "#views"), nil
}

// stopVerifying ends a verification that runs, on whichever node.
func (c *Console) stopVerifying(v *visit) (http.Answer, error) {
	form, err := v.form()
	if err == nil {
		err = c.source().StopAt(form.Get("node"))
	}
	return redirect(installationPath + "#views"), err
}

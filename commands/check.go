package commands

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/engine"
	"reckon/events"
	"reckon/projections"
)

// CheckFile is Check for a definition without ids, as its author wrote it.
func CheckFile(def events.Definition) (*Domain, []engine.Issue) {
	id := uuid.NewSHA1(names, []byte("domain "+def.Title))
	return Check(id, identified(id, def))
}

// Check compiles a definition and runs its tests. The domain is nil when an issue is an error. Issues are in the order of
// the definition: what Compile finds, failing tests, activities that no test uses.
func Check(id uuid.UUID, def events.Definition) (*Domain, []engine.Issue) {
	d, issues := Compile(id, "", 0, def)
	if d == nil {
		return nil, issues
	}
	tested := map[uuid.UUID]bool{}
	failed := false
	for i, t := range def.Tests {
		used, problems := d.run(t)
		for _, problem := range problems {
			failed = true
			issues = append(issues, engine.Issue{Path: fmt.Sprintf("tests[%d]%s", i, problem.path), Message: problem.message, Offset: -1})
		}
		for _, id := range used {
			tested[id] = true
		}
	}
	if failed {
		return nil, issues
	}
	for i, a := range def.Activities {
		if a.State != "disabled" && !tested[a.ID] {
			issues = append(issues, engine.Issue{
				Warning: true, Path: fmt.Sprintf("activities[%d]", i), Offset: -1,
				Message: "No test uses this activity. Add one under `tests`.",
			})
		}
	}
	return d, issues
}

// Offline calculates one prompt with a domain, outside of any conversation, and returns the message that it gives. It fails
// with ErrPromptJSON and ErrPromptTooLong.
func (d *Domain) Offline(text, format, zone string, now time.Time) (projections.Message, error) {
	return (&rehearsal{domain: d}).say(text, format, zone, now)
}

// testProblem is what went wrong in a test; path is the place in it.
type testProblem struct{ path, message string }

// run calculates a test and compares what it expects. It returns the activities that the result used.
func (d *Domain) run(t events.Test) (used []uuid.UUID, problems []testProblem) {
	now := time.Now()
	message, err := d.Offline(t.Prompt, "", "UTC", now)
	if err != nil {
		return nil, []testProblem{{".prompt", "The prompt is not valid JSON."}}
	}
	if message.Failed != nil {
		var errs []engine.Error
		if err := json.Unmarshal(message.Failed.Errors, &errs); err != nil {
			return nil, []testProblem{{".prompt", err.Error()}}
		}
		for _, e := range errs {
			problems = append(problems, testProblem{".prompt", "The prompt gives an error: " + e.Filled() + " (" + e.Code + ")"})
		}
		return nil, problems
	}
	for _, a := range message.Completed.Results.Activities {
		used = append(used, a.ID)
	}
	env := engine.Env{Now: now, Zone: time.UTC}
	for _, key := range slices.Sorted(maps.Keys(t.Expect)) {
		path := ".expect." + key
		var want, got engine.Text
		if err := json.Unmarshal(t.Expect[key], &want); err != nil {
			problems = append(problems, testProblem{path, "Expected values are strings (or tables of strings): " + err.Error()})
			continue
		}
		i, problem := d.compiled.FindVariable(key)
		if problem != nil {
			problems = append(problems, testProblem{path, problem.Filled()})
			continue
		}
		found := false
		for _, v := range message.Completed.Results.Variables {
			if v.ID == d.Definition.Variables[i].ID {
				found = json.Unmarshal(v.Value, &got) == nil
			}
		}
		if !found {
			problems = append(problems, testProblem{path, "The result has no value for " + key + "."})
			continue
		}
		same, errs := d.compiled.Agrees(i, got, want, env)
		if len(errs) > 0 {
			problems = append(problems, testProblem{path, "The expected value cannot be read: " + errs[0].Filled()})
		} else if !same {
			problems = append(problems, testProblem{path, fmt.Sprintf("Expected %s, but it is %s.", plain(want), plain(got))})
		}
	}
	return used, problems
}

func plain(t engine.Text) string {
	return strings.Trim(string(encode(t)), `"`)
}

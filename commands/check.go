package commands

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/engine"
	"reckon/engine/input"
	"reckon/engine/prompt"
	"reckon/engine/units"
	"reckon/engine/value"
	"reckon/events"
	"reckon/projections"
)

// CheckFile is Check for a definition without ids, as its author wrote it.
func CheckFile(def events.Definition) (*Domain, []engine.Issue) {
	id := fileID(def)
	return Check(id, identified(id, def))
}

// CompileFile is Compile for such a definition, without running its tests.
func CompileFile(def events.Definition) (*Domain, []engine.Issue) {
	id := fileID(def)
	d, issues := Compile(id, "", 0, identified(id, def))
	return allowed(d, slices.Concat(takenUnits(def), issues))
}

// takenUnits finds the counting units of a new definition that have the name of a unit. Versions
// that were published before that unit was there go on.
func takenUnits(def events.Definition) (issues []engine.Issue) {
	for i, name := range def.Units {
		if u := units.Standard().Taken(name); u != nil {
			issues = append(issues, engine.Issue{
				Path: fmt.Sprintf("units[%d]", i), Offset: -1,
				Message: fmt.Sprintf("The counting unit %q is already the unit %s: take another name.", input.Quoted(name), u.Symbol()),
			})
		}
	}
	return issues
}

// allowed is a domain, nil when an issue is an error.
func allowed(d *Domain, issues []engine.Issue) (*Domain, []engine.Issue) {
	if slices.ContainsFunc(issues, func(i engine.Issue) bool { return !i.Warning }) {
		return nil, issues
	}
	return d, issues
}

// fileID is the id of a domain that no account has.
func fileID(def events.Definition) uuid.UUID {
	return uuid.NewSHA1(names, []byte("domain "+def.Title))
}

// Check compiles a definition and runs its tests. The domain is nil when an issue is an error.
// Issues are in the order of the definition: what Compile finds, conditions that always
// hold, equations that contradict one another, failing tests, activities that no test uses.
func Check(id uuid.UUID, def events.Definition) (*Domain, []engine.Issue) {
	d, issues := Compile(id, "", 0, def)
	if d, issues = allowed(d, slices.Concat(takenUnits(def), issues)); d == nil {
		return nil, issues
	}
	tested := map[uuid.UUID]bool{}
	found := slices.Concat(d.compiled.Certain(), d.compiled.Contradictory())
	issues = append(issues, found...)
	failed := slices.ContainsFunc(found, func(i engine.Issue) bool { return !i.Warning })
	now := time.Now()
	for i, t := range def.Tests {
		answer, problems := d.RunTest(t, now)
		for _, problem := range problems {
			failed = true
			issues = append(issues, engine.Issue{Path: fmt.Sprintf("tests[%d]%s", i, problem.Path), Message: problem.Message, Offset: -1})
		}
		if answer.Completed != nil {
			for _, a := range answer.Completed.Results.Activities {
				tested[a.ID] = true
			}
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

// Offline calculates one prompt with a domain, outside of any conversation, and returns the message
// that it gives. It fails with ErrPromptJSON and ErrPromptTooLong.
func (d *Domain) Offline(text, format, zone string, now time.Time) (projections.Message, error) {
	return d.DryRun().Say(text, format, zone, now)
}

// TestProblem is what went wrong in a test, and the place in it, such as ".expect.time".
type TestProblem struct{ Path, Message string }

// RunTest calculates a test, where now is the clock's unless the test says when, and compares the
// answer with what it expects. Of a fetch the answer that it returns is the one that the scenario
// stands at.
func (d *Domain) RunTest(t events.Test, now time.Time) (answer projections.Message, problems []TestProblem) {
	r := d.DryRun()
	now, zone := *cmp.Or(t.Now, &now), cmp.Or(t.TimeZone, "UTC")
	for i, turn := range t.After {
		turn.Now, turn.TimeZone = cmp.Or(turn.Now, &now), cmp.Or(turn.TimeZone, zone)
		problems := r.turn(turn)
		for k := range problems {
			problems[k].Path = fmt.Sprintf(".after[%d]%s", i, problems[k].Path)
		}
		if len(problems) > 0 {
			return answer, problems
		}
	}
	answer, problems = r.ask(events.Turn{Prompt: t.Prompt, InputFormat: t.InputFormat, Now: &now, TimeZone: zone})
	switch {
	case len(problems) > 0:
		return answer, problems
	case len(t.Errors) > 0:
		return answer, compareErrors(answer, t.Errors)
	case answer.Failed != nil:
		return answer, unwanted(answer)
	}
	answer = r.shown(answer)
	env := value.Env{Now: now}
	env.Zone, _ = Zone(zone)
	for _, key := range slices.Sorted(maps.Keys(t.Expect)) {
		if problem := d.compareValue(answer, key, t.Expect[key], env); problem != "" {
			problems = append(problems, TestProblem{".expect." + key, problem})
		}
	}
	return answer, problems
}

// turn takes in what came before the prompt of a test. A prompt must be answered, or lack nothing
// but values.
func (r *DryRun) turn(t events.Turn) []TestProblem {
	if t.OtherDomain != 0 {
		if problem := r.elsewhere(t.OtherDomain); problem != "" {
			return []TestProblem{{".other_domain", problem}}
		}
		return nil
	}
	answer, problems := r.ask(t)
	if answer.Failed != nil && !answer.Failed.Awaits() {
		problems = unwanted(answer)
	}
	return problems
}

// ask calculates a turn that states its moment and time zone.
func (r *DryRun) ask(t events.Turn) (projections.Message, []TestProblem) {
	formats := []string{"", prompt.Structured, prompt.JSON, prompt.NaturalLanguage}
	if !slices.Contains(formats, t.InputFormat) {
		return projections.Message{}, []TestProblem{{".input_format", fmt.Sprintf("There is no input format %q. Use one of %s, or leave it out.", t.InputFormat, strings.Join(formats[1:], ", "))}}
	}
	if _, ok := Zone(t.TimeZone); !ok {
		return projections.Message{}, []TestProblem{{".time_zone", fmt.Sprintf("There is no time zone %q. Use an IANA name such as Europe/Berlin.", t.TimeZone)}}
	}
	answer, err := r.Say(t.Prompt, t.InputFormat, t.TimeZone, *t.Now)
	switch {
	case errors.Is(err, ErrPromptJSON):
		return answer, []TestProblem{{".prompt", "The prompt is not valid JSON."}}
	case err != nil:
		return answer, []TestProblem{{".prompt", "This cannot be asked: " + err.Error() + "."}}
	}
	return answer, nil
}

// unwanted says of each error of an answer that it should not be there.
func unwanted(answer projections.Message) (problems []TestProblem) {
	for _, e := range ErrorsOf(answer.Failed) {
		problems = append(problems, TestProblem{".prompt", "The prompt gives an error: " + e.Filled() + " (" + e.Code + ")"})
	}
	return problems
}

// compareErrors compares the errors of an answer with the codes that are wanted.
func compareErrors(answer projections.Message, want []string) (problems []TestProblem) {
	is := "the prompt is answered without an error."
	var got, told []string
	if answer.Failed != nil {
		for _, e := range MistakesOf(answer.Failed) {
			got, told = append(got, e.Code), append(told, e.Code+": "+e.Filled())
		}
		is = "it is " + strings.Join(told, " and ")
	}
	for i, code := range want {
		if problem := value.UnknownCode(code); problem != "" {
			problems = append(problems, TestProblem{fmt.Sprintf(".errors[%d]", i), problem})
		}
	}
	if !slices.Equal(want, got) {
		problems = append(problems, TestProblem{".errors", "Expected " + strings.Join(want, ", ") + ", but " + is})
	}
	return problems
}

// compareValue says what is wrong with the value of a variable in an answer, "" for nothing.
func (d *Domain) compareValue(answer projections.Message, key string, wanted json.RawMessage, env value.Env) string {
	var want, got value.Text
	if err := want.UnmarshalJSON(wanted); err != nil {
		return "Expected values are strings (or tables of strings): " + err.Error()
	}
	i, problem := d.compiled.FindVariable(key)
	if problem != nil {
		return problem.Filled()
	}
	if events.Unmarshal(answer.Completed.Results.Value(d.Definition.Variables[i].Key), &got) != nil {
		return "The result has no value for " + key + "."
	}
	same, errs := d.compiled.Agrees(i, got, want, env)
	switch {
	case len(errs) > 0:
		return "The expected value cannot be read: " + errs[0].Filled()
	case !same:
		return fmt.Sprintf("Expected %s, but it is %s.", plain(want), plain(d.compiled.Labelled(i, got)))
	}
	return ""
}

func plain(t value.Text) string {
	return strings.Trim(string(Encode(t)), `"`)
}

// ErrorsOf are the errors of a failed message, nil where they cannot be read.
func ErrorsOf(data *events.MessageFailed) []value.Error {
	var list []value.Error
	if events.Unmarshal(data.Errors, &list) != nil {
		return nil
	}
	return list
}

// MistakesOf are the errors of a failed message without what could be asked instead, which stands
// behind that a prompt was not understood: tests state the mistake.
func MistakesOf(data *events.MessageFailed) []value.Error {
	list := ErrorsOf(data)
	if len(list) < 2 {
		return list
	}
	return slices.DeleteFunc(list, func(e value.Error) bool { return e.Code == "language.can_ask" })
}

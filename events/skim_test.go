package events

import (
	"reflect"
	"testing"

	"github.com/google/uuid"
)

// What Skim reads of any event is made whole as Scan reads it, and leaves out of a result what is long.
func TestSkimmedEventsAreMadeWhole(t *testing.T) {
	for _, k := range table {
		header := map[string][]string{HeaderID: {uuid.NewString()}, HeaderType: {k.name}, HeaderTime: {"2026-01-02T03:04:05.678Z"}}
		whole, err := Decode(Subject{}, 7, header, fixtures(t)[k.name], false)
		if err != nil {
			t.Fatal(err)
		}
		brief, err := Decode(Subject{}, 7, header, fixtures(t)[k.name], true)
		if err != nil {
			t.Fatal(err)
		}
		if completed, ok := brief.Data.(*MessageCompleted); ok {
			r := completed.Results
			if r.Variables != nil || r.Activities != nil || r.Action == "" || r.Scenario.Current == 0 || (completed.Prompt == "") != k.apart {
				t.Errorf("%s is skimmed as %+v", k.name, completed)
			}
		}
		if brief.Lacks() != k.apart || whole.Lacks() != k.apart {
			t.Errorf("%s lacks a prompt: %t and %t", k.name, brief.Lacks(), whole.Lacks())
		}
		if k.apart {
			brief.Message().Prompt, whole.Message().Prompt = "read since", "read since"
		}
		made, err := brief.Whole()
		if err != nil || !reflect.DeepEqual(made, whole) {
			t.Errorf("%s is made whole as %+v (%v), want %+v", k.name, made, err, whole)
		}
	}
}

// What was passed over is read when the event is made whole, and is what it must be or an error.
func TestSkimmedEventThatIsNotWhole(t *testing.T) {
	header := map[string][]string{HeaderID: {uuid.NewString()}, HeaderType: {"reckon.message.completed.v1"}, HeaderTime: {"2026-01-02T03:04:05Z"}}
	e, err := Decode(Subject{}, 7, header, []byte(`{"prompt":"a","results":{"action":"new","variables":[{"key":7}]}}`), true)
	if err != nil {
		t.Fatal(err)
	}
	if whole, err := e.Whole(); err == nil {
		t.Errorf("made whole as %+v", whole)
	}
}

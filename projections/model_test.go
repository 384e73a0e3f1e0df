package projections

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"reckon/events"
)

// Every event that can happen is folded by a read model, and read models fold nothing else.
func TestEveryEventTypeIsFolded(t *testing.T) {
	types := events.Types()
	for name, data := range types {
		// A prompt that is stored apart is handed over with the events of its message.
		if modelOf(name) == "" && data != reflect.TypeFor[events.PromptStored]() {
			t.Errorf("%s is folded by no read model", name)
		}
	}
	for _, m := range models {
		for _, data := range m.folds {
			if !slices.Contains(slices.Collect(maps.Values(types)), reflect.TypeOf(data).Elem()) {
				t.Errorf("%s folds %T, which is not in the table of events", m.name, data)
			}
		}
	}
	for name, want := range map[string]string{
		"reckon.key.created.v1": "accounts", "reckon.domain.drafted.v7": "domains", "reckon.message.failed.v12": "conversations",
		"reckon.message.moved.v1": "", "reckon.message.failed": "", "": "",
	} {
		if got := modelOf(name); got != want {
			t.Errorf("%q is folded by %q, want %q", name, got, want)
		}
	}
}

// The entry of a read model says everything that is asked of it.
func TestModelsAreWhole(t *testing.T) {
	optional := []string{"part", "words"}
	for i, m := range models {
		entry := reflect.ValueOf(m)
		for j := range entry.NumField() {
			if name := entry.Type().Field(j).Name; entry.Field(j).IsZero() && !slices.Contains(optional, name) {
				t.Errorf("read model %d, %q, has no %s", i, m.name, name)
			}
		}
		if m.readable > m.version {
			t.Errorf("%s cannot read its own version", m.name)
		}
		if name, version, generation, ok := parseBucketName(m.bucketName(7)); !ok || name != m.name || version != m.version || generation != 7 {
			t.Errorf("the name of a bucket of %s is read as %s, %d, %d, %t", m.name, name, version, generation, ok)
		}
	}
}

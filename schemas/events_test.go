package schemas_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"reckon/schemas"
)

const suffix = ".schema.json"

// eventNames lists the wire names that have a schema.
func eventNames(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("events/*" + suffix)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), suffix))
	}
	return names
}

// compile compiles the schema of an event; change, unless nil, alters every schema before.
func compile(t *testing.T, name string, change func(any)) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	for _, other := range eventNames(t) {
		text, found := schemas.Event(other)
		if !found {
			t.Fatalf("%s has a file and no schema", other)
		}
		schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", other, err)
		}
		if change != nil {
			change(schema)
		}
		if err := c.AddResource("test:///"+other+suffix, schema); err != nil {
			t.Fatalf("%s: %v", other, err)
		}
	}
	schema, err := c.Compile("test:///" + name + suffix)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// fixtures are the events that package events decodes in its own tests.
var fixtures = filepath.Join("..", "events", "testdata")

// fixture is the fixture of a wire name.
func fixture(t *testing.T, name string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(fixtures, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	event, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return event.(map[string]any)
}

func TestFixturesMatchTheirSchemas(t *testing.T) { validate(t, nil) }

// TestSchemasNameEveryMember holds the fixtures, which have all members of their types, against
// schemas that allow no others.
func TestSchemasNameEveryMember(t *testing.T) { validate(t, closeObjects) }

// validate holds each fixture, also those of members that a type has got later, against its schema.
func validate(t *testing.T, change func(any)) {
	t.Helper()
	for _, name := range eventNames(t) {
		schema := compile(t, name, change)
		if err := schema.Validate(fixture(t, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(fixtures, "added", name+".json")); err != nil {
			continue
		}
		if err := schema.Validate(fixture(t, filepath.Join("added", name))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// closeObjects forbids members that a schema does not name.
func closeObjects(schema any) {
	switch s := schema.(type) {
	case map[string]any:
		if _, ok := s["properties"].(map[string]any); ok {
			s["additionalProperties"] = false
		}
		for _, part := range s {
			closeObjects(part)
		}
	case []any:
		for _, part := range s {
			closeObjects(part)
		}
	}
}

func TestSchemasAllowMembersOfLaterVersions(t *testing.T) {
	for _, name := range eventNames(t) {
		event := fixture(t, name)
		event["member_of_a_later_version"] = true
		if err := compile(t, name, nil).Validate(event); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchemasRefuseBrokenEvents(t *testing.T) {
	for _, name := range eventNames(t) {
		schema := compile(t, name, nil)
		text, _ := schemas.Event(name)
		var object struct{ Required []string }
		if err := json.Unmarshal(text, &object); err != nil {
			t.Fatal(err)
		}
		if len(object.Required) == 0 {
			t.Errorf("%s requires nothing", name)
		}
		for _, member := range object.Required {
			event := fixture(t, name)
			delete(event, member)
			if schema.Validate(event) == nil {
				t.Errorf("%s is valid without %s", name, member)
			}
			event[member] = true
			if schema.Validate(event) == nil {
				t.Errorf("%s is valid with a %s of the wrong type", name, member)
			}
		}
	}
}

func TestEveryEventHasASchema(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(fixtures, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(eventNames(t)) {
		t.Errorf("there are %d events and %d schemas", len(files), len(eventNames(t)))
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if _, found := schemas.Event(name); !found {
			t.Errorf("%s has no schema", name)
		}
	}
	if _, found := schemas.Event("reckon.nothing.happened.v1"); found {
		t.Error("an event that there is not has a schema")
	}
}

// TestSchemasAreDescribed reads every schema for members without a description; a reference has
// that of its target.
func TestSchemasAreDescribed(t *testing.T) {
	for _, name := range eventNames(t) {
		text, _ := schemas.Event(name)
		var schema any
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		checkDescribed(t, name, schema)
	}
}

func checkDescribed(t *testing.T, path string, schema any) {
	switch s := schema.(type) {
	case map[string]any:
		if properties, ok := s["properties"].(map[string]any); ok {
			for name, member := range properties {
				m := member.(map[string]any)
				if m["description"] == nil && m["$ref"] == nil {
					t.Errorf("%s: %s has no description", path, name)
				}
			}
		}
		for name, part := range s {
			checkDescribed(t, path+"/"+name, part)
		}
	case []any:
		for _, part := range s {
			checkDescribed(t, path, part)
		}
	}
}

// Whoever administers does so in one of the same ways everywhere.
func TestSchemasNameTheSameActors(t *testing.T) {
	first := ""
	for _, name := range eventNames(t) {
		text, _ := schemas.Event(name)
		var event struct {
			Properties struct{ By json.RawMessage }
		}
		if err := json.Unmarshal(text, &event); err != nil {
			t.Fatal(err)
		}
		var by bytes.Buffer
		if event.Properties.By == nil {
			continue
		}
		if err := json.Compact(&by, event.Properties.By); err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = by.String()
		}
		if by.String() != first {
			t.Errorf("%s has other actors than those before it:\n%s\n%s", name, by.String(), first)
		}
	}
	if first == "" {
		t.Error("no event has an actor")
	}
}

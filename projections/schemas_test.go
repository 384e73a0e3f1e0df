package projections

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"reckon/events"
)

// Every document that a fold writes is checked against its schema.
func TestDocumentsMatchTheirSchemas(t *testing.T) {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schemas := map[string]*jsonschema.Schema{}
	for _, name := range []string{"account", "domain", "conversation", "message"} {
		schema, err := compiler.Compile(filepath.Join("..", "schemas", "views", name+".schema.json"))
		if err != nil {
			t.Fatal(err)
		}
		schemas[name] = schema
	}
	check := func(name string, value []byte) error {
		t.Helper()
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
		if err != nil {
			t.Fatal(err)
		}
		return schemas[name].Validate(document)
	}

	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	someHistory(h)
	account, domain := uuid.New(), uuid.New()
	h.append(event(events.AccountSubject(account), &events.AccountCreated{AccountID: account, Name: "no keys", TimeZone: "UTC", BodyVersion: 2}))
	h.append(event(events.DomainSubject(account, domain), &events.DomainDrafted{DomainID: domain, Key: "dm_1", Definition: Definition{Title: "Draft", Variables: []events.Variable{}, Activities: []events.Activity{}}}))
	if err := v.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for name, place := range map[string]struct {
		bucket  *bucket
		pattern string
	}{
		"account":      {v.serving.Load().store.accounts, "*"},
		"domain":       {v.serving.Load().store.domains, "*.*"},
		"conversation": {v.serving.Load().store.conversations, "*.*"},
		"message":      {v.serving.Load().store.conversations, "*.*.m.*"},
	} {
		err := place.bucket.each(t.Context(), place.pattern, func(value []byte) error {
			seen[name]++
			if err := check(name, value); err != nil {
				t.Errorf("%s %s\n%v", name, value, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, least := range map[string]int{"account": 3, "domain": 3, "conversation": 18, "message": 68} {
		if seen[name] < least {
			t.Errorf("%d documents of %s were checked, want %d at least", seen[name], name, least)
		}
	}

	running := Message{Message: request(uuid.New(), "how long?"), Status: InProgress, UpdatedAt: start, Number: 1, Sequence: 1}
	value, err := encode(running.document())
	if err != nil {
		t.Fatal(err)
	}
	if err := check("message", value); err != nil {
		t.Errorf("a message in progress: %v", err)
	}
	if back, err := decodeMessage(value); err != nil || back.MessageID != running.MessageID || back.Prompt != running.Prompt || back.Status != InProgress {
		t.Errorf("a message in progress is read as %+v, %v", back, err)
	}
	read := running
	read.Interpreted = interpreted(account, running.Message).Data.(*events.MessageInterpreted)
	if value, err := encode(read.document()); err != nil {
		t.Fatal(err)
	} else if err := check("message", value); err != nil {
		t.Errorf("a message in progress that a model has read: %v", err)
	} else if back, err := decodeMessage(value); err != nil || back.Prompt != running.Prompt || back.Interpreted == nil || back.Interpreted.Proposer != "a model" {
		t.Errorf("a message in progress that a model has read is read as %+v, %v", back, err)
	}
	if err := check("message", []byte(strings.Replace(string(value), InProgress, Completed, 1))); err == nil {
		t.Error("a completed message without an answer passes")
	}
	var fields map[string]any
	if err := json.Unmarshal(value, &fields); err != nil {
		t.Fatal(err)
	}
	delete(fields, "request")
	if value, err = json.Marshal(fields); err != nil {
		t.Fatal(err)
	}
	if _, err := decodeMessage(value); err == nil {
		t.Error("a message with neither request nor answer is read")
	}
}

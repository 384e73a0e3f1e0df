package http

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/rogpeppe/go-internal/txtar"

	"reckon/projections"
)

var update = flag.Bool("update", false, "rewrite the expected outputs in testdata")

// golden runs every archive of a folder of testdata: its first file is the input, the others are
// the outputs of show, which -update rewrites. Each output is also checked against the schema that
// it names.
func golden(t *testing.T, folder string, show func(t *testing.T, input txtar.File) []output) {
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives in %s: %v", folder, err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := &txtar.Archive{Comment: archive.Comment, Files: archive.Files[:1:1]}
			for _, o := range show(t, archive.Files[0]) {
				body := encode(o.body)
				conforms(t, o.schema, body)
				var indented bytes.Buffer
				if err := json.Indent(&indented, body, "", "  "); err != nil {
					t.Fatal(err)
				}
				indented.WriteByte('\n')
				got.Files = append(got.Files, txtar.File{Name: o.name, Data: indented.Bytes()})
			}
			text := txtar.Format(got)
			if *update {
				if err := os.WriteFile(path, text, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := txtar.Format(archive); !bytes.Equal(text, want) {
				t.Errorf("the outputs are not those of %s:\n%s", path, text)
			}
		})
	}
}

// output is one body with the schema of openapi.yaml that it must conform to.
type output struct {
	name   string
	schema string
	body   any
}

// message reads a message view from the event that it stands at: the file's name is its status.
func message(t *testing.T, f txtar.File) projections.Message {
	t.Helper()
	var m projections.Message
	targets := []any{&m.Message}
	switch f.Name {
	case projections.Completed:
		targets = append(targets, &m.Completed)
	case projections.Failed:
		targets = append(targets, &m.Failed)
	case projections.InProgress:
	default:
		t.Fatalf("%q is not a status", f.Name)
	}
	for _, target := range targets {
		if err := json.Unmarshal(f.Data, target); err != nil {
			t.Fatal(err)
		}
	}
	m.Status = f.Name
	m.UpdatedAt = m.ReceivedAt.Add(1234567 * time.Microsecond)
	return m
}

func TestPresentMessage(t *testing.T) {
	golden(t, "messages", func(t *testing.T, input txtar.File) []output {
		m := message(t, input)
		outputs := []output{
			{"answer in version 2", "Message", PresentMessage(m, 2)},
			{"answer in version 1", "MessageV1", PresentMessage(m, 1)},
			{"entry in version 2", "ConversationMessage", presentMessage(&m, 2)},
			{"entry in version 1", "ConversationMessageV1", presentMessage(&m, 1)},
		}
		if m.Completed != nil && m.Completed.Results.Action != "fetch" {
			outputs = append(outputs,
				output{"scenario in version 2", "Scenario", scenarioOf(3, &m, 2)},
				output{"scenario in version 1", "ScenarioV1", scenarioOf(3, &m, 1)},
			)
		}
		return outputs
	})
}

func TestPresentDomain(t *testing.T) {
	golden(t, "domains", func(t *testing.T, input txtar.File) []output {
		d := projections.Domain{
			ID:      uuid.MustParse("0198f2c4-0000-7000-8000-000000000001"),
			Key:     "dm_0123456789abcdef",
			Version: 3,
		}
		if err := json.Unmarshal(input.Data, &d.Published); err != nil {
			t.Fatal(err)
		}
		if input.Name == "published and drafted" {
			d.Draft = d.Published
		}
		return []output{
			{"domains in version 2", "Domains", presentDomains([]projections.Domain{d}, 2)},
			{"domains in version 1", "DomainsV1", presentDomains([]projections.Domain{d}, 1)},
			{"variables in version 2", "DomainVariables", presentDomainVariables(d, 2)},
			{"variables in version 1", "DomainVariablesV1", presentDomainVariables(d, 1)},
			{"activities in version 2", "DomainActivities", presentDomainActivities(d, 2)},
			{"activities in version 1", "DomainActivitiesV1", presentDomainActivities(d, 1)},
		}
	})
}

// TestPresentKeepsViews presents in version 1, which rewrites values, and looks whether the view
// has stayed.
func TestPresentKeepsViews(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/messages/structured.txt")
	if err != nil {
		t.Fatal(err)
	}
	m := message(t, archive.Files[0])
	first := PresentMessage(m, 2)
	PresentMessage(m, 1)
	if second := PresentMessage(m, 2); !bytes.Equal(first, second) {
		t.Errorf("version 1 changes the view:\n%s\n%s", first, second)
	}
}

func TestPresentConversation(t *testing.T) {
	title, notes := "Loan & <car>", "Ask again in May."
	cursor := uuid.MustParse("0198f2c4-0000-7000-8000-0000000000ff")
	full := projections.Conversation{
		ID:       uuid.MustParse("0198f2c4-0000-7000-8000-000000000002"),
		Title:    &title,
		Notes:    &notes,
		Messages: 1,
		Current:  1,
		Last:     2,
		Domain: &projections.DomainRef{
			ID: uuid.MustParse("0198f2c4-0000-7000-8000-000000000001"), Key: "dm_0123456789abcdef", Version: 3, Title: "Loan", Description: "What a loan costs.",
		},
		LastActivityAt: time.Date(2026, 3, 5, 14, 7, 9, 120_999_999, time.FixedZone("", 3600)),
	}
	bare := projections.Conversation{ID: full.ID, LastActivityAt: full.LastActivityAt}
	for _, c := range []struct {
		schema, want string
		body         any
	}{
		{
			"Conversations",
			`{"conversations":[{"id":"0198f2c4-0000-7000-8000-000000000002","title":"Loan & <car>","notes":"Ask again in May.","domain_id":"0198f2c4-0000-7000-8000-000000000001","last_activity_at":"2026-03-05T13:07:09.120Z"},` +
				`{"id":"0198f2c4-0000-7000-8000-000000000002","title":null,"notes":null,"domain_id":null,"last_activity_at":"2026-03-05T13:07:09.120Z"}],"next_cursor":"0198f2c4-0000-7000-8000-0000000000ff"}`,
			presentPage(projections.Page{Conversations: []projections.Conversation{full, bare}, Next: &cursor}),
		},
		{"Conversations", `{"conversations":[],"next_cursor":null}`, presentPage(projections.Page{})},
		{
			"Conversation",
			`{"conversation_id":"0198f2c4-0000-7000-8000-000000000002","title":"Loan & <car>","notes":"Ask again in May.",` +
				`"domain":{"id":"0198f2c4-0000-7000-8000-000000000001","title":"Loan","description":"What a loan costs."},` +
				`"current_scenario_index":1,"last_scenario_index":2,"last_activity_at":"2026-03-05T13:07:09.120Z","messages":[]}`,
			presentConversation(full, nil, 2),
		},
		{
			"ConversationV1",
			`{"conversation_id":"0198f2c4-0000-7000-8000-000000000002","title":null,"notes":null,"domain":null,` +
				`"current_scenario_index":null,"last_scenario_index":null,"last_activity_at":"2026-03-05T13:07:09.120Z","messages":[]}`,
			presentConversation(bare, nil, 1),
		},
		{"Scenarios", `{"conversation_id":"0198f2c4-0000-7000-8000-000000000002","scenarios":[]}`, presentScenarios(full.ID, nil, 2)},
	} {
		body := encode(c.body)
		if string(body) != c.want {
			t.Errorf("%s: %s\nwant %s", c.schema, body, c.want)
		}
		conforms(t, c.schema, body)
	}
}

func TestScenarioIndex(t *testing.T) {
	for text, want := range map[string]int{"1": 1, "120": 120, "": 0, "0": 0, "-1": 0, "01": 0, "+1": 0, "1.0": 0, "x": 0, "9223372036854775808": 0, "１": 0} {
		if got, ok := scenarioIndex(text); ok != (want > 0) || ok && got != want {
			t.Errorf("%q: %d, %v", text, got, ok)
		}
	}
}

package main

import (
	"encoding/json"
	nethttp "net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// withKey sends requests with an API key.
type withKey string

func (k withKey) RoundTrip(r *nethttp.Request) (*nethttp.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(k))
	return nethttp.DefaultTransport.RoundTrip(r)
}

// assistant is a client of the protocol, as an assistant has one.
type assistant struct {
	*testing.T
	*mcp.ClientSession
	schemas map[string]*jsonschema.Schema // of what tools answer with, by their names
}

func newAssistant(t *testing.T, transport mcp.Transport) *assistant {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "assistant", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	a := &assistant{t, session, map[string]*jsonschema.Schema{}}
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource(tool.Name, jsonValue(t, tool.OutputSchema)); err != nil {
			t.Fatal(err)
		}
		if a.schemas[tool.Name], err = compiler.Compile(tool.Name); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// jsonValue is a value as the values of JSON.
func jsonValue(t *testing.T, v any) any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// call calls a tool, and reads its answer into a pointer where that is not nil.
func (a *assistant) call(name string, arguments map[string]any, into any) (text string, failed bool) {
	a.Helper()
	result, err := a.CallTool(a.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		a.Fatalf("%s %v: %v", name, arguments, err)
	}
	if len(result.Content) != 1 {
		a.Fatalf("%s answers with %d texts", name, len(result.Content))
	}
	if result.StructuredContent != nil {
		value := jsonValue(a.T, result.StructuredContent)
		if err := a.schemas[name].Validate(value); err != nil {
			a.Errorf("%s %v: %v", name, arguments, err)
		}
		if into != nil {
			data, _ := json.Marshal(value)
			if err := json.Unmarshal(data, into); err != nil {
				a.Fatal(err)
			}
		}
	}
	return result.Content[0].(*mcp.TextContent).Text, result.IsError
}

// calculated is an answer of calculate and ask.
type calculated struct {
	Conversation, Message, Status, Action string
	Scenario                              int
	Values                                []struct {
		Key, Source  string
		Value, Shown any
	}
	Errors []struct {
		Code    string
		Missing [][]string
	}
}

// TestAssistant asks as a language model does, over HTTP and over standard input and output.
func TestAssistant(t *testing.T) {
	c := newContract(t)
	stranger := func() string {
		mustRun(t, "account", "create", "stranger", "--data", c.data)
		out := mustRun(t, "key", "create", "--account", "stranger", "--data", c.data)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		return lines[len(lines)-1]
	}()
	over := func(key string) mcp.Transport {
		return &mcp.StreamableClientTransport{Endpoint: c.url + "/mcp", HTTPClient: &nethttp.Client{Transport: withKey(key)}}
	}
	file := filepath.Join(t.TempDir(), "trip.yaml")
	if err := os.WriteFile(file, []byte(`title: Road trip
description: Driving time.
variables: [{key: distance, unit: mi}, {key: speed, unit: mi/h}, {key: time, unit: h}, {key: hours, kind: table, unit: h}, {key: total, unit: h}]
activities: [{equation: time = distance / speed}, {equation: total = sum(hours)}]
`), 0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "domain", "publish", file, "--account", devAccount, "--data", c.data)
	for name, transport := range map[string]mcp.Transport{
		"HTTP":           over(c.secret),
		"standard input": &mcp.CommandTransport{Command: exec.Command("reckon", "mcp", file)},
	} {
		t.Run(name, func(t *testing.T) { asksAsAssistant(t, newAssistant(t, transport)) })
	}

	t.Run("others", func(t *testing.T) {
		a, foreign := newAssistant(t, over(c.secret)), newAssistant(t, over(stranger))
		var first calculated
		a.call("calculate", map[string]any{"domain": "Road trip", "inputs": map[string]any{"distance": "150 mi", "speed": "60 mi/h"}, "calculate": "time"}, &first)
		for tool, arguments := range map[string]map[string]any{
			"explain": {"conversation": first.Conversation},
			"compare": {"conversation": first.Conversation, "first": 1, "second": 1},
			"sweep":   {"conversation": first.Conversation, "vary": "speed", "from": "1 mi/h", "to": "2 mi/h"},
		} {
			if text, failed := foreign.call(tool, arguments, nil); !failed || !strings.Contains(text, "There is no conversation with this id. (error_not_found)") {
				t.Errorf("%s of another account's conversation: %s", tool, text)
			}
		}
		if text, failed := foreign.call("calculate", map[string]any{"domain": c.domain, "calculate": "time"}, nil); !failed || !strings.Contains(text, "there is no domain") {
			t.Errorf("another account's domain: %s", text)
		}
		client := mcp.NewClient(&mcp.Implementation{Name: "assistant", Version: "1"}, nil)
		if _, err := client.Connect(t.Context(), over("reckon_live_wrong"), nil); err == nil {
			t.Error("a wrong key is let in")
		}
	})
	t.Run("pages", func(t *testing.T) {
		for origin, want := range map[string]int{"": 200, c.url: 200, "https://evil.example.com": 403, "null": 403, "not an origin": 403} {
			header := map[string]string{"Authorization": "Bearer " + c.secret, "Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
			if origin != "" {
				header["Origin"] = origin
			}
			a, err := send(&patient, "POST", c.url+"/mcp", header, []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
			if err != nil || a.status != want {
				t.Errorf("a page of %q is answered %d, %v: %s", origin, a.status, err, a.body)
			}
		}
	})
	t.Run("broken", func(t *testing.T) {
		for body, want := range map[string]int{`{`: 400, `[]`: 400, ``: 400, `{"jsonrpc":"2.0","id":1,"method":"nothing"}`: 400, strings.Repeat(" ", 2<<20): 413} {
			a, err := send(&patient, "POST", c.url+"/mcp", map[string]string{
				"Authorization": "Bearer " + c.secret, "Accept": "application/json, text/event-stream", "Content-Type": "application/json",
			}, []byte(body))
			if err != nil || a.status != want && !(want == 400 && a.status == 415) {
				t.Errorf("%.20q is answered %d, %v: %s", body, a.status, err, a.body)
			}
		}
		if a, err := send(&patient, "GET", c.url+"/mcp", map[string]string{"Authorization": "Bearer " + c.secret}, nil); err != nil || a.status != 405 {
			t.Errorf("GET is answered %d, %v", a.status, err)
		}
	})
}

func asksAsAssistant(t *testing.T, a *assistant) {
	if text, failed := a.call("list_domains", nil, nil); failed || !strings.Contains(text, "Road trip") {
		t.Errorf("list_domains: %s", text)
	}
	in := func(more map[string]any) map[string]any {
		more["domain"] = "road trip"
		return more
	}
	if text, failed := a.call("describe_domain", in(map[string]any{}), nil); failed || !strings.Contains(text, "time = distance / speed (calculates distance, speed, time)") {
		t.Errorf("describe_domain: %s", text)
	}
	var first, second, tables, wrong calculated
	text, failed := a.call("calculate", in(map[string]any{"inputs": map[string]any{"distance": "150 mi", "speed": 60}, "calculate": "time in min"}), &first)
	if failed || !strings.Contains(text, "time = 150 min (calculated)") || first.Values[0].Value != "150 min" || first.Values[0].Source != "calculated" {
		t.Errorf("calculate: %s", text)
	}
	a.call("calculate", in(map[string]any{"conversation": first.Conversation, "inputs": map[string]any{"speed": "75 mi/h"}}), &second)
	if second.Action != "discard" || second.Scenario != 2 || second.Values[0].Value != "120 min" {
		t.Errorf("a what-if: %+v", second)
	}
	a.call("calculate", in(map[string]any{"inputs": map[string]any{"hours": []any{"1 h", 2.5, ""}}, "calculate": []string{"total in min"}}), &tables)
	if len(tables.Values) == 0 || tables.Values[0].Value != "210 min" {
		t.Errorf("a table: %+v", tables)
	}
	text, failed = a.call("calculate", in(map[string]any{"inputs": map[string]any{"distance": "150 mi"}, "calculate": "time"}), &wrong)
	if !failed || !strings.Contains(text, "more values are needed. Give speed") || wrong.Errors[0].Missing[0][0] != "speed" {
		t.Errorf("what is missing: %s", text)
	}
	text, failed = a.call("calculate", in(map[string]any{"inputs": map[string]any{"distanse": "150 mi"}, "calculate": "time"}), nil)
	if !failed || !strings.Contains(text, `Did you mean "distance"?`) {
		t.Errorf("what is misspelt: %s", text)
	}
	var asked calculated
	if text, failed = a.call("ask", in(map[string]any{"question": "How long for 150 miles at 60 mph?"}), &asked); failed || !strings.Contains(text, "time is 2.5 h") {
		t.Errorf("ask: %s", text)
	}
	if text, failed = a.call("explain", map[string]any{"conversation": first.Conversation}, nil); failed || !strings.Contains(text, "distance / speed") {
		t.Errorf("explain: %s", text)
	}
	var compared struct{ Target struct{ Difference string } }
	a.call("compare", map[string]any{"conversation": first.Conversation, "first": 1, "second": 2}, &compared)
	if compared.Target.Difference != "-30 min" {
		t.Errorf("compare: %+v", compared)
	}
	var swept struct{ Points []struct{ Value string } }
	a.call("sweep", map[string]any{"conversation": first.Conversation, "vary": "speed", "from": "50 mi/h", "to": "75 mi/h", "steps": 2, "of": "time in min"}, &swept)
	if len(swept.Points) != 2 || swept.Points[0].Value != "180 min" {
		t.Errorf("sweep: %+v", swept)
	}
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		says      string
	}{
		{"calculate", map[string]any{"domain": "Road trip", "inputs": "150 mi"}, "inputs must be an object"},
		{"calculate", map[string]any{"domain": "Road trip", "inputs": map[string]any{"distance": map[string]any{}}}, "the input distance must be"},
		{"calculate", map[string]any{"domain": "Road trip", "calculate": 7}, "calculate must be a text"},
		{"calculate", map[string]any{"domain": "Road trip", "conversation": "x", "calculate": "time"}, "conversation_id must be a UUID"},
		{"calculate", map[string]any{"speed": "60"}, `there is no argument "speed"`},
		{"calculate", map[string]any{"domain": "Nothing"}, `there is no domain "Nothing": there are`},
		{"ask", map[string]any{"domain": "Road trip"}, "question is required"},
		{"ask", map[string]any{"domain": 7, "question": "time?"}, "domain must be a string"},
		{"explain", map[string]any{"conversation": "../../domains"}, "error_not_found"},
		{"sweep", map[string]any{"conversation": first.Conversation, "vary": "speed"}, "must be the first and the last value"},
	} {
		if text, failed := a.call(c.tool, c.arguments, nil); !failed || !strings.Contains(text, c.says) {
			t.Errorf("%s %v: %s", c.tool, c.arguments, text)
		}
	}
	read := func(uri string) (string, error) {
		r, err := a.ReadResource(a.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return "", err
		}
		return r.Contents[0].Text, nil
	}
	for uri, has := range map[string]string{
		"reckon://reference/functions": `"signature"`, "reckon://reference/units": "furlong", "reckon://reference/errors": "way_out", "reckon://reference/contract": "# What callers may rely on",
		"reckon://conversations/" + first.Conversation + "/scenarios/2": `"120 min"`, "reckon://domains/Road%20trip": "",
	} {
		text, err := read(uri)
		if has == "" && err == nil || has != "" && (err != nil || !strings.Contains(text, has)) {
			t.Errorf("%s: %v %.200s", uri, err, text)
		}
	}
	prompt, err := a.GetPrompt(a.Context(), &mcp.GetPromptParams{Name: "solve", Arguments: map[string]string{"question": "How long?", "domain": "Road trip"}})
	if err != nil || !strings.Contains(prompt.Messages[0].Content.(*mcp.TextContent).Text, "Question: How long?") {
		t.Errorf("the prompt: %v", err)
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	nethttp "net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"reckon/commands"
	"reckon/engine/value"
	"reckon/schemas/schemastest"
)

// TestContract posts the prompts of testdata/contract/*.txt to a server in a process of its own. A case is
//
//	== TITLE            a new conversation, or "=+ TITLE" to go on with that of the case above
//	@ OPTION…           optional
//	PROMPT
//	--
//	what came back
//
// A prompt that starts with "GET /" is such a request; $DOMAIN, $OTHER, $CONVERSATION and $MESSAGE, the last one, stand for ids. Options are
//
//	other               the prompt is about other.yaml instead of domain.yaml
//	structured, json, natural_language  the input_format instead of automatic
//	zone=NAME           the time_zone
//	language=TAG        the language
//	version=1           the body version
//	year                dates of this year are shown without it
//	repeat=N            the last line of the prompt stands there N times, "#" in it being the number of the line
//	show=WHAT,…         also shown: format, text, parsed, prose, display, activities, body
//	pick=PATH           the part of a JSON document that is shown
//
// An answer is shown as its action and scenarios, then each variable with its value and source. What depends on the clock
// is shown by its distance from today or now, and the number of steps of a search as <n>. Structured text and parsed_json that come back are posted in place of the
// prompt, in a conversation that went the same way until then, and must give the same values.
func TestContract(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "contract", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	c := newContract(t)
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) { c.file(t, name) })
	}
}

// contractZone is the zone of the account, far from UTC so that today is often another day.
const contractZone = "Pacific/Kiritimati"

// contract is a server with the two domains of the cases.
type contract struct {
	*world
	second string

	message string // that was answered last

	described [2]*schemastest.Description // by body version less 1
}

// patient waits for prose longer than the service does.
var patient = nethttp.Client{Timeout: 45 * time.Second}

func newContract(t *testing.T) *contract {
	t.Helper()
	c := &contract{world: newWorld(t, filepath.Join(t.TempDir(), "data")), described: describedInterface(t)}
	c.start(t)
	return c
}

// start serves, and publishes the domains.
func (c *contract) start(t *testing.T) {
	t.Helper()
	c.serve(t)
	publish := func(name string) string {
		out := mustRun(t, "domain", "publish", filepath.Join("testdata", "contract", name), "--no-write", "--account", devAccount, "--data", c.data)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		return lines[len(lines)-1]
	}
	c.domain, c.second = publish("domain.yaml"), publish("other.yaml")
	mustRun(t, "account", "set", devAccount, "--time-zone", contractZone, "--data", c.data)
}

// contractCase is one prompt of a case file.
type contractCase struct {
	title     string
	continues bool
	options   []string
	prompt    string
	expected  string
}

func (k contractCase) has(option string) bool { return slices.Contains(k.options, option) }

func (k contractCase) option(name string) string {
	for _, o := range k.options {
		if value, ok := strings.CutPrefix(o, name+"="); ok {
			return value
		}
	}
	return ""
}

func (k contractCase) shows(what string) bool {
	return slices.Contains(strings.Split(k.option("show"), ","), what)
}

// text is the prompt with its last line repeated.
func (k contractCase) text() string {
	n, _ := strconv.Atoi(k.option("repeat"))
	if n == 0 {
		return k.prompt
	}
	lines := strings.Split(k.prompt, "\n")
	last := lines[len(lines)-1]
	lines = lines[:len(lines)-1]
	for i := range n {
		lines = append(lines, strings.ReplaceAll(last, "#", strconv.Itoa(i+1)))
	}
	return strings.Join(lines, "\n")
}

var contractTitle = regexp.MustCompile(`(?m)^=[=+] `)

// contractCases reads a case file: what stands above the first case, and the cases.
func contractCases(data string) (head string, cases []contractCase, err error) {
	starts := contractTitle.FindAllStringIndex(data, -1)
	if len(starts) == 0 {
		return "", nil, fmt.Errorf("there are no cases")
	}
	for i, at := range starts {
		end := len(data)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		title, rest, _ := strings.Cut(data[at[1]:end], "\n")
		k := contractCase{title: title, continues: data[at[0]+1] == '+'}
		if options, ok := strings.CutPrefix(rest, "@ "); ok {
			line, after, _ := strings.Cut(options, "\n")
			k.options, rest = strings.Fields(line), after
		}
		var ok bool
		if k.prompt, k.expected, ok = strings.Cut(rest, "\n--\n"); !ok {
			return "", nil, fmt.Errorf("case %q has no line --", title)
		}
		k.expected = strings.TrimRight(k.expected, "\n")
		cases = append(cases, k)
	}
	return data[:starts[0][0]], cases, nil
}

func (c *contract) file(t *testing.T, name string) {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, cases, err := contractCases(string(data))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var written strings.Builder
	written.WriteString(head)
	var conversation string
	var before []contractCase // of the conversation
	for i, k := range cases {
		mark := "=+"
		if !k.continues {
			mark, conversation, before = "==", "", nil
		}
		t.Run(k.title, func(t *testing.T) {
			got := c.run(t, k, &conversation, before)
			if got != k.expected && !*update {
				t.Errorf("%s\ngave\n%s\ninstead of\n%s", k.prompt, got, k.expected)
			}
			k.expected = got
		})
		before = append(before, cases[i])
		fmt.Fprintf(&written, "%s %s\n", mark, k.title)
		if len(k.options) > 0 {
			fmt.Fprintf(&written, "@ %s\n", strings.Join(k.options, " "))
		}
		fmt.Fprintf(&written, "%s\n--\n%s\n", k.prompt, k.expected)
		if i+1 < len(cases) {
			written.WriteByte('\n')
		}
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(name, []byte(written.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// contractMessage is what the cases read of an answer.
type contractMessage struct {
	ConversationID string          `json:"conversation_id"`
	MessageID      string          `json:"message_id"`
	Status         string          `json:"status"`
	InputFormat    string          `json:"input_format"`
	Prose          string          `json:"natural_language"`
	Parsed         json.RawMessage `json:"parsed_json"`
	Text           *string         `json:"structured_text"`
	Errors         []value.Error   `json:"errors"`
	Results        struct {
		Action     string `json:"action"`
		Scenario   struct{ Original, Current int }
		Calculated *string `json:"calculated"`
		Activities []struct{ Title, State string }
		Variables  []struct {
			ID, Key, Source string
			Historical      bool
			Value           json.RawMessage
			Display         json.RawMessage
			Scale           json.RawMessage
			ScaleUnit       string   `json:"scale_unit"`
			Incompatible    bool     `json:"scale_incompatible"`
			ScaleTypes      []string `json:"scale_types"`
		}
	}
}

// run asks a case's prompt and renders the answer.
func (c *contract) run(t *testing.T, k contractCase, conversation *string, before []contractCase) string {
	s := &shown{contractCase: k, earliest: time.Now(), labels: map[string]string{}}
	var known bool
	if s.zone, known = commands.Zone(k.option("zone")); !known {
		s.zone, _ = commands.Zone(contractZone)
	}
	if path, ok := strings.CutPrefix(k.prompt, "GET "); ok {
		path = strings.NewReplacer("$DOMAIN", c.domain, "$OTHER", c.second, "$CONVERSATION", *conversation, "$MESSAGE", c.message).Replace(path)
		status, body := c.send(t, "GET", path, k, nil)
		return s.document(t, status, body)
	}
	status, m, body := c.ask(t, k, k.text(), "", *conversation)
	s.latest = time.Now()
	if status != nethttp.StatusOK && status != nethttp.StatusAccepted {
		return s.document(t, status, body)
	}
	*conversation, c.message = m.ConversationID, m.MessageID
	if m.Status == "completed" && m.Results.Action != "fetch" {
		if m.Text != nil {
			c.postBack(t, k, m, before, "structured", *m.Text)
		}
		if m.Parsed != nil {
			c.postBack(t, k, m, before, "json", string(m.Parsed))
		}
	}
	if k.shows("body") {
		return s.document(t, status, body)
	}
	return s.message(t, m)
}

// ask posts a prompt. Its format is the case's where it is "".
func (c *contract) ask(t *testing.T, k contractCase, prompt, format, conversation string) (int, contractMessage, []byte) {
	t.Helper()
	members := map[string]string{"domain_id": c.domain, "prompt": prompt}
	if k.has("other") {
		members["domain_id"] = c.second
	}
	for _, f := range []string{"structured", "json", "natural_language"} {
		if k.has(f) {
			members["input_format"] = f
		}
	}
	if format != "" {
		members["input_format"] = format
	}
	if conversation != "" {
		members["conversation_id"] = conversation
	}
	if zone := k.option("zone"); zone != "" {
		members["time_zone"] = zone
	}
	if tag := k.option("language"); tag != "" {
		members["language"] = tag
	}
	body, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	status, answer := c.send(t, "POST", "/v1/calculate", k, body)
	var m contractMessage
	if status == nethttp.StatusOK || status == nethttp.StatusAccepted {
		if err := json.Unmarshal(answer, &m); err != nil {
			t.Fatalf("%v in %s", err, answer)
		}
	}
	return status, m, answer
}

func (c *contract) send(t *testing.T, method, path string, k contractCase, body []byte) (status int, answer []byte) {
	t.Helper()
	headers := map[string]string{"Authorization": "Bearer " + c.secret, "Body-Version": k.option("version")}
	if body != nil {
		headers["Prefer"] = "wait=30"
	}
	a, err := send(&patient, method, c.url+path, headers, body)
	if err != nil {
		t.Fatal(err)
	}
	path, _, _ = strings.Cut(path, "?")
	d, pointer, err := c.answer(method, routeOf(path), a.header, a.status)
	if err == nil && a.header.Get("Content-Type") == "application/json" {
		err = d.Check(pointer, a.body)
	}
	if err != nil {
		t.Errorf("%s %s: %v", method, path, err)
	}
	return a.status, a.body
}

// describedInterface is the description of the interface, by body version less 1.
func describedInterface(t *testing.T) (described [2]*schemastest.Description) {
	t.Helper()
	for i := range described {
		d, err := schemastest.Open(i + 1)
		if err != nil {
			t.Fatal(err)
		}
		described[i] = d
	}
	return described
}

// answer is where the body of an answer is described, or an error where no such answer is. What is
// described for body version 2 alone is the same in both.
func (c *contract) answer(method, route string, header nethttp.Header, status int) (*schemastest.Description, string, error) {
	d := c.described[1]
	if header.Get("Body-Version") == "1" && memberOf(c.described[0].Document, "paths", route) != nil {
		d = c.described[0]
	}
	path := []string{"paths", route, strings.ToLower(method), "responses", strconv.Itoa(status)}
	response := memberOf(d.Document, path...)
	if response == nil {
		return nil, "", fmt.Errorf("%s %s does not answer %d", method, route, status)
	}
	if reference, ok := memberOf(response, "$ref").(string); ok {
		path = strings.Split(strings.TrimPrefix(reference, "#/"), "/")
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D")
	pointer := ""
	for _, name := range append(path, "content", "application/json", "schema") {
		pointer += "/" + escape.Replace(name)
	}
	return d, pointer, nil
}

// routeOf is the path template of a path.
func routeOf(path string) string {
	parts := strings.Split(path, "/")
	switch {
	case len(parts) > 3 && parts[2] == "conversations", len(parts) > 3 && parts[2] == "domains":
		parts[3] = "{id}"
	}
	if names := map[string]string{"context": "{scenario_id}", "messages": "{message_id}"}; len(parts) > 5 && names[parts[4]] != "" {
		parts[5] = names[parts[4]]
	}
	return strings.Join(parts, "/")
}

// memberOf is the value at a path of member names, nil where there is none.
func memberOf(value any, path ...string) any {
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

// postBack posts what a message said of itself where its prompt was, and compares the answers.
func (c *contract) postBack(t *testing.T, k contractCase, m contractMessage, before []contractCase, format, text string) {
	t.Helper()
	conversation := ""
	for _, earlier := range before {
		if !strings.HasPrefix(earlier.prompt, "GET ") {
			if _, m, _ := c.ask(t, earlier, earlier.text(), "", conversation); m.ConversationID != "" {
				conversation = m.ConversationID
			}
		}
	}
	_, again, body := c.ask(t, k, text, format, conversation)
	if again.Status != "completed" {
		t.Errorf("posted back:\n%s\ngave %s", text, body)
		return
	}
	if again.Results.Action != m.Results.Action || again.Results.Scenario != m.Results.Scenario {
		t.Errorf("posted back:\n%s\ngave %s %v instead of %s %v", text, again.Results.Action, again.Results.Scenario, m.Results.Action, m.Results.Scenario)
	}
	want, got := m.values(), again.values()
	if !maps.Equal(want, got) {
		t.Errorf("posted back:\n%s\ngave %v instead of %v", text, got, want)
	}
}

// values are the values of a message by key. Moments that the clock decided are left out.
func (m contractMessage) values() map[string]string {
	values := map[string]string{}
	for _, v := range m.Results.Variables {
		var display struct{ Kind string }
		if json.Unmarshal(v.Display, &display) == nil && display.Kind == "datetime" {
			continue
		}
		values[v.Key] = string(v.Value)
	}
	return values
}

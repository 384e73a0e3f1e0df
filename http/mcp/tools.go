package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"reckon/engine/value"
)

// tool is one line of what a model may call. Its schemas are JSON Schema of objects.
type tool struct {
	name, title, description string
	input, output            string
	writes                   bool // it adds to a conversation
	run                      func(context.Context, caller, arguments) (answer, error)
}

// answer is what a tool answers with: for reading, and as data that conforms to its schema.
type answer struct {
	text       string
	structured any
	failed     bool // the calculation has no result
}

// arguments are those of a call, as they were sent.
type arguments map[string]json.RawMessage

// text is a string argument, "" where it is not given.
func (a arguments) text(name string) (string, error) {
	var text string
	if raw := a[name]; raw != nil && json.Unmarshal(raw, &text) != nil {
		return "", fmt.Errorf("%s must be a string", name)
	}
	return text, nil
}

// id is text for what is named by an id, which stands in a path.
func (a arguments) id(name string) (string, error) {
	text, err := a.text(name)
	return url.PathEscape(text), err
}

const (
	conversationProperty = `"conversation": {"type": "string", "description": "Id of a conversation to go on with, from an earlier answer. Left out, a new one."}`
	domainProperty       = `"domain": {"type": "string", "description": "Id or title of the domain, from list_domains. It may be left out where there is only one."}`
	anyObject            = `{"type": "object"}`
	inEnglish            = "What it says is in English in every language; ask alone answers in that of the question."
)

// tools are all of them.
var tools = []tool{
	{
		name: "list_domains", title: "List domains",
		description: "List the domains that can be asked. A domain has variables with units and equations over them.",
		input:       `{"type": "object", "properties": {}, "additionalProperties": false}`,
		output: `{"type": "object", "required": ["domains"], "properties": {"domains": {"type": "array", "items": {
  "type": "object", "required": ["id", "title", "description"],
  "properties": {"id": {"type": "string"}, "title": {"type": "string"}, "description": {"type": "string"}}}}}}`,
		run: listDomains,
	},
	{
		name: "describe_domain", title: "Describe a domain",
		description: "Tell a domain's variables, with their defaults and kinds, and its equations. Each equation answers for any of its variables that is named as calculable.",
		input:       `{"type": "object", "properties": {` + domainProperty + `}, "additionalProperties": false}`,
		output: `{"type": "object", "required": ["id", "title", "variables", "equations"], "properties": {
  "id": {"type": "string"}, "title": {"type": "string"}, "description": {"type": "string"},
  "variables": {"type": "array", "items": {"type": "object", "required": ["key", "title", "kind"], "properties": {
    "key": {"type": "string"}, "title": {"type": "string"}, "description": {"type": "string"}, "kind": {"type": "string"},
    "default": {"description": "Taken where no value is given."}}}},
  "equations": {"type": "array", "items": {"type": "object", "required": ["equation", "calculable"], "properties": {
    "title": {"type": "string"}, "equation": {"type": "string"}, "calculable": {"type": "array", "items": {"type": "string"}}}}}}}`,
		run: describeDomain,
	},
	{
		name: "calculate", title: "Calculate",
		description: "Calculate variables of a domain from values with units, exactly. Equations are solved in whatever direction is needed. " +
			"In a conversation, values are carried: give only what changes. Changing a value makes another scenario and keeps the one before. " +
			inEnglish,
		input: `{"type": "object", "additionalProperties": false, "properties": {` + domainProperty + `, ` + conversationProperty + `,
  "inputs": {"type": "object", "description": "Values by the key or title of their variables, with units in the text: {\"distance\": \"150 mi\", \"rate\": \"6%\", \"due\": \"2026-03-05\"}. A table is an array of texts, or of rows of them. An empty text forgets a value.",
    "additionalProperties": {"anyOf": [{"type": ["string", "number"]}, {"type": "array"}]}},
  "calculate": {"description": "What to calculate: a key or title, with a unit where one is wished (\"time in min\"); a list of several; \"everything\" for all that follows. Left out, what was asked last.",
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
  "scenario": {"type": "string", "description": "What to build on: new, current, last, a number, or new from 2. Left out, where the conversation stands."},
  "time_zone": {"type": "string", "description": "IANA zone that decides what today and now mean."}}}`,
		output: messageSchema, writes: true, run: calculate,
	},
	{
		name: "ask", title: "Ask in words",
		description: "Ask a question in plain words, such as \"How long for 150 miles at 60 mph?\", \"and at 75?\", \"10% more\", \"back to the first one\". It is read by the words of the domain; " +
			"where it is not understood, calculate with inputs instead.",
		input: `{"type": "object", "required": ["question"], "additionalProperties": false, "properties": {` + domainProperty + `, ` + conversationProperty + `,
  "question": {"type": "string", "description": "The question, in the words of whoever asks."},
  "time_zone": {"type": "string", "description": "IANA zone that decides what today and now mean."},
  "language": {"type": "string", "description": "Language of the question and of the answer: en or de. Left out, that of the account, or of the domain."}}}`,
		output: messageSchema, writes: true, run: ask,
	},
	{
		name: "explain", title: "Explain an answer",
		description: "Tell step by step how an answer came about: each equation, solved for its unknown, with numbers put in, and where each value is from. " + inEnglish,
		input: `{"type": "object", "required": ["conversation"], "additionalProperties": false, "properties": {
  "conversation": {"type": "string"}, "message": {"type": "string", "description": "Id of the answer. Left out, the last one."}}}`,
		output: anyObject, run: explain,
	},
	{
		name: "compare", title: "Compare two scenarios",
		description: "Tell what differs between two scenarios of a conversation, and how much each changed input has a share in the difference of the result. " + inEnglish,
		input: `{"type": "object", "required": ["conversation", "first", "second"], "additionalProperties": false, "properties": {
  "conversation": {"type": "string"}, "first": {"type": "integer", "description": "Index of a scenario."}, "second": {"type": "integer"},
  "of": {"type": "string", "description": "The variable to compare, with a unit where one is wished. Left out, what was asked."}}}`,
		output: anyObject, run: compare,
	},
	{
		name: "sweep", title: "Sweep an input",
		description: "Calculate a variable over a range of one input, or of two, in a conversation's scenario, without adding to the conversation. " + inEnglish,
		input: `{"type": "object", "required": ["conversation", "vary"], "additionalProperties": false, "properties": {
  "conversation": {"type": "string"}, "scenario": {"type": "integer", "description": "Left out, the one in focus."},
  "of": {"type": "string", "description": "What to calculate, with a unit where one is wished."},
  "vary": {"type": "string", "description": "The input that varies."}, "from": {"type": "string"}, "to": {"type": "string"},
  "steps": {"type": "integer", "description": "How many values, both ends included."}, "values": {"type": "string", "description": "All values, in the place of from and to."},
  "vary2": {"type": "string", "description": "A second input, for a grid."}, "from2": {"type": "string"}, "to2": {"type": "string"}, "steps2": {"type": "integer"}, "values2": {"type": "string"}}}`,
		output: anyObject, run: sweep,
	},
}

func listDomains(ctx context.Context, c caller, _ arguments) (answer, error) {
	list, err := c.domains(ctx)
	if err != nil {
		return answer{}, err
	}
	lines := make([]string, len(list))
	for i, d := range list {
		lines[i] = fmt.Sprintf("%s (%s): %s", d.Title, d.ID, d.Description)
	}
	return answer{text: strings.Join(lines, "\n"), structured: map[string]any{"domains": list}}, nil
}

// described is a domain as describe_domain tells it.
type described struct {
	domain
	Variables []describedVariable `json:"variables"`
	Equations []describedEquation `json:"equations"`
}

type describedVariable struct {
	Key         string      `json:"key"`
	Title       string      `json:"title"`
	Description string      `json:"description,omitempty"`
	Kind        string      `json:"kind"`
	Default     *value.Text `json:"default,omitempty"`
}

type describedEquation struct {
	Title      string   `json:"title,omitempty"`
	Equation   string   `json:"equation"`
	Calculable []string `json:"calculable"`
}

func describeDomain(ctx context.Context, c caller, a arguments) (answer, error) {
	name, err := a.text("domain")
	if err != nil {
		return answer{}, err
	}
	d, err := c.describe(ctx, name)
	if err != nil {
		return answer{}, err
	}
	text := d.Title + ". " + d.Description + "\n\nVariables:\n"
	for _, v := range d.Variables {
		text += "- " + v.Key + ": " + v.Title
		if v.Description != "" {
			text += ". " + v.Description
		}
		if v.Default != nil {
			text += " Default: " + line(*v.Default)
		}
		text += "\n"
	}
	text += "\nEquations:\n"
	for _, e := range d.Equations {
		text += "- " + e.Equation + " (calculates " + strings.Join(e.Calculable, ", ") + ")\n"
	}
	return answer{text: text, structured: d}, nil
}

// describe reads what can be asked of a domain.
func (c caller) describe(ctx context.Context, name string) (described, error) {
	found, err := c.domain(ctx, name)
	if err != nil {
		return described{}, err
	}
	var definition struct {
		Activities []struct {
			Title, Equation, State string
			Refs                   []struct {
				ID         string `json:"variable_id"`
				Calculable bool
			} `json:"variable_refs"`
		}
		Variables []struct {
			ID, Key, Title, Description, Kind string
			Hidden                            bool
			Default                           value.Text `json:"default_value"`
		}
	}
	if err := c.get(ctx, "/v1/domains/"+url.PathEscape(found.ID)+"/activities", nil, &definition); err != nil {
		return described{}, err
	}
	d := described{domain: found, Variables: []describedVariable{}, Equations: []describedEquation{}}
	keys := map[string]string{}
	for _, v := range definition.Variables {
		keys[v.ID] = v.Key
		if v.Hidden {
			continue
		}
		told := describedVariable{Key: v.Key, Title: v.Title, Description: v.Description, Kind: v.Kind}
		if !v.Default.IsEmpty() {
			told.Default = &v.Default
		}
		d.Variables = append(d.Variables, told)
	}
	for _, e := range definition.Activities {
		if e.State != "active" {
			continue
		}
		told := describedEquation{Title: e.Title, Equation: e.Equation, Calculable: []string{}}
		for _, r := range e.Refs {
			if r.Calculable {
				told.Calculable = append(told.Calculable, keys[r.ID])
			}
		}
		d.Equations = append(d.Equations, told)
	}
	return d, nil
}

// stated is a JSON prompt.
type stated struct {
	Inputs    []statedInput  `json:"inputs"`
	Calculate []statedTarget `json:"calculate,omitempty"`
	Scenario  string         `json:"scenario,omitempty"`
}

type statedInput struct {
	Key   string     `json:"key"`
	Value value.Text `json:"value"`
}

type statedTarget struct {
	Key  string  `json:"key"`
	Unit *string `json:"unit"`
}

func calculate(ctx context.Context, c caller, a arguments) (answer, error) {
	prompt := stated{Inputs: []statedInput{}}
	var err error
	if prompt.Scenario, err = a.text("scenario"); err != nil {
		return answer{}, err
	}
	if prompt.Inputs, err = inputsOf(a["inputs"]); err != nil {
		return answer{}, err
	}
	targets, err := targetsOf(a["calculate"])
	if err != nil {
		return answer{}, err
	}
	for _, text := range targets {
		target := statedTarget{Key: text}
		if i := strings.LastIndex(text, " in "); i > 0 {
			unit := strings.TrimSpace(text[i+len(" in "):])
			target = statedTarget{strings.TrimSpace(text[:i]), &unit}
		}
		prompt.Calculate = append(prompt.Calculate, target)
	}
	data, err := json.Marshal(prompt)
	if err != nil {
		return answer{}, err
	}
	return c.post(ctx, a, "json", string(data))
}

// inputsOf reads values by name, in the order in which they stand.
func inputsOf(raw json.RawMessage) ([]statedInput, error) {
	inputs := []statedInput{}
	if len(raw) == 0 || string(raw) == "null" {
		return inputs, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New(`inputs must be an object, such as {"distance": "150 mi"}`)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var given any
		if err := d.Decode(&given); err != nil {
			return nil, err
		}
		key := fmt.Sprint(name)
		text, ok := textOf(given)
		if !ok {
			return nil, fmt.Errorf("the input %s must be a text with a number and its unit, a number, or a table of these", key)
		}
		inputs = append(inputs, statedInput{key, text})
	}
	return inputs, nil
}

// textOf is a value as prompts have it: a number in its own digits.
func textOf(given any) (value.Text, bool) {
	cell := func(given any) (string, bool) {
		switch given := given.(type) {
		case string:
			return given, true
		case json.Number:
			return given.String(), true
		case nil:
			return "", true
		}
		return "", false
	}
	if text, ok := cell(given); ok {
		return value.Scalar(text), true
	}
	rows, ok := given.([]any)
	if !ok {
		return value.Text{}, false
	}
	t := value.Text{Rank: 1}
	for _, row := range rows {
		cells, deep := row.([]any)
		if !deep {
			cells = []any{row}
		} else {
			t.Rank = 2
		}
		texts := make([]string, len(cells))
		for i := range cells {
			if texts[i], ok = cell(cells[i]); !ok {
				return value.Text{}, false
			}
		}
		t.Cells = append(t.Cells, texts)
	}
	return t, true
}

// targetsOf reads what to calculate: a text, or a list of them.
func targetsOf(raw json.RawMessage) ([]string, error) {
	var one string
	var several []string
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil, nil
	case json.Unmarshal(raw, &one) == nil:
		return []string{one}, nil
	case json.Unmarshal(raw, &several) == nil:
		return several, nil
	}
	return nil, errors.New("calculate must be a text or a list of texts")
}

func ask(ctx context.Context, c caller, a arguments) (answer, error) {
	question, err := a.text("question")
	if err != nil {
		return answer{}, err
	}
	return c.post(ctx, a, "natural_language", question)
}

// post asks for a calculation, in the domain and the conversation that the arguments name.
func (c caller) post(ctx context.Context, a arguments, inputFormat, prompt string) (answer, error) {
	name, err := a.text("domain")
	if err != nil {
		return answer{}, err
	}
	found, err := c.domain(ctx, name)
	if err != nil {
		return answer{}, err
	}
	body := map[string]string{"domain_id": found.ID, "input_format": inputFormat, "prompt": prompt}
	for member, argument := range map[string]string{"conversation_id": "conversation", "time_zone": "time_zone", "language": "language"} {
		text, err := a.text(argument)
		if err != nil {
			return answer{}, err
		}
		if text != "" {
			body[member] = text
		}
	}
	var m message
	if err := c.ask(ctx, http.MethodPost, "/v1/calculate", body, &m); err != nil {
		return answer{}, err
	}
	return m.tell()
}

func explain(ctx context.Context, c caller, a arguments) (answer, error) {
	conversation, err := a.id("conversation")
	if err != nil {
		return answer{}, err
	}
	id, err := a.id("message")
	if err != nil {
		return answer{}, err
	}
	if id == "" {
		var last struct{ Messages []message }
		if err := c.get(ctx, "/v1/conversations/"+conversation, map[string]string{"limit": "1"}, &last); err != nil {
			return answer{}, err
		}
		if len(last.Messages) == 0 {
			return answer{}, errors.New("the conversation has no message yet")
		}
		id = last.Messages[len(last.Messages)-1].MessageID
	}
	var text string
	var data map[string]any
	path := "/v1/conversations/" + conversation + "/messages/" + id + "/explanation"
	if err := c.get(ctx, path, map[string]string{"format": "text"}, &text); err != nil {
		return answer{}, err
	}
	if err := c.get(ctx, path, nil, &data); err != nil {
		return answer{}, err
	}
	return answer{text: text, structured: data, failed: data["status"] == "error"}, nil
}

// analysis reads an analysis of a conversation. Arguments that the query has as they are are named.
func (c caller) analysis(ctx context.Context, a arguments, what string, query map[string]string, names ...string) (answer, error) {
	conversation, err := a.id("conversation")
	if err != nil {
		return answer{}, err
	}
	for _, name := range names {
		raw := a[name]
		if text, err := a.text(name); err == nil {
			query[name] = text
			continue
		}
		query[name] = string(raw) // a number
	}
	var data map[string]any
	if err := c.get(ctx, "/v1/conversations/"+conversation+"/"+what, query, &data); err != nil {
		return answer{}, err
	}
	return answer{structured: data, failed: data["status"] == "error"}, nil
}

func compare(ctx context.Context, c caller, a arguments) (answer, error) {
	query := map[string]string{"scenarios": string(a["first"]) + "," + string(a["second"])}
	return c.analysis(ctx, a, "compare", query, "of")
}

func sweep(ctx context.Context, c caller, a arguments) (answer, error) {
	return c.analysis(ctx, a, "sweep", map[string]string{}, "scenario", "of", "vary", "from", "to", "steps", "values", "vary2", "from2", "to2", "steps2", "values2")
}

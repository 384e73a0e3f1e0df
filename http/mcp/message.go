package mcp

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"reckon/engine/format"
	"reckon/engine/value"
)

// message is a message of /v1 as far as tools tell it.
type message struct {
	ConversationID  string `json:"conversation_id"`
	MessageID       string `json:"message_id"`
	Status          string `json:"status"`
	NaturalLanguage string `json:"natural_language"`
	Results         struct {
		Action     string
		Scenario   struct{ Original, Current int }
		Calculated *string
		Variables  []variable
	}
	Errors []calculationError
}

// variable is a variable of a result.
type variable struct {
	ID, Key, Title, Source string
	Historical             bool
	Value                  value.Text
	Display                json.RawMessage
}

// calculationError is an error of a calculation, whose message is a template.
type calculationError struct {
	Code    string
	Message string
	Args    []string
	Missing []struct {
		Variables []struct{ Key, Title string }
	}
}

// text is the message with its arguments, in one pass from left to right.
func (e calculationError) text() string {
	pairs := make([]string, 0, 2*len(e.Args))
	for i, arg := range e.Args {
		pairs = append(pairs, "%arg"+strconv.Itoa(i)+"%", arg)
	}
	return strings.NewReplacer(pairs...).Replace(e.Message)
}

// told is a message as a tool answers with it.
type told struct {
	Conversation string      `json:"conversation"`
	Message      string      `json:"message"`
	Status       string      `json:"status"`
	Scenario     int         `json:"scenario,omitempty"`
	Action       string      `json:"action,omitempty"`
	Values       []toldValue `json:"values,omitempty"`
	Errors       []toldError `json:"errors,omitempty"`
}

// toldValue has the value to calculate with, and as people read it.
type toldValue struct {
	Key     string     `json:"key"`
	Title   string     `json:"title"`
	Value   value.Text `json:"value"`
	Shown   value.Text `json:"shown"`
	Source  string     `json:"source"`
	Carried bool       `json:"carried,omitempty"`
	Asked   bool       `json:"asked,omitempty"`
}

type toldError struct {
	Code    string     `json:"code"`
	Message string     `json:"message"`
	Missing [][]string `json:"missing,omitempty"`
}

const messageSchema = `{
  "type": "object",
  "required": ["conversation", "message", "status"],
  "properties": {
    "conversation": {"type": "string", "description": "Give it to go on: values are carried, and a what-if keeps the scenario before."},
    "message": {"type": "string", "description": "Id of this answer, to explain it by."},
    "status": {"type": "string", "enum": ["completed", "in_progress", "error"]},
    "scenario": {"type": "integer", "description": "Index of the scenario that the values are of."},
    "action": {"type": "string", "enum": ["new", "extend", "discard", "fetch"]},
    "values": {
      "type": "array",
      "description": "All values of the scenario, what was asked for first.",
      "items": {
        "type": "object",
        "required": ["key", "title", "value", "shown", "source"],
        "properties": {
          "key": {"type": "string"},
          "title": {"type": "string"},
          "value": {"description": "Exact, with its unit; a table is an array of such texts, or of rows of them. It can be given as an input."},
          "shown": {"description": "As people read it."},
          "source": {"type": "string", "enum": ["user_input", "calculated", "default_value"]},
          "carried": {"type": "boolean", "description": "From an earlier scenario."},
          "asked": {"type": "boolean"}
        }
      }
    },
    "errors": {
      "type": "array",
      "description": "Why there is no answer, and the way out.",
      "items": {
        "type": "object",
        "required": ["code", "message"],
        "properties": {
          "code": {"type": "string"},
          "message": {"type": "string"},
          "missing": {
            "type": "array",
            "description": "Alternatives: all variables of any one of them are enough.",
            "items": {"type": "array", "items": {"type": "string"}}
          }
        }
      }
    }
  }
}`

// tell puts a message into the words of a tool's answer.
func (m message) tell() (answer, error) {
	t := told{Conversation: m.ConversationID, Message: m.MessageID, Status: m.Status, Action: m.Results.Action, Scenario: m.Results.Scenario.Current}
	var lines []string
	for _, v := range m.Results.Variables {
		shown, err := format.RenderText(v.Value, v.Display)
		if err != nil {
			return answer{}, fmt.Errorf("show %s: %w", v.Key, err)
		}
		told := toldValue{Key: v.Key, Title: v.Title, Value: v.Value, Shown: shown, Source: v.Source, Carried: v.Historical}
		told.Asked = m.Results.Calculated != nil && *m.Results.Calculated == v.ID
		t.Values = append(t.Values, told)
		lines = append(lines, fmt.Sprintf("%s = %s (%s)", v.Key, line(shown), strings.ReplaceAll(v.Source, "_", " ")))
	}
	for _, e := range m.Errors {
		told := toldError{Code: e.Code, Message: e.text()}
		text := told.Message
		for i, alternative := range e.Missing {
			var keys []string
			for _, v := range alternative.Variables {
				keys = append(keys, v.Key)
			}
			told.Missing = append(told.Missing, keys)
			text += map[bool]string{true: " Give ", false: ", or "}[i == 0] + strings.Join(keys, " and ")
		}
		t.Errors = append(t.Errors, told)
		lines = append(lines, fmt.Sprintf("%s (%s)", text, told.Code))
	}
	switch {
	case m.Status == "in_progress":
		lines = append(lines, "It is being worked on. Read the conversation in a moment.")
	case m.Results.Action == "fetch":
		lines = append(lines, fmt.Sprintf("Scenario %d is in focus now.", t.Scenario))
	case m.NaturalLanguage != "":
		lines = append([]string{m.NaturalLanguage, ""}, lines...)
	}
	return answer{text: strings.Join(lines, "\n"), structured: t, failed: m.Status == "error"}, nil
}

// line is a value in one line.
func line(t value.Text) string {
	rows := make([]string, len(t.Cells))
	for i, row := range t.Cells {
		rows[i] = strings.Join(row, ", ")
		if t.Rank == 2 {
			rows[i] = "[" + rows[i] + "]"
		}
	}
	text := strings.Join(rows, ", ")
	if t.Rank > 0 {
		text = "[" + text + "]"
	}
	return text
}

package console

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"reckon/projections"
)

// snippet is a question as it is asked in another way.
type snippet struct{ Name, Text string }

// snippets are the same question for programs: it begins a conversation of its own, unless it goes
// on with one.
func snippets(public *url.URL, m projections.Message, conversation uuid.UUID) []snippet {
	body := struct {
		Domain       uuid.UUID `json:"domain_id"`
		Conversation uuid.UUID `json:"conversation_id,omitzero"`
		Format       string    `json:"input_format"`
		Prompt       string    `json:"prompt"`
	}{Domain: m.Domain.ID, Format: m.InputFormat, Prompt: m.Prompt}
	if m.Number > 1 {
		body.Conversation = conversation
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if e.Encode(body) != nil {
		return nil
	}
	text := strings.TrimSpace(b.String())
	address := public.JoinPath("/v1/calculate").String()
	list := []snippet{
		{"curl", "curl " + address + ` \
  -H "Authorization: Bearer $RECKON_KEY" \
  -H 'Content-Type: application/json' \
  -d '` + strings.ReplaceAll(text, "'", `'\''`) + `'`},
		{"TypeScript", `const response = await fetch(` + literal(address) + `, {
  method: "POST",
  headers: {
    Authorization: ` + "`Bearer ${process.env.RECKON_KEY}`" + `,
    "Content-Type": "application/json",
  },
  body: JSON.stringify(` + indented(text, "  ") + `),
});
const message = await response.json();`},
		{"Python", `import os, requests

message = requests.post(
    ` + literal(address) + `,
    headers={"Authorization": f"Bearer {os.environ['RECKON_KEY']}"},
    json=` + indented(text, "    ") + `,
).json()`},
	}
	if m.Completed == nil {
		return list
	}
	if lines := linesOf(m.Completed.Parsed); lines != "" {
		list = append(list, snippet{"Structured text", lines})
	}
	var pretty strings.Builder
	e = json.NewEncoder(&pretty)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if len(m.Completed.Parsed) > 0 && e.Encode(json.RawMessage(m.Completed.Parsed)) == nil {
		list = append(list, snippet{"JSON", strings.TrimSpace(pretty.String())})
	}
	return list
}

// literal is a string as both languages write it.
func literal(text string) string {
	b, _ := json.Marshal(text) // a string always encodes
	return string(b)
}

// indented is a text whose lines but for the first one are moved to the right.
func indented(text, by string) string { return strings.ReplaceAll(text, "\n", "\n"+by) }

// linesOf is what was asked as structured text.
func linesOf(parsed json.RawMessage) string {
	var s statement
	if json.Unmarshal(parsed, &s) != nil {
		return ""
	}
	var b strings.Builder
	if s.Scenario != "" {
		b.WriteString("scenario: " + s.Scenario + "\n")
	}
	for _, in := range s.Inputs {
		b.WriteString(in.Key + ": ")
		switch in.Value.Rank {
		case 0:
			b.WriteString(in.Value.Scalar())
		default:
			for _, row := range in.Value.Cells {
				b.WriteString("\n| " + strings.Join(row, " | ") + " |")
			}
		}
		b.WriteString("\n")
	}
	if s.Calculate != nil {
		for _, t := range append([]statementTarget{*s.Calculate}, s.Calculate.Also...) {
			b.WriteString("calculate: " + t.Key)
			if t.Unit != nil && *t.Unit != "" {
				b.WriteString(" in " + *t.Unit)
			}
			b.WriteString("\n")
		}
	}
	return strings.TrimSpace(b.String())
}

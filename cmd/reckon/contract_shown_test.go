package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// shown renders answers.
type shown struct {
	contractCase
	zone             *time.Location
	earliest, latest time.Time // of the moment that now was
	labels           map[string]string
}

func (s *shown) message(t *testing.T, m contractMessage) string {
	var b strings.Builder
	if s.shows("format") {
		fmt.Fprintf(&b, "input_format %s\n", m.InputFormat)
	}
	switch m.Status {
	case "error":
		for _, e := range m.Errors {
			at := ""
			if e.Offset != nil {
				at = fmt.Sprintf(" at %d", *e.Offset)
			}
			if e.Code == "calculation.not_converged" && len(e.Args) > 1 {
				e.Args[1] = "<n>"
			}
			fmt.Fprintf(&b, "%s%s: %s\n", e.Code, at, e.Filled())
			for _, a := range e.Missing {
				var keys []string
				for _, v := range a.Variables {
					keys = append(keys, v.Key)
				}
				fmt.Fprintf(&b, "  missing %s\n", strings.Join(keys, " and "))
			}
		}
	case "completed":
		s.results(t, &b, m)
	default:
		fmt.Fprintf(&b, "%s\n", m.Status)
	}
	return strings.TrimRight(b.String(), "\n")
}

func (s *shown) results(t *testing.T, b *strings.Builder, m contractMessage) {
	r := m.Results
	fmt.Fprintf(b, "%s %d -> %d\n", r.Action, r.Scenario.Original, r.Scenario.Current)
	if r.Action == "fetch" {
		if r.Calculated != nil || len(r.Variables)+len(r.Activities) > 0 {
			t.Error("a fetch has results")
		}
	} else if r.Calculated == nil || len(r.Variables) == 0 || r.Variables[0].ID != *r.Calculated {
		t.Error("the target is not the first variable")
	}
	for _, v := range r.Variables {
		historical := ""
		if v.Historical {
			historical = ", historical"
		}
		fmt.Fprintf(b, "  %s: %s (%s%s)\n", v.Key, s.value(v.Value, v.Display), v.Source, historical)
		if s.shows("display") {
			fmt.Fprintf(b, "    %s\n", v.Display)
		}
		if v.Scale != nil || v.ScaleUnit != "" {
			fmt.Fprintf(b, "    scale %s in %q\n", v.Scale, v.ScaleUnit)
		}
		if v.Incompatible || len(v.ScaleTypes) > 0 {
			fmt.Fprintf(b, "    scale_incompatible %v: %s\n", v.Incompatible, strings.Join(v.ScaleTypes, ", "))
		}
	}
	if s.shows("activities") {
		for _, a := range r.Activities {
			fmt.Fprintf(b, "  by %s (%s)\n", a.Title, a.State)
		}
	}
	if s.shows("prose") {
		fmt.Fprintf(b, "natural_language %s\n", m.Prose)
	}
	if s.shows("parsed") {
		fmt.Fprintf(b, "parsed_json %s\n", m.Parsed)
	}
	if s.shows("text") {
		if m.Text == nil {
			b.WriteString("structured_text null\n")
		} else {
			fmt.Fprintf(b, "structured_text\n    %s\n", strings.ReplaceAll(strings.TrimSuffix(*m.Text, "\n"), "\n", "\n    "))
		}
	}
}

// value is a value as it came, moments near today or now by their distance from it.
func (s *shown) value(value, display json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return string(value)
	}
	var d struct{ Kind string }
	n, err := strconv.ParseInt(strings.TrimSuffix(text, " s"), 10, 64)
	if err != nil || json.Unmarshal(display, &d) != nil || !strings.HasSuffix(text, " s") {
		return text
	}
	const day = 86400
	wall := func(t time.Time) int64 {
		_, offset := t.In(s.zone).Zone()
		return t.Unix() + int64(offset)
	}
	earliest, latest := wall(s.earliest), wall(s.latest)
	today := latest - latest%day
	moment := time.Unix(n, 0).UTC()
	near := func(base int64) bool { return n-base > -4*day && n-base < 4*day }
	after := func(word string, distance int64, unit string) string {
		switch {
		case distance == 0:
			return "<" + word + ">"
		case distance < 0:
			return fmt.Sprintf("<%s - %d %s>", word, -distance, unit)
		}
		return fmt.Sprintf("<%s + %d %s>", word, distance, unit)
	}
	switch {
	case d.Kind != "date" && d.Kind != "datetime":
	case s.has("year") && moment.Year() == time.Unix(today, 0).UTC().Year():
		return "<this year>" + moment.Format("-01-02T15:04:05")
	case n%day == 0 && near(today):
		return after("today", (n-today)/day, "d")
	case near(latest):
		for base := earliest; base <= latest; base++ {
			if (n-base)%60 == 0 {
				return after("now", (n-base)/60, "min")
			}
		}
	}
	return text
}

var contractDomainKey = regexp.MustCompile(`dm_[0-9a-f]+`)

// document is a JSON body with ids and times replaced, or the part of it that was picked.
func (s *shown) document(t *testing.T, status int, body []byte) string {
	var failed struct {
		Error *struct{ Code, Message string }
	}
	if status >= 400 && json.Unmarshal(body, &failed) == nil && failed.Error != nil {
		return fmt.Sprintf("HTTP %d %s: %s", status, failed.Error.Code, failed.Error.Message)
	}
	if status == 200 && !json.Valid(body) {
		return strings.TrimRight(string(body), "\n")
	}
	picked := json.RawMessage(body)
	for _, part := range strings.FieldsFunc(s.option("pick"), func(r rune) bool { return r == '.' }) {
		if i, err := strconv.Atoi(part); err == nil {
			var list []json.RawMessage
			if json.Unmarshal(picked, &list) != nil || i >= len(list) {
				t.Fatalf("no element %d in %s", i, picked)
			}
			picked = list[i]
			continue
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(picked, &object) == nil {
			picked = object[part]
			continue
		}
		picked = elementOf(picked, part)
	}
	var indented bytes.Buffer
	if json.Indent(&indented, picked, "", "  ") != nil {
		t.Fatalf("%s is not there in %s", s.option("pick"), body)
	}
	text := contractDomainKey.ReplaceAllString(indented.String(), "dm_<key>")
	text = uuidForm.ReplaceAllStringFunc(text, func(id string) string {
		if s.labels[id] == "" {
			s.labels[id] = fmt.Sprintf("<id %d>", len(s.labels)+1)
		}
		return s.labels[id]
	})
	return timeForm.ReplaceAllString(text, "<time>")
}

// elementOf is the element of a list whose key or title is a name, nil for none.
func elementOf(list json.RawMessage, name string) json.RawMessage {
	var elements []json.RawMessage
	if json.Unmarshal(list, &elements) != nil {
		return nil
	}
	for _, e := range elements {
		var named struct{ Key, Title string }
		if json.Unmarshal(e, &named) == nil && (named.Key == name || strings.ReplaceAll(named.Title, " ", "_") == name) {
			return e
		}
	}
	return nil
}

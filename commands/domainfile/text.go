package domainfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"reckon/engine/syntax"

	"go.yaml.in/yaml/v4"

	"reckon/events"
)

// Text is a definition as a domain file in YAML, which reads back as the same definition: without
// ids, and without members that say what is so anyway. The key may be "".
func Text(key string, def events.Definition) ([]byte, error) {
	type variable struct {
		Key         string          `json:"key"`
		Title       string          `json:"title,omitempty"`
		Description string          `json:"description,omitempty"`
		Unit        string          `json:"unit,omitempty"`
		Kind        string          `json:"kind,omitempty"`
		Format      string          `json:"format,omitempty"`
		Default     json.RawMessage `json:"default_value,omitempty"`
		Min         string          `json:"min,omitempty"`
		Max         string          `json:"max,omitempty"`
		Integer     bool            `json:"integer,omitempty"`
		Choices     json.RawMessage `json:"choices,omitempty"`
		Group       string          `json:"group,omitempty"`
		Hidden      bool            `json:"hidden,omitempty"`
		Aliases     []string        `json:"aliases,omitempty"`
		Display     json.RawMessage `json:"display_metadata,omitempty"`
	}
	type activity struct {
		Title       string   `json:"title,omitempty"`
		Description string   `json:"description,omitempty"`
		Equation    string   `json:"equation"`
		Calculable  []string `json:"calculable,omitzero"`
		State       string   `json:"state,omitempty"`
	}
	var file struct {
		Title       string              `json:"title"`
		Description string              `json:"description,omitempty"`
		Language    string              `json:"language,omitempty"`
		Key         string              `json:"key,omitempty"`
		Units       []string            `json:"units,omitempty"`
		StrictRoots bool                `json:"strict_roots,omitempty"`
		Variables   []variable          `json:"variables,omitempty"`
		Activities  []activity          `json:"activities,omitempty"`
		Constraints []events.Constraint `json:"constraints,omitempty"`
		Tests       []json.RawMessage   `json:"tests,omitempty"`
		Examples    []string            `json:"examples,omitempty"`
		Sources     []events.Source     `json:"sources,omitempty"`
	}
	file.Title, file.Description, file.Language, file.Key, file.Units, file.StrictRoots, file.Examples = def.Title, def.Description, def.Language, key, def.Units, def.StrictRoots, def.Examples
	chosen := map[string][]events.Choice{}
	for _, v := range def.Variables {
		chosen[v.Key] = v.Choices
	}
	for _, v := range def.Variables {
		is := variable{v.Key, v.Title, v.Description, v.Unit, v.Kind, v.Format, labelledDefault(v, chosen), v.Min, v.Max, v.Integer, choicesText(v.Choices), v.Group, v.Hidden, v.Aliases, v.DisplayMetadata}
		if is.Title == is.Key {
			is.Title = ""
		}
		if is.Kind == "number" {
			is.Kind = ""
		}
		if text := string(is.Default); text == `""` || text == "null" || text == "[]" {
			is.Default = nil
		}
		file.Variables = append(file.Variables, is)
	}
	for _, a := range def.Activities {
		is := activity{a.Title, a.Description, a.Equation, a.Calculable, a.State}
		if is.Title == syntax.OneLine(is.Equation) {
			is.Title = ""
		}
		if is.State == "active" {
			is.State = ""
		}
		file.Activities = append(file.Activities, is)
	}
	file.Constraints, file.Sources = def.Constraints, def.Sources
	for _, t := range def.Tests {
		file.Tests = append(file.Tests, fileTest(t, ""))
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(file); err != nil {
		return nil, fmt.Errorf("write the domain file: %w", err)
	}
	return dumped(text.Bytes())
}

// labelledDefault is the default of a variable with the labels of choices, those of the columns of
// a table as well.
func labelledDefault(v events.Variable, chosen map[string][]events.Choice) json.RawMessage {
	labelled := func(cell string, list []events.Choice) string {
		for _, c := range list {
			if c.Value == cell {
				return c.Label
			}
		}
		return cell
	}
	var one string
	if len(v.Choices) > 0 && json.Unmarshal(v.DefaultValue, &one) == nil {
		text, _ := json.Marshal(labelled(one, v.Choices)) // texts always encode
		return text
	}
	var metadata struct {
		Table struct {
			Columns []struct{ Choices string }
		}
	}
	var rows [][]string
	if json.Unmarshal(v.DisplayMetadata, &metadata) != nil || json.Unmarshal(v.DefaultValue, &rows) != nil {
		return v.DefaultValue
	}
	for _, row := range rows {
		for i := range row {
			if i < len(metadata.Table.Columns) {
				row[i] = labelled(row[i], chosen[metadata.Table.Columns[i].Choices])
			}
		}
	}
	text, _ := json.Marshal(rows)
	return text
}

// choicesText is choices as JSON: a list of labels where these stand for 1, 2, 3… and have no
// aliases, else a mapping.
func choicesText(list []events.Choice) json.RawMessage {
	if len(list) == 0 {
		return nil
	}
	var labels []string
	mapping := []byte{'{'}
	for i, c := range list {
		if c.Value == strconv.Itoa(i+1) && c.Aliases == nil {
			labels = append(labels, c.Label)
		}
		label, _ := json.Marshal(c.Label) // texts always encode
		number := []byte(c.Value)
		if !json.Valid(number) || strings.Trim(c.Value, "0123456789-.") != "" {
			number, _ = json.Marshal(c.Value)
		}
		if c.Aliases != nil {
			aliases, _ := json.Marshal(c.Aliases)
			number = fmt.Appendf(nil, `{"value":%s,"aliases":%s}`, number, aliases)
		}
		mapping = fmt.Appendf(mapping, "%s:%s,", label, number)
	}
	if len(labels) < len(list) {
		mapping[len(mapping)-1] = '}'
		return mapping
	}
	text, _ := json.Marshal(labels)
	return text
}

// dumped is JSON as YAML, written as a person would.
func dumped(text []byte) ([]byte, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(yamlSafe(text), &document); err != nil {
		return nil, fmt.Errorf("write YAML: %w", err)
	}
	root := document.Content[0]
	style(root, 0)
	for i := 0; i+1 < len(root.Content); i += 2 {
		for _, item := range root.Content[i+1].Content {
			brackets(item)
		}
	}
	return yaml.Dump(root, yaml.WithIndent(2), yaml.WithCompactSeqIndent(false), yaml.WithLineWidth(-1))
}

// brackets has the lists of short texts within a member written in brackets.
func brackets(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch list := n.Content[i+1]; n.Content[i].Value {
		case "aliases", "calculable", "choices":
			list.Style = yaml.FlowStyle
		case "expect":
			style(list, yaml.DoubleQuotedStyle)
		}
	}
}

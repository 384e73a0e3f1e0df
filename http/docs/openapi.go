package docs

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// description is what is shown of a document of OpenAPI 3.1.
type description struct {
	Info  struct{ Title, Summary, Description string }
	Tags  []struct{ Name, Description string }
	Paths ordered[pathItem]

	Components struct {
		Parameters ordered[parameter]
		Headers    ordered[header]
		Responses  ordered[response]
		Schemas    ordered[schema]
	}
}

// ordered is a mapping in the order in which it is written.
type ordered[T any] []named[T]

type named[T any] struct {
	Name  string
	Value T
}

func (o *ordered[T]) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: a mapping is expected", node.Line)
	}
	for i := 0; i < len(node.Content); i += 2 {
		n := named[T]{Name: node.Content[i].Value}
		if err := node.Content[i+1].Decode(&n.Value); err != nil {
			return err
		}
		*o = append(*o, n)
	}
	return nil
}

// find is the value of a reference such as #/components/schemas/Message.
func find[T any](list ordered[T], ref string) T {
	name := refName(ref)
	for _, n := range list {
		if n.Name == name {
			return n.Value
		}
	}
	panic("the description refers to " + ref + ", which is not in it") // it is a part of the program
}

func refName(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// pathItem has the operations of a path, but for HEAD, which is as GET.
type pathItem struct {
	Parameters                    []parameter
	Get, Put, Post, Patch, Delete *operation
}

type operation struct {
	ID                   string `yaml:"operationId"`
	Tags                 []string
	Summary, Description string
	Security             *[]yaml.Node // nil for that of the document
	Parameters           []parameter
	RequestBody          *struct {
		Description string
		Required    bool
		Content     ordered[media]
	} `yaml:"requestBody"`
	Responses ordered[response]
}

type parameter struct {
	Ref         string `yaml:"$ref"`
	Name        string
	In          string
	Description string
	Required    bool
	Schema      schema
}

type header struct {
	Ref         string `yaml:"$ref"`
	Description string
	Schema      schema
}

type response struct {
	Ref         string `yaml:"$ref"`
	Description string
	Headers     ordered[header]
	Content     ordered[media]
}

type media struct {
	Schema   schema
	Example  yaml.Node
	Examples ordered[struct {
		Summary string
		Value   yaml.Node
	}]
}

// schema is what is shown of a JSON Schema. Where it is true or false it is empty.
type schema struct {
	Ref         string `yaml:"$ref"`
	Type        types
	Format      string
	Description string
	Enum        []yaml.Node
	Const       yaml.Node
	Default     yaml.Node
	Examples    []yaml.Node
	Pattern     string
	Minimum     *string
	Maximum     *string
	MinLength   *string `yaml:"minLength"`
	MaxLength   *string `yaml:"maxLength"`
	MinItems    *string `yaml:"minItems"`
	MaxItems    *string `yaml:"maxItems"`
	Items       *schema
	Properties  ordered[schema]
	Required    []string
	AnyOf       []schema `yaml:"anyOf"`
	OneOf       []schema `yaml:"oneOf"`
	AllOf       []schema `yaml:"allOf"`
	Additional  *schema  `yaml:"additionalProperties"`
}

func (s *schema) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		return nil
	}
	type plain schema
	return node.Decode((*plain)(s))
}

// types are one or several types.
type types []string

func (t *types) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*t = types{node.Value}
		return nil
	}
	return node.Decode((*[]string)(t))
}

// jsonWidth is how wide what is written on one line may be.
const jsonWidth = 88

// asJSON writes a node as JSON, members in their order, small things on one line.
func asJSON(node *yaml.Node) string {
	var out strings.Builder
	writeJSON(&out, node, "")
	return out.String()
}

func writeJSON(out *strings.Builder, node *yaml.Node, indent string) {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if flat := flatJSON(node); len(flat)+len(indent) <= jsonWidth || node.Kind == yaml.ScalarNode {
		out.WriteString(flat)
		return
	}
	open, shut, step := "{", "}", 2
	if node.Kind == yaml.SequenceNode {
		open, shut, step = "[", "]", 1
	}
	out.WriteString(open)
	for i := 0; i < len(node.Content); i += step {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n" + indent + "  ")
		if step == 2 {
			out.WriteString(quoted(node.Content[i].Value) + ": ")
		}
		writeJSON(out, node.Content[i+step-1], indent+"  ")
	}
	out.WriteString("\n" + indent + shut)
}

// flatJSON is a node on one line.
func flatJSON(node *yaml.Node) string {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	var parts []string
	switch node.Kind {
	case yaml.MappingNode:
		for i := 0; i < len(node.Content); i += 2 {
			parts = append(parts, quoted(node.Content[i].Value)+": "+flatJSON(node.Content[i+1]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case yaml.SequenceNode:
		for _, child := range node.Content {
			parts = append(parts, flatJSON(child))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	switch node.ShortTag() {
	case "!!null":
		return "null"
	case "!!bool", "!!int", "!!float":
		return node.Value
	}
	return quoted(node.Value)
}

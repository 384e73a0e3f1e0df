package schemas_test

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"testing"

	"go.yaml.in/yaml/v4"
)

var update = flag.Bool("update", false, "rewrite openapi.v1.yaml")

// What answers of body version 1 have in the place of what those of version 2 have. Everything else
// is the same.
const (
	version1Title = "Reckon, answers of body version 1"
	version1Text  = `This is the interface of ` + "`openapi.yaml`" + ` with the answers of body version 1, for clients that were made for it. A request has
them with the header ` + "`Body-Version: 1`" + `, or where the account's setting says so.
What is not here (analyses, health) answers the same in both.
`
	domainKey    = `{ type: string, pattern: "^dm_[0-9a-f]+$", description: "Immutable, and kept when the domain is copied to another account." }`
	exampleKey   = `dm_5f1c6a0b6f0e4f6fa0d5`
	version1Only = "1"
)

// renamed are the members of schemas that have another name, by the schema.
var renamed = map[string]map[string]string{
	"NumberDisplay":      {"kind": "display_type", "format": "decimal_format"},
	"Part":               {"kind": "display_type", "format": "decimal_format"},
	"PieChartDisplay":    {"kind": "display_type", "format": "decimal_format"},
	"DefinitionVariable": {"kind": "display_type"},
}

// withoutMember are the members of schemas that are not there.
var withoutMember = map[string][]string{
	"DomainVariable":     {"kind", "format"},
	"DefinitionVariable": {"group", "hidden"},
}

// versioned are the paths whose answers have a body version.
var versioned = []string{
	"/v1/calculate", "/v1/conversations", "/v1/conversations/{id}", "/v1/conversations/{id}/context",
	"/v1/conversations/{id}/context/{scenario_id}", "/v1/conversations/{id}/events", "/v1/events", "/v1/domains", "/v1/domains/{id}/variables", "/v1/domains/{id}/activities",
}

// TestVersion1 holds openapi.v1.yaml against what follows from openapi.yaml and the differences
// above.
func TestVersion1(t *testing.T) {
	text, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	root := plain(document.Content[0])
	get(root, "info", "title").Value = version1Title
	get(root, "info", "description").Value = version1Text
	get(root, "info", "description").Style = yaml.LiteralStyle

	described := get(root, "components", "schemas")
	for i := 0; i < len(described.Content); i += 2 {
		name, schema := described.Content[i].Value, described.Content[i+1]
		for before, after := range renamed[name] {
			rename(schema, before, after)
		}
		for _, member := range withoutMember[name] {
			drop(get(schema, "properties"), member)
			required := get(schema, "required")
			required.Content = slices.DeleteFunc(required.Content, func(n *yaml.Node) bool { return n.Value == member })
		}
		if states := get(schema, "properties", "state", "enum"); states != nil {
			states.Content[0].Value = "published"
		}
	}
	get(described, "ShapeVersion", "const").Value = version1Only
	for _, summary := range []*yaml.Node{get(described, "DomainSummary"), get(described, "DomainActivities", "properties", "domain")} {
		require(summary, "key", parse(t, domainKey))
	}
	require(get(described, "DomainVariable"), "data_type", parse(t, `{ $ref: "#/components/schemas/DataType" }`))
	for _, pointer := range [][]string{{"parameters", "BodyVersion"}, {"headers", "BodyVersion"}} {
		get(root, "components", pointer[0], pointer[1], "description").Value = "The shape of the answers that are described here."
	}
	asked := get(root, "components", "parameters", "BodyVersion")
	get(asked, "schema", "enum").Content = parse(t, "[1]").Content

	paths := get(root, "paths")
	for i := 0; i < len(paths.Content); {
		if !slices.Contains(versioned, paths.Content[i].Value) {
			paths.Content = slices.Delete(paths.Content, i, i+2)
			continue
		}
		examples(paths.Content[i+1], false)
		i += 2
	}
	tags := get(root, "tags")
	tags.Content = slices.DeleteFunc(tags.Content, func(n *yaml.Node) bool { return get(n, "name").Value == "service" })
	prune(root)

	got := append([]byte("# Made from openapi.yaml by TestVersion1 with -update.\n"), mustYAML(t, root)...)
	if *update {
		if err := os.WriteFile("openapi.v1.yaml", got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile("openapi.v1.yaml")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("openapi.v1.yaml is not what follows from openapi.yaml (%v): look at what go test ./schemas -update writes", err)
	}
}

// plain is a copy of a node in which what aliases stand for stands in their place, without comments.
func plain(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	c := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value, Style: n.Style}
	for _, part := range n.Content {
		c.Content = append(c.Content, plain(part))
	}
	return c
}

func parse(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(err)
	}
	return n.Content[0]
}

func mustYAML(t *testing.T, n *yaml.Node) []byte {
	t.Helper()
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// get is the value at a path of member names, nil where there is none.
func get(n *yaml.Node, path ...string) *yaml.Node {
	for _, name := range path {
		i := member(n, name)
		if i < 0 {
			return nil
		}
		n = n.Content[i+1]
	}
	return n
}

// member is the position of a member's name, -1 where there is none.
func member(n *yaml.Node, name string) int {
	if n == nil || n.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return i
		}
	}
	return -1
}

func drop(n *yaml.Node, name string) {
	if i := member(n, name); i >= 0 {
		n.Content = slices.Delete(n.Content, i, i+2)
	}
}

// rename gives a member of a schema another name.
func rename(schema *yaml.Node, before, after string) {
	get(schema, "properties").Content[member(get(schema, "properties"), before)].Value = after
	for _, name := range get(schema, "required").Content {
		if name.Value == before {
			name.Value = after
		}
	}
}

// require adds a member to a schema.
func require(schema *yaml.Node, name string, part *yaml.Node) {
	scalar := func() *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: name} }
	get(schema, "required").Content = append(get(schema, "required").Content, scalar())
	get(schema, "properties").Content = append(get(schema, "properties").Content, scalar(), part)
}

// examples rewrites the examples below a node as the answers that they are of.
func examples(n *yaml.Node, within bool) {
	if n.Kind == yaml.MappingNode {
		if within {
			exampleOf(n)
		}
		for i := 0; i < len(n.Content); i += 2 {
			name := n.Content[i].Value
			examples(n.Content[i+1], name != "requestBody" && (within || name == "example" || name == "examples"))
		}
		return
	}
	for _, part := range n.Content {
		examples(part, within)
	}
}

// exampleOf rewrites one object of an example, by the members that it has.
func exampleOf(n *yaml.Node) {
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return member(n, name) < 0 })
	}
	scalar := func(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }
	name := func(before, after string) {
		if i := member(n, before); i >= 0 {
			n.Content[i].Value = after
		}
	}
	switch {
	case has("default_value", "display_metadata"):
		name("kind", "display_type")
	case has("default_value", "kind"):
		get(n, "kind").Value = "number"
		name("kind", "data_type")
		drop(n, "format")
	case has("kind", "format"):
		name("kind", "display_type")
		name("format", "decimal_format")
	case has("format"): // of display_metadata
		name("format", "decimal_format")
	case has("equation", "state") && get(n, "state").Value == "active":
		get(n, "state").Value = "published"
	}
	if has("title", "description") && !has("key") && !has("equation") {
		n.Content = append(n.Content, scalar("key"), scalar(exampleKey))
	}
	if v := get(n, "version"); v != nil && !has("inputs") {
		v.Value = version1Only
	}
}

// prune takes away the components that nothing refers to, until all are referred to.
func prune(root *yaml.Node) {
	for {
		used := map[string]bool{}
		var walk func(n *yaml.Node)
		walk = func(n *yaml.Node) {
			if i := member(n, "$ref"); i >= 0 {
				used[n.Content[i+1].Value] = true
			}
			for _, part := range n.Content {
				walk(part)
			}
		}
		walk(root)
		dropped := false
		for _, section := range []string{"schemas", "responses", "parameters", "headers"} {
			components := get(root, "components", section)
			for i := 0; i < len(components.Content); {
				if used["#/components/"+section+"/"+components.Content[i].Value] {
					i += 2
					continue
				}
				components.Content = slices.Delete(components.Content, i, i+2)
				dropped = true
			}
		}
		if !dropped {
			return
		}
	}
}

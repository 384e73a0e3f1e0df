package schemastest

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// At is the value at a path of member names of a JSON value, nil where there is none.
func At(value any, path ...string) any {
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

// escape writes a member name as a JSON pointer in the fragment of a URL has it.
var escape = strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D")

// Paths checks that what is described is what is routed: methods and paths, as "GET /path". HEAD
// may be described where GET is, and is not among what is routed.
func (d *Description) Paths(t *testing.T, routed []string) {
	t.Helper()
	var described []string
	for path, item := range At(d.Document, "paths").(map[string]any) {
		if At(item, "get") == nil && At(item, "head") != nil {
			t.Errorf("%s: HEAD is described without GET", path)
		}
		for method := range item.(map[string]any) {
			if method != "head" && method != "parameters" {
				described = append(described, strings.ToUpper(method)+" "+path)
			}
		}
	}
	slices.Sort(described)
	slices.Sort(routed)
	if !slices.Equal(described, routed) {
		t.Errorf("what is described:\n%s\nthe routes:\n%s", strings.Join(described, "\n"), strings.Join(routed, "\n"))
	}
}

// References follows every $ref, and looks for components that nothing refers to.
func (d *Description) References(t *testing.T) {
	t.Helper()
	used := map[string]bool{}
	var walk func(value any)
	walk = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			for name, part := range value {
				if reference, ok := part.(string); ok && name == "$ref" {
					used[reference] = true
					if path, ok := strings.CutPrefix(reference, "#/"); !ok || At(d.Document, strings.Split(path, "/")...) == nil {
						t.Errorf("%s refers to nothing", reference)
					}
				}
				walk(part)
			}
		case []any:
			for _, part := range value {
				walk(part)
			}
		}
	}
	walk(d.Document)
	for _, section := range []string{"schemas", "responses", "parameters", "headers"} {
		components, _ := At(d.Document, "components", section).(map[string]any)
		for name := range components {
			if !used["#/components/"+section+"/"+name] {
				t.Errorf("nothing refers to components/%s/%s", section, name)
			}
		}
	}
}

// Examples checks every example beside a schema, of which there must be so many, and the schemas on
// the way.
func (d *Description) Examples(t *testing.T, least int) {
	t.Helper()
	checked := 0
	validate := func(pointer string, value any) {
		checked++
		if err := d.CheckValue(pointer, value); err != nil {
			t.Errorf("%s: %v", pointer, err)
		}
	}
	var walk func(pointer string, value any)
	walk = func(pointer string, value any) {
		object, ok := value.(map[string]any)
		if !ok {
			return
		}
		if example, ok := object["example"]; ok {
			validate(pointer+"/schema", example)
		}
		if examples, ok := object["examples"].(map[string]any); ok {
			for _, example := range examples {
				validate(pointer+"/schema", At(example, "value"))
			}
		}
		for name, part := range object {
			walk(pointer+"/"+escape.Replace(name), part)
		}
	}
	walk("", d.Document)
	if checked < least {
		t.Errorf("only %d examples are there", checked)
	}
}

// Answers checks that an answer of a method and a path, as they are described, with a status, is
// described, and its body as it is.
func (d *Description) Answers(t *testing.T, method, path string, status int, body []byte) {
	t.Helper()
	response := At(d.Document, "paths", path, strings.ToLower(method), "responses", strconv.Itoa(status))
	if response == nil {
		t.Errorf("%s %s: the status %d is not described", method, path, status)
		return
	}
	if len(body) == 0 && At(response, "content") == nil {
		return
	}
	pointer := "/paths/" + escape.Replace(path) + "/" + strings.ToLower(method) + "/responses/" + strconv.Itoa(status) + "/content/application~1json/schema"
	if err := d.Check(pointer, body); err != nil {
		t.Errorf("%s %s: %v in %s", method, path, err, body)
	}
}

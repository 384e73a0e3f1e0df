package http

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"reckon/schemas/schemastest"
)

// openAPI is the description of the interface, of a body version.
var openAPI = map[int]func() *schemastest.Description{1: sync.OnceValue(descriptionOf(1)), 2: sync.OnceValue(descriptionOf(2))}

func descriptionOf(bodyVersion int) func() *schemastest.Description {
	return func() *schemastest.Description {
		d, err := schemastest.Open(bodyVersion)
		if err != nil {
			panic(err)
		}
		return d
	}
}

// conforms checks a body against a schema of components/schemas, which is one of body version 1
// where the name ends in V1.
func conforms(t *testing.T, name string, body []byte) {
	t.Helper()
	version := 2
	name, is := strings.CutSuffix(name, "V1")
	if is {
		version = 1
	}
	if err := openAPI[version]().Check("/components/schemas/"+name, body); err != nil {
		t.Errorf("%s of body version %d: %v", name, version, err)
	}
}

// at is the value at a path of member names, nil where there is none.
func at(value any, path ...string) any {
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

func TestOpenAPIPaths(t *testing.T) {
	document := openAPI[2]().Document
	var described, routed []string
	for path, item := range at(document, "paths").(map[string]any) {
		for method := range item.(map[string]any) {
			if method == "head" {
				if at(item, "get") == nil {
					t.Errorf("%s: HEAD is described without GET", path)
				}
				continue
			}
			if method == "get" && at(item, "head") == nil {
				t.Errorf("%s: GET is described without HEAD", path)
			}
			described = append(described, strings.ToUpper(method)+" "+path)
		}
	}
	for _, r := range slices.Concat(routes, probes) {
		routed = append(routed, r.method+" "+r.path)
	}
	slices.Sort(described)
	slices.Sort(routed)
	if !slices.Equal(described, routed) {
		t.Errorf("openapi.yaml describes\n%s\nand the routes are\n%s", strings.Join(described, "\n"), strings.Join(routed, "\n"))
	}
}

// TestOpenAPIReferences follows every $ref, and looks for components that nothing refers to.
func TestOpenAPIReferences(t *testing.T) {
	for version, open := range openAPI {
		t.Run(strconv.Itoa(version), func(t *testing.T) { references(t, open().Document) })
	}
}

func references(t *testing.T, document map[string]any) {
	used := map[string]bool{}
	var walk func(value any)
	walk = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			for name, part := range value {
				if reference, ok := part.(string); ok && name == "$ref" {
					used[reference] = true
					if path, ok := strings.CutPrefix(reference, "#/"); !ok || at(document, strings.Split(path, "/")...) == nil {
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
	walk(document)
	for _, section := range []string{"schemas", "responses", "parameters", "headers"} {
		for name := range at(document, "components", section).(map[string]any) {
			if !used["#/components/"+section+"/"+name] {
				t.Errorf("nothing refers to components/%s/%s", section, name)
			}
		}
	}
}

// TestOpenAPIExamples checks every example beside a schema, and the schemas on the way.
func TestOpenAPIExamples(t *testing.T) {
	for version, open := range openAPI {
		t.Run(strconv.Itoa(version), func(t *testing.T) { describedExamples(t, open()) })
	}
}

func describedExamples(t *testing.T, d *schemastest.Description) {
	checked := 0
	validate := func(t *testing.T, pointer string, value any) {
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
			validate(t, pointer+"/schema", example)
			checked++
		}
		if examples, ok := object["examples"].(map[string]any); ok {
			for _, example := range examples {
				validate(t, pointer+"/schema", at(example, "value"))
				checked++
			}
		}
		for name, part := range object {
			walk(pointer+"/"+strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(name), part)
		}
	}
	walk("", d.Document)
	if checked < 20 {
		t.Errorf("only %d examples are there", checked)
	}
}

// TestOpenAPIFailures holds the failures that the service answers with against the described ones:
// each code is in the schema, each described code is answered, and an example bears the message of
// the service where that does not vary.
func TestOpenAPIFailures(t *testing.T) {
	document := openAPI[2]().Document
	described := at(document, "components", "schemas", "TransportError", "properties", "error", "properties", "code", "enum").([]any)
	answered := map[any]bool{}
	for name, f := range map[string]*failure{
		"InvalidJSON":          invalidJSON("x"),
		"Unauthorized":         unauthorized,
		"DisabledKey":          disabledKey,
		"ReadingKey":           readingKey,
		"NotFound":             unknown("conversation"),
		"MethodNotAllowed":     notAllowed("GET, HEAD"),
		"Conflict":             conflict,
		"RequestTimeout":       stalled,
		"PayloadTooLarge":      tooLarge("The body", "1 MiB"),
		"UnsupportedMediaType": mediaType(nil, 1).(*failure),
		"InvalidParam":         invalidParam("domain_id", "is required and must be a UUID"),
		"RateLimited":          tooFast("reads", "second", 1),
		"Broken":               broken("0198f2c4-0000-7000-8000-000000000003"),
		"Unavailable":          late,
	} {
		body := encode(f.envelope())
		conforms(t, "TransportError", body)
		answered[f.code] = true
		example := at(document, "components", "responses", name, "content", "application/json", "example")
		if at(example, "error", "code") != f.code || name != "InvalidJSON" && at(example, "error", "message") != f.message {
			t.Errorf("%s: the example is %v, the service answers %s", name, example, body)
		}
		for header := range f.header {
			if at(document, "components", "responses", name, "headers", header) == nil {
				t.Errorf("%s: the header %s is not described", name, header)
			}
		}
	}
	for _, code := range described {
		if !answered[code] {
			t.Errorf("nothing answers with %s", code)
		}
	}
}

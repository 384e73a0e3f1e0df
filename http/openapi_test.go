package http

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"reckon/schemas"
)

const openAPIName = "openapi.json"

// openAPI is the interface's description as JSON values, and a compiler of its schemas.
var openAPI = sync.OnceValues(func() (map[string]any, *jsonschema.Compiler) {
	var document any
	if err := yaml.Unmarshal([]byte(schemas.OpenAPI()), &document); err != nil {
		panic(err)
	}
	text, err := json.Marshal(document)
	if err != nil {
		panic(err)
	}
	document, err = jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		panic(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource(openAPIName, document); err != nil {
		panic(err)
	}
	return document.(map[string]any), compiler
})

// conforms checks a body against a schema of components/schemas.
func conforms(t *testing.T, name string, body []byte) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	validate(t, "/components/schemas/"+name, value)
}

// validate checks a value against the schema at a JSON pointer.
func validate(t *testing.T, pointer string, value any) {
	t.Helper()
	_, compiler := openAPI()
	schema, err := compiler.Compile(openAPIName + "#" + pointer)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s: %v", pointer, err)
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
	document, _ := openAPI()
	var described, routed []string
	for path, item := range at(document, "paths").(map[string]any) {
		for method := range item.(map[string]any) {
			described = append(described, strings.ToUpper(method)+" "+path)
		}
	}
	for _, r := range routes {
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
	document, _ := openAPI()
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
	document, _ := openAPI()
	checked := 0
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
	walk("", document)
	if checked < 20 {
		t.Errorf("only %d examples are there", checked)
	}
}

// TestOpenAPIFailures holds the failures that the service answers with against the described ones:
// each code is in the schema, each described code is answered, and an example bears the message of
// the service where that does not vary.
func TestOpenAPIFailures(t *testing.T) {
	document, _ := openAPI()
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

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

func TestOpenAPIPaths(t *testing.T) {
	var routed []string
	for _, r := range slices.Concat(routes, probes) {
		routed = append(routed, r.method+" "+r.path)
	}
	openAPI[2]().Paths(t, routed)
	for path, item := range schemastest.At(openAPI[2]().Document, "paths").(map[string]any) {
		if schemastest.At(item, "get") != nil && schemastest.At(item, "head") == nil {
			t.Errorf("%s: GET is described without HEAD", path)
		}
	}
}

func TestOpenAPIReferences(t *testing.T) {
	for version, open := range openAPI {
		t.Run(strconv.Itoa(version), func(t *testing.T) { open().References(t) })
	}
}

func TestOpenAPIExamples(t *testing.T) {
	for version, open := range openAPI {
		t.Run(strconv.Itoa(version), func(t *testing.T) { open().Examples(t, 20) })
	}
}

// TestOpenAPIFailures holds the failures that the service answers with against the described ones:
// each code is in the schema, each described code is answered, and an example bears the message of
// the service where that does not vary.
func TestOpenAPIFailures(t *testing.T) {
	document := openAPI[2]().Document
	described := schemastest.At(document, "components", "schemas", "TransportError", "properties", "error", "properties", "code", "enum").([]any)
	answered := map[any]bool{}
	for name, f := range map[string]*failure{
		"InvalidJSON":          invalidJSON("x"),
		"SecretInURL":          secretInURL,
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
		"RateLimited":          tooFast("The account", "reads", "second", 1),
		"Broken":               broken("0198f2c4-0000-7000-8000-000000000003"),
		"Unavailable":          late,
	} {
		body := encode(f.envelope())
		conforms(t, "TransportError", body)
		answered[f.code] = true
		example := schemastest.At(document, "components", "responses", name, "content", "application/json", "example")
		if schemastest.At(example, "error", "code") != f.code || name != "InvalidJSON" && schemastest.At(example, "error", "message") != f.message {
			t.Errorf("%s: the example is %v, the service answers %s", name, example, body)
		}
		for header := range f.header {
			if schemastest.At(document, "components", "responses", name, "headers", header) == nil {
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

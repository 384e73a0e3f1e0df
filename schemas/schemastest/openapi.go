// Package schemastest checks in tests that answers are as the description of the interface says,
// and that a description is whole.
package schemastest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"reckon/schemas"
)

// Description is the description of the interface for a body version, with the rules of which
// members stand together. It may be used from several goroutines.
type Description struct {
	Document map[string]any

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema // by pointer
}

const location = "openapi.json"

// OpenAdmin reads the description of the interface of administration.
func OpenAdmin() (*Description, error) {
	d, err := newDescription(schemas.AdminOpenAPI())
	if err != nil {
		return nil, err
	}
	return d, d.compiler.AddResource(location, d.Document)
}

func newDescription(text string) (*Description, error) {
	document, err := values(text)
	d := &Description{Document: document, compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	return d, err
}

// Open reads the description for a body version, 1 or 2.
func Open(bodyVersion int) (*Description, error) {
	d, err := newDescription(schemas.OpenAPI(bodyVersion))
	if err != nil {
		return nil, err
	}
	document := d.Document
	rules, err := values(schemas.OpenAPIRules())
	if err != nil {
		return nil, err
	}
	described := document["components"].(map[string]any)["schemas"].(map[string]any)
	for name, rule := range rules {
		schema, ok := described[name].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("the rules are of %s, which body version %d does not have", name, bodyVersion)
		}
		for key, part := range rule.(map[string]any) {
			schema[key] = part
		}
	}
	return d, d.compiler.AddResource(location, document)
}

// values reads YAML as the values of JSON.
func values(text string) (map[string]any, error) {
	var document any
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		return nil, err
	}
	asJSON, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		return nil, err
	}
	return value.(map[string]any), nil
}

// Check says how a body differs from the schema at a JSON pointer of the document.
func (d *Description) Check(pointer string, body []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return d.CheckValue(pointer, value)
}

// CheckValue is Check of a value that has been read, as jsonschema.UnmarshalJSON reads it.
func (d *Description) CheckValue(pointer string, value any) error {
	d.mu.Lock()
	schema, ok := d.compiled[pointer]
	if !ok {
		var err error
		if schema, err = d.compiler.Compile(location + "#" + pointer); err != nil {
			d.mu.Unlock()
			return err
		}
		d.compiled[pointer] = schema
	}
	d.mu.Unlock()
	return schema.Validate(value)
}

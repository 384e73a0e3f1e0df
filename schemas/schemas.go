// Package schemas holds the JSON Schemas and the API description of the service, so that the binary
// carries what its documentation shows.
package schemas

import "embed"

//go:embed events
var events embed.FS

// Event returns the JSON Schema (draft 2020-12) of the body of an event by its wire name, such as
// reckon.message.completed.v1. It may refer to the schema of another event, by that one's file
// name.
func Event(name string) (schema []byte, found bool) {
	schema, err := events.ReadFile("events/" + name + ".schema.json")
	return schema, err == nil
}

//go:embed openapi.yaml
var openAPI string

// OpenAPI is the description of the REST interface, OpenAPI 3.1 in YAML.
func OpenAPI() string { return openAPI }

//go:embed domain.schema.json
var domainFile []byte

// DomainFile is the JSON Schema (draft 2020-12) of domain files.
func DomainFile() []byte { return domainFile }

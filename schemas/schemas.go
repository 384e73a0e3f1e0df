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

//go:embed openapi.yaml openapi.v1.yaml openapi.rules.yaml
var openAPI embed.FS

// OpenAPI is the description of the REST interface, OpenAPI 3.1 in YAML, with the answers of a body
// version, 1 or 2. "" is that of no other version.
func OpenAPI(bodyVersion int) string {
	switch bodyVersion {
	case 1:
		return part("openapi.v1.yaml")
	case 2:
		return part("openapi.yaml")
	}
	return ""
}

// OpenAPIRules says which members of answers stand together: JSON Schemas in YAML, by the names of
// schemas of the description that they hold beside.
func OpenAPIRules() string { return part("openapi.rules.yaml") }

func part(name string) string {
	text, err := openAPI.ReadFile(name)
	if err != nil {
		panic(err) // it is a part of the program
	}
	return string(text)
}

//go:embed admin.openapi.yaml
var adminOpenAPI string

// AdminOpenAPI is the description of the interface of administration, OpenAPI 3.1 in YAML.
func AdminOpenAPI() string { return adminOpenAPI }

//go:embed errors.json
var errorCodes string

// Errors describes the errors of calculations, as JSON: code, message, cause, way out.
func Errors() string { return errorCodes }

//go:embed CONTRACT.md
var contract string

// Contract says what answers mean, in Markdown.
func Contract() string { return contract }

//go:embed AUTHORING.md
var authoring string

// Authoring says how domains are written, in Markdown.
func Authoring() string { return authoring }

//go:embed domain.schema.json
var domainFile []byte

// DomainFile is the JSON Schema (draft 2020-12) of domain files.
func DomainFile() []byte { return domainFile }

package mcp

import _ "embed"

//go:embed README.md
var book string

// Book says how assistants reach the service and how it is added to them, in Markdown.
func Book() string { return book }

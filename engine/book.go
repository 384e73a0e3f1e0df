package engine

import _ "embed"

//go:embed README.md
var book string

// Book says how the engine calculates, in Markdown.
func Book() string { return book }

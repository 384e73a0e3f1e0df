package language

import _ "embed"

//go:embed README.md
var book string

// Book says how prose is read, in Markdown.
func Book() string { return book }

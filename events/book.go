package events

import _ "embed"

//go:embed README.md
var book string

// Book says how the log is made, and how other programs read it, in Markdown.
func Book() string { return book }

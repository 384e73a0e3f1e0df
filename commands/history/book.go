package history

import _ "embed"

//go:embed README.md
var book string

// Book says how the past is computed again, in Markdown.
func Book() string { return book }

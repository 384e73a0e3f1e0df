package docs

import _ "embed"

//go:embed ASKING.md
var asking string

// Asking is the guide to asking, in Markdown.
func Asking() string { return asking }

package model

import _ "embed"

//go:embed README.md
var book string

// Book says how a language model is asked, in Markdown.
func Book() string { return book }

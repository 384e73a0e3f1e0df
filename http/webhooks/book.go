package webhooks

import _ "embed"

//go:embed README.md
var book string

// Book says how webhooks are made, received and verified, in Markdown.
func Book() string { return book }

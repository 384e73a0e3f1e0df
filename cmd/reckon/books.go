package main

import (
	"embed"
	"fmt"
	"io/fs"
	"path"

	"reckon/commands/history"
	"reckon/commands/model"
	"reckon/engine"
	"reckon/engine/language"
	"reckon/events"
	"reckon/http/docs"
	"reckon/http/mcp"
	"reckon/http/webhooks"
	"reckon/schemas"
)

//go:embed BACKUP.md BENCHMARKS.md CLUSTER.md KUBERNETES.md OPERATIONS.md starter/README.md
var ownBooks embed.FS

// documented are the books that /docs shows, and the starter domains, by their paths from the root
// of the repository.
func documented() map[string]string {
	books := map[string]string{
		"http/docs/ASKING.md":        docs.Asking(),
		"http/mcp/README.md":         mcp.Book(),
		"http/webhooks/README.md":    webhooks.Book(),
		"schemas/CONTRACT.md":        schemas.Contract(),
		"schemas/AUTHORING.md":       schemas.Authoring(),
		"commands/history/README.md": history.Book(),
		"commands/model/README.md":   model.Book(),
		"events/README.md":           events.Book(),
		"engine/README.md":           engine.Book(),
		"engine/language/README.md":  language.Book(),
	}
	for _, files := range []embed.FS{ownBooks, starter} {
		err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(files, name)
			books[path.Join("cmd/reckon", name)] = string(text)
			return err
		})
		if err != nil {
			panic(fmt.Sprintf("read the books: %v", err)) // they are a part of the program
		}
	}
	return books
}

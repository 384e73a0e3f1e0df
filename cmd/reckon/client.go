package main

import (
	"embed"
	"fmt"
)

// clientFiles are clients for programs of others, each a file that works by itself.
//
//go:embed clients/reckon.ts clients/reckon.py clients/reckon.go
var clientFiles embed.FS

// clientEndings are those of the files, by language.
var clientEndings = map[string]string{"typescript": "ts", "python": "py", "go": "go"}

type clientCommand struct {
	Language string `arg:"" enum:"typescript,python,go" help:"Language: ${enum}."`
}

func (*clientCommand) Help() string {
	return `Prints a client of the service as one file without dependencies, to copy into a program: calculations that are safe to repeat, waiting for
prose, what becomes of conversations as it happens, errors in sentences, lists, and values as people read them. Each file begins with how to use it.

Examples:
  reckon client typescript > reckon.ts   # Node.js from 18 on, Deno, Bun, browsers
  reckon client python > reckon.py       # Python from 3.9 on
  reckon client go > reckon/reckon.go    # Go from 1.23 on`
}

func (c *clientCommand) Run(t terminal) error {
	text, err := clientFiles.ReadFile("clients/reckon." + clientEndings[c.Language])
	if err != nil {
		return fmt.Errorf("read the client: %w", err)
	}
	_, err = t.out.Write(text)
	return err
}

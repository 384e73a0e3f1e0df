package main

import (
	"fmt"
	"io"
	"strings"
)

// listing writes entries as they come: as text, or as one JSON document with an array of them.
type listing struct {
	t     terminal
	json  bool
	begin string // of the document, until an entry is written
}

func newListing(t terminal, asJSON bool, name string) *listing {
	return &listing{t: t, json: asJSON, begin: fmt.Sprintf("{\n  %q: [", name)}
}

func (l *listing) add(entry any, text func(io.Writer)) error {
	before := l.begin
	if before == "" {
		before = ","
	}
	l.begin = ""
	return l.write(before+"\n    ", "    ", entry, "", text)
}

// end writes what all entries come to.
func (l *listing) end(name string, v any, text func(io.Writer)) error {
	before := l.begin
	if before == "" {
		before = "\n  "
	}
	return l.write(before+fmt.Sprintf("],\n  %q: ", name), "  ", v, "\n}\n", text)
}

func (l *listing) write(before, indent string, v any, after string, text func(io.Writer)) error {
	if !l.json {
		text(l.t.out)
		return nil
	}
	var data strings.Builder
	if err := encode(&data, v, indent, "  "); err != nil {
		return err
	}
	_, err := fmt.Fprint(l.t.out, before, strings.TrimSpace(data.String()), after)
	return err
}

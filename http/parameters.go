package http

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// parameters reads the query of a request, a parameter of which stands there once at most. Those
// that nobody asks for are ignored. The first one that is wrong is the error that wrong returns.
type parameters struct {
	values url.Values
	wrong  error
}

// readParameters fails for a query that is not well formed.
func readParameters(query string) (*parameters, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, invalidParam("The query", "is not well formed")
	}
	return &parameters{values: values}, nil
}

// refuse notes what is wrong with a parameter: refuse("limit", "must be …").
func (p *parameters) refuse(name, rule string) {
	p.wrong = cmp.Or(p.wrong, error(invalidParam(name, rule)))
}

// text is a parameter as it was sent; false where it was not.
func (p *parameters) text(name string) (string, bool) {
	given := p.values[name]
	if len(given) > 1 {
		p.refuse(name, "must stand once in the query")
	}
	return strings.Join(given[:min(len(given), 1)], ""), len(given) > 0
}

// integer is a number from least to most, usual where it is not sent.
func (p *parameters) integer(name string, usual, least, most int) int {
	given, ok := p.values[name]
	if !ok {
		return usual
	}
	n, err := strconv.ParseUint(given[0], 10, 31)
	if err != nil || len(given) > 1 || int(n) < least || int(n) > most {
		p.refuse(name, fmt.Sprintf("must be one integer from %d to %d", least, most))
		return usual
	}
	return int(n)
}

// choice is one of some words, the first of them where it is not sent.
func (p *parameters) choice(name string, words ...string) string {
	given, ok := p.values[name]
	if !ok {
		return words[0]
	}
	if len(given) > 1 || !slices.Contains(words, given[0]) {
		p.refuse(name, "must be one of "+strings.Join(words, ", "))
		return words[0]
	}
	return given[0]
}

// cursor is the next_cursor of an earlier page, nil where it is not sent.
func (p *parameters) cursor(name string) *uuid.UUID {
	given, ok := p.values[name]
	if !ok {
		return nil
	}
	id, ok := canonicalUUID(given[0])
	if !ok || len(given) > 1 || id == uuid.Nil {
		p.wrong = cmp.Or(p.wrong, error(badCursor))
		return nil
	}
	return &id
}

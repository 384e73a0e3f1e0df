package http

import (
	"errors"
	"io"
	"log/slog"
	nethttp "net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"reckon/projections"
)

// Face is an interface that a Server answers, with the habits of /v1: request ids, the log, bounds,
// the envelope of errors, tags.
type Face struct {
	Prefix string                // of the paths that Admit stands before, such as /admin/v1/
	Vary   string                // the request headers that say who asks, "" for none
	Admit  func(*Exchange) error // finds out who asks before all else, and tells by Exchange.Known
	Routes []Route               // those outside of the prefix are for everybody
	// Refuse makes the body of what is refused below the prefix, with its header fields; nil leaves
	// the envelope of errors.
	Refuse func(x *Exchange, status int, message string) []byte
}

// Route is one line of a Face. HEAD is answered wherever GET is.
type Route struct {
	Method string
	Path   string // parts of it in braces are names for what may stand there
	Handle func(*Exchange) (Answer, error)
}

// Answer is a success.
type Answer struct {
	Status int // 0 is 200
	Header map[string]string
	Body   any                   // written as JSON, but for a []byte, whose Content-Type the header says
	Tag    string                // ETag, with its quotes; "" has one made of the body
	Stream func(io.Writer) error // writes a body whose length is not known, in place of Body
}

// Mount has a Server answer for a face too. It is called before Serve.
func (s *Server) Mount(f Face) {
	s.faces = append(s.faces, f)
	for _, r := range f.Routes {
		s.list = append(s.list, route{r.Method, r.Path, func(_ *Server, x *Exchange) (answer, error) {
			a, err := r.Handle(x)
			return a.written(), err
		}})
	}
	s.router, s.resources = table(s.list)
}

// faceAt is the face whose Admit stands before a path, nil for none.
func (s *Server) faceAt(path string) *Face {
	i := slices.IndexFunc(s.faces, func(f Face) bool { return strings.HasPrefix(path+"/", f.Prefix) })
	if i < 0 {
		return nil
	}
	return &s.faces[i]
}

func (a Answer) written() answer {
	w := answer{status: a.Status, header: a.Header, tag: a.Tag, stream: a.Stream}
	if w.status == 0 {
		w.status = nethttp.StatusOK
	}
	switch body := a.Body.(type) {
	case nil:
	case []byte:
		w.body = body
	default:
		w.body = encode(body)
	}
	return w
}

// Request is the request as it came.
func (x *Exchange) Request() *nethttp.Request { return x.r }

// Header is the header of the answer.
func (x *Exchange) Header() nethttp.Header { return x.w.Header() }

// Known says who asks: whose share of what is bounded the request takes, and how the log names
// them.
func (x *Exchange) Known(by uuid.UUID, caller ...slog.Attr) { x.by, x.caller = by, caller }

// Named is what stands in the path at a name of the route's template; false where nothing can bear
// such a name.
func (x *Exchange) Named(name string) (string, bool) {
	text, err := url.PathUnescape(x.vars[name])
	return text, err == nil && text != ""
}

// ID is Named for what is named by an id.
func (x *Exchange) ID(name string) (uuid.UUID, bool) { return canonicalUUID(x.vars[name]) }

// CanonicalUUID reads the form of 36 characters, in any case, and no other.
func CanonicalUUID(text string) (uuid.UUID, bool) { return canonicalUUID(text) }

// reads tells whether a request asks for nothing but an answer.
func (x *Exchange) reads() bool {
	return x.r.Method == nethttp.MethodGet || x.r.Method == nethttp.MethodHead
}

// Matches tells whether a condition of the request, If-Match or If-None-Match, names a tag, and
// whether there is one.
func (x *Exchange) Matches(condition, tag string) (matching, given bool) {
	values := x.r.Header.Values(condition)
	return matches(values, tag), len(values) > 0
}

// Body reads the body of a request, which takes one of the places of large bodies where it is one.
func (x *Exchange) Body(limit int64, check func(header nethttp.Header, length int) error) ([]byte, error) {
	if n := x.r.ContentLength; x.server != nil && (n < 0 || n > smallBody) {
		if err := x.server.hold(x); err != nil {
			return nil, err
		}
	}
	return readUpTo(x, limit, check)
}

// Object reads a body that is a JSON object into a pointer to a struct, as strictly as that of /v1:
// 400 where it is none, 422 where a member is of another type. Unknown members are ignored, null is
// as left out, and so is an empty body. It returns the fingerprint of the body.
func Object(body []byte, into any) (print string, err error) {
	if len(body) == 0 {
		body = []byte("{}")
	}
	canonical, err := canonicalObject(slices.Grow(body, 1), func() {})
	if err != nil {
		return "", invalidJSON("The body is not valid JSON: " + err.Error() + ".")
	}
	err = json.Unmarshal(canonical.text, into)
	if wrong := (*json.SemanticError)(nil); errors.As(err, &wrong) {
		return "", invalidParam(strings.ReplaceAll(strings.TrimPrefix(string(wrong.JSONPointer), "/"), "/", "."), "must be "+kindOf(wrong.GoType))
	}
	if err != nil {
		return "", invalidJSON("The body is not valid JSON: it cannot be read.")
	}
	return fingerprint(canonical.text), nil
}

// kindOf says what a member must be.
func kindOf(t reflect.Type) string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == nil:
		return "another value"
	case t == reflect.TypeFor[time.Time]():
		return "a time, as 2027-01-31T18:00:00Z"
	case t.Kind() == reflect.String:
		return "a string"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Slice:
		return "a list"
	case t.Kind() == reflect.Int:
		return "an integer"
	}
	return "an object"
}

// JSON checks the headers of a body that must be JSON.
func JSON(header nethttp.Header, length int) error { return mediaType(header, length) }

// Failure is an answer that is not a success, with the envelope of errors as its body.
func Failure(status int, code, message string) error {
	return &failure{status: status, code: code, message: message}
}

// NotFound is the 404 of what is not there, or looks so to who asks.
func NotFound(message string) error { return notFound(message) }

// InvalidParam is the 422 of a parameter or member: InvalidParam("limit", "must be …").
func InvalidParam(name, rule string) error { return invalidParam(name, rule) }

// Unauthorized is the 401 of a request that says nothing valid of who asks.
func Unauthorized(message string) error {
	return &failure{nethttp.StatusUnauthorized, unauthorized.code, message, unauthorized.header}
}

// Bearer reads the secret of an Authorization header.
func Bearer(header nethttp.Header) (secret string, ok bool) { return bearer(header) }

// Page reads the parameters limit and starting_after of a request for a list.
func Page(x *Exchange) (limit int, after *uuid.UUID, err error) {
	return pageQuery(x.r.URL.RawQuery, 100)
}

// Part is the part of a list that the parameters limit and starting_after of a request ask for, and
// the cursor of the next part, nil at the end. The list is told from others by an id.
func Part[T any](x *Exchange, of uuid.UUID, list []T) (part []T, next *uuid.UUID, err error) {
	limit, after, err := Page(x)
	if err != nil {
		return nil, nil, err
	}
	from := uint64(0)
	if after != nil {
		position, ok := projections.Position(of, *after)
		if !ok {
			return nil, nil, badCursor
		}
		from = min(position, uint64(len(list)))
	}
	part = list[from:]
	if len(part) > limit {
		part = part[:limit]
		cursor := projections.Cursor(of, from+uint64(limit))
		next = &cursor
	}
	return part, next, nil
}

// Page reads the parameters limit, usual where it is not sent, and starting_after.
func (x *Exchange) Page(usual int) (limit int, after *uuid.UUID, err error) {
	return pageQuery(x.r.URL.RawQuery, usual)
}

// Query is a parameter of the query, "" where it was not sent, which may stand there once.
func (x *Exchange) Query(name string) (string, error) {
	p, err := readParameters(x.r.URL.RawQuery)
	if err != nil {
		return "", err
	}
	text, _ := p.text(name)
	return text, p.wrong
}

// IdempotencyKey reads the header, nil when it is absent.
func (x *Exchange) IdempotencyKey() (*string, error) { return idempotencyKey(x.r.Header) }

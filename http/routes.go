package http

import (
	"maps"
	nethttp "net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// handler answers an authenticated request to a known route, or says why not.
type handler func(*Server, *exchange) (answer, error)

// route is one line of the interface.
type route struct {
	method string
	path   string
	handle handler
}

// routes is the whole interface. HEAD is answered wherever GET is.
var routes = []route{
	{"POST", "/v1/calculate", (*Server).calculate},
	{"GET", "/v1/conversations", (*Server).conversations},
	{"GET", "/v1/conversations/{id}", (*Server).conversation},
	{"GET", "/v1/conversations/{id}/context", (*Server).scenarios},
	{"GET", "/v1/conversations/{id}/context/{scenario_id}", (*Server).scenario},
	{"GET", "/v1/domains", (*Server).domains},
	{"GET", "/v1/domains/{id}/variables", (*Server).domainVariables},
	{"GET", "/v1/domains/{id}/activities", (*Server).domainActivities},
	{"GET", "/healthz", (*Server).health},
	{"GET", "/readyz", (*Server).ready},
}

// resource is a path with its handlers by method. A segment in braces stands for any that is not empty.
type resource struct {
	path     string
	segments []string
	methods  map[string]handler
}

// table makes the resources of a list of routes.
func table(list []route) []resource {
	var resources []resource
	for _, r := range list {
		i := slices.IndexFunc(resources, func(there resource) bool { return there.path == r.path })
		if i < 0 {
			i = len(resources)
			resources = append(resources, resource{r.path, strings.Split(r.path, "/"), map[string]handler{}})
		}
		resources[i].methods[r.method] = r.handle
		if r.method == nethttp.MethodGet {
			resources[i].methods[nethttp.MethodHead] = r.handle
		}
	}
	return resources
}

// match tells whether a path is the resource's, and what stands in it for the segments in braces. Paths are matched as they were
// sent: an encoded slash separates nothing, and a doubled or trailing slash is another path.
func (r *resource) match(path string) (vars [2]string, ok bool) {
	n, more := 0, true
	for _, want := range r.segments {
		if !more {
			return vars, false
		}
		var segment string
		segment, path, more = strings.Cut(path, "/")
		switch {
		case !strings.HasPrefix(want, "{"):
			if segment != want {
				return vars, false
			}
		case segment == "":
			return vars, false
		default:
			vars[n] = segment
			n++
		}
	}
	return vars, !more
}

// find is the handler of a request: 404 for an unknown path, 405 for an unknown method of a known one.
func (s *Server) find(x *exchange) (handler, error) {
	path := x.r.URL.EscapedPath()
	for i := range s.resources {
		r := &s.resources[i]
		vars, ok := r.match(path)
		if !ok {
			continue
		}
		x.route, x.vars = r.path, vars
		handle, ok := r.methods[x.r.Method]
		if !ok {
			return nil, notAllowed(r.allow())
		}
		return handle, nil
	}
	return nil, notFound("There is nothing at this path.")
}

// allow lists a resource's methods as the Allow header does.
func (r *resource) allow() string {
	return strings.Join(slices.Sorted(maps.Keys(r.methods)), ", ")
}

// versioned reports whether a path is in the part of the interface that needs a key.
func versioned(path string) bool {
	return path == "/v1" || strings.HasPrefix(path, "/v1/")
}

// readOnly reports whether a method only reads.
func readOnly(method string) bool {
	return method == nethttp.MethodGet || method == nethttp.MethodHead
}

// pathID reads the id in a path, which stands first there. A malformed one names nothing, like an unknown one.
func (x *exchange) pathID(what string) (uuid.UUID, error) {
	id, ok := canonicalUUID(x.vars[0])
	if !ok {
		return uuid.Nil, unknown(what)
	}
	return id, nil
}

// canonicalUUID reads the form of 36 characters, in any case, and no other.
func canonicalUUID(text string) (uuid.UUID, bool) {
	if len(text) != 36 {
		return uuid.Nil, false
	}
	id, err := uuid.Parse(text)
	return id, err == nil
}

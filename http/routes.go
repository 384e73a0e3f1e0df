package http

import (
	"maps"
	nethttp "net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/gorilla/mux"
)

// handler answers an authenticated request to a known route, or says why not.
type handler func(*Server, *Exchange) (answer, error)

// route is one line of the interface.
type route struct {
	method string
	path   string
	handle handler
}

const conversationPath = "/v1/conversations/{id}"

// routes is the interface of callers. HEAD is answered wherever GET is.
var routes = []route{
	{"POST", "/v1/calculate", (*Server).calculate},
	{"GET", "/v1/conversations", (*Server).conversations},
	{"GET", conversationPath, ofConversation((*Server).conversation)},
	{"GET", "/v1/conversations/{id}/context", ofConversation((*Server).scenarios)},
	{"GET", "/v1/conversations/{id}/context/{scenario_id}", ofConversation((*Server).scenario)},
	{"GET", "/v1/conversations/{id}/messages/{message_id}/explanation", ofAnalysis(explanation)},
	{"GET", "/v1/conversations/{id}/seek", ofAnalysis(seek)},
	{"GET", "/v1/conversations/{id}/uncertainty", ofAnalysis(uncertainty)},
	{"GET", "/v1/conversations/{id}/compare", ofAnalysis(comparison)},
	{"GET", "/v1/conversations/{id}/sweep", ofAnalysis(sweep)},
	{"GET", "/v1/conversations/{id}/sensitivity", ofAnalysis(sensitivity)},
	{"GET", "/v1/conversations/{id}/events", (*Server).conversationEvents},
	{"GET", "/v1/events", (*Server).accountEvents},
	{"GET", "/v1/domains", (*Server).domains},
	{"GET", "/v1/domains/{id}/variables", ofDomain(presentDomainVariables)},
	{"GET", "/v1/domains/{id}/activities", ofDomain(presentDomainActivities)},
	{"GET", "/openapi.yaml", described(2)},
	{"GET", "/openapi.json", described(2)},
	{"GET", "/openapi.v1.yaml", described(1)},
	{"GET", "/openapi.v1.json", described(1)},
}

// probes are answered by every server.
var probes = []route{
	{"GET", "/healthz", (*Server).health},
	{"GET", "/readyz", (*Server).ready},
}

// resource is a path with its handlers by method.
type resource map[string]handler

// table makes the router of a list of routes. It matches paths as they were sent: an encoded slash
// separates nothing, and a doubled or trailing slash is another path.
func table(list []route) (*mux.Router, map[string]resource) {
	router := mux.NewRouter().UseEncodedPath()
	resources := map[string]resource{}
	for _, r := range list {
		if resources[r.path] == nil {
			resources[r.path] = resource{}
			router.Path(r.path)
		}
		resources[r.path][r.method] = r.handle
		if r.method == nethttp.MethodGet {
			resources[r.path][nethttp.MethodHead] = r.handle
		}
	}
	return router, resources
}

// find is the handler of a request: 404 for an unknown path, 405 for an unknown method of a known
// one.
func (s *Server) find(x *Exchange) (handler, error) {
	var match mux.RouteMatch
	if !s.router.Match(x.r, &match) {
		return nil, notFound("There is nothing at this path.")
	}
	path, err := match.Route.GetPathTemplate()
	if err != nil {
		return nil, err
	}
	x.route, x.vars = path, match.Vars
	handle, ok := s.resources[path][x.r.Method]
	if !ok {
		return nil, notAllowed(s.resources[path].allow())
	}
	return handle, nil
}

// allow lists a resource's methods as the Allow header does.
func (r resource) allow() string {
	return strings.Join(slices.Sorted(maps.Keys(r)), ", ")
}

// pathID reads the id in a path. A malformed one names nothing, like an unknown one.
func (x *Exchange) pathID(what string) (uuid.UUID, error) {
	id, ok := canonicalUUID(x.vars["id"])
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

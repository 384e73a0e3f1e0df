package http

import (
	nethttp "net/http"
	"slices"

	"github.com/google/uuid"

	"reckon/projections"
)

// reading makes the checks of a GET about what the path names, nothing where that is "", and waits
// for all there was when the request came.
func (s *Server) reading(x *Exchange, what string) (id uuid.UUID, version int, err error) {
	if what != "" {
		id, err = x.pathID(what)
	}
	if err == nil {
		version, err = x.bodyVersion()
	}
	if err == nil {
		err = s.views.Fresh(x.r.Context())
	}
	return id, version, err
}

// domains answers GET /v1/domains.
func (s *Server) domains(x *Exchange) (answer, error) {
	_, version, err := s.reading(x, "")
	if err != nil {
		return answer{}, err
	}
	shown := slices.DeleteFunc(s.views.Domains(x.account.ID), func(d projections.Domain) bool { return !x.key.Sees(d.ID) })
	return answer{status: nethttp.StatusOK, body: encode(presentDomains(shown, version))}, nil
}

// ofDomain answers with what is to be shown of the published domain that the path names.
func ofDomain(present func(d projections.Domain, version int) any) handler {
	return func(s *Server, x *Exchange) (answer, error) {
		id, version, err := s.reading(x, "domain")
		if err != nil {
			return answer{}, err
		}
		d, found := s.views.Domain(x.account.ID, id)
		if !found || !d.Serves() || !x.key.Sees(id) {
			return answer{}, unknown("domain")
		}
		return answer{status: nethttp.StatusOK, body: encode(present(d, version))}, nil
	}
}

package http

import (
	nethttp "net/http"

	"reckon/projections"
)

// domains answers GET /v1/domains.
func (s *Server) domains(x *exchange) (answer, error) {
	version, err := x.bodyVersion()
	if err != nil {
		return answer{}, err
	}
	if err := s.views.Fresh(x.r.Context()); err != nil {
		return answer{}, err
	}
	return answer{status: nethttp.StatusOK, body: encode(presentDomains(s.views.Domains(x.account.ID), version))}, nil
}

// ofDomain answers with what is to be shown of the published domain that the path names.
func ofDomain(present func(d projections.Domain, version int) any) handler {
	return func(s *Server, x *exchange) (answer, error) {
		id, err := x.pathID("domain")
		if err != nil {
			return answer{}, err
		}
		version, err := x.bodyVersion()
		if err != nil {
			return answer{}, err
		}
		if err := s.views.Fresh(x.r.Context()); err != nil {
			return answer{}, err
		}
		d, found := s.views.Domain(x.account.ID, id)
		if !found || d.Published == nil {
			return answer{}, unknown("domain")
		}
		return answer{status: nethttp.StatusOK, body: encode(present(d, version))}, nil
	}
}

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

// domainVariables answers GET /v1/domains/:id/variables.
func (s *Server) domainVariables(x *exchange) (answer, error) {
	d, version, err := s.findDomain(x)
	if err != nil {
		return answer{}, err
	}
	return answer{status: nethttp.StatusOK, body: encode(presentDomainVariables(d, version))}, nil
}

// domainActivities answers GET /v1/domains/:id/activities.
func (s *Server) domainActivities(x *exchange) (answer, error) {
	d, version, err := s.findDomain(x)
	if err != nil {
		return answer{}, err
	}
	return answer{status: nethttp.StatusOK, body: encode(presentDomainActivities(d, version))}, nil
}

// findDomain reads the published domain that the path names, and the body version of the answer.
func (s *Server) findDomain(x *exchange) (d projections.Domain, version int, err error) {
	id, err := x.pathID("domain")
	if err != nil {
		return d, 0, err
	}
	if version, err = x.bodyVersion(); err != nil {
		return d, 0, err
	}
	if err := s.views.Fresh(x.r.Context()); err != nil {
		return d, 0, err
	}
	d, found := s.views.Domain(x.account.ID, id)
	if !found || d.Published == nil {
		return d, 0, unknown("domain")
	}
	return d, version, nil
}

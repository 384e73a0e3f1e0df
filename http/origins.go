package http

import (
	"fmt"
	nethttp "net/http"
	"net/url"
	"strings"

	"github.com/rs/cors"
)

// AllowOrigins lets pages of other origins ask by the CORS protocol of the Fetch standard: "*", or
// https://host and http://host with a port where it is not the usual one. Without, browsers let no
// page of another origin read an answer. It is called before Serve and fails on what is no origin.
func (s *Server) AllowOrigins(origins []string) error {
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if origin != "*" && (err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Scheme+"://"+u.Host != origin || strings.Contains(u.Host, "*")) {
			return fmt.Errorf("%q is not an origin: give * or one such as https://app.example.com, with a port where it is not the usual one and nothing behind it", origin)
		}
	}
	if len(origins) == 0 {
		return nil
	}
	policy := cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{nethttp.MethodGet, nethttp.MethodHead, nethttp.MethodPost},
		AllowedHeaders: []string{
			"Authorization", "Content-Type", "Idempotency-Key", "Body-Version", "Prefer", "If-None-Match", "Last-Event-ID", "X-Request-Id", "traceparent", "tracestate",
			"Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name", // of clients of the Model Context Protocol
		},
		ExposedHeaders: []string{
			"Allow", "Body-Version", "ETag", "Location", "Retry-After", "Idempotent-Replayed", "Preference-Applied", "X-Request-Id",
			"RateLimit", "RateLimit-Policy", "Reckon-Log", "WWW-Authenticate",
		},
		MaxAge: 7200, // as long as browsers keep it
	})
	s.origins = policy.Handler
	s.crossing = nethttp.NewCrossOriginProtection()
	for _, origin := range origins {
		if origin == "*" {
			s.crossing = nil
			break
		}
		if err := s.crossing.AddTrustedOrigin(origin); err != nil {
			return err
		}
	}
	return nil
}

// Foreign tells whether a browser sends a request that is no GET for a page of another origin, of
// those that AllowOrigins was not told of.
func (s *Server) Foreign(r *nethttp.Request) bool {
	return s.crossing != nil && s.crossing.Check(r) != nil
}

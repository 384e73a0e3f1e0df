package http

import nethttp "net/http"

// healthBody is the answer of /healthz and /readyz.
type healthBody struct {
	Status  string `json:"status"`
	Version string `json:"version"`
}

// health says that the program runs.
func (s *Server) health(*Exchange) (answer, error) { return s.healthy("ok"), nil }

// ready says that this node answers from views that have caught up with the log; until then it is a
// 503 that says what is missing.
func (s *Server) ready(*Exchange) (answer, error) {
	if err := s.views.Ready(); err != nil {
		return answer{}, unavailable("This node is not ready: " + err.Error() + ".")
	}
	return s.healthy("ready"), nil
}

func (s *Server) healthy(status string) answer {
	return answer{
		status: nethttp.StatusOK,
		header: map[string]string{"Cache-Control": "no-store"},
		body:   encode(healthBody{Status: status, Version: s.version}),
	}
}

package http

import (
	"bytes"
	"io"
	nethttp "net/http"

	"reckon/projections"
)

// Inside asks the Server within the process, with every check that a request over the network
// meets.
func (s *Server) Inside() nethttp.RoundTripper { return inside{s.Handler()} }

type inside struct{ handler nethttp.Handler }

func (i inside) RoundTrip(r *nethttp.Request) (*nethttp.Response, error) {
	if r.Body == nil {
		r = r.Clone(r.Context())
		r.Body = nethttp.NoBody
	}
	defer r.Body.Close()
	w := &Recorded{Fields: nethttp.Header{}}
	i.handler.ServeHTTP(w, r)
	return &nethttp.Response{
		StatusCode: w.Status, Status: nethttp.StatusText(w.Status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.Fields, Body: io.NopCloser(&w.Body), ContentLength: int64(w.Body.Len()), Request: r,
	}, nil
}

// Recorded keeps an answer in memory, as a ResponseWriter.
type Recorded struct {
	Status int // 0 until the header is written
	Fields nethttp.Header
	Body   bytes.Buffer
}

// Header has the fields of the answer.
func (w *Recorded) Header() nethttp.Header { return w.Fields }

// WriteHeader keeps the first status.
func (w *Recorded) WriteHeader(status int) {
	if w.Status == 0 {
		w.Status = status
	}
}

// Write keeps a part of the body.
func (w *Recorded) Write(part []byte) (int, error) {
	w.WriteHeader(nethttp.StatusOK)
	return w.Body.Write(part)
}

// AdmitKey finds out by an API key who asks, for a Face whose answers are made of those of /v1,
// where the request counts.
func (s *Server) AdmitKey(x *Exchange) error {
	err := s.authenticate(x)
	x.account, x.key = projections.Account{}, projections.Key{}
	return err
}

package http

import (
	"bytes"
	"errors"
	"io"
	nethttp "net/http"
)

// Within answers requests to a face within the process, for a client of net/http: nobody is asked
// who they are. An error that is no answer is what the client's request, or reading its body, fails
// with.
func (f Face) Within() nethttp.RoundTripper {
	s := &Server{}
	f.Admit = nil
	s.Mount(f)
	return within{s}
}

type within struct{ server *Server }

// unsent is the header of an answer that is not sent anywhere.
type unsent struct{ header nethttp.Header }

func (u unsent) Header() nethttp.Header       { return u.header }
func (unsent) WriteHeader(int)                {}
func (unsent) Write(part []byte) (int, error) { return len(part), nil }

// RoundTrip answers a request. Its body is read within the call.
func (w within) RoundTrip(r *nethttp.Request) (*nethttp.Response, error) {
	if r.Body == nil {
		r = r.Clone(r.Context())
		r.Body = nethttp.NoBody
	}
	defer r.Body.Close()
	x := &Exchange{w: unsent{nethttp.Header{}}, r: r, id: requestID(r.Header)}
	handle, err := w.server.find(x)
	var a answer
	if err == nil {
		a, err = handle(w.server, x)
	}
	if f := (*failure)(nil); errors.As(err, &f) {
		a, err = answer{status: f.status, header: f.header, body: encode(f.envelope())}, nil
	}
	if err != nil {
		return nil, err
	}
	response := &nethttp.Response{StatusCode: a.status, Status: nethttp.StatusText(a.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: x.Header(), Request: r}
	for name, value := range a.header {
		response.Header.Set(name, value)
	}
	if a.tag != "" {
		response.Header.Set("ETag", a.tag)
	}
	if a.stream == nil {
		response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(a.body)), int64(len(a.body))
		return response, nil
	}
	from, to := io.Pipe()
	response.Body, response.ContentLength = from, -1
	go func() { to.CloseWithError(a.stream(to)) }()
	return response, nil
}

package outside

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// resolver looks names up in a server that knows one address, which may change, for all of them.
func resolver(t *testing.T, address *atomic.Pointer[netip.Addr]) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go func() {
			defer far.Close()
			if err := answer(far, *address.Load()); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
				t.Error(err)
			}
		}()
		return near, nil
	}}
}

// answer answers one question for the addresses of a name, in the form of a stream.
func answer(c net.Conn, address netip.Addr) error {
	length := make([]byte, 2)
	if _, err := io.ReadFull(c, length); err != nil {
		return err
	}
	question := make([]byte, binary.BigEndian.Uint16(length))
	if _, err := io.ReadFull(c, question); err != nil {
		return err
	}
	var asked dnsmessage.Message
	if err := asked.Unpack(question); err != nil {
		return err
	}
	told := dnsmessage.Message{Header: dnsmessage.Header{ID: asked.ID, Response: true, RecursionAvailable: true}, Questions: asked.Questions}
	q := asked.Questions[0]
	header := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
	switch {
	case q.Type == dnsmessage.TypeA && address.Is4():
		told.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: address.As4()}}}
	case q.Type == dnsmessage.TypeAAAA && !address.Is4():
		told.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AAAAResource{AAAA: address.As16()}}}
	}
	text, err := told.Pack()
	if err == nil {
		_, err = c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(text))), text...))
	}
	return err
}

// TestNamesThatChange holds that the address that is dialled decides, whichever a name had before.
func TestNamesThatChange(t *testing.T) {
	asked := atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	address := atomic.Pointer[netip.Addr]{}
	is := func(text string) netip.Addr {
		a := netip.MustParseAddr(text)
		address.Store(&a)
		return a
	}
	names := resolver(t, &address)
	const name = "hooks.example.com"
	for _, private := range []string{"127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fd00::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"} {
		public := is("203.0.113.7")
		before, err := names.LookupNetIP(t.Context(), "ip", name)
		if err != nil || len(before) != 1 || before[0].Unmap() != public || may(before[0], true, false) != nil {
			t.Fatalf("who looks before is told %v (%v), want %s", before, err, public)
		}
		is(private)
		for scheme, encrypted := range map[string]bool{"https": true, "http": false} {
			answered, err := client(encrypted, false, 1, names).Get(scheme + "://" + name + ":" + port)
			if !errors.Is(err, ErrPrivate) {
				t.Errorf("%s to a name that has become %s: %v, want %v", scheme, private, err, ErrPrivate)
			}
			if err == nil {
				answered.Body.Close()
			}
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the server on this machine is asked %d times", n)
	}

	// Where private ones are allowed, a name leads there, and without TLS no longer once it is public.
	is("127.0.0.1")
	allowed := client(false, true, 1, names)
	answered, err := allowed.Get("http://" + name + ":" + port)
	if err != nil || asked.Load() != 1 {
		t.Fatalf("asked %d times: %v", asked.Load(), err)
	}
	answered.Body.Close()
	allowed.CloseIdleConnections()
	is("203.0.113.7")
	if answered, err := allowed.Get("http://" + name + ":" + port); !errors.Is(err, ErrPlain) {
		t.Errorf("a name that has become public is asked without TLS: %v", err)
		if err == nil {
			answered.Body.Close()
		}
	}
}

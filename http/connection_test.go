package http

import (
	"bytes"
	"io"
	"net"
	"net/http/httptest"
	"testing"
)

// connect makes both ends of a connection that a holding listener has accepted.
func connect(t *testing.T) (c *connection, peer net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if peer, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { peer.Close() })
	accepted, err := holding{l}.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { accepted.Close() })
	c, ok := withConnection(t.Context(), accepted).Value(connectionKey{}).(*connection)
	if !ok {
		t.Fatalf("the connection is a %T", accepted)
	}
	return c, peer
}

// TestWhole holds what is written in parts until all of it is there, and nothing after that.
func TestWhole(t *testing.T) {
	c, peer := connect(t)
	head, body := []byte("head"), bytes.Repeat([]byte("b"), heldFrom)
	for range 2 {
		c.whole(httptest.NewRecorder(), func() {
			for _, part := range [][]byte{head, body} {
				if n, err := c.Write(part); n != len(part) || err != nil {
					t.Errorf("wrote %d: %v", n, err)
				}
			}
			if len(c.held) != len(head)+len(body) {
				t.Errorf("%d bytes are held", len(c.held))
			}
		})
		if _, err := c.Write([]byte(".")); err != nil || len(c.held) != 0 {
			t.Errorf("%d bytes are held: %v", len(c.held), err)
		}
	}
	c.Close()
	got, err := io.ReadAll(peer)
	one := string(head) + string(body) + "."
	if err != nil || string(got) != one+one {
		t.Errorf("%d bytes arrived: %v", len(got), err)
	}
}

// TestWholeOfAConnectionThatHasGone drops what cannot be sent and closes the connection.
func TestWholeOfAConnectionThatHasGone(t *testing.T) {
	c, _ := connect(t)
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	c.whole(httptest.NewRecorder(), func() { _, _ = c.Write([]byte("answer")) })
	if _, err := c.Read(make([]byte, 1)); err == nil || len(c.held) != 0 {
		t.Errorf("%d bytes are held on a connection that can be read: %v", len(c.held), err)
	}
}

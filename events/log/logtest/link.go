package logtest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// link passes connections on to an address while it is up.
type link struct {
	listener net.Listener
	to       string

	mu   sync.Mutex
	up   bool
	open map[net.Conn]bool
}

// newLink makes one that is up, for the length of a test.
func newLink(t *testing.T, to string) *link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &link{listener: listener, to: to, up: true, open: map[net.Conn]bool{}}
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			go l.pass(from)
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		l.set(false)
	})
	return l
}

// set takes the link up or down; what goes through it then breaks off.
func (l *link) set(up bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.up = up
	if !up {
		for conn := range l.open {
			conn.Close()
		}
		clear(l.open)
	}
}

// keep tells whether a connection may be used, and closes it else.
func (l *link) keep(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.up {
		l.open[conn] = true
	} else {
		conn.Close()
	}
	return l.up
}

// pass copies between a connection and a new one until one of them ends.
func (l *link) pass(from net.Conn) {
	defer l.end(from)
	to, err := net.Dial("tcp", l.to)
	if err != nil || !l.keep(from) {
		if err == nil {
			to.Close()
		}
		return
	}
	defer l.end(to)
	if !l.keep(to) {
		return
	}
	go func() {
		_, _ = io.Copy(from, to)
		l.end(from)
	}()
	_, _ = io.Copy(to, from)
}

// end closes a connection.
func (l *link) end(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, conn)
	conn.Close()
}

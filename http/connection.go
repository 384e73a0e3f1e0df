package http

import (
	"context"
	"net"
	nethttp "net/http"
)

// An answer with a body between these lengths is held until it is whole. A shorter one fits in the buffer of net/http with its
// header, and of a longer one the copy costs what it saves.
const (
	heldFrom = 2 << 10
	heldUpTo = 16 << 10
)

// holding is a listener that gives out connections that can hold back what is written.
type holding struct{ net.Listener }

func (l holding) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &connection{TCPConn: tcp}, nil
	}
	return c, err
}

// connection is one on which an answer can leave in one piece: net/http writes to it whenever its buffer of 4 KiB is full, and
// each writing is a call of the system here and another one where it is read. Only who handles the request may hold it.
type connection struct {
	*net.TCPConn
	holding bool
	held    []byte
}

func (c *connection) Write(p []byte) (int, error) {
	if c.holding {
		c.held = append(c.held, p...)
		return len(p), nil
	}
	return c.TCPConn.Write(p)
}

// whole has what write writes leave at once. A connection that did not take it all is closed, so that nobody takes half an answer
// for a whole one.
func (c *connection) whole(w nethttp.ResponseWriter, write func()) {
	c.holding = true
	write()
	_ = nethttp.NewResponseController(w).Flush() // writes here, which does not fail
	c.holding = false
	if _, err := c.TCPConn.Write(c.held); err != nil {
		c.Close()
	}
	c.held = c.held[:0]
}

type connectionKey struct{}

// withConnection lets a request's context lead to its connection.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	if c, ok := c.(*connection); ok {
		return context.WithValue(ctx, connectionKey{}, c)
	}
	return ctx
}

package http

import (
	"container/list"
	"context"
	"io"
	"net"
	nethttp "net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// maxConnections is how many connections are open at once where there are descriptors enough.
const maxConnections = 16 << 10

// connectionLimit is how many connections a process may have: no more than half of its file
// descriptors, so that the stores always find one.
func connectionLimit() int {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return maxConnections
	}
	return int(min(maxConnections, max(1, files.Cur/2)))
}

// connections is a listener with a limit to what is open at once. For one connection more, that
// one is closed which has waited longest without a request whose header is whole: the silent and
// the slow make room for those who ask. Where all are being answered, it is the new one.
type connections struct {
	net.Listener
	limit   int
	ending  atomic.Bool // connections are closed at once
	mutex   sync.Mutex
	open    map[net.Conn]*list.Element // in waiting, nil for one that is being answered
	waiting *list.List                 // of *connection, the one that waits longest first
}

const (
	// lingerFor is how long a connection that the server ends goes on taking what the caller sends,
	// and lingerBytes how much. One that is closed with something unread is reset, and an answer
	// that is on its way is lost with that.
	lingerFor   = 500 * time.Millisecond
	lingerBytes = 1 << 20
)

// connection is an accepted connection.
type connection struct {
	net.Conn
	of     *connections
	active atomic.Bool // something of a request has come that is not answered, or was the last one
}

// Close ends a connection. One with a request is closed for writing first, until the caller closes
// it too.
func (c *connection) Close() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if ok && c.active.Swap(false) && !c.of.ending.Load() && half.CloseWrite() == nil && c.SetReadDeadline(time.Now().Add(lingerFor)) == nil {
		_, _ = io.CopyN(io.Discard, c.Conn, lingerBytes)
	}
	return c.Conn.Close()
}

// CloseWrite is what net/http does to a connection whose request it refuses.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

func limitConnections(l net.Listener, limit int) *connections {
	return &connections{Listener: l, limit: limit, open: map[net.Conn]*list.Element{}, waiting: list.New()}
}

// Accept waits for a connection that has a place.
func (l *connections) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &connection{Conn: accepted, of: l}
		if closed := l.place(c); closed != nil {
			closed.Conn.Close()
			if closed == c {
				continue
			}
		}
		return c, nil
	}
}

// place finds a place for a connection, and returns the one that is to be closed for that, nil for
// none.
func (l *connections) place(c *connection) (closed *connection) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if len(l.open) >= l.limit {
		oldest := l.waiting.Front()
		if oldest == nil {
			return c
		}
		closed = l.waiting.Remove(oldest).(*connection)
		delete(l.open, closed)
	}
	l.open[c] = l.waiting.PushBack(c)
	return closed
}

type connectionKey struct{}

// context leads from a request to its connection.
func (l *connections) context(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// state is told by net/http what becomes of a connection.
func (l *connections) state(c net.Conn, now nethttp.ConnState) {
	if now != nethttp.StateClosed {
		c.(*connection).active.Store(now == nethttp.StateActive)
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if at := l.open[c]; at != nil {
		l.waiting.Remove(at)
	}
	delete(l.open, c)
}

// answering says that a connection's request is being answered, until done is called.
func (l *connections) answering(ctx context.Context) (done func()) {
	c, _ := ctx.Value(connectionKey{}).(net.Conn)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	at := l.open[c]
	if at == nil {
		return func() {}
	}
	l.waiting.Remove(at)
	l.open[c] = nil
	return func() {
		l.mutex.Lock()
		defer l.mutex.Unlock()
		if _, open := l.open[c]; open {
			l.open[c] = l.waiting.PushBack(c)
		}
	}
}

// handler has next answer, with its connection kept meanwhile.
func (l *connections) handler(next nethttp.Handler) nethttp.Handler {
	return nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		defer l.answering(r.Context())()
		next.ServeHTTP(w, r)
	})
}

package http

import (
	"container/list"
	"context"
	"io"
	"net"
	nethttp "net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxConnections is how many connections are open at once where there are descriptors and memory
	// enough, and connectionMemory what one takes that is silent. Of a memory that is limited an
	// eighth is for them.
	maxConnections   = 16 << 10
	connectionMemory = 8 << 10
	// maxHeaders is how many bytes of headers are in memory at once, of requests that are being
	// answered or are not whole yet. Each takes three times as many while it is read. Of a memory that
	// is limited they have a sixteenth.
	maxHeaders = 64 << 20
)

// bounds are the limits of connections.
type bounds struct {
	open    int   // at once
	headers int64 // bytes of their requests' headers
}

// boundsOf are those of a process that is allowed so much memory, 0 for any. No more than half of
// its file descriptors go to connections, so that the stores always find one.
func boundsOf(memory uint64) bounds {
	b := bounds{maxConnections, maxHeaders}
	if n, ok := descriptors(); ok {
		b.open = int(min(maxConnections, max(1, n/2)))
	}
	if memory > 0 {
		b.open = int(min(uint64(b.open), max(1, memory/8/connectionMemory)))
		b.headers = int64(min(maxHeaders, memory/16))
	}
	return b
}

// connections is a listener with a limit to what is open at once. For one connection more, that
// one is closed which has waited longest without a request whose header is whole: the silent and
// the slow make room for those who ask. Where all are being answered, it is the new one. Likewise
// for headers beyond their limit.
type connections struct {
	net.Listener
	most    bounds
	ending  atomic.Bool  // connections are closed at once
	headers atomic.Int64 // bytes of headers of all
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

	header    atomic.Int64 // bytes of the header that was read, or is being
	answering atomic.Bool  // what is read belongs to a body
}

// Read counts what belongs to a header.
func (c *connection) Read(into []byte) (int, error) {
	n, err := c.Conn.Read(into)
	if n > 0 && !c.answering.Load() {
		c.header.Add(int64(n))
		if c.of.headers.Add(int64(n)) > c.of.most.headers {
			c.of.shed(c)
		}
	}
	return n, err
}

// forget drops the header of a request.
func (c *connection) forget() { c.of.headers.Add(-c.header.Swap(0)) }

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

func limitConnections(l net.Listener, to bounds) *connections {
	return &connections{Listener: l, most: to, open: map[net.Conn]*list.Element{}, waiting: list.New()}
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
	if len(l.open) >= l.most.open {
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

// shed closes connections whose headers are not whole, until all headers are within their limit:
// those that have waited longest, or the one that was read from where there are none.
func (l *connections) shed(reading *connection) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for at := l.waiting.Front(); at != nil && l.headers.Load() > l.most.headers; {
		c, next := at.Value.(*connection), at.Next()
		if c.header.Load() > 0 {
			l.waiting.Remove(at)
			delete(l.open, c)
			c.forget()
			c.Conn.Close()
		}
		at = next
	}
	if l.headers.Load() > l.most.headers {
		reading.Conn.Close()
	}
}

type connectionKey struct{}

// context leads from a request to its connection.
func (l *connections) context(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// state is told by net/http what becomes of a connection.
func (l *connections) state(c net.Conn, now nethttp.ConnState) {
	if now == nethttp.StateIdle || now == nethttp.StateClosed {
		c.(*connection).forget()
	}
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
	asked := c.(*connection)
	asked.answering.Store(true)
	return func() {
		asked.answering.Store(false)
		asked.forget()
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

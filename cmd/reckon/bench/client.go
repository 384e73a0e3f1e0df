package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"time"
)

// connection is one caller's connection to the service. It sends requests that were written
// beforehand and looks only at the status of their answers, so that the load takes as little as it
// can of a processor that it shares with the server.
type connection struct {
	base     *url.URL
	deadline time.Time
	conn     net.Conn // nil when the server has closed it
	in       *bufio.Reader
}

// dial connects to the server of a base URL. Everything on the connection fails after the deadline.
func dial(ctx context.Context, base *url.URL, deadline time.Time) (*connection, error) {
	c := &connection{base: base, deadline: deadline, in: bufio.NewReaderSize(nil, 16<<10)}
	return c, c.connect(ctx)
}

func (c *connection) connect(ctx context.Context) error {
	open := (&net.Dialer{}).DialContext
	if c.base.Scheme == "https" {
		open = (&tls.Dialer{Config: &tls.Config{NextProtos: []string{"http/1.1"}}}).DialContext
	}
	conn, err := open(ctx, "tcp", net.JoinHostPort(c.base.Hostname(), cmp.Or(c.base.Port(), c.base.Scheme)))
	if err != nil {
		return err
	}
	if err := conn.SetDeadline(c.deadline); err != nil {
		conn.Close()
		return err
	}
	c.conn = conn
	c.in.Reset(conn)
	return nil
}

func (c *connection) close() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

// do sends a request, reads the whole answer and returns its status. It begins nothing when ctx has
// ended.
func (c *connection) do(ctx context.Context, request []byte) (status int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if c.conn == nil {
		if err := c.connect(ctx); err != nil {
			return 0, err
		}
	}
	if _, err := c.conn.Write(request); err != nil {
		return 0, fmt.Errorf("send a request: %w", err)
	}
	status, err = c.answer()
	if err != nil {
		return 0, fmt.Errorf("read an answer: %w", err)
	}
	return status, nil
}

// answer reads an answer whose body has a length or comes in chunks.
func (c *connection) answer() (status int, err error) {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if len(line) < len("HTTP/1.1 200") || !bytes.HasPrefix(line, []byte("HTTP/1.")) {
		return 0, fmt.Errorf("%.40q is no answer of HTTP/1.1", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, fmt.Errorf("%.40q is no answer of HTTP/1.1", line)
	}
	length, chunked, last := -1, false, false
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, err
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = bytes.EqualFold(value, []byte("chunked"))
		case bytes.EqualFold(name, []byte("Connection")):
			last = bytes.EqualFold(value, []byte("close"))
		}
	}
	switch {
	case chunked:
		if _, err = io.Copy(io.Discard, httputil.NewChunkedReader(c.in)); err == nil {
			_, err = c.in.ReadSlice('\n') // the line behind the last chunk
		}
	case length >= 0:
		_, err = c.in.Discard(length)
	default:
		err = fmt.Errorf("the answer does not say how long it is")
	}
	if last {
		c.close()
	}
	return status, err
}

// written is a request as it goes over the connection. A body is JSON.
func written(base *url.URL, method, path, key string, body []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n", method, base.Path, path, base.Host, key)
	if method == nethttp.MethodPost {
		fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n")
	b.Write(body)
	return b.Bytes()
}

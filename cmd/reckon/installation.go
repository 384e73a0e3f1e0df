package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	nethttp "net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"reckon/events"
	"reckon/events/log"
	"reckon/http/admin"

	"github.com/google/uuid"
)

// installation is the flags of commands that administer: a server elsewhere, or a log here. Both
// answer the same requests.
type installation struct {
	directory
	Server string `help:"Address of a server to administer from here, with the token of 'reckon login' or of RECKON_TOKEN." placeholder:"URL"`
}

func (i installation) flags() string {
	if i.Server != "" {
		return "--server " + quoted(i.Server)
	}
	return i.directory.flags()
}

// ask lets f ask a server for what --server says, else the log here, as administer opens it.
func (i installation) ask(t terminal, f func(administration) error) error {
	return i.reach(t, i.ownViews(), i.administers, f)
}

// askNew is ask for the commands that may make a directory.
func (i installation) askNew(t terminal, f func(administration) error) error {
	return i.reach(t, i.ownViews(), i.begins, f)
}

// askViews is ask for the commands that need the views of a server, or its directory.
func (i installation) askViews(t terminal, f func(administration) error) error {
	return i.reach(t, i.Data, i.joins, f)
}

// ownViews is the directory whose views belong to the log, "" where that is on an existing NATS.
func (i installation) ownViews() string {
	if len(i.NATSURL) > 0 {
		return ""
	}
	return i.Data
}

func (i installation) reach(t terminal, dir string, here func(terminal, func(*log.Log) error) error, f func(administration) error) error {
	if i.Server == "" {
		return here(t, func(l *log.Log) error {
			client := &nethttp.Client{Transport: admin.Within(l, shell(), dir)}
			return f(administration{t, client, "http://localhost", ""})
		})
	}
	address, err := serverAddress(i.Server)
	if err != nil {
		return fmt.Errorf("--server: %w", err)
	}
	token, err := tokenFor(address)
	if err != nil {
		return err
	}
	return f(administration{t, remoteClient(), address, token})
}

// serverAddress is the address of a server without what may stand behind it. A token is sent over
// the network under TLS alone.
func serverAddress(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		if strings.ContainsAny(text, "@?#") { // there may be a secret in it
			return "", errors.New("this is not the address of a server alone: leave out user, query and fragment, as in https://reckon.example.com")
		}
		return "", fmt.Errorf("%q is no address of a server: give one such as https://reckon.example.com", text)
	case u.Scheme == "http" && u.Hostname() != "localhost" && !net.ParseIP(u.Hostname()).IsLoopback():
		return "", fmt.Errorf("%s would be sent a token that others on the way can read: give an https address, or the near end of a tunnel on this machine", text)
	}
	return strings.TrimSuffix(u.Scheme+"://"+u.Host+u.EscapedPath(), "/"), nil
}

// remoteClient goes where it is sent and nowhere else: a redirect would be given the token.
func remoteClient() *nethttp.Client {
	return &nethttp.Client{CheckRedirect: func(*nethttp.Request, []*nethttp.Request) error { return nethttp.ErrUseLastResponse }}
}

// administration asks an interface of administration.
type administration struct {
	t      terminal
	client *nethttp.Client
	server string
	token  string // "" within the process
}

// refusal is what an interface of administration refuses.
type refusal struct {
	status        int
	code, message string
}

func (r *refusal) Error() string { return r.message }

// request asks for what a path names, with a body that is written as JSON unless it is nil. An
// answer that is no success is a *refusal.
func (a administration) request(method string, path []string, query url.Values, body any) (*nethttp.Response, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	var parts strings.Builder
	for _, part := range path {
		parts.WriteString("/" + url.PathEscape(part))
	}
	address := a.server + "/admin/v1" + parts.String()
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	key := uuid.NewString() // by which what is asked again is done once
	for waits := againAfter; ; waits = waits[1:] {
		answer, err := a.send(method, address, key, text)
		if a.token == "" || len(waits) == 0 || a.t.Err() != nil || err == nil && !away(answer.StatusCode) {
			switch {
			case err != nil:
				return nil, a.unanswered(err)
			case answer.StatusCode >= 200 && answer.StatusCode < 300:
				return answer, nil
			}
			defer answer.Body.Close()
			return nil, a.refused(answer)
		}
		if err == nil {
			answer.Body.Close()
		}
		select {
		case <-a.t.Done():
		case <-time.After(waits[0]):
		}
	}
}

// againAfter is how long a command waits before it asks a server again that did not answer.
var againAfter = []time.Duration{200 * time.Millisecond, time.Second}

// away tells whether a status says that a server is not there for now.
func away(status int) bool {
	return status == nethttp.StatusBadGateway || status == nethttp.StatusServiceUnavailable || status == nethttp.StatusGatewayTimeout
}

// send sends a request once.
func (a administration) send(method, address, key string, text []byte) (*nethttp.Response, error) {
	var body io.Reader // nil without a text
	if text != nil {
		body = bytes.NewReader(text)
	}
	r, err := nethttp.NewRequestWithContext(a.t, method, address, body)
	if err != nil {
		return nil, err
	}
	if text != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if a.token != "" {
		r.Header.Set("Authorization", "Bearer "+a.token)
		r.Header.Set("Idempotency-Key", key)
	}
	return a.client.Do(r)
}

// unanswered is an error of a request, without what net/http says of it.
func (a administration) unanswered(err error) error {
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		err = failed.Err
	}
	if a.token == "" || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%s does not answer: %w", a.server, err)
}

// refused reads what an answer says that is no success.
func (a administration) refused(answer *nethttp.Response) error {
	var body struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return fmt.Errorf("read the answer of %s: %w", a.server, err)
	}
	if json.Unmarshal(data, &body) != nil || body.Error.Message == "" {
		return fmt.Errorf("%s answers %s, which is not an answer of Reckon's administration", a.server, answer.Status)
	}
	r := &refusal{answer.StatusCode, body.Error.Code, body.Error.Message}
	if r.code == "error_unauthorized" || r.code == "error_disabled_token" {
		r.message = strings.TrimSuffix(r.message, ".") + ": get one with 'reckon login " + quoted(a.server) + "'"
	}
	return r
}

// order asks, and reads the answer into a value of the type.
func order[T any](a administration, method string, body any, path ...string) (v T, err error) {
	return asked[T](a, method, nil, body, path...)
}

// fetch asks for what a path names.
func fetch[T any](a administration, path ...string) (T, error) {
	return order[T](a, nethttp.MethodGet, nil, path...)
}

// command is a command about what a path names.
func command[T any](a administration, body any, path ...string) (T, error) {
	return order[T](a, nethttp.MethodPost, body, path...)
}

// asked is order with a query.
func asked[T any](a administration, method string, query url.Values, body any, path ...string) (v T, err error) {
	answer, err := a.request(method, path, query, body)
	if err != nil {
		return v, err
	}
	defer answer.Body.Close()
	if answer.StatusCode == nethttp.StatusNoContent {
		return v, nil
	}
	text, err := io.ReadAll(answer.Body)
	if err == nil {
		err = events.Unmarshal(text, &v)
	}
	if err != nil {
		return v, fmt.Errorf("read the answer of %s: %w", a.server, err)
	}
	return v, nil
}

// each asks for what is answered with JSON objects, one a line, and hands on the one member of
// each. An answer that ends before what it should end with is an error.
func (a administration) each(body any, end string, hear func(name string, value json.RawMessage) error, path ...string) error {
	answer, err := a.request(nethttp.MethodPost, path, nil, body)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	last := ""
	for lines := bufio.NewReader(answer.Body); ; {
		text, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(text) == 0 {
			break
		}
		var line map[string]json.RawMessage
		if err == nil {
			err = events.Unmarshal(text, &line)
		}
		if err != nil {
			return a.unanswered(err)
		}
		for name, value := range line {
			if name == "error" {
				r := &refusal{status: answer.StatusCode}
				if err := json.Unmarshal(value, &struct {
					Code    *string `json:"code"`
					Message *string `json:"message"`
				}{&r.code, &r.message}); err != nil {
					return err
				}
				return r
			}
			if err := hear(name, value); err != nil {
				return err
			}
			last = name
		}
	}
	if last != end {
		return fmt.Errorf("the answer of %s ends before its end: give the command again", a.server)
	}
	return nil
}

// list asks for a list, which bears the name of its path's last part, until all of it is there.
func list[T any](a administration, query url.Values, path ...string) ([]T, error) {
	return listOf[T](a, math.MaxInt, query, path...)
}

// maxPart is how many rows a part of a list has at most.
const maxPart = 100

// listOf is list of so many rows at most.
func listOf[T any](a administration, most int, query url.Values, path ...string) ([]T, error) {
	rows, all := []T{}, url.Values{}
	for name, values := range query {
		all[name] = values
	}
	for {
		all.Set("limit", strconv.Itoa(min(most-len(rows), maxPart)))
		body, err := asked[map[string]json.RawMessage](a, nethttp.MethodGet, all, nil, path...)
		if err != nil {
			return nil, err
		}
		var part []T
		var next *string
		err = json.Unmarshal(body[path[len(path)-1]], &part)
		if err == nil {
			err = json.Unmarshal(body["next_cursor"], &next)
		}
		if err != nil {
			return nil, fmt.Errorf("read the answer of %s: %w", a.server, err)
		}
		rows = append(rows, part...)
		if next == nil || len(rows) >= most {
			return rows, nil
		}
		all.Set("starting_after", *next)
	}
}

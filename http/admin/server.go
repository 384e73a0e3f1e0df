// Package admin answers the interface of administration, /admin/v1: routes in one list with the
// least role of each. A request is of a user, by a token; what it asks for is a command of package
// commands, which says by whom it came about. A command line on a log that it has joined asks the
// same routes within its process, where whoever has the log may do all.
package admin

import (
	"crypto/sha256"
	"log/slog"
	"net"
	nethttp "net/http"
	"net/netip"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/commands/nodes"
	"reckon/events"
	"reckon/events/log"
	"reckon/http"
	"reckon/http/webhooks"
	"reckon/projections"
)

// prefix is where the interface is.
const prefix = "/admin/v1/"

// Server answers for a log. It is safe for concurrent use.
type Server struct {
	log   atomic.Pointer[log.Log]
	views atomic.Pointer[projections.Views] // nil within the process of a command line
	own   nodes.Own
	shell *events.Actor // who asks within the process of a command line
	links *url.URL      // what links to the console are made of, nil for none

	users, strangers *http.Pace // how fast who has a token, and an address without one, may ask

	requests commands.AdminRequests // that are done once
	used     usedTokens

	post    *webhooks.Post // sends tests to webhooks
	private bool           // which may lead to private networks

	forgets time.Duration // that who erases waits at most until that is forgotten
}

// New makes a Server that has nothing to answer from until Open.
func New(own nodes.Own) *Server {
	s := &Server{own: own, forgets: forgetPatience, post: webhooks.NewPost(false)}
	all := func() int { return s.log.Load().Nodes() }
	s.users = http.NewPace("The user", "requests", userPace, all)
	s.strangers = http.NewPace("This address", "requests without a token", strangerPace, all)
	return s
}

// Send has tests sent to webhooks, which may lead to private networks where private says so.
func (s *Server) Send(post *webhooks.Post, private bool) { s.post, s.private = post, private }

// How many requests all nodes together answer in a second: of a user, by whichever token, and of a
// network address without a token that holds.
const (
	userPace     = 100
	strangerPace = 50
)

// Links says at which address browsers reach the console. Without there are no links to it.
func (s *Server) Links(public *url.URL) { s.links = public }

// Open gives a Server the log and this node's views of it. From then on it tells other nodes how
// this one is.
func (s *Server) Open(l *log.Log, views *projections.Views) error {
	s.log.Store(l)
	s.views.Store(views)
	return s.source().Tell()
}

// source is where the state of this node comes from.
func (s *Server) source() nodes.Source {
	return nodes.Source{Own: s.own, Log: s.log.Load(), Views: s.views.Load()}
}

// Within answers for a log that a process has joined, whose actor may do all. dir is its data
// directory, "" for none.
func Within(l *log.Log, actor events.Actor, dir string) nethttp.RoundTripper {
	s := &Server{shell: &actor, own: nodes.Own{Dir: dir}, forgets: shellPatience, post: webhooks.NewPost(true), private: true}
	s.log.Store(l)
	return s.Face().Within()
}

// Face is the interface, to be mounted on a server.
func (s *Server) Face() http.Face {
	face := http.Face{
		Prefix: prefix, Vary: "Authorization", Admit: s.admit,
		Routes: []http.Route{{Method: "GET", Path: "/admin/openapi.yaml", Handle: described}},
	}
	for _, r := range routes {
		face.Routes = append(face.Routes, http.Route{Method: r.method, Path: prefix + r.path, Handle: func(x *http.Exchange) (http.Answer, error) {
			q := &request{Exchange: x, Server: s, admin: commands.Admin{Log: s.log.Load(), Views: s.views.Load()}}
			if err := q.permit(r.least); err != nil {
				return http.Answer{}, err
			}
			if !q.caller.shell() {
				s.used.note(q.ctx(), q.log.Load(), q.admin.By, q.caller)
			}
			a, err := q.once(r)
			return a, answered(err)
		}})
	}
	return face
}

// request is a request with who asks, and the account that its path names.
type request struct {
	*http.Exchange
	*Server
	caller  caller
	admin   commands.Admin // by the caller
	account projections.Account
	role    projections.Role // of the caller in the account, "" for none
}

// caller is the user whose token a request has. The zero caller is the shell, which may do all.
type caller struct {
	user  projections.User
	token projections.Token
}

func (c caller) shell() bool { return c.user.ID == uuid.Nil }

func (c caller) operator() bool { return c.shell() || c.user.Operator }

// admit finds the user of a request's token, as authenticate of /v1 finds the account of a key.
func (s *Server) admit(x *http.Exchange) error {
	r := x.Request()
	secret, ok := http.Bearer(r.Header)
	if !ok {
		return s.unknown(x)
	}
	hash, views := sha256.Sum256([]byte(secret)), s.views.Load()
	token, user, found, err := views.AuthenticateToken(hash)
	if err == nil && !found { // it may have been made a moment ago, elsewhere
		if err := s.strangers.Take(x, address(r)); err != nil {
			return err
		}
		if err = views.Fresh(r.Context()); err == nil {
			token, user, found, err = views.AuthenticateToken(hash)
		}
	}
	switch {
	case err != nil:
		return err
	case !found:
		return unauthorized
	}
	x.Known(user.ID, slog.String("user_id", user.ID.String()), slog.String("token_id", token.ID.String()))
	switch {
	case user.Disabled:
		return disabledUser
	case token.Revoked:
		return revokedToken
	case token.Expired(time.Now()):
		return expiredToken
	}
	if err := s.users.Take(x, user.ID); err != nil {
		return err
	}
	x.Caller = caller{user, token}
	return nil
}

// unknown is the answer to who has no token, unless their address asks too often.
func (s *Server) unknown(x *http.Exchange) error {
	if err := s.strangers.Take(x, address(x.Request())); err != nil {
		return err
	}
	return unauthorized
}

// addresses is the name space of ids that are made of network addresses.
var addresses = uuid.MustParse("5d6c7c60-3f0a-4f0c-8f53-5a1d1c1f3b52")

// address is what connects. A network of IPv6 counts as one, since a caller has all its addresses.
func address(r *nethttp.Request) uuid.UUID {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	if from, err := netip.ParseAddr(host); err == nil && from.Unmap().Is6() {
		if network, err := from.WithZone("").Prefix(64); err == nil {
			host = network.String()
		}
	}
	return uuid.NewSHA1(addresses, []byte(host))
}

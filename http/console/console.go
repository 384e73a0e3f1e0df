// Package console is the web application: pages for people, who are signed in by a session. Routes
// are in one list, each page is a file and a template. Keys and tokens mean nothing here, and
// cookies mean nothing anywhere else.
package console

import (
	"log/slog"
	nethttp "net/http"
	"net/netip"
	"net/url"
	"runtime"

	"github.com/go-webauthn/webauthn/webauthn"

	"reckon/commands"
	"reckon/commands/nodes"
	"reckon/events/log"
	"reckon/http"
	"reckon/http/webhooks"
	"reckon/projections"
)

// Path is where the console is.
const Path = "/console"

// Config is what a console has to know of its installation.
type Config struct {
	Public  *url.URL       // as browsers reach it; https, or http on this machine
	Proxies []netip.Prefix // whose X-Forwarded-For says where a request comes from
	OpenID  *Provider      // nil for none
	Docs    string         // path of the documentation, "" where the same server has none
	Logger  *slog.Logger

	Starters func() []Starter // what domains can begin as; nil for nothing

	Post    *webhooks.Post // sends tests to webhooks; nil for to public addresses alone
	Private bool           // webhooks may lead to private networks

	Node nodes.Own
}

// Console answers for the pages. It is safe for concurrent use.
type Console struct {
	config   Config
	pages    pages
	assets   *http.Files
	cross    *nethttp.CrossOriginProtection
	provider *provider          // nil for none
	passkeys *webauthn.WebAuthn // nil for none
	editors  *commands.FairSemaphore

	log     *log.Log
	views   *projections.Views
	auth    *commands.Authenticator
	service *commands.Service
}

// New makes a Console that may be mounted, and used from Open on.
func New(config Config) (*Console, error) {
	if config.Starters == nil {
		config.Starters = func() []Starter { return nil }
	}
	if config.Node.Work == nil {
		config.Node.Work = &nodes.Work{}
	}
	if config.Post == nil {
		config.Post = webhooks.NewPost(false)
	}
	c := &Console{config: config, assets: newAssets(), cross: nethttp.NewCrossOriginProtection(), provider: newProvider(config.OpenID)}
	slots := max(4, runtime.GOMAXPROCS(0))
	c.editors = commands.NewFairSemaphore(slots, slots/2)
	c.pages = newPages(c.assets, config.Docs)
	var err error
	if c.passkeys, err = newPasskeys(config.Public); err != nil {
		return nil, err
	}
	return c, c.cross.AddTrustedOrigin(config.Public.Scheme + "://" + config.Public.Host)
}

// Open lets the console answer. It is called once, before a server is open that it is mounted on.
func (c *Console) Open(l *log.Log, views *projections.Views, auth *commands.Authenticator, service *commands.Service) {
	c.log, c.views, c.auth, c.service = l, views, auth, service
}

// Face is the console as a server takes it.
func (c *Console) Face() http.Face {
	f := http.Face{Prefix: Path + "/", Vary: "Cookie", Admit: c.admit, Refuse: c.refuse}
	for _, r := range routes {
		f.Routes = append(f.Routes, http.Route{Method: r.method, Path: r.path, Handle: c.guard(r)})
	}
	return f
}

// policy is what pages may do: nothing leaves this origin, and nothing in a page is run.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// protect sets the header fields that all answers have.
func protect(h nethttp.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// admit looks at what every request must be, and finds out who asks.
func (c *Console) admit(x *http.Exchange) error {
	protect(x.Header())
	r := x.Request()
	v := &visit{x: x, address: c.address(r)}
	x.Caller = v
	x.Known(v.share())
	if err := c.cross.Check(r); err != nil {
		return http.Failure(nethttp.StatusForbidden, "error_cross_origin", "This was sent by a page of another site. Open the console itself, and try again there.")
	}
	return c.recognise(v)
}

// refuse is the page of an error.
func (c *Console) refuse(x *http.Exchange, status int, message string) []byte {
	protect(x.Header())
	x.Header().Set("Content-Type", htmlType)
	v, ok := x.Caller.(*visit)
	if !ok {
		v = &visit{x: x}
	}
	return c.pages.render("error", v, struct {
		Status  int
		Heading string
		Message string
	}{status, nethttp.StatusText(status), message})
}

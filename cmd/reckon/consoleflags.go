package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"reckon/http/console"
	"reckon/http/docs"
)

// consoleFlags are the flags of a server's console.
type consoleFlags struct {
	Console      string    `help:"Whether people are answered at /console: ${enum} (${default})." enum:"on,off" default:"on" placeholder:"on|off"`
	Docs         string    `help:"Whether /docs shows the documentation, to everybody: ${enum} (${default})." enum:"on,off" default:"on" placeholder:"on|off"`
	PublicURL    publicURL `help:"Address at which browsers reach the console, such as https://reckon.example.com: links are made of it. Needed where --listen is not this machine alone." name:"public-url" placeholder:"URL"`
	TrustedProxy []string  `help:"Address or network of a proxy of yours, such as 10.0.0.0/8, whose X-Forwarded-For says where a request comes from; several are several flags." placeholder:"NETWORK"`

	OIDCIssuer         string `help:"URL of an OpenID Connect provider that people may sign in with, whose confirmed address is that of somebody who was invited. It sends them back to /console/provider/callback." name:"oidc-issuer" placeholder:"URL"`
	OIDCClientID       string `help:"What the provider knows this installation by." name:"oidc-client-id" placeholder:"ID"`
	OIDCSecretVariable string `help:"Name of the environment variable that holds the client's secret." name:"oidc-secret-variable" placeholder:"NAME"`
	OIDCSecretFile     string `help:"File that holds the client's secret." name:"oidc-secret-file" placeholder:"FILE" type:"path"`
	OIDCName           string `help:"What the provider is called where people sign in. Without, its host." name:"oidc-name" placeholder:"TEXT"`
}

// provider reads what the flags say of a provider; nil without one.
func (c consoleFlags) provider() (*console.Provider, error) {
	if c.OIDCIssuer == "" {
		if c.OIDCClientID+c.OIDCSecretVariable+c.OIDCSecretFile+c.OIDCName != "" {
			return nil, errors.New("the flags --oidc-… are of a provider: give its URL with --oidc-issuer")
		}
		return nil, nil
	}
	u, err := url.Parse(c.OIDCIssuer)
	if err != nil {
		return nil, errors.New("--oidc-issuer: give the URL of a provider with https, as it names itself")
	}
	if u.Hostname() == "" || u.User != nil || u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())) {
		return nil, fmt.Errorf("--oidc-issuer %q: give the URL of a provider with https, as it names itself", u.Redacted())
	}
	p := &console.Provider{Issuer: c.OIDCIssuer, Client: c.OIDCClientID, Name: cmp.Or(c.OIDCName, u.Host)}
	switch {
	case p.Client == "":
		return nil, errors.New("--oidc-issuer needs --oidc-client-id: what the provider knows this installation by")
	case c.OIDCSecretVariable != "" && c.OIDCSecretFile != "":
		return nil, errors.New("--oidc-secret-variable and --oidc-secret-file exclude each other")
	case c.OIDCSecretVariable != "":
		if p.Secret = os.Getenv(c.OIDCSecretVariable); p.Secret == "" {
			return nil, fmt.Errorf("--oidc-secret-variable: the environment variable %s is not set", c.OIDCSecretVariable)
		}
	case c.OIDCSecretFile != "":
		secret, err := os.ReadFile(c.OIDCSecretFile)
		if err != nil {
			return nil, fmt.Errorf("read --oidc-secret-file: %w", err)
		}
		if p.Secret = strings.TrimSpace(string(secret)); p.Secret == "" {
			return nil, fmt.Errorf("--oidc-secret-file %s is empty", c.OIDCSecretFile)
		}
	}
	return p, nil
}

// proxies reads --trusted-proxy.
func (c consoleFlags) proxies() (list []netip.Prefix, err error) {
	for _, text := range c.TrustedProxy {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			address, alone := netip.ParseAddr(text)
			if alone != nil {
				return nil, fmt.Errorf("--trusted-proxy %q: give an address, or a network such as 10.0.0.0/8", text)
			}
			network = netip.PrefixFrom(address, address.BitLen())
		}
		list = append(list, network)
	}
	return list, nil
}

// open makes the console of a server that listens on an address, and its public address. config has
// what no flag of the console says. There is none with --console off, and where nobody says at
// which address browsers reach it.
func (c consoleFlags) open(listens net.Addr, logger *slog.Logger, config console.Config) (*console.Console, *url.URL, error) {
	proxies, err := c.proxies()
	if err != nil {
		return nil, nil, err
	}
	provider, err := c.provider()
	if err != nil || c.Console == "off" {
		return nil, nil, err
	}
	public := c.PublicURL.url
	if public == nil {
		public = &url.URL{Scheme: "http", Host: listens.String()}
		if !isLoopback(public.Hostname()) {
			logger.Warn("there is no console: say with --public-url at which address browsers reach it, or --console off", "address", listens.String())
			return nil, nil, nil
		}
	}
	config.Public, config.Proxies, config.OpenID, config.Logger, config.Starters = public, proxies, provider, logger, sync.OnceValue(begun)
	if c.Docs != "off" {
		config.Docs = docs.Path
	}
	pages, err := console.New(config)
	if err != nil {
		return nil, nil, fmt.Errorf("make the console: %w", err)
	}
	return pages, public, nil
}

// documentation is what /docs answers, which tells callers the public address of the service, or
// the one that it listens on where that is this machine; nil with --docs off.
func (c consoleFlags) documentation(listens net.Addr, logger *slog.Logger) *docs.Docs {
	if c.Docs == "off" {
		return nil
	}
	address := url.URL{Scheme: "http", Host: listens.String()}
	switch {
	case c.PublicURL.url != nil:
		address = *c.PublicURL.url
	case !isLoopback(address.Hostname()):
		address = url.URL{Scheme: "https", Host: "reckon.example.com"}
	}
	return docs.New(docs.Config{Address: address.String(), Books: documented(), Logger: logger})
}

// tell leaves the public address for those who make links beside the server.
func (d directory) tell(public *url.URL) error {
	if d.Data == "" {
		return nil
	}
	if err := os.WriteFile(filepath.Join(d.Data, publicFile), []byte(public.String()+"\n"), 0o600); err != nil {
		return fmt.Errorf("leave the public address: %w", err)
	}
	return nil
}

// publicURL reads --public-url.
type publicURL struct{ url *url.URL }

func (p *publicURL) UnmarshalText(text []byte) error {
	u, err := url.Parse(string(text))
	if err != nil || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("%q: give one such as https://reckon.example.com, with nothing behind the host and the port", text)
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())) {
		return fmt.Errorf("%q: give an address with https, which a proxy before the service answers on; http is for this machine alone", text)
	}
	p.url = &url.URL{Scheme: u.Scheme, Host: u.Host}
	return nil
}

// isLoopback tells whether a host is this machine, whichever it is.
func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// publicFile is where a server leaves the address of its console for those who make links beside
// it.
const publicFile = "public-url"

// public is the address that links are made of where a server does not say it: the one that is
// given, else that of the directory's server, as it runs or ran last, else the default of serve.
func (i installation) public(given publicURL) (*url.URL, error) {
	if given.url != nil {
		return given.url, nil
	}
	text := []byte("http://127.0.0.1:8080")
	if i.Server != "" {
		text = []byte(i.Server)
	} else if len(i.NATSURL) == 0 {
		written, err := os.ReadFile(filepath.Join(i.Data, publicFile))
		switch {
		case err == nil:
			text = written
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("read the public address: %w (or give it with --public-url)", err)
		}
	}
	var p publicURL
	if err := p.UnmarshalText([]byte(strings.TrimSpace(string(text)))); err != nil {
		return nil, fmt.Errorf("read the public address: %w", err)
	}
	return p.url, nil
}

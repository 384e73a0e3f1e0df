// Package outside asks servers elsewhere, at addresses that somebody gave: none in a private
// network unless that is allowed, whatever name leads there, and none without TLS beyond it.
package outside

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// What is refused, matched with errors.Is.
var (
	ErrNoURL    = errors.New("it is no URL of a server")
	ErrUser     = errors.New("it has a user or a fragment")
	ErrRedirect = errors.New("it redirects")
	ErrPrivate  = errors.New("its address is private, which is not allowed")
	ErrPlain    = errors.New("its address is public, and it is asked without TLS")
)

// connectLimit bounds each part of connecting.
const connectLimit = 5 * time.Second

// Parse reads the URL of a server. Without TLS it must be a private one, and those be allowed, as
// far as the URL tells: a name is looked up when it is dialled. It fails with ErrNoURL, ErrUser,
// ErrPlain and ErrPrivate.
func Parse(text string, private bool) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, ErrNoURL
	case u.User != nil || u.Fragment != "":
		return nil, ErrUser
	case u.Scheme == "http" && !private:
		return nil, ErrPlain
	}
	if address, err := netip.ParseAddr(u.Hostname()); err == nil {
		if err := may(address, u.Scheme == "https", private); err != nil {
			return nil, err
		}
	}
	return u, nil
}

// Client follows no redirect, takes no proxy from the environment, and connects only where it may:
// the address is looked at when it is dialled, so that no name can mean another one by then.
// Without TLS it must be a private one. idle is how many connections are kept to a server.
func Client(encrypted, private bool, idle int) *http.Client {
	return client(encrypted, private, idle, nil)
}

// client looks names up with a resolver, nil for that of the machine.
func client(encrypted, private bool, idle int, names *net.Resolver) *http.Client {
	dialer := &net.Dialer{Timeout: connectLimit, Resolver: names, Control: func(_, address string, _ syscall.RawConn) error {
		return mayDial(address, encrypted, private)
	}}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: connectLimit,
			MaxResponseHeaderBytes: 64 << 10, MaxIdleConnsPerHost: idle, IdleConnTimeout: 90 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return ErrRedirect },
	}
}

// mayDial refuses an address and port with ErrPrivate and ErrPlain.
func mayDial(address string, encrypted, private bool) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return may(netip.Addr{}, encrypted, private)
	}
	return may(at.Addr(), encrypted, private)
}

func may(a netip.Addr, encrypted, private bool) error {
	public := publicAddress(a)
	switch {
	case !public && !private:
		return ErrPrivate
	case public && !encrypted:
		return ErrPlain
	}
	return nil
}

// privateNetworks are those, beside what netip tells, that no address on the Internet is of, or
// that lead to other addresses.
var privateNetworks = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"), netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("fec0::/10"),
}

func publicAddress(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	for _, p := range privateNetworks {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

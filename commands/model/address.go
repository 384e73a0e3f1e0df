package model

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

var (
	errRedirect = errors.New("it redirects")
	errEndless  = fmt.Errorf("its answer has more than %d KiB", maxModelAnswer>>10)
	errPrivate  = errors.New("its address is private, which is not allowed")
	errPlain    = errors.New("its address is public, and it is asked without TLS")
)

// newModelClient is a client that follows no redirect, takes no proxy from the environment, and
// connects only where it may: the address is looked at when it is dialled, so that no name can mean
// another one by then. Without TLS it must be a private one.
func newModelClient(encrypted, private bool) *http.Client {
	dialer := &net.Dialer{Timeout: connectLimit, Control: func(_, address string, _ syscall.RawConn) error {
		return mayDial(address, encrypted, private)
	}}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: connectLimit,
			MaxResponseHeaderBytes: 64 << 10, MaxIdleConnsPerHost: idleConnections, IdleConnTimeout: 90 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect },
	}
}

// mayDial refuses an address and port with errPrivate and errPlain.
func mayDial(address string, encrypted, private bool) error {
	at, err := netip.ParseAddrPort(address)
	public := err == nil && publicAddress(at.Addr())
	switch {
	case !public && !private:
		return errPrivate
	case public && !encrypted:
		return errPlain
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

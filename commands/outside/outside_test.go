package outside

import (
	"errors"
	"net/http"
	"net/netip"
	"testing"
)

func TestPublicAddresses(t *testing.T) {
	for _, public := range []string{"8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.1", "192.0.1.1", "198.17.0.1", "::ffff:8.8.8.8", "2606:4700::1111"} {
		if !publicAddress(netip.MustParseAddr(public)) {
			t.Errorf("%s is refused", public)
		}
	}
	for _, row := range []struct {
		address            string
		encrypted, private bool
		err                error
	}{
		{"8.8.8.8:443", true, false, nil}, {"8.8.8.8:443", true, true, nil}, {"8.8.8.8:80", false, true, ErrPlain}, {"10.0.0.1:443", true, false, ErrPrivate},
		{"10.0.0.1:80", false, true, nil}, {"[::1]:443", true, true, nil}, {"/run/a.sock", true, false, ErrPrivate},
	} {
		if err := mayDial(row.address, row.encrypted, row.private); err != row.err {
			t.Errorf("%+v: %v", row, err)
		}
	}
	for _, private := range []string{
		"127.0.0.1", "127.9.9.9", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "192.0.0.8",
		"198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%lo", "fc00::1", "fd12:3456::1", "ff02::1", "fec0::1",
		"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:100.64.0.1", "::ffff:0.1.2.3", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001::1",
	} {
		if publicAddress(netip.MustParseAddr(private)) {
			t.Errorf("%s is let through", private)
		}
	}
}

// TestParse tells what a URL alone says of where it leads.
func TestParse(t *testing.T) {
	for _, row := range []struct {
		url     string
		private bool
		err     error
	}{
		{"https://hooks.example.com/a?b=c", false, nil}, {"https://8.8.8.8", false, nil}, {"http://127.0.0.1:9000", true, nil}, {"http://localhost:9000", true, nil},
		{"http://hooks.example.com", false, ErrPlain}, {"http://8.8.8.8", true, ErrPlain},
		{"https://127.0.0.1", false, ErrPrivate}, {"https://169.254.169.254/latest", false, ErrPrivate}, {"https://[::1]:8", false, ErrPrivate}, {"https://[::ffff:10.0.0.1]", false, ErrPrivate},
		{"", false, ErrNoURL}, {"hooks.example.com", false, ErrNoURL}, {"ftp://example.com", false, ErrNoURL}, {"https://", false, ErrNoURL}, {"https://:443", false, ErrNoURL}, {"https://a b", false, ErrNoURL},
		{"https://u:p@example.com", false, ErrUser}, {"https://example.com#a", false, ErrUser},
	} {
		if _, err := Parse(row.url, row.private); !errors.Is(err, row.err) || (err == nil) != (row.err == nil) {
			t.Errorf("%s, private %t: %v", row.url, row.private, err)
		}
	}
	if Client(true, false, 1).Transport.(*http.Transport).Proxy != nil {
		t.Error("proxies of the environment are used")
	}
}

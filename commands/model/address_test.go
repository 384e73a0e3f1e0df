package model

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// TestModelRedirects holds that the prompt and the key go nowhere but to the URL that was
// configured.
func TestModelRedirects(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		other := serveModel(t, says(rightOne))
		server := serveModel(t, func(w http.ResponseWriter, r *http.Request, _ asked, _ int) {
			http.Redirect(w, r, other.URL+"/v1/chat/completions", status)
		})
		e, _ := endpointTo(t, server.URL, true)
		if _, err := e.read(t, trip(t)); !errors.Is(err, errModelUnavailable) || !strings.Contains(err.Error(), "redirects") {
			t.Errorf("%d: %v", status, err)
		}
		if len(other.list()) != 0 {
			t.Errorf("%d is followed", status)
		}
	}
}

// TestModelAddresses holds that private addresses are refused when they are dialled, whatever name
// leads there, and that no certificate is taken on trust.
func TestModelAddresses(t *testing.T) {
	m := &modelServer{}
	m.Server = httptest.NewUnstartedServer(m.handler(t, says(rightOne)))
	m.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	m.StartTLS()
	defer m.Close()
	port := m.URL[strings.LastIndexByte(m.URL, ':'):]
	for _, row := range []struct {
		url     string
		private bool
		says    string
	}{
		{"https://127.0.0.1" + port, false, "its address is private"},
		{"https://localhost" + port, false, "its address is private"},
		{"https://[::ffff:127.0.0.1]" + port, false, "its address is private"},
		{"https://127.0.0.1" + port, true, "certificate is not trusted"},
	} {
		e, err := newEndpoint(Config{URL: row.url + "/v1", Name: "a-model", AllowPrivate: row.private}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.read(t, trip(t)); !errors.Is(err, errModelUnavailable) || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v", row.url, err)
		}
	}
	if len(m.list()) != 0 {
		t.Error("it is asked")
	}
	if newModelClient(true, false).Transport.(*http.Transport).Proxy != nil {
		t.Error("proxies of the environment are used")
	}
}

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
		{"8.8.8.8:443", true, false, nil}, {"8.8.8.8:443", true, true, nil}, {"8.8.8.8:80", false, true, errPlain}, {"10.0.0.1:443", true, false, errPrivate},
		{"10.0.0.1:80", false, true, nil}, {"[::1]:443", true, true, nil}, {"/run/a.sock", true, false, errPrivate},
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

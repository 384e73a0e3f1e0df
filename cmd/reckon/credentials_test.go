package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reckon/events/log"
)

// reckon runs a command line that must succeed and returns its standard output.
func reckon(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(terminal{Context: t.Context(), in: &bytes.Buffer{}, out: &out, err: &errs}, args); code != 0 {
		t.Fatalf("reckon %q: exit status %d: %s", args, code, errs.String())
	}
	return out.String()
}

// routeTLS is what a node makes of its directory: it shows its certificate on both ends of a route and wants the other's, for one of
// the hosts.
func routeTLS(t *testing.T, dir string, hosts ...string) *tls.Config {
	t.Helper()
	c, err := log.ClusterTLS(filepath.Join(dir, nodeCertificate), filepath.Join(dir, nodeKey), filepath.Join(dir, authorityCertificate), hosts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// handshake connects two nodes on loopback and returns what each end thinks of it.
func handshake(t *testing.T, listening, dialling *tls.Config, name string) (listened, dialled error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	done := make(chan error, 1)
	go func() {
		c, err := listener.Accept()
		if err != nil {
			done <- err
			return
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(10 * time.Second))
		server := tls.Server(c, listening)
		err = server.Handshake()
		if err == nil {
			_, err = io.WriteString(server, "hello")
		}
		done <- err
	}()
	config := dialling.Clone()
	config.ServerName = name
	c, err := (&tls.Dialer{NetDialer: &net.Dialer{Timeout: 10 * time.Second}, Config: config}).Dial("tcp", listener.Addr().String())
	if err == nil {
		var hello [5]byte
		_, err = io.ReadFull(c, hello[:]) // the other end's refusal arrives here
		c.Close()
	}
	return <-done, err
}

func TestCredentialsConnectNodesOfOneAuthority(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	reckon(t, "cluster", "credentials", at("one"), "--ca", at("authority"), "--host", "node1.internal", "--host", "10.0.0.1")
	reckon(t, "cluster", "credentials", at("two"), "--ca", at("authority"), "--host", "*.internal")
	reckon(t, "cluster", "credentials", at("stranger"), "--host", "node1.internal,node2.internal")
	reckon(t, "cluster", "credentials", at("other"), "--ca", at("authority"), "--host", "other.example")
	hosts := []string{"10.0.0.1", "node1.internal", "node2.internal", "node3.internal"}
	one, two, stranger := routeTLS(t, at("one"), hosts...), routeTLS(t, at("two"), hosts...), routeTLS(t, at("stranger"), hosts...)

	for _, c := range []struct {
		listening, dialling *tls.Config
		name                string
	}{{one, two, "node1.internal"}, {one, two, "10.0.0.1"}, {two, one, "node2.internal"}, {two, one, "node3.internal"}} {
		if listened, dialled := handshake(t, c.listening, c.dialling, c.name); listened != nil || dialled != nil {
			t.Errorf("%s: %v, %v", c.name, listened, dialled)
		}
	}
	var name x509.HostnameError
	if _, err := handshake(t, one, two, "node2.internal"); !errors.As(err, &name) {
		t.Errorf("a node is taken for another: %v", err)
	}
	if listened, _ := handshake(t, one, routeTLS(t, at("other"), hosts...), "node1.internal"); !errors.As(listened, &name) {
		t.Errorf("a node is dialled by one of another host: %v", listened)
	}
	var unknown x509.UnknownAuthorityError
	if _, err := handshake(t, stranger, one, "node1.internal"); !errors.As(err, &unknown) {
		t.Errorf("a node dials one of another authority: %v", err)
	}
	trusting := stranger.Clone()
	trusting.RootCAs = one.RootCAs
	if listened, _ := handshake(t, one, trusting, "node1.internal"); !errors.As(listened, &unknown) {
		t.Errorf("a node is dialled by one of another authority: %v", listened)
	}
}

// An authority that was renewed has the key and the name of the one before, so that nodes with either go on.
func TestCredentialsOfARenewedAuthority(t *testing.T) {
	dir := t.TempDir()
	authority, one, two := filepath.Join(dir, "authority"), filepath.Join(dir, "one"), filepath.Join(dir, "two")
	reckon(t, "cluster", "credentials", one, "--ca", authority, "--host", "one", "--days", "2")
	if err := os.Remove(filepath.Join(authority, authorityCertificate)); err != nil {
		t.Fatal(err)
	}
	reckon(t, "cluster", "credentials", two, "--ca", authority, "--host", "two")
	before, after := routeTLS(t, one, "one", "two"), routeTLS(t, two, "one", "two")
	if listened, dialled := handshake(t, before, after, "one"); listened != nil || dialled != nil {
		t.Errorf("the one before is dialled: %v, %v", listened, dialled)
	}
	if listened, dialled := handshake(t, after, before, "two"); listened != nil || dialled != nil {
		t.Errorf("the one before dials: %v, %v", listened, dialled)
	}
	if end := after.Certificates[0].Leaf.NotAfter; end.Before(time.Now().AddDate(9, 0, 0)) {
		t.Errorf("the new certificate ends on %v", end)
	}
	if end := before.Certificates[0].Leaf.NotAfter; end.After(time.Now().AddDate(0, 0, 3)) {
		t.Errorf("the certificate of two days ends on %v", end)
	}
}

func TestCredentialsAreTheirOwnersAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	reckon(t, "cluster", "credentials", dir, "--host", "one")
	files := 0
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s can be read by others: %v", name, info.Mode())
		}
		if !entry.IsDir() {
			files++
		}
		return nil
	})
	if err != nil || files != 5 {
		t.Errorf("%d files, %v", files, err)
	}
}

func TestCredentialsThatHaveEnded(t *testing.T) {
	dir := t.TempDir()
	reckon(t, "cluster", "credentials", dir, "--host", "one")
	if err := os.Remove(filepath.Join(dir, nodeCertificate)); err != nil {
		t.Fatal(err)
	}
	past := clusterCredentials{Dir: dir, CA: dir, Host: []string{"one"}, Days: -1}
	if _, err := past.complete(); err == nil || !strings.Contains(err.Error(), nodeCertificate+" ended on ") {
		t.Errorf("made with an end in the past: %v", err)
	}
	now := clusterCredentials{Dir: dir, CA: dir, Days: 10}
	if _, err := now.complete(); err == nil || !strings.Contains(err.Error(), "remove it to have one made") {
		t.Errorf("found ended: %v", err)
	}
}

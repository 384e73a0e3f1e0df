package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every wrong combination of flags names the flag and the way out, before anything is opened.
func TestClusterFlags(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("a secret of many nodes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	short := filepath.Join(dir, "short")
	if err := os.WriteFile(short, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const (
		node   = " --cluster c --node n1 --cluster-listen 127.0.0.1:6222"
		here   = " --routes nats://127.0.0.1:6223,nats://localhost:6224"
		beyond = " --routes nats://10.1.2.3:6222,nats://10.1.2.4:6222"
		tls    = " --cluster-tls-cert cert --cluster-tls-key key --cluster-tls-ca ca"
	)
	rows := []struct{ flags, want string }{
		{"--node n1", "--node is for a node of a cluster: give --cluster NAME too"},
		{"--cluster-listen 127.0.0.1:6222", "--cluster-listen is for a node of a cluster: give --cluster NAME too"},
		{here, "--routes is for a node of a cluster: give --cluster NAME too"},
		{"--cluster-tls-cert f", "--cluster-tls-cert is for a node of a cluster"},
		{"--cluster-tls-key f", "--cluster-tls-key is for a node of a cluster"},
		{"--cluster-tls-ca f", "--cluster-tls-ca is for a node of a cluster"},
		{"--cluster-secret-file f", "--cluster-secret-file is for a node of a cluster"},
		{"--heal", "--heal is for a node of a cluster: give --cluster NAME too"},
		{"--cluster c", "--cluster needs --node NODE"},
		{"--cluster c.d --node n", `--cluster "c.d": a name has 1 to 64 letters, digits, - and _`},
		{"--cluster c --node *", `--node "*": a name has 1 to 64 letters, digits, - and _`},
		{"--cluster c --node n1", "--cluster needs --cluster-listen HOST:PORT"},
		{"--cluster c --node n1 --cluster-listen 6222", `--cluster-listen "6222": give HOST:PORT`},
		{"--cluster c --node n1 --cluster-listen h:0", `--cluster-listen "h:0": give HOST:PORT`},
		{node, "--routes names 0 other nodes: a cluster has at least 3 nodes"},
		{node + " --routes nats://127.0.0.1:6222,nats://127.0.0.1:6223", "--routes names 1 other nodes"},
		{node + " --routes nats://127.0.0.1:6223,nats://127.0.0.1:6223", "--routes names 1 other nodes"},
		{node + " --routes 127.0.0.1:6223", `--routes "127.0.0.1:6223": give nats://HOST:PORT of each node`},
		{node + " --routes tls://127.0.0.1:6223", `--routes "tls://127.0.0.1:6223": give nats://HOST:PORT`},
		{node + " --routes nats://127.0.0.1", `--routes "nats://127.0.0.1": give nats://HOST:PORT`},
		{node + " --routes nats://127.0.0.1:66666", `--routes "nats://127.0.0.1:66666": give nats://HOST:PORT`},
		{node + " --routes nats://127.0.0.1:0", `--routes "nats://127.0.0.1:0": give nats://HOST:PORT`},
		{node + " --routes nats://127.0.0.1:6223?tls=true", `--routes "nats://127.0.0.1:6223?tls=true": give nats://HOST:PORT`},
		{node + " --routes nats://u:hidden@127.0.0.1:6223", `--routes "nats://u:xxxxx@127.0.0.1:6223": give nats://HOST:PORT`},
		{node + " --routes nats://hidden@127.0.0.1:6223", `--routes "nats://xxxxx@127.0.0.1:6223": give nats://HOST:PORT`},
		{node + beyond, "--cluster beyond this machine needs --cluster-tls-cert"},
		{node + beyond + tls, "--cluster beyond this machine needs --cluster-secret-file"},
		{node + beyond + " --cluster-secret-file " + secret, "--cluster beyond this machine needs --cluster-tls-cert"},
		{"--cluster c --node n1 --cluster-listen 0.0.0.0:6222" + here, "--cluster beyond this machine needs --cluster-tls-cert"},
		{node + here + " --cluster-tls-cert cert --cluster-tls-ca ca", "--cluster-tls-cert, --cluster-tls-key and --cluster-tls-ca belong together"},
		{node + here + tls, "read the certificate of the node: open cert"},
		{node + here + " --cluster-secret-file none", "read --cluster-secret-file: open none"},
		{node + here + " --cluster-secret-file " + short, "the secret needs at least 16 bytes"},
		{node + here + " --nats-url nats://127.0.0.1:4222", "--cluster and --nats-url exclude each other"},
		{"--nats-creds " + secret, "--nats-creds is for an existing NATS: give --nats-url too"},
		{"--nats-ca " + secret, "--nats-ca is for an existing NATS: give --nats-url too"},
		{"--nats-url nats://127.0.0.1:4222 --nats-creds " + filepath.Join(dir, "none"), "read --nats-creds: open " + filepath.Join(dir, "none")},
		{"--nats-url http://hidden@127.0.0.1:4222", `--nats-url "http://xxxxx@127.0.0.1:4222": give nats://HOST:PORT`},
		{"--nats-url http://u:hidden@127.0.0.1:4222", `--nats-url "http://u:xxxxx@127.0.0.1:4222": give nats://HOST:PORT`},
	}
	for _, row := range rows {
		var out, log bytes.Buffer
		data := filepath.Join(dir, "data")
		args := append([]string{"serve", "--listen", "127.0.0.1:0", "--data", data}, strings.Fields(row.flags)...)
		code := run(terminal{Context: t.Context(), in: strings.NewReader(""), out: &out, err: &log}, args)
		if code != 1 || !strings.Contains(log.String(), row.want) || strings.Contains(log.String(), "hidden") {
			t.Errorf("serve %s: exit status %d, %q; want 1 and %q", row.flags, code, log.String(), row.want)
		}
		if _, err := os.Stat(data); err == nil {
			t.Fatalf("serve %s made a data directory", row.flags)
		}
	}
}

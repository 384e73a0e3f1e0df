package main

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode"

	"reckon/commands/nodes"
)

type clusterCommands struct {
	Credentials clusterCredentials `cmd:"" help:"Make the certificates and the secret by which nodes know each other."`
}

type clusterCredentials struct {
	Dir  string   `arg:"" help:"Directory for what a node needs. It is made if it does not exist."`
	Host []string `help:"Name or address at which the other nodes reach the node, as in --routes. Again for each one, or several with commas." placeholder:"NAME"`
	CA   string   `name:"ca" help:"Directory of the authority that signs, made if it does not exist. Without, it is DIR." placeholder:"DIR"`
	Days int      `help:"How long new certificates are valid (${default})." default:"3650" placeholder:"N"`
	JSON bool     `help:"Print JSON."`
}

func (*clusterCredentials) Help() string {
	return `An authority is the key ca.key, its certificate ca.crt and the secret of the cluster; it is the same for all nodes. A node needs ca.crt, secret, and a certificate of its own names with its key: node.crt and node.key. Only what is missing is made, and nothing is replaced. So a second run changes nothing, and to renew a certificate is to remove it and run the command again with the same --host.

With --ca, DIR holds just what one machine gets, and ca.key stays where no node runs. A pair that names all hosts can also be shared by all nodes.

Examples:
  reckon cluster credentials node1 --ca authority --host node1.internal --host 10.0.0.1
  reckon cluster credentials node2 --ca authority --host node2.internal --host 10.0.0.2
  reckon cluster credentials shared --host node1,node2,node3
  reckon cluster credentials here --host localhost,127.0.0.1`
}

// Names of the files, which docker-compose.yml and CLUSTER.md repeat.
const (
	authorityKey         = "ca.key"
	authorityCertificate = "ca.crt"
	nodeKey              = "node.key"
	nodeCertificate      = "node.crt"
	clusterSecret        = "secret"
)

// clockTolerance is how far behind the clock of a node may be when a certificate is new.
const clockTolerance = 24 * time.Hour

// credential is a file of an authority or a node.
type credential struct {
	File  string     `json:"file"`
	Made  bool       `json:"made"` // now, rather than before
	Hosts []string   `json:"hosts,omitempty"`
	Until *time.Time `json:"not_after,omitempty"`
	about string
}

func (c *clusterCredentials) Run(t terminal) error {
	for _, host := range c.Host {
		if !isHost(host) {
			return fmt.Errorf("--host %q: give a name or an address alone, without scheme and port, such as node1.internal, *.nodes.internal or 10.0.0.1", host)
		}
	}
	if c.Days < 1 || c.Days > 36500 {
		return fmt.Errorf("--days %d: give 1 to 36500", c.Days)
	}
	if c.CA == "" {
		c.CA = c.Dir
	}
	c.Dir, c.CA = filepath.Clean(c.Dir), filepath.Clean(c.CA)
	for _, dir := range []string{c.CA, c.Dir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make directory: %w", err)
		}
	}
	files, err := c.complete()
	if err != nil {
		return err
	}
	return c.print(t, files)
}

// hostName is a name of labels of at most 63 characters. The first one may be an asterisk.
var hostName = regexp.MustCompile(`^(\*\.)?` + label + `(\.` + label + `)*$`)

const label = `[[:alnum:]_]([[:alnum:]_-]{0,61}[[:alnum:]_])?`

// isHost tells whether a certificate can be made for a name or an address. Digits and dots alone
// are an address that was mistyped.
func isHost(host string) bool {
	return net.ParseIP(host) != nil || len(host) <= 255 && hostName.MatchString(host) && strings.ContainsFunc(host, unicode.IsLetter)
}

// complete makes what is missing, in an order in which an interrupted run can be repeated: a key
// before its certificate. A directory that a node was given has no ca.key; what is there can be
// checked by the authority's certificate, but nothing can be signed.
func (c *clusterCredentials) complete() (files []credential, err error) {
	ca, list, err := c.pair(c.CA, authorityKey, authorityCertificate, &x509.Certificate{
		Subject: pkix.Name{CommonName: "Reckon cluster authority"},
		IsCA:    true, BasicConstraintsValid: true, MaxPathLenZero: true,
		KeyUsage: x509.KeyUsageCertSign,
	}, nil)
	if err != nil {
		return nil, err
	}
	authority := filepath.Join(c.CA, authorityCertificate)
	if !ca.Certificate.IsCA {
		return nil, fmt.Errorf("%s is not the certificate of an authority", authority)
	}
	if err := inTime(authority, ca.Certificate); err != nil {
		return nil, err
	}
	list[0].about, list[1].about = "key of the authority: keep it where no node runs", "certificate of the authority"
	if ca.Key == nil {
		list = list[1:]
	}
	secret, made, err := c.ensured(filepath.Join(c.CA, clusterSecret), func() ([]byte, error) {
		if ca.Key == nil {
			return nil, c.elsewhere(clusterSecret)
		}
		return []byte(rand.Text() + rand.Text() + "\n"), nil
	})
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(secret)) < minSecret {
		return nil, fmt.Errorf("%s is shorter than %d bytes: remove it, here and from the nodes, to have a new one made", filepath.Join(c.CA, clusterSecret), minSecret)
	}
	const belonging = "by which nodes belong together"
	files = append(list, credential{File: filepath.Join(c.CA, clusterSecret), Made: made, about: belonging})
	if c.Dir != c.CA {
		for _, common := range []struct {
			name, about string
			data        []byte
		}{{authorityCertificate, list[len(list)-1].about, ca.PEM}, {clusterSecret, belonging, secret}} {
			file := filepath.Join(c.Dir, common.name)
			there, made, err := c.ensured(file, func() ([]byte, error) { return common.data, nil })
			if err != nil {
				return nil, err
			}
			if !bytes.Equal(bytes.TrimSpace(there), bytes.TrimSpace(common.data)) {
				return nil, fmt.Errorf("%s is not that of %s: name the directory that %s was made with, or another directory for the node", file, c.CA, c.Dir)
			}
			files = append(files, credential{File: file, Made: made, about: common.about})
		}
	}
	list, err = c.node(ca)
	return append(files, list...), err
}

// node reads the pair of the node, or makes it.
func (c *clusterCredentials) node(ca signer) ([]credential, error) {
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: "Reckon node"},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, host := range c.Host {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	pair, files, err := c.pair(c.Dir, nodeKey, nodeCertificate, template, &ca)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(c.Dir, nodeCertificate)
	if pair.Key == nil {
		return nil, fmt.Errorf("%s is there and %s is not: put it back, or remove the certificate to have both made", file, filepath.Join(c.Dir, nodeKey))
	}
	hosts := pair.Certificate.DNSNames
	for _, ip := range pair.Certificate.IPAddresses {
		hosts = append(hosts, ip.String())
	}
	files[0].about, files[1].about = "key of the node", "certificate for "+strings.Join(hosts, ", ")
	files[1].Hosts = hosts
	return files, c.check(file, pair.Certificate, ca.Certificate)
}

// signer is a certificate with its key; the key is nil where it is not kept.
type signer struct {
	PEM         []byte
	Certificate *x509.Certificate
	Key         crypto.Signer
}

// pair reads a key and its certificate. Where there is no certificate it makes one, signed by an
// authority or, without one, by itself, and before that the key if that is missing too.
func (c *clusterCredentials) pair(dir, keyName, name string, template *x509.Certificate, ca *signer) (p signer, files []credential, err error) {
	keyFile, file := filepath.Join(dir, keyName), filepath.Join(dir, name)
	if p.PEM, err = readIfThere(file); err != nil {
		return p, nil, err
	}
	missing := p.PEM == nil
	switch {
	case missing && ca != nil && ca.Key == nil:
		return p, nil, c.elsewhere(name)
	case missing && ca != nil && len(c.Host) == 0:
		return p, nil, errors.New("give at least one --host: the name or address at which the other nodes reach this one, such as --host node1.internal")
	}
	var keyPEM []byte
	madeKey := false
	if missing {
		keyPEM, madeKey, err = c.ensured(keyFile, newKey)
	} else {
		keyPEM, err = readIfThere(keyFile)
	}
	if err != nil {
		return p, nil, err
	}
	if keyPEM != nil {
		if p.Key, err = parseKey(keyFile, keyPEM); err != nil {
			return p, nil, err
		}
	}
	if missing {
		if ca == nil {
			ca = &signer{Certificate: template, Key: p.Key}
		}
		if p.PEM, err = c.sign(file, template, p.Key, *ca); err != nil {
			return p, nil, err
		}
	}
	block, _ := pem.Decode(p.PEM)
	if block == nil {
		return p, nil, fmt.Errorf("%s is not a certificate in PEM", file)
	}
	if p.Certificate, err = x509.ParseCertificate(block.Bytes); err != nil {
		return p, nil, fmt.Errorf("read %s: %w", file, err)
	}
	if p.Key != nil {
		public, ok := p.Certificate.PublicKey.(interface{ Equal(crypto.PublicKey) bool })
		if !ok || !public.Equal(p.Key.Public()) {
			return p, nil, fmt.Errorf("%s is not the certificate of the key beside it", file)
		}
	}
	return p, []credential{{File: keyFile, Made: madeKey}, {File: file, Made: missing, Until: &p.Certificate.NotAfter}}, nil
}

// ensured reads a file, or makes it where it is missing.
func (c *clusterCredentials) ensured(file string, make func() ([]byte, error)) (data []byte, made bool, err error) {
	if data, err = readIfThere(file); err != nil || data != nil {
		return data, false, err
	}
	if data, err = make(); err != nil {
		return nil, false, err
	}
	return data, true, writeNew(file, data)
}

// check tells whether a node that shows the certificate is accepted by the others, in both
// directions and under each name asked for.
func (c *clusterCredentials) check(file string, certificate, ca *x509.Certificate) error {
	if err := inTime(file, certificate); err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AddCert(ca)
	for _, usage := range []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} {
		if _, err := certificate.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{usage}}); err != nil {
			return fmt.Errorf("%s does not fit %s: %w", file, filepath.Join(c.CA, authorityCertificate), err)
		}
	}
	for _, host := range c.Host {
		covered := certificate.VerifyHostname(host) == nil
		for _, name := range certificate.DNSNames { // a wildcard is not a name that verifies
			covered = covered || strings.EqualFold(name, host)
		}
		if !covered {
			return fmt.Errorf("%s is there and not for %s: remove it to have one made, or name another directory", file, host)
		}
	}
	return nil
}

// elsewhere says that something is missing that can be made only beside the authority's key.
func (c *clusterCredentials) elsewhere(name string) error {
	return fmt.Errorf("%s is missing and cannot be made, since %s holds no %s: name the directory that does with --ca", name, c.CA, authorityKey)
}

// sign makes a certificate that ends no later than that of the signer, and writes it.
func (c *clusterCredentials) sign(file string, template *x509.Certificate, key crypto.Signer, by signer) ([]byte, error) {
	now := time.Now()
	template.NotBefore, template.NotAfter = now.Add(-clockTolerance), now.AddDate(0, 0, c.Days)
	if template.NotAfter.After(by.Certificate.NotAfter) {
		template.NotAfter = by.Certificate.NotAfter
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by.Certificate, key.Public(), by.Key) // with a serial number of its own
	if err != nil {
		return nil, fmt.Errorf("make %s: %w", file, err)
	}
	data := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return data, writeNew(file, data)
}

func newKey() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

func parseKey(file string, data []byte) (crypto.Signer, error) {
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, fmt.Errorf("%s is not a key in PEM", file)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	key, ok := parsed.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("%s is a key that cannot sign", file)
	}
	return key, nil
}

func inTime(file string, certificate *x509.Certificate) error {
	if time.Now().After(certificate.NotAfter) {
		return fmt.Errorf("%s ended on %s: remove it to have one made, and restart the nodes one after the other", file, certificate.NotAfter.Format(time.DateOnly))
	}
	return nil
}

// readIfThere reads a file; one that does not exist is nil.
func readIfThere(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

func writeNew(name string, data []byte) error {
	return writeWhole(name, func(to io.Writer) error {
		_, err := to.Write(data)
		return err
	})
}

func (c *clusterCredentials) print(t terminal, files []credential) error {
	changed := false
	for _, file := range files {
		changed = changed || file.Made
	}
	if c.JSON {
		return printJSON(t, struct {
			Changed bool         `json:"changed"`
			Files   []credential `json:"files"`
		}{changed, files})
	}
	table := newTable("FILE", "STATE", "WHAT IT IS")
	for _, file := range files {
		state := "kept"
		if file.Made {
			state = "made"
		}
		about := file.about
		if file.Until != nil {
			about += ", until " + file.Until.Format(time.DateOnly)
		}
		table.add(file.File, state, about)
	}
	if err := table.print(t, ""); err != nil {
		return err
	}
	for _, file := range files {
		if file.Until != nil && time.Until(*file.Until) < nodes.EndsSoon {
			fmt.Fprintf(t.out, "\n%s ends soon: remove it, run this again, and restart the nodes one after the other.\n", file.File)
		}
	}
	if !changed {
		fmt.Fprintln(t.out, "\nNothing was missing; nothing has changed.")
	}
	in := func(name string) string { return quoted(filepath.Join(c.Dir, name)) }
	fmt.Fprintf(t.out, "\nA node takes them with:\n  --cluster-tls-ca %s --cluster-tls-cert %s \\\n  --cluster-tls-key %s --cluster-secret-file %s\n",
		in(authorityCertificate), in(nodeCertificate), in(nodeKey), in(clusterSecret))
	return nil
}

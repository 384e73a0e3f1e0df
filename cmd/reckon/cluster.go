package main

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
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

// Names of the files, which docker-compose.yml and README.md repeat.
const (
	authorityKey         = "ca.key"
	authorityCertificate = "ca.crt"
	nodeKey              = "node.key"
	nodeCertificate      = "node.crt"
	clusterSecret        = "secret"
)

// clockTolerance is how far behind the clock of a node may be when a certificate is new.
const clockTolerance = 24 * time.Hour

// endsSoon is how long before its end a certificate is spoken of.
const endsSoon = 30 * 24 * time.Hour

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

// isHost tells whether a certificate can be made for a name or an address. The first label of a
// name may be an asterisk.
func isHost(host string) bool {
	if net.ParseIP(host) != nil {
		return true
	}
	name := strings.TrimPrefix(host, "*.")
	if len(name) > 253 {
		return false
	}
	letters := false
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return false
		}
		for _, r := range label {
			letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
			if !letter && (r < '0' || r > '9') && r != '-' && r != '_' {
				return false
			}
			letters = letters || letter
		}
	}
	return letters // digits and dots alone are an address that was mistyped
}

// complete makes what is missing, in an order in which an interrupted run can be repeated: a key
// before its certificate.
func (c *clusterCredentials) complete() ([]credential, error) {
	var files []credential
	ca, err := c.authority(&files)
	if err != nil {
		return nil, err
	}
	secret, err := c.secret(&files)
	if err != nil {
		return nil, err
	}
	if c.Dir != c.CA {
		if err := c.copied(&files, authorityCertificate, "certificate of the authority", ca.PEM); err != nil {
			return nil, err
		}
		if err := c.copied(&files, clusterSecret, "by which nodes belong together", secret); err != nil {
			return nil, err
		}
	}
	if err := c.node(&files, ca); err != nil {
		return nil, err
	}
	return files, nil
}

// signer is a certificate with its key; the key is nil where it is not kept.
type signer struct {
	PEM         []byte
	Certificate *x509.Certificate
	Key         crypto.Signer
}

// authority reads the authority, or makes it where there is none. A directory that a node was given
// has no ca.key; what is there can be checked by its certificate, but nothing can be signed.
func (c *clusterCredentials) authority(files *[]credential) (signer, error) {
	keyFile, file := filepath.Join(c.CA, authorityKey), filepath.Join(c.CA, authorityCertificate)
	certificate, err := readIfThere(file)
	if err != nil {
		return signer{}, err
	}
	key, made, err := keyOf(keyFile, certificate == nil)
	if err != nil {
		return signer{}, err
	}
	if key != nil {
		*files = append(*files, credential{File: keyFile, Made: made, about: "key of the authority: keep it where no node runs"})
	}
	made = certificate == nil
	if made {
		certificate, err = c.sign(file, &x509.Certificate{
			Subject: pkix.Name{CommonName: "Reckon cluster authority"},
			IsCA:    true, BasicConstraintsValid: true, MaxPathLenZero: true,
			KeyUsage: x509.KeyUsageCertSign,
		}, key, signer{Key: key})
		if err != nil {
			return signer{}, err
		}
	}
	ca, err := certified(file, certificate, key)
	if err != nil {
		return signer{}, err
	}
	if !ca.Certificate.IsCA {
		return signer{}, fmt.Errorf("%s is not the certificate of an authority", file)
	}
	*files = append(*files, credential{File: file, Made: made, Until: &ca.Certificate.NotAfter, about: "certificate of the authority"})
	return ca, inTime(file, ca.Certificate)
}

// secret reads the secret of the authority, or makes it beside ca.key.
func (c *clusterCredentials) secret(files *[]credential) ([]byte, error) {
	file := filepath.Join(c.CA, clusterSecret)
	secret, err := readIfThere(file)
	if err != nil {
		return nil, err
	}
	made := secret == nil
	if made {
		if _, err := os.Stat(filepath.Join(c.CA, authorityKey)); err != nil {
			return nil, c.elsewhere(clusterSecret)
		}
		random := make([]byte, 32)
		_, _ = rand.Read(random) // never fails
		secret = append(hex.AppendEncode(nil, random), '\n')
		if err := writeNew(file, secret); err != nil {
			return nil, err
		}
	}
	if len(bytes.TrimSpace(secret)) < minSecret {
		return nil, fmt.Errorf("%s is shorter than %d bytes: remove it, here and from the nodes, to have a new one made", file, minSecret)
	}
	*files = append(*files, credential{File: file, Made: made, about: "by which nodes belong together"})
	return secret, nil
}

// copied gives the node what it has in common with all others.
func (c *clusterCredentials) copied(files *[]credential, name, about string, data []byte) error {
	file := filepath.Join(c.Dir, name)
	there, err := readIfThere(file)
	if err != nil {
		return err
	}
	switch {
	case there == nil:
		if err := writeNew(file, data); err != nil {
			return err
		}
	case !bytes.Equal(bytes.TrimSpace(there), bytes.TrimSpace(data)):
		return fmt.Errorf("%s is not that of %s: name the directory that %s was made with, or another directory for the node", file, c.CA, c.Dir)
	}
	*files = append(*files, credential{File: file, Made: there == nil, about: about})
	return nil
}

// node reads the pair of the node, or makes it.
func (c *clusterCredentials) node(files *[]credential, ca signer) error {
	keyFile, file := filepath.Join(c.Dir, nodeKey), filepath.Join(c.Dir, nodeCertificate)
	certificate, err := readIfThere(file)
	if err != nil {
		return err
	}
	if certificate == nil && ca.Key == nil {
		return c.elsewhere(nodeCertificate)
	}
	if certificate == nil && len(c.Host) == 0 {
		return errors.New("give at least one --host: the name or address at which the other nodes reach this one, such as --host node1.internal")
	}
	key, madeKey, err := keyOf(keyFile, certificate == nil)
	if err != nil {
		return err
	}
	if key == nil {
		return fmt.Errorf("%s is there and %s is not: put it back, or remove the certificate to have both made", file, keyFile)
	}
	made := certificate == nil
	if made {
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
		if certificate, err = c.sign(file, template, key, ca); err != nil {
			return err
		}
	}
	pair, err := certified(file, certificate, key)
	if err != nil {
		return err
	}
	if err := c.check(file, pair.Certificate, ca.Certificate); err != nil {
		return err
	}
	hosts := pair.Certificate.DNSNames
	for _, ip := range pair.Certificate.IPAddresses {
		hosts = append(hosts, ip.String())
	}
	*files = append(*files,
		credential{File: keyFile, Made: madeKey, about: "key of the node"},
		credential{File: file, Made: made, Hosts: hosts, Until: &pair.Certificate.NotAfter, about: "certificate for " + strings.Join(hosts, ", ")})
	return nil
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

// sign makes a certificate, by itself where the signer has none, and writes it.
func (c *clusterCredentials) sign(file string, template *x509.Certificate, key crypto.Signer, by signer) ([]byte, error) {
	now := time.Now()
	template.NotBefore, template.NotAfter = now.Add(-clockTolerance), now.AddDate(0, 0, c.Days)
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, fmt.Errorf("make %s: %w", file, err)
	}
	template.SerialNumber = serial
	parent := by.Certificate
	if parent == nil {
		parent = template
	} else if template.NotAfter.After(parent.NotAfter) {
		template.NotAfter = parent.NotAfter
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), by.Key)
	if err != nil {
		return nil, fmt.Errorf("make %s: %w", file, err)
	}
	data := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return data, writeNew(file, data)
}

// keyOf reads a key, or makes it where it is missing and may be made; otherwise a missing one is
// nil.
func keyOf(file string, may bool) (_ crypto.Signer, made bool, err error) {
	data, err := readIfThere(file)
	if err != nil || data == nil && !may {
		return nil, false, err
	}
	if data == nil {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, false, fmt.Errorf("make %s: %w", file, err)
		}
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			return nil, false, fmt.Errorf("make %s: %w", file, err)
		}
		return key, true, writeNew(file, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	}
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, false, fmt.Errorf("%s is not a key in PEM", file)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", file, err)
	}
	key, ok := parsed.(crypto.Signer)
	if !ok {
		return nil, false, fmt.Errorf("%s is a key that cannot sign", file)
	}
	return key, false, nil
}

// certified parses a certificate and holds it against its key, where there is one.
func certified(file string, data []byte, key crypto.Signer) (signer, error) {
	block, _ := pem.Decode(data)
	if block == nil {
		return signer{}, fmt.Errorf("%s is not a certificate in PEM", file)
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return signer{}, fmt.Errorf("read %s: %w", file, err)
	}
	if key != nil {
		public, ok := certificate.PublicKey.(interface{ Equal(crypto.PublicKey) bool })
		if !ok || !public.Equal(key.Public()) {
			return signer{}, fmt.Errorf("%s is not the certificate of the key beside it", file)
		}
	}
	return signer{data, certificate, key}, nil
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
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case data == nil:
		data = []byte{}
	}
	return data, nil
}

// writeNew writes a file that only its owner may read. It appears whole or not at all.
func writeNew(name string, data []byte) error {
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer os.Remove(file.Name())
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = publish(file.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
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
		if file.Until != nil && time.Until(*file.Until) < endsSoon {
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

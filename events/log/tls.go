package log

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

// ClusterTLS makes the configuration of the connections between nodes, from files in PEM form.
// Every node shows a certificate of the authority, which must certify nothing else. A node that is
// dialled must have one for the host that it is dialled at, and one that dials, whose host is not
// known, one for any of the hosts of the cluster.
func ClusterTLS(certFile, keyFile, authorityFile string, hosts []string) (*tls.Config, error) {
	certificate, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("read the certificate of the node: %w", err)
	}
	text, err := os.ReadFile(authorityFile)
	if err != nil {
		return nil, fmt.Errorf("read the authority of the cluster: %w", err)
	}
	authority := x509.NewCertPool()
	if !authority.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("read the authority of the cluster: %s holds no certificate in PEM form", authorityFile)
	}
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		Certificates: []tls.Certificate{certificate},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    authority,
		RootCAs:      authority,
		VerifyConnection: func(state tls.ConnectionState) (err error) {
			for _, host := range hosts {
				if err = state.PeerCertificates[0].VerifyHostname(host); err == nil {
					return nil
				}
			}
			return fmt.Errorf("the other node's certificate is for none of the hosts of --routes: %w", err)
		},
	}, nil
}

package main

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"reckon/commands"
	"reckon/commands/nodes"
	"reckon/events/backup"
	"reckon/events/log"
	"reckon/http"
	"reckon/http/metrics"
	"reckon/http/webhooks"
	"reckon/projections"
)

// watched answers those who watch the program on an address of their own until ctx ends; nil where
// there is none.
func (c *serveCommand) watched(ctx context.Context, logger *slog.Logger) (*metrics.Server, error) {
	if c.MetricsListen == "" {
		return nil, nil
	}
	address, err := metrics.Address(c.MetricsListen)
	if err != nil {
		return nil, fmt.Errorf("--metrics-listen %w", err)
	}
	for _, other := range [][2]string{{"--listen", c.Listen}, {"--admin-listen", c.AdminListen}} {
		if other[1] != "" && sameAddress(address, other[1]) {
			return nil, fmt.Errorf("--metrics-listen %s is the address of %s: give metrics one that callers do not reach", address, other[0])
		}
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w (choose another address with --metrics-listen)", address, err)
	}
	at := listener.Addr().String()
	if host, _, err := net.SplitHostPort(at); err == nil && !net.ParseIP(host).IsLoopback() {
		logger.Warn("metrics and profiles are answered beyond this machine, to whoever asks: let nobody but those who watch reach the address", "address", at)
	}
	logger.Info("metrics are answered", "address", "http://"+at+"/metrics")
	s := metrics.New(version(), logger)
	go s.Serve(ctx, listener)
	return s, nil
}

// sameAddress tells whether two addresses have a port in common: one of them may be of all hosts.
func sameAddress(a, b string) bool {
	hostA, portA, errA := net.SplitHostPort(a)
	hostB, portB, errB := net.SplitHostPort(b)
	every := func(host string) bool { ip := net.ParseIP(host); return host == "" || ip != nil && ip.IsUnspecified() }
	same := hostA == hostB || every(hostA) || every(hostB) || loopback(hostA) && loopback(hostB)
	return errA == nil && errB == nil && portA == portB && portA != "0" && same
}

// collect has all that is measured collected. The servers are that of callers, and that of
// administration where it is another one.
func (c *serveCommand) collect(registry prometheus.Registerer, servers []*http.Server, l *log.Log, views *projections.Views, service *commands.Service, sender *webhooks.Sender) {
	for i, s := range servers {
		name := []string{"public", "admin"}[i]
		prometheus.WrapRegistererWith(prometheus.Labels{"listener": name}, registry).MustRegister(s.Metrics()...)
	}
	for _, part := range [][]prometheus.Collector{l.Metrics(), views.Metrics(), service.Metrics(), sender.Metrics()} {
		registry.MustRegister(part...)
	}
	for _, of := range c.certificates() {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "reckon_certificate_not_after_timestamp_seconds", Help: "When a certificate of the cluster ends, as Unix time.",
			ConstLabels: prometheus.Labels{"certificate": of.Of},
		}, func() float64 { return float64(of.Ends.Unix()) }))
	}
	if c.Data != "" {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "reckon_backup_last_timestamp_seconds", Help: "When the last backup was made from this node, as Unix time; 0 for never, as far as is known.",
		}, func() float64 {
			b, known, err := backup.Last(c.Data)
			if !known || err != nil {
				return 0
			}
			return float64(b.CreatedAt.Unix())
		}))
	}
}

// certificates are those that the flags name, as they are now: a server goes on with them until it
// is started again.
func (c *serveCommand) certificates() (all []nodes.Certificate) {
	for _, file := range [][2]string{{"node", c.ClusterTLSCert}, {"authority", c.ClusterTLSCA}} {
		if file[1] == "" {
			continue
		}
		until, err := endOf(file[1])
		if err != nil {
			continue // the cluster was opened with it
		}
		all = append(all, nodes.Certificate{Of: file[0], Ends: until.UTC()})
	}
	return all
}

// endOf is when the first certificate of a file in PEM form ends.
func endOf(file string) (time.Time, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return time.Time{}, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return time.Time{}, errors.New(file + " holds no certificate in PEM form")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return time.Time{}, fmt.Errorf("read the certificate %s: %w", file, err)
	}
	return certificate.NotAfter, nil
}

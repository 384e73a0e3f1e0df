package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"reckon/commands"
	"reckon/events"
	"reckon/http"
	"reckon/projections"
)

type serveCommand struct {
	directory
	Listen               string        `help:"Address to answer on (${default})." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	Dev                  bool          `help:"For trying it out: an account 'dev' with the starter domains and a key, printed with a line to paste. Only adds what is missing."`
	IdempotencyRetention time.Duration `help:"How long an Idempotency-Key is remembered, up to 720h (${default})." default:"24h" placeholder:"DURATION"`
	LogLevel             string        `help:"Least level that is logged to standard error: ${enum} (${default})." enum:"debug,info,warn,error" default:"info" placeholder:"LEVEL"`
	LogFormat            string        `help:"Form of the log: ${enum} (${default})." enum:"text,json" default:"text" placeholder:"FORM"`
}

func (*serveCommand) Help() string {
	return `NATS with JetStream runs inside the process; its log and views live in the data directory, which one process at a time may hold. The other commands reach a running server through the same directory.

Every flag may come from a RECKON_… variable (RECKON_LISTEN, RECKON_DATA) or from the file of --config.

Examples:
  reckon serve --dev
  reckon serve --data /var/lib/reckon --listen 127.0.0.1:9000 --log-format json`
}

// maxRetention is the longest that idempotency keys can be remembered.
const maxRetention = 30 * 24 * time.Hour

// Run opens what the service is made of in the order of dependence, and closes it in the opposite one: no request is begun
// that cannot be finished.
func (c *serveCommand) Run(t terminal) error {
	if c.IdempotencyRetention < time.Minute || c.IdempotencyRetention > maxRetention {
		return fmt.Errorf("--idempotency-retention %s: give 1m to 720h", c.IdempotencyRetention)
	}
	logger := c.logger(t)
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w (choose another address with --listen)", c.Listen, err)
	}
	defer listener.Close()
	if host, _, err := net.SplitHostPort(listener.Addr().String()); err == nil && !net.ParseIP(host).IsLoopback() {
		logger.Warn("listening beyond this machine without TLS: put a proxy that ends TLS before it", "address", listener.Addr().String())
	}
	log, err := c.open(t, logger)
	if err != nil {
		return err
	}
	defer func() { closed(logger, "log", log.Close()) }()
	views, err := projections.Open(t, log, c.Data, logger)
	if err != nil {
		return err
	}
	defer func() { closed(logger, "views", views.Close()) }()
	service := commands.New(log, views, logger)

	working, stopWork := context.WithCancel(context.WithoutCancel(t))
	var work sync.WaitGroup
	defer work.Wait()
	defer stopWork()
	failed := make(chan error, 1)
	work.Go(func() {
		if err := service.Run(working); err != nil {
			failed <- err
		}
	})

	ctx, stop := context.WithCancel(t)
	defer stop()
	served := make(chan error, 1)
	server := http.New(http.Options{Views: views, Service: service, Logger: logger, Version: version()})
	go func() { served <- server.Serve(ctx, listener) }()

	if err := c.announce(t, log, views, "http://"+listener.Addr().String()); err != nil && t.Err() == nil {
		logger.Error("not ready", "error", err)
		if c.Dev {
			return err
		}
	}
	select {
	case err = <-served:
	case err = <-failed:
		stop()
		<-served
	}
	return err
}

// open opens the log. A command of administration holds a directory for a moment only, so it is waited for; a running
// server is not.
func (c *serveCommand) open(t terminal, logger *slog.Logger) (*events.Log, error) {
	patience, cancel := context.WithTimeout(t, 3*time.Second)
	defer cancel()
	for {
		log, err := events.Open(t, events.Options{Dir: c.Data, IdempotencyRetention: c.IdempotencyRetention, Logger: logger})
		if !errors.Is(err, events.ErrRunning) {
			return log, err
		}
		select {
		case <-patience.Done():
			return nil, err
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (c *serveCommand) logger(t terminal) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // one of the flag's enum
	options := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(t.err, options))
	}
	return slog.New(slog.NewTextHandler(t.err, options))
}

func closed(logger *slog.Logger, what string, err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		logger.Error("close "+what, "error", err)
	}
}

// announce waits until the views have caught up, adds what --dev adds, and says where the service is.
func (c *serveCommand) announce(t terminal, log *events.Log, views *projections.Views, url string) error {
	if err := views.CaughtUp(t); err != nil {
		return err
	}
	if !c.Dev {
		fmt.Fprintf(t.out, "Reckon %s is ready on %s\n", version(), url)
		return nil
	}
	dev, err := prepareDev(t, commands.Admin{Log: log}, c.Data)
	if err != nil {
		return fmt.Errorf("prepare the account %q: %w", devAccount, err)
	}
	if err := views.Fresh(t); err != nil {
		return err
	}
	dev.print(t, url)
	return nil
}

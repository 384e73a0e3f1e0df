package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	nethttp "net/http"
	"os"
	"sync"

	protocol "github.com/modelcontextprotocol/go-sdk/mcp"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/events/log"
	"reckon/http"
	"reckon/http/mcp"
	"reckon/projections"
)

type mcpCommand struct {
	Domain []string `arg:"" optional:"" name:"file" help:"Domain files, YAML or JSON, to calculate with offline."`
	Server string   `help:"Ask the service at this address instead, with the API key in RECKON_KEY." placeholder:"URL"`
}

func (*mcpCommand) Help() string {
	return `Serves the Model Context Protocol on standard input and output, for assistants that start it themselves. The tools are those that a
service has at /mcp: list_domains, describe_domain, calculate, ask, explain, compare, sweep.

With domain files it needs no service and no network: it keeps what is asked in a directory that it removes at its end.

Examples:
  reckon mcp trip.yaml
  RECKON_KEY=reckon_live_… reckon mcp --server http://127.0.0.1:8080

In the settings of an assistant:
  {"mcpServers": {"reckon": {"command": "reckon", "args": ["mcp", "/home/ada/trip.yaml"]}}}`
}

func (c *mcpCommand) Run(t terminal) error {
	switch {
	case c.Server != "" && len(c.Domain) > 0:
		return errors.New("give domain files, or --server, not both")
	case c.Server != "":
		key := os.Getenv("RECKON_KEY")
		if key == "" {
			return errors.New("set RECKON_KEY to an API key of the service")
		}
		return c.serve(t, mcp.API{Transport: nethttp.DefaultTransport, URL: c.Server, Key: key})
	case len(c.Domain) == 0:
		return errors.New("give a domain file, or --server of a service")
	}
	return c.offline(t)
}

// unclosed is a writer that stays open.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

func (c *mcpCommand) serve(t terminal, api mcp.API) error {
	err := mcp.New(api, version()).Run(t, &protocol.IOTransport{Reader: io.NopCloser(t.in), Writer: unclosed{raw(t.out)}})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// offline serves domain files by a service within the process, which listens nowhere.
func (c *mcpCommand) offline(t terminal) (err error) {
	var files []*domainfile.File
	for _, name := range c.Domain {
		f, err := domainfile.Read(name)
		if err != nil {
			return err
		}
		if _, report := f.Check(); !report.Valid {
			showFindings(t.err, f, report.Findings)
			return fmt.Errorf("%s has the errors above", name)
		}
		files = append(files, f)
	}
	dir, err := os.MkdirTemp("", "reckon-mcp-")
	if err != nil {
		return fmt.Errorf("make a directory: %w", err)
	}
	defer os.RemoveAll(dir)
	logger := slog.New(slog.NewTextHandler(t.err, &slog.HandlerOptions{Level: slog.LevelError}))
	l, err := log.Open(t, log.Options{Dir: dir, Logger: logger})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	views, err := projections.Open(t, l, dir, logger)
	if err != nil {
		return err
	}
	defer views.Close()
	admin := commands.Admin{Log: l}
	const account = "offline"
	if _, err := admin.CreateAccount(t, commands.CreateAccount{Name: account}); err != nil {
		return err
	}
	_, key, err := admin.CreateKey(t, account, commands.KeyTerms{Name: "mcp"})
	if err != nil {
		return err
	}
	for _, f := range files {
		if _, err := admin.Publish(t, commands.Publication{Account: account, Key: f.Key, Definition: f.Definition}); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if err := errors.Join(views.CaughtUp(t), views.Fresh(t)); err != nil {
		return err
	}
	service := commands.New(l, views, logger)
	working, stop := context.WithCancel(context.WithoutCancel(t))
	var work sync.WaitGroup
	defer work.Wait()
	defer stop()
	work.Go(func() { service.Run(working) })
	server := http.New(logger, version())
	server.Log(http.LogOff)
	server.Open(views, service)
	return c.serve(t, mcp.API{Transport: server.Inside(), URL: "http://reckon", Key: key})
}

package main

import (
	"context"
	"errors"
	nethttp "net/http"
	"os"

	protocol "github.com/modelcontextprotocol/go-sdk/mcp"

	"reckon/http/mcp"
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

func (c *mcpCommand) serve(t terminal, api mcp.API) error {
	lines := newFrames(t.in, raw(t.out))
	err := mcp.New(api, version()).Run(t, &protocol.IOTransport{Reader: lines, Writer: lines})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// offline serves domain files without a network.
func (c *mcpCommand) offline(t terminal) error {
	return offline(t, c.Domain, func(s offlineService) error {
		return c.serve(t, mcp.API{Transport: s.transport, URL: offlineAddress, Key: s.key})
	})
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"os"
	"strings"

	clients "reckon/cmd/reckon/clients"
)

type askCommand struct {
	File     string `arg:"" optional:"" help:"Domain file, YAML or JSON, to ask offline."`
	Server   string `help:"Ask the service at this address instead, with the API key in RECKON_KEY." placeholder:"URL"`
	Domain   string `help:"Of the service: the domain to ask, by its title or id, where there are several." placeholder:"TITLE"`
	TimeZone string `help:"Zone that decides 'today' and 'now'; the account's when absent." placeholder:"ZONE"`
	Language string `help:"Language of the prompts, such as de; the account's when absent, or the domain's." placeholder:"TAG"`
	JSON     bool   `name:"json" help:"Print an object a line: what was asked, and the message that came back or the error."`
}

func (*askCommand) Help() string {
	return `Asks line by line: in prose or structured text, with what was said before still known. A line that ends with \ goes on in the next one.
After an error, a number chooses among the readings that are listed, and a bare value answers for the variable that is missing.

  :why               how the last answer came about
  :scenarios         the values of all scenarios of the conversation
  :compare [1 2]     what differs between two scenarios, the last two without numbers
  :test [add]        a test made of the last answer; add writes it into the domain file
  :new               begin another conversation
  :help, :quit

Standard input may be a file or a pipe: then nothing but answers is printed, and the exit status is 1 when a line had no answer.

Examples:
  reckon ask trip.yaml
  printf 'how long for 150 miles at 60 mph?\nand at 75?\n' | reckon ask trip.yaml
  RECKON_KEY=reckon_live_… reckon ask --server https://reckon.example.com --domain 'Road trip'`
}

func (c *askCommand) Run(t terminal) error {
	switch {
	case c.Server != "" && c.File != "":
		return errors.New("give a domain file, or --server, not both")
	case c.Server != "":
		address, err := serverAddress(c.Server)
		if err != nil {
			return fmt.Errorf("--server: %w", err)
		}
		key := os.Getenv("RECKON_KEY")
		if key == "" {
			return errors.New("set RECKON_KEY to an API key of the service")
		}
		return c.chat(t, &chat{client: clients.New(address, key)})
	case c.File == "":
		return errors.New("give a domain file, or --server of a service")
	case c.Domain != "":
		return errors.New("--domain is for a service: the file is the domain")
	}
	return offline(t, []string{c.File}, func(s offlineService) error {
		client := clients.New(offlineAddress, s.key)
		client.HTTP = &nethttp.Client{Transport: s.transport}
		return c.chat(t, &chat{client: client, log: s.log, file: c.File})
	})
}

// chat asks until the input ends.
func (c *askCommand) chat(t terminal, talk *chat) error {
	domain, err := c.domain(t, talk.client)
	if err != nil {
		return err
	}
	talk.t, talk.domain, talk.zone, talk.language, talk.json, talk.drawn = t, domain, c.TimeZone, c.Language, c.JSON, map[string]string{}
	lines := newLineReader(t)
	if lines.editor != nil && !c.JSON {
		fmt.Fprintf(t.out, "%s. Ask, or :help.\n", inLine(domain.Title))
	}
	for {
		line, err := lines.read(talk.prompt())
		if errors.Is(err, io.EOF) {
			if lines.editor != nil {
				fmt.Fprintln(t.out)
			}
			break
		}
		if err != nil {
			return err
		}
		if strings.TrimSpace(line) == ":quit" {
			break
		}
		if err := talk.say(line); err != nil {
			return err
		}
	}
	if talk.failed && lines.editor == nil {
		return exit(1)
	}
	return nil
}

// domain is the one to ask.
func (c *askCommand) domain(ctx context.Context, client *clients.Client) (clients.Domain, error) {
	list, err := client.Domains(ctx)
	if err != nil {
		return clients.Domain{}, err
	}
	if c.Domain == "" && len(list) == 1 {
		return list[0], nil
	}
	var titles []string
	for _, d := range list {
		if strings.EqualFold(d.ID, c.Domain) || strings.EqualFold(d.Title, c.Domain) {
			return d, nil
		}
		titles = append(titles, quoted(d.Title))
	}
	switch {
	case len(list) == 0:
		return clients.Domain{}, errors.New("the account has no published domain: 'reckon domain publish' makes one")
	case c.Domain == "":
		return clients.Domain{}, fmt.Errorf("say which domain with --domain: there are %s", strings.Join(titles, ", "))
	}
	return clients.Domain{}, fmt.Errorf("there is no domain %s: there are %s", quoted(c.Domain), strings.Join(titles, ", "))
}

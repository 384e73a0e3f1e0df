package main

import (
	"fmt"
	nethttp "net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/http/admin"
)

type webhookCommands struct {
	Create     webhookCreate     `cmd:"" help:"Have what becomes of calculations sent to an address, and print the secret that signs it, once."`
	List       webhookList       `cmd:"" help:"List an account's webhooks."`
	Show       webhookShow       `cmd:"" help:"Show a webhook."`
	Change     webhookChange     `cmd:"" help:"Change the address, the name or the events of a webhook."`
	Test       webhookTest       `cmd:"" help:"Send a webhook something to try it out, and say what was answered."`
	Deliveries webhookDeliveries `cmd:"" help:"List what became of the last attempts to send something to a webhook."`
	Resend     webhookResend     `cmd:"" help:"Have something sent to a webhook again."`
	Roll       webhookRoll       `cmd:"" help:"Give a webhook the next secret and print it, once."`
	Disable    webhookDisable    `cmd:"" help:"Have nothing sent to a webhook."`
	Enable     webhookEnable     `cmd:"" help:"Have a webhook sent to again."`
	Delete     webhookDelete     `cmd:"" help:"End a webhook for ever."`
}

// webhookEvents is the flag that says what a webhook is for.
type webhookEvents struct {
	Event []string `help:"What is sent: calculation.completed, calculation.failed; several add up, none is both." placeholder:"EVENT"`
}

type webhookCreate struct {
	installation
	webhookEvents
	URL     string `arg:"" name:"url" help:"Where it is sent to, an https address."`
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	Name    string `help:"What the webhook is for, as lists show it." placeholder:"TEXT"`
	JSON    bool   `help:"Print JSON."`
}

func (*webhookCreate) Help() string {
	return `The secret alone is on the last line:
  reckon webhook create https://hooks.example.com/reckon --account acme --name billing

Failures alone:
  reckon webhook create https://hooks.example.com/failed --account acme --event calculation.failed`
}

func (c *webhookCreate) Run(t terminal) error {
	return c.ask(t, func(a administration) error {
		made, err := command[admin.WebhookSecret](a, admin.WebhookTerms{URL: &c.URL, Name: &c.Name, Events: c.Event}, "accounts", c.Account, "webhooks")
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, made)
		}
		fmt.Fprintf(t.out, "Webhook %s of account %q. Its secret is shown only now and kept nowhere:\n%s\n", made.ID, c.Account, made.Secret)
		return nil
	})
}

type webhookList struct {
	installation
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	JSON    bool   `help:"Print JSON."`
}

func (c *webhookList) Run(t terminal) error {
	return c.ask(t, func(a administration) error {
		rows, err := list[admin.Webhook](a, nil, "accounts", c.Account, "webhooks")
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, rows)
		}
		table := newTable("ID", "NAME", "URL", "EVENTS", "STATE", "CREATED", "WHY")
		for _, r := range rows {
			table.add(r.ID.String(), r.Name, r.URL, strings.Join(r.Events, " "), r.State, stamp(r.CreatedAt), r.Reason)
		}
		return table.print(t, "The account has no webhooks yet. Create one with: reckon webhook create URL --account "+quoted(c.Account)+" "+c.flags())
	})
}

// ofWebhook is the arguments of commands about one webhook.
type ofWebhook struct {
	installation
	ID   string `arg:"" help:"Id of the webhook, from 'reckon webhook list'."`
	JSON bool   `help:"Print JSON."`
}

// path is that of the webhook, and of something further on.
func (c ofWebhook) path(more ...string) ([]string, error) {
	id, err := uuid.Parse(c.ID)
	if err != nil || len(c.ID) != 36 {
		return nil, fmt.Errorf("give the id of the webhook, not its secret or its address: 'reckon webhook list --account NAME' shows the ids")
	}
	return append([]string{"accounts", admin.Whose, "webhooks", id.String()}, more...), nil
}

// become gives a command that answers with the webhook as it is then.
func (c ofWebhook) become(t terminal, method string, body any, more ...string) error {
	path, err := c.path(more...)
	if err != nil {
		return err
	}
	return c.ask(t, func(a administration) error {
		w, err := order[admin.Webhook](a, method, body, path...)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, w)
		}
		fmt.Fprint(t.out, webhookText(w))
		return nil
	})
}

func webhookText(w admin.Webhook) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-10s %s\n", name, inLine(value))
		}
	}
	line("Webhook", w.ID.String())
	line("Name", w.Name)
	line("URL", w.URL)
	line("Events", strings.Join(w.Events, " "))
	state := w.State
	if w.DisabledAt != nil {
		state += " since " + stamp(*w.DisabledAt)
	}
	line("State", state)
	line("Why", w.Reason)
	line("Created", stamp(w.CreatedAt))
	if w.RolledAt != nil {
		line("Rolled", stamp(*w.RolledAt))
	}
	if w.Overlap != nil {
		line("Overlap", "the secret before signs too until "+stamp(*w.Overlap))
	}
	return b.String()
}

type webhookShow struct{ ofWebhook }

func (c *webhookShow) Run(t terminal) error { return c.become(t, nethttp.MethodGet, nil) }

type webhookChange struct {
	ofWebhook
	webhookEvents
	URL  *string `name:"url" help:"Where it is sent to, an https address." placeholder:"URL"`
	Name *string `help:"What the webhook is for, as lists show it." placeholder:"TEXT"`
}

func (*webhookChange) Help() string {
	return `What waits for a webhook goes to its new address:
  reckon webhook change 4b1f9a3e-6c2d-4e8f-b7a0-1d2c3b4a5f60 --url https://hooks.example.com/v2`
}

func (c *webhookChange) Run(t terminal) error {
	return c.become(t, nethttp.MethodPatch, admin.WebhookTerms{URL: c.URL, Name: c.Name, Events: c.Event})
}

type webhookRoll struct {
	ofWebhook
	Overlap time.Duration `help:"How long the secret before signs too, at most 168h (${default})." default:"24h" placeholder:"DURATION"`
}

func (*webhookRoll) Help() string {
	return `What is sent during the overlap has a signature by each of the two secrets, so that the receiver may take over the new one at any time. The new secret alone is on the last line.

Where the secret before has become known to others:
  reckon webhook roll 4b1f9a3e-6c2d-4e8f-b7a0-1d2c3b4a5f60 --overlap 0s`
}

func (c *webhookRoll) Run(t terminal) error {
	path, err := c.path("roll")
	if err != nil {
		return err
	}
	return c.ask(t, func(a administration) error {
		made, err := command[admin.WebhookSecret](a, admin.Rotation{Overlap: c.Overlap.String()}, path...)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, made)
		}
		before := "the one before signs no more"
		if c.Overlap > 0 {
			before = "the one before signs too for another " + c.Overlap.String()
		}
		fmt.Fprintf(t.out, "Webhook %s has a new secret; %s. It is shown only now and kept nowhere:\n%s\n", made.ID, before, made.Secret)
		return nil
	})
}

type webhookDisable struct {
	ofWebhook
	Reason string `help:"Why, for those who look at it later." placeholder:"TEXT"`
}

func (c *webhookDisable) Run(t terminal) error {
	return c.become(t, nethttp.MethodPost, admin.Reason{Reason: c.Reason}, "disable")
}

type webhookEnable struct{ ofWebhook }

func (*webhookEnable) Help() string {
	return "A webhook is sent what happens from then on. What failed before is not sent by itself.\n\nExample:\n  reckon webhook enable 4b1f9a3e-6c2d-4e8f-b7a0-1d2c3b4a5f60"
}

func (c *webhookEnable) Run(t terminal) error {
	return c.become(t, nethttp.MethodPost, nil, "enable")
}

type webhookDelete struct{ ofWebhook }

func (c *webhookDelete) Run(t terminal) error {
	path, err := c.path()
	if err != nil {
		return err
	}
	return c.ask(t, func(a administration) error {
		if _, err := order[struct{}](a, nethttp.MethodDelete, nil, path...); err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, admin.Ended{ID: uuid.MustParse(c.ID), State: "deleted"})
		}
		fmt.Fprintf(t.out, "Webhook %s is deleted.\n", c.ID)
		return nil
	})
}

type webhookTest struct{ ofWebhook }

func (*webhookTest) Help() string {
	return `The message has the type webhook.test and is sent once, also to a webhook that is disabled. The exit status is 1 where it was not taken.

Example:
  reckon webhook test 4b1f9a3e-6c2d-4e8f-b7a0-1d2c3b4a5f60`
}

func (c *webhookTest) Run(t terminal) error {
	path, err := c.path("test")
	if err != nil {
		return err
	}
	return c.ask(t, func(a administration) error {
		d, err := command[admin.Delivery](a, nil, path...)
		switch {
		case err != nil:
			return err
		case c.JSON:
			err = printJSON(t, d)
		case d.Outcome == events.Delivered:
			fmt.Fprintf(t.out, "It was taken: the receiver answered %d after %d ms.\n", *d.Status, d.Milliseconds)
		default:
			fmt.Fprintf(t.out, "It was not taken: %s.\n", d.Problem)
		}
		if err == nil && d.Outcome != events.Delivered {
			err = exit(1)
		}
		return err
	})
}

type webhookDeliveries struct{ ofWebhook }

func (*webhookDeliveries) Help() string {
	return "The last 100 attempts of 30 days, the newest first.\n\nExample:\n  reckon webhook deliveries 4b1f9a3e-6c2d-4e8f-b7a0-1d2c3b4a5f60"
}

func (c *webhookDeliveries) Run(t terminal) error {
	path, err := c.path("deliveries")
	if err != nil {
		return err
	}
	return c.ask(t, func(a administration) error {
		rows, err := list[admin.Delivery](a, nil, path...)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, rows)
		}
		table := newTable("DELIVERY", "EVENT", "AT", "ATTEMPT", "OUTCOME", "ANSWER", "NEXT")
		for _, r := range rows {
			said, next := r.Problem, ""
			if said == "" && r.Status != nil {
				said = fmt.Sprint(*r.Status)
			}
			if r.NextAt != nil {
				next = stamp(*r.NextAt)
			}
			table.add(r.ID.String(), r.Event, stamp(r.At), fmt.Sprint(r.Attempt), r.Outcome, said, next)
		}
		return table.print(t, "Nothing was sent to it of late. Try it out with: reckon webhook test "+c.ID+" "+c.flags())
	})
}

type webhookResend struct {
	ofWebhook
	Delivery string `arg:"" help:"Id of the delivery, from 'reckon webhook deliveries'."`
}

func (*webhookResend) Help() string {
	return `It has the same webhook-id as before, and is sent as often as the first time until it is taken:
  reckon webhook resend 4b1f9a3e-6c2d-4e8f-b7a0-1d2c3b4a5f60 7d0c5b1e-2f3a-4c5d-8e9f-0a1b2c3d4e5f`
}

func (c *webhookResend) Run(t terminal) error {
	path, err := c.path("deliveries", c.Delivery, "resend")
	if err != nil {
		return err
	}
	return c.ask(t, func(a administration) error {
		again, err := command[admin.Resent](a, nil, path...)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, again)
		}
		fmt.Fprintf(t.out, "Delivery %s is sent again, while a server runs.\n", again.ID)
		return nil
	})
}

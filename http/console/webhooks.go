package console

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
	"reckon/http"
	"reckon/http/webhooks"
	"reckon/projections"
)

// webhooksPath is where webhooks are.
const webhooksPath = Path + "/webhooks"

// webhooksShown is what the page of webhooks shows.
type webhooksShown struct {
	Rows   []webhookShown
	Secret string // of the webhook that was just made, which no other page shows
	Made   string // where that one leads
	URL    string // as it was written in the form, as are the others
	Name   string
	Events []eventShown
	Full   bool // there are as many as may be
}

// webhookShown is a webhook, alone or in the list.
type webhookShown struct {
	ID       uuid.UUID
	Name     string
	Called   string // the name, or where it leads
	URL      string
	Events   string
	Created  string
	Disabled string // since when, "" while it is sent to
	Reason   string
	Overlap  string // until when the secret before signs too, "" for not at all
}

// eventShown is something that a webhook may be for.
type eventShown struct {
	Name, Says string
	Chosen     bool
}

// eventSays is what events are in words.
var eventSays = map[string]string{events.CalculationCompleted: "answers", events.CalculationFailed: "failures", events.WebhookTest: "a test"}

func (c *Console) webhookShown(v *visit, w projections.Webhook) webhookShown {
	zone, says := zoneOf(v.account), []string{}
	for _, e := range w.Events {
		says = append(says, eventSays[e])
	}
	row := webhookShown{ID: w.ID, Name: w.Name, Called: w.Name, URL: w.URL, Events: strings.Join(says, " and "), Created: moment(w.CreatedAt, zone)}
	if row.Called == "" {
		row.Called = w.URL
	}
	if w.Disabled != nil {
		row.Disabled, row.Reason = moment(w.Disabled.Since, zone), w.Disabled.Reason
	}
	if w.Earlier != nil && time.Now().Before(w.Earlier.Until) {
		row.Overlap = moment(w.Earlier.Until, zone)
	}
	return row
}

// eventsShown are all events, of which some are chosen.
func eventsShown(chosen []string) (list []eventShown) {
	for _, e := range events.WebhookEvents {
		list = append(list, eventShown{e, eventSays[e], slices.Contains(chosen, e)})
	}
	return list
}

func (c *Console) webhooksPage(v *visit) (http.Answer, error) {
	return c.webhooks(v, 0, webhooksShown{Events: eventsShown(events.WebhookEvents)})
}

// webhooks lists the webhooks of the account.
func (c *Console) webhooks(v *visit, status int, s webhooksShown) (http.Answer, error) {
	if err := c.views.Fresh(v.x.Request().Context()); err != nil {
		return http.Answer{}, err
	}
	account, _ := c.views.Account(v.account.ID)
	for _, w := range account.Webhooks {
		s.Rows = append(s.Rows, c.webhookShown(v, w))
	}
	s.Full = len(s.Rows) >= commands.MaxWebhooks
	return c.page("webhooks", v, status, s)
}

// createWebhook makes a webhook, whose secret the answer alone shows.
func (c *Console) createWebhook(v *visit) (http.Answer, error) {
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
	}
	s := webhooksShown{URL: strings.TrimSpace(form.Get("url")), Name: strings.TrimSpace(form.Get("name")), Events: eventsShown(form["event"])}
	if len(form["event"]) == 0 {
		v.faulty(errNoEvents)
		return c.webhooks(v, unprocessable, s)
	}
	_, secret, err := c.admin(v).CreateWebhook(v.x.Request().Context(), v.account.Name, commands.WebhookTerms{URL: &s.URL, Name: &s.Name, Events: form["event"]}, c.config.Private)
	if err != nil {
		if !v.refused(err) {
			return http.Answer{}, err
		}
		return c.webhooks(v, unprocessable, s)
	}
	return c.webhooks(v, 0, webhooksShown{Secret: secret, Made: s.URL, Events: eventsShown(events.WebhookEvents)})
}

// errNoEvents says that a webhook would be for nothing.
var errNoEvents = errors.New("choose what is to be sent")

// hookShown is what the page of a webhook shows.
type hookShown struct {
	webhookShown
	Choices    []eventShown
	Secret     string // that was just made, which no other page shows
	Deliveries []deliveryShown
	Done       string
	Form       url.Values // that changes it, as it was written or as it is kept
}

// deliveryShown is an attempt in the list.
type deliveryShown struct {
	ID           uuid.UUID
	At           string
	What         string
	Conversation string // its address, "" for none
	Outcome      string
	Said         string
	Attempt      int
	Next         string
	Again        bool // it can be sent again
}

// webhook is the account's webhook that the path names.
func (c *Console) webhook(v *visit) (projections.Webhook, error) {
	if id, ok := v.x.ID("webhook"); ok {
		if w, has := v.account.Webhook(id); has {
			return w, nil
		}
	}
	return projections.Webhook{}, http.NotFound("There is no such webhook in this account.")
}

func (c *Console) webhookPage(v *visit) (http.Answer, error) {
	w, err := c.webhook(v)
	if err != nil {
		return http.Answer{}, err
	}
	return c.hook(v, 0, w.ID, hookShown{})
}

// hook shows a webhook as it is now, with what was sent to it of late.
func (c *Console) hook(v *visit, status int, id uuid.UUID, s hookShown) (http.Answer, error) {
	ctx, zone := v.x.Request().Context(), zoneOf(v.account)
	if err := c.views.Fresh(ctx); err != nil {
		return http.Answer{}, err
	}
	account, _ := c.views.Account(v.account.ID)
	w, has := account.Webhook(id)
	if !has {
		return http.Answer{}, http.NotFound("There is no such webhook in this account.")
	}
	s.webhookShown, s.Choices = c.webhookShown(v, w), eventsShown(w.Events)
	if s.Form == nil {
		s.Form = url.Values{"url": {w.URL}, "name": {w.Name}}
	}
	list, err := c.log.Outcomes(ctx, account.ID, id)
	if err != nil {
		return http.Answer{}, err
	}
	sent := map[uuid.UUID]bool{}
	for _, o := range list {
		row := deliveryShown{ID: o.ID, At: moment(o.At, zone), What: eventSays[o.Event], Outcome: o.Result, Said: o.Problem, Attempt: o.Attempt}
		if o.Problem == "" {
			row.Said = fmt.Sprintf("it answered %d after %d ms", o.Status, o.Millis)
		}
		if o.Next != nil && !sent[o.ID] {
			row.Next = moment(*o.Next, zone)
		}
		if o.Event != events.WebhookTest {
			row.Conversation = Path + "/conversations/" + o.ConversationID.String()
			row.Again = w.Disabled == nil && !sent[o.ID] && o.Next == nil
		}
		sent[o.ID] = true
		s.Deliveries = append(s.Deliveries, row)
	}
	return c.page("webhook", v, status, s)
}

// changesHook is a form of the page of a webhook: what it does, and what is then to be said.
func changesHook(do func(c *Console, v *visit, w projections.Webhook, field func(string) string) (hookShown, error)) func(*Console, *visit) (http.Answer, error) {
	return func(c *Console, v *visit) (http.Answer, error) {
		form, err := v.form()
		if err != nil {
			return http.Answer{}, err
		}
		w, err := c.webhook(v)
		if err != nil {
			return http.Answer{}, err
		}
		s, err := do(c, v, w, form.Get)
		if err == nil {
			return c.hook(v, 0, w.ID, s)
		}
		if !v.refused(err) {
			return http.Answer{}, err
		}
		if !form.Has("url") {
			form = nil
		}
		return c.hook(v, unprocessable, w.ID, hookShown{Form: form})
	}
}

func (c *Console) changeHook(v *visit, w projections.Webhook, field func(string) string) (hookShown, error) {
	to, name := strings.TrimSpace(field("url")), strings.TrimSpace(field("name"))
	terms := commands.WebhookTerms{URL: &to, Name: &name}
	for _, e := range events.WebhookEvents {
		if field(e) != "" {
			terms.Events = append(terms.Events, e)
		}
	}
	if terms.Events == nil {
		return hookShown{}, errNoEvents
	}
	return hookShown{Done: "It is kept."}, c.admin(v).ChangeWebhook(v.x.Request().Context(), w.ID, terms, c.config.Private)
}

func (c *Console) testHook(v *visit, w projections.Webhook, _ func(string) string) (hookShown, error) {
	o, err := c.config.Post.Test(v.x.Request().Context(), c.log, v.account.ID, w, uuid.New())
	if o.Result == events.Delivered {
		return hookShown{Done: fmt.Sprintf("It was taken: the receiver answered %d after %d ms.", o.Status, o.Millis)}, err
	}
	if err == nil {
		v.fault("It was not taken: " + o.Problem + ".")
	}
	return hookShown{}, err
}

func (c *Console) rollHook(v *visit, w projections.Webhook, field func(string) string) (s hookShown, err error) {
	s.Secret, err = c.admin(v).RollWebhook(v.x.Request().Context(), w.ID, overlaps[field("overlap")])
	return s, err
}

func (c *Console) disableHook(v *visit, w projections.Webhook, field func(string) string) (hookShown, error) {
	return hookShown{}, c.admin(v).DisableWebhook(v.x.Request().Context(), w.ID, strings.TrimSpace(field("reason")))
}

func (c *Console) enableHook(v *visit, w projections.Webhook, _ func(string) string) (hookShown, error) {
	return hookShown{Done: "It is sent what happens from now on."}, c.admin(v).EnableWebhook(v.x.Request().Context(), w.ID)
}

func (c *Console) resendHook(v *visit, w projections.Webhook, _ func(string) string) (hookShown, error) {
	id, ok := v.x.ID("delivery")
	if !ok {
		return hookShown{}, commands.ErrNone
	}
	_, err := webhooks.Resend(v.x.Request().Context(), c.log, v.account.ID, w, id)
	return hookShown{Done: "It is sent again."}, err
}

// deleteHook ends a webhook for ever.
func (c *Console) deleteHook(v *visit) (http.Answer, error) {
	if _, err := v.form(); err != nil {
		return http.Answer{}, err
	}
	w, err := c.webhook(v)
	if err != nil {
		return http.Answer{}, err
	}
	if err := c.admin(v).DeleteWebhook(v.x.Request().Context(), w.ID); err != nil {
		return http.Answer{}, err
	}
	return redirect(webhooksPath), nil
}

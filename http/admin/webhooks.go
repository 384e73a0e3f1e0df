package admin

import (
	"cmp"
	"errors"
	nethttp "net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
	"reckon/http"
	"reckon/http/webhooks"
	"reckon/projections"
)

// Webhook is a webhook as lists show it.
type Webhook struct {
	ID         uuid.UUID  `json:"id"`
	URL        string     `json:"url"`
	Name       string     `json:"name"`
	Events     []string   `json:"events"`
	State      string     `json:"state"` // active or disabled
	DisabledAt *time.Time `json:"disabled_at"`
	Reason     string     `json:"reason"` // why it is disabled, "" for none given
	CreatedAt  time.Time  `json:"created_at"`
	RolledAt   *time.Time `json:"rolled_at"`
	Overlap    *time.Time `json:"overlap_until"` // until when the secret before signs too
}

func webhookOf(w projections.Webhook, now time.Time) Webhook {
	row := Webhook{ID: w.ID, URL: w.URL, Name: w.Name, Events: w.Events, State: "active", CreatedAt: w.CreatedAt, RolledAt: w.RolledAt}
	if w.Disabled != nil {
		row.State, row.DisabledAt, row.Reason = "disabled", &w.Disabled.Since, w.Disabled.Reason
	}
	if w.Earlier != nil && now.Before(w.Earlier.Until) {
		row.Overlap = &w.Earlier.Until
	}
	return row
}

// WebhookTerms is where a webhook leads, and what for; nil is left as it is.
type WebhookTerms struct {
	URL    *string  `json:"url,omitempty"`
	Name   *string  `json:"name,omitempty"`
	Events []string `json:"events,omitempty"`
}

func (t WebhookTerms) terms() commands.WebhookTerms { return commands.WebhookTerms(t) }

// WebhookSecret is a webhook with its new secret, which is shown once.
type WebhookSecret struct {
	ID     uuid.UUID `json:"id"`
	Secret string    `json:"secret"`
}

// Reason is why something is done.
type Reason struct {
	Reason string `json:"reason"`
}

func (q *request) webhooks() (http.Answer, error) {
	rows, now := []Webhook{}, time.Now()
	for _, w := range q.account.Webhooks {
		rows = append(rows, webhookOf(w, now))
	}
	return answerPart(q, "webhooks", q.account.ID, rows)
}

func (q *request) createWebhook() (http.Answer, error) {
	var t WebhookTerms
	if err := q.object(&t); err != nil {
		return http.Answer{}, err
	}
	id, secret, err := q.admin.CreateWebhook(q.ctx(), q.account.Name, t.terms(), q.private)
	if err != nil {
		return http.Answer{}, err
	}
	return http.Answer{Status: nethttp.StatusCreated, Body: WebhookSecret{id, secret}}, nil
}

// webhook is the account's webhook that the path names.
func (q *request) webhook() (projections.Webhook, error) {
	if id, ok := q.ID("webhook"); ok {
		if w, has := q.account.Webhook(id); has {
			return w, nil
		}
	}
	return projections.Webhook{}, http.NotFound(q.nothing())
}

// shown is a webhook of the account as it is now.
func (q *request) shown(id uuid.UUID) (http.Answer, error) {
	account, err := q.admin.AccountWith(q.ctx(), q.account.ID, q.account.Name)
	if err != nil {
		return http.Answer{}, err
	}
	w, has := account.Webhook(id)
	if !has {
		return http.Answer{}, http.NotFound(q.nothing())
	}
	return http.Answer{Body: webhookOf(w, time.Now())}, nil
}

func (q *request) showWebhook() (http.Answer, error) {
	w, err := q.webhook()
	if err != nil {
		return http.Answer{}, err
	}
	return http.Answer{Body: webhookOf(w, time.Now())}, nil
}

func (q *request) changeWebhook() (http.Answer, error) {
	var t WebhookTerms
	w, err := q.webhook()
	if err == nil {
		err = q.object(&t)
	}
	if err == nil {
		err = q.admin.ChangeWebhook(q.ctx(), w.ID, t.terms(), q.private)
	}
	if err != nil {
		return http.Answer{}, err
	}
	return q.shown(w.ID)
}

func (q *request) deleteWebhook() (http.Answer, error) {
	w, err := q.webhook()
	switch {
	case err != nil && q.repeats():
		return http.Answer{Status: nethttp.StatusNoContent}, nil
	case err == nil:
		err = q.admin.DeleteWebhook(q.ctx(), w.ID)
	}
	if err != nil {
		return http.Answer{}, err
	}
	return http.Answer{Status: nethttp.StatusNoContent}, nil
}

// Delivery is what became of an attempt to send something to a webhook.
type Delivery struct {
	ID             uuid.UUID  `json:"id"`    // the webhook-id is msg_ and this
	Event          string     `json:"event"` // webhook.test for a test
	ConversationID *uuid.UUID `json:"conversation_id"`
	MessageID      *uuid.UUID `json:"message_id"`
	Attempt        int        `json:"attempt"`
	Resent         bool       `json:"resent"`
	At             time.Time  `json:"at"`
	Outcome        string     `json:"outcome"` // delivered, retrying, failed or dropped
	Status         *int       `json:"status"`  // null where there was no answer
	Problem        string     `json:"problem"` // "" for none
	Milliseconds   int        `json:"milliseconds"`
	NextAt         *time.Time `json:"next_at"`
}

func deliveryOf(o events.Outcome) Delivery {
	d := Delivery{
		ID: o.ID, Event: o.Event, Attempt: o.Attempt, Resent: o.Resent, At: o.At, Outcome: o.Result, Problem: o.Problem, Milliseconds: o.Millis, NextAt: o.Next,
	}
	if o.Event != events.WebhookTest {
		d.ConversationID, d.MessageID = &o.ConversationID, &o.MessageID
	}
	if o.Status != 0 {
		d.Status = &o.Status
	}
	return d
}

// deliveries lists what became of the last attempts, the newest first.
func (q *request) deliveries() (http.Answer, error) {
	w, err := q.webhook()
	if err != nil {
		return http.Answer{}, err
	}
	list, err := q.log.Load().Outcomes(q.ctx(), q.account.ID, w.ID)
	if err != nil {
		return http.Answer{}, err
	}
	rows := []Delivery{}
	for _, o := range list {
		rows = append(rows, deliveryOf(o))
	}
	return answerPart(q, "deliveries", w.ID, rows)
}

func (q *request) testWebhook() (http.Answer, error) {
	w, err := q.webhook()
	if err != nil {
		return http.Answer{}, err
	}
	id := uuid.New()
	if q.admin.Request != nil {
		id = q.admin.Request.ID()
	}
	if q.repeats() {
		return q.tested(w, id)
	}
	o, err := q.post.Test(q.ctx(), q.log.Load(), q.account.ID, w, id)
	if err != nil {
		return http.Answer{}, err
	}
	return http.Answer{Body: deliveryOf(o)}, nil
}

// tested is what became of a test that was sent before.
func (q *request) tested(w projections.Webhook, id uuid.UUID) (http.Answer, error) {
	list, err := q.log.Load().Outcomes(q.ctx(), q.account.ID, w.ID)
	if err != nil {
		return http.Answer{}, err
	}
	i := slices.IndexFunc(list, func(o events.Outcome) bool { return o.ID == id })
	if i < 0 {
		return http.Answer{}, http.Failure(nethttp.StatusConflict, "error_already_done",
			"This test was sent, and what became of it is kept no more: send another one with another key.")
	}
	return http.Answer{Body: deliveryOf(list[i])}, nil
}

// Resent is something that is sent again.
type Resent struct {
	ID uuid.UUID `json:"id"`
}

func (q *request) resend() (http.Answer, error) {
	w, err := q.webhook()
	if err != nil {
		return http.Answer{}, err
	}
	id, ok := q.ID("delivery")
	switch {
	case ok && q.repeats(): // it was sent again before
	case ok && w.Disabled != nil:
		return http.Answer{}, http.Failure(nethttp.StatusConflict, "error_conflict", "The webhook is disabled: enable it first.")
	case ok:
		_, err = webhooks.Resend(q.ctx(), q.log.Load(), q.account.ID, w, id)
	}
	if !ok || errors.Is(err, commands.ErrNone) {
		return http.Answer{}, http.NotFound("There is no such delivery of late: `reckon webhook deliveries` lists those there are.")
	}
	if err != nil {
		return http.Answer{}, err
	}
	return http.Answer{Status: nethttp.StatusAccepted, Body: Resent{id}}, nil
}

func (q *request) rollWebhook() (http.Answer, error) {
	var r Rotation
	w, err := q.webhook()
	if err == nil {
		err = q.object(&r)
	}
	if err != nil {
		return http.Answer{}, err
	}
	overlap, err := time.ParseDuration(cmp.Or(r.Overlap, commands.RollOverlap.String()))
	if err != nil {
		return http.Answer{}, http.InvalidParam("overlap", "must be a duration, as 24h")
	}
	secret, err := q.admin.RollWebhook(q.ctx(), w.ID, overlap)
	if err != nil {
		return http.Answer{}, err
	}
	return http.Answer{Body: WebhookSecret{w.ID, secret}}, nil
}

func (q *request) disableWebhook() (http.Answer, error) {
	var r Reason
	w, err := q.webhook()
	if err == nil {
		err = q.object(&r)
	}
	if err == nil {
		err = q.admin.DisableWebhook(q.ctx(), w.ID, r.Reason)
	}
	if err != nil {
		return http.Answer{}, err
	}
	return q.shown(w.ID)
}

func (q *request) enableWebhook() (http.Answer, error) {
	w, err := q.webhook()
	if err == nil {
		err = q.admin.EnableWebhook(q.ctx(), w.ID)
	}
	if err != nil {
		return http.Answer{}, err
	}
	return q.shown(w.ID)
}

package projections

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// Webhook is where what becomes of an account's calculations is sent. Hash is the hex SHA-256 of
// its secret.
type Webhook struct {
	ID         uuid.UUID   `json:"id"`
	URL        string      `json:"url"`
	Name       string      `json:"name,omitempty"`
	Events     []string    `json:"events"`     // as events.WebhookCreated has them
	Generation int         `json:"generation"` // of its secret, from 1 on
	Hash       string      `json:"hash"`
	Earlier    *Secret     `json:"earlier,omitempty"` // of the generation before, which signs too until a moment
	Disabled   *Suspension `json:"disabled,omitempty"`
	CreatedAt  time.Time   `json:"created_at"`
	CreatedBy  *Actor      `json:"created_by,omitempty"`
	RolledAt   *time.Time  `json:"rolled_at,omitempty"`
	Since      uint64      `json:"since"` // the event that created or enabled it: what is behind it is sent
}

// webhook is the position of a webhook, -1 when the account has none with this id.
func (a Account) webhook(id uuid.UUID) int {
	return slices.IndexFunc(a.Webhooks, func(w Webhook) bool { return w.ID == id })
}

// Webhook is one of an account, and whether it has it.
func (a Account) Webhook(id uuid.UUID) (Webhook, bool) {
	if i := a.webhook(id); i >= 0 {
		return a.Webhooks[i], true
	}
	return Webhook{}, false
}

// applyWebhook folds an event of a webhook. One of an unknown webhook changes nothing.
func (a Account) applyWebhook(e events.Event) Account {
	change := func(id uuid.UUID, do func(*Webhook)) {
		if i := a.webhook(id); i >= 0 {
			a.Webhooks = slices.Clone(a.Webhooks)
			do(&a.Webhooks[i])
		}
	}
	switch data := e.Data.(type) {
	case *events.WebhookCreated:
		if a.webhook(data.WebhookID) < 0 {
			a.Webhooks = append(slices.Clone(a.Webhooks), Webhook{
				ID: data.WebhookID, URL: data.URL, Name: data.Name, Events: data.Events, Generation: 1, Hash: data.Hash,
				CreatedAt: e.Time, CreatedBy: data.By, Since: e.Sequence,
			})
		}
	case *events.WebhookChanged:
		change(data.WebhookID, func(w *Webhook) {
			if data.URL != nil {
				w.URL = *data.URL
			}
			if data.Name != nil {
				w.Name = *data.Name
			}
			if data.Events != nil {
				w.Events = data.Events
			}
		})
	case *events.WebhookDisabled:
		change(data.WebhookID, func(w *Webhook) { w.Disabled = &Suspension{Since: e.Time, Reason: data.Reason} })
	case *events.WebhookEnabled:
		change(data.WebhookID, func(w *Webhook) { w.Disabled, w.Since = nil, e.Sequence })
	case *events.WebhookRolled:
		change(data.WebhookID, func(w *Webhook) {
			if w.Earlier = nil; data.OverlapUntil != nil {
				w.Earlier = &Secret{Hash: w.Hash, Until: *data.OverlapUntil}
			}
			at := e.Time
			w.Hash, w.RolledAt = data.Hash, &at
			w.Generation++
		})
	case *events.WebhookDeleted:
		a.Webhooks = slices.DeleteFunc(slices.Clone(a.Webhooks), func(w Webhook) bool { return w.ID == data.WebhookID })
	}
	return a
}

// Webhooked lists the accounts that have webhooks, in no order.
func (v *Views) Webhooked() []Account {
	s := viewOf[*accounts](v.serving.Load())
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := []Account{}
	for id := range s.webhooked {
		list = append(list, s.byKey[entityKey{account: id}])
	}
	return list
}

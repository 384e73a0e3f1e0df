package projections

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// Each row folds one event; what the account was before stays as it was.
func TestWebhooksOfAnAccount(t *testing.T) {
	id, other := uuid.New(), uuid.New()
	url, name := "https://hooks.example.com/v2", "ledger"
	later := start.Add(24 * time.Hour)
	completed := []string{events.CalculationCompleted}
	first := Webhook{ID: id, URL: "https://hooks.example.com", Name: "billing", Events: events.WebhookEvents, Generation: 1, Hash: "a", CreatedAt: start, Since: 2}
	changed := first
	changed.URL, changed.Name, changed.Events = url, name, completed
	rolled := changed
	rolled.Generation, rolled.Hash, rolled.Earlier, rolled.RolledAt = 2, "b", &Secret{"a", later}, &start
	again := rolled
	again.Generation, again.Hash, again.Earlier = 3, "c", nil
	disabled := again
	disabled.Disabled = &Suspension{start, "it is dead"}
	enabled := again
	enabled.Since = 9
	var a Account
	for i, row := range []struct {
		data any
		want []Webhook
	}{
		{&events.AccountCreated{AccountID: uuid.New(), Name: "acme"}, nil},
		{&events.WebhookCreated{WebhookID: id, URL: first.URL, Name: first.Name, Events: first.Events, Hash: "a"}, []Webhook{first}},
		{&events.WebhookCreated{WebhookID: id, URL: url, Hash: "d"}, []Webhook{first}},
		{&events.WebhookChanged{WebhookID: id}, []Webhook{first}},
		{&events.WebhookChanged{WebhookID: id, URL: &url, Name: &name, Events: completed}, []Webhook{changed}},
		{&events.WebhookRolled{WebhookID: id, Hash: "b", OverlapUntil: &later}, []Webhook{rolled}},
		{&events.WebhookRolled{WebhookID: id, Hash: "c"}, []Webhook{again}},
		{&events.WebhookDisabled{WebhookID: id, Reason: "it is dead"}, []Webhook{disabled}},
		{&events.WebhookEnabled{WebhookID: id}, []Webhook{enabled}},
		{&events.WebhookDisabled{WebhookID: other, Reason: "nobody"}, []Webhook{enabled}},
		{&events.WebhookDeleted{WebhookID: other}, []Webhook{enabled}},
		{&events.WebhookDeleted{WebhookID: id}, []Webhook{}},
	} {
		e := event(events.Subject{}, row.data)
		e.Sequence, e.Time = uint64(i+1), start
		before := append([]Webhook(nil), a.Webhooks...)
		given := a
		a = ApplyAccount(a, e)
		if !reflect.DeepEqual(a.Webhooks, row.want) || a.Sequence != e.Sequence {
			t.Errorf("%T: %+v, want %+v", row.data, a.Webhooks, row.want)
		}
		if !reflect.DeepEqual(append([]Webhook(nil), given.Webhooks...), before) {
			t.Errorf("%T: the fold changed the account that it was given", row.data)
		}
	}
}

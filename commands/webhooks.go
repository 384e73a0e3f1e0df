package commands

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"reckon/commands/outside"
	"reckon/events"
	"reckon/projections"
)

const (
	webhookPrefix = "whsec_"
	// MaxWebhooks is how many webhooks an account may have.
	MaxWebhooks = 10
	maxHookURL  = 2000
	maxHookName = 100 // characters
	// RollOverlap is for how long the secret of a webhook before a new one signs too, where nothing
	// else is said.
	RollOverlap = 24 * time.Hour
)

// ErrForeignSecret says that the secret of a webhook is one of another installation, as where a
// backup was restored.
var ErrForeignSecret = errors.New("has a secret that this installation cannot make: roll it, and give the receiver the new one")

// WebhookTerms is where a webhook leads, and what for. In a change nil leaves a member as it is.
type WebhookTerms struct {
	URL    *string
	Name   *string
	Events []string // events.WebhookEvents; none is all of them
}

// check says what is wrong with the terms of a webhook. private allows addresses in private
// networks, and without TLS.
func (w WebhookTerms) check(private bool) error {
	if w.URL != nil {
		_, err := outside.Parse(*w.URL, private)
		switch {
		case len(*w.URL) > maxHookURL:
			return about("url", refused("the URL of a webhook has at most %d bytes", maxHookURL))
		case errors.Is(err, outside.ErrPlain):
			return about("url", refused("a webhook needs an https address: what is sent must not be read on the way"))
		case errors.Is(err, outside.ErrPrivate):
			return about("url", refused("the address of a webhook is one of a private network, which the server does not send to"))
		case errors.Is(err, outside.ErrUser):
			return about("url", refused("the URL of a webhook has a user or a fragment: what proves who sends is the signature"))
		case err != nil || strings.ContainsFunc(*w.URL, func(r rune) bool { return r <= ' ' || r > '~' }):
			return about("url", refused("a webhook needs a URL such as https://hooks.example.com/reckon"))
		}
	}
	if w.Name != nil {
		switch {
		case utf8.RuneCountInString(*w.Name) > maxHookName:
			return about("name", refused("the name of a webhook has at most %d characters", maxHookName))
		case strings.ContainsFunc(*w.Name, func(r rune) bool { return !unicode.IsPrint(r) }):
			return about("name", refused("the name of a webhook has a character that is not shown"))
		}
	}
	for i, event := range w.Events {
		if !slices.Contains(events.WebhookEvents, event) {
			return about("events", refused("there is no event %q: there are %s", event, strings.Join(events.WebhookEvents, " and ")))
		}
		if slices.Contains(w.Events[:i], event) {
			return about("events", refused("the event %q is named twice", event))
		}
	}
	return nil
}

// WebhookSecret is the secret of a webhook of some generation, made with the key of the
// installation, and the hash that is kept of it.
func WebhookSecret(key []byte, id uuid.UUID, generation int) (secret, hash string) {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte("webhook secret "))
	_, _ = mac.Write(id[:])
	_, _ = mac.Write(binary.BigEndian.AppendUint64(nil, uint64(generation)))
	secret = webhookPrefix + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	sum := sha256.Sum256([]byte(secret))
	return secret, hex.EncodeToString(sum[:])
}

// WebhookSecrets are those that a webhook signs with at a moment, the newest first. It fails with
// ErrForeignSecret where the key is not the one that they were made with.
func WebhookSecrets(key []byte, w projections.Webhook, now time.Time) ([]string, error) {
	secret, hash := WebhookSecret(key, w.ID, w.Generation)
	if hash != w.Hash {
		return nil, fmt.Errorf("webhook %s %w", w.ID, ErrForeignSecret)
	}
	secrets := []string{secret}
	if w.Earlier != nil && now.Before(w.Earlier.Until) {
		if secret, hash := WebhookSecret(key, w.ID, w.Generation-1); hash == w.Earlier.Hash {
			secrets = append(secrets, secret)
		}
	}
	return secrets, nil
}

// CreateWebhook gives an account a webhook and returns its secret, which is kept nowhere. private
// allows addresses in private networks.
func (a Admin) CreateWebhook(ctx context.Context, account string, terms WebhookTerms, private bool) (id uuid.UUID, secret string, err error) {
	if terms.URL == nil {
		terms.URL = new(string)
	}
	if terms.Name == nil {
		terms.Name = new(string)
	}
	if len(terms.Events) == 0 {
		terms.Events = events.WebhookEvents
	}
	if err := terms.check(private); err != nil {
		return id, "", err
	}
	key, err := a.Log.WebhookKey(ctx, true)
	if err != nil {
		return id, "", err
	}
	id = uuid.New()
	secret, hash := WebhookSecret(key, id, 1)
	_, err = a.change(ctx, AccountID(account), account, func(of projections.Account) (any, error) {
		if len(of.Webhooks) >= MaxWebhooks {
			return nil, refused("account %q has %d webhooks, which is the most: delete one with `reckon webhook delete`", of.Name, len(of.Webhooks))
		}
		return &events.WebhookCreated{WebhookID: id, URL: *terms.URL, Name: *terms.Name, Events: terms.Events, Hash: hash}, nil
	})
	return id, secret, err
}

// ChangeWebhook changes a webhook. It fails with ErrNone.
func (a Admin) ChangeWebhook(ctx context.Context, id uuid.UUID, terms WebhookTerms, private bool) error {
	if err := terms.check(private); err != nil {
		return err
	}
	return a.changeWebhook(ctx, id, func(w projections.Webhook) (any, error) {
		data := &events.WebhookChanged{WebhookID: id}
		if terms.URL != nil && *terms.URL != w.URL {
			data.URL = terms.URL
		}
		if terms.Name != nil && *terms.Name != w.Name {
			data.Name = terms.Name
		}
		if len(terms.Events) > 0 && !slices.Equal(terms.Events, w.Events) {
			data.Events = terms.Events
		}
		if data.URL == nil && data.Name == nil && data.Events == nil {
			return nil, nil
		}
		return data, nil
	})
}

// RollWebhook gives a webhook the next secret and returns it. Until the end of an overlap of at
// most MaxOverlap the one before signs too. It fails with ErrNone.
func (a Admin) RollWebhook(ctx context.Context, id uuid.UUID, overlap time.Duration) (secret string, err error) {
	if overlap < 0 || overlap > MaxOverlap {
		return "", refused("two secrets of a webhook overlap for at most %d hours, not for %s", int(MaxOverlap.Hours()), overlap)
	}
	key, err := a.Log.WebhookKey(ctx, true)
	if err != nil {
		return "", err
	}
	var until *time.Time
	if overlap > 0 {
		end := time.Now().Add(overlap).UTC().Truncate(time.Second)
		until = &end
	}
	err = a.changeWebhook(ctx, id, func(w projections.Webhook) (any, error) {
		hash := ""
		secret, hash = WebhookSecret(key, id, w.Generation+1)
		return &events.WebhookRolled{WebhookID: id, Hash: hash, OverlapUntil: until}, nil
	})
	return secret, err
}

// DisableWebhook has nothing sent to a webhook any more. One that is disabled stays as it is. It
// fails with ErrNone.
func (a Admin) DisableWebhook(ctx context.Context, id uuid.UUID, reason string) error {
	if err := about("reason", checkText("the reason", &reason, maxReason, "")); err != nil {
		return err
	}
	return a.changeWebhook(ctx, id, func(w projections.Webhook) (any, error) {
		if w.Disabled != nil {
			return nil, nil
		}
		return &events.WebhookDisabled{WebhookID: id, Reason: reason}, nil
	})
}

// DisableFailing disables a webhook that was enabled by an event, unless something else became of
// it since. done is false where nothing was to be done. It fails with ErrNone for the account.
func (a Admin) DisableFailing(ctx context.Context, account, id uuid.UUID, since uint64, reason string) (done bool, err error) {
	_, err = a.change(ctx, account, account.String(), func(of projections.Account) (any, error) {
		w, has := of.Webhook(id)
		if done = has && w.Disabled == nil && w.Since == since; !done {
			return nil, nil
		}
		return &events.WebhookDisabled{WebhookID: id, Reason: reason}, nil
	})
	return done && err == nil, err
}

// EnableWebhook takes DisableWebhook back, for what happens from then on. It fails with ErrNone.
func (a Admin) EnableWebhook(ctx context.Context, id uuid.UUID) error {
	return a.changeWebhook(ctx, id, func(w projections.Webhook) (any, error) {
		if w.Disabled == nil {
			return nil, nil
		}
		return &events.WebhookEnabled{WebhookID: id}, nil
	})
}

// DeleteWebhook ends a webhook for ever. It fails with ErrNone.
func (a Admin) DeleteWebhook(ctx context.Context, id uuid.UUID) error {
	return a.changeWebhook(ctx, id, func(projections.Webhook) (any, error) { return &events.WebhookDeleted{WebhookID: id}, nil })
}

// changeWebhook decides about the webhook with an id, of whichever account.
func (a Admin) changeWebhook(ctx context.Context, id uuid.UUID, decide func(projections.Webhook) (any, error)) error {
	accounts, err := a.Accounts(ctx)
	if err != nil {
		return err
	}
	for _, owner := range accounts {
		if _, has := owner.Webhook(id); !has {
			continue
		}
		_, err := a.change(ctx, owner.ID, owner.Name, func(account projections.Account) (any, error) {
			w, has := account.Webhook(id)
			if !has {
				return nil, noWebhook(id)
			}
			return decide(w)
		})
		return err
	}
	return noWebhook(id)
}

func noWebhook(id uuid.UUID) error {
	return fmt.Errorf("webhook %s %w: `reckon webhook list --account NAME` shows the webhooks of an account", id, ErrNone)
}

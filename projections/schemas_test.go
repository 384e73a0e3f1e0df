package projections

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"reckon/events"
)

// Every document that a fold writes is checked against its schema.
func TestDocumentsMatchTheirSchemas(t *testing.T) {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schemas := map[string]*jsonschema.Schema{}
	for _, name := range []string{"account", "domain", "conversation", "page", "user", "usage", "day", "days", "lately"} {
		schema, err := compiler.Compile(filepath.Join("..", "schemas", "views", name+".schema.json"))
		if err != nil {
			t.Fatal(err)
		}
		schemas[name] = schema
	}
	check := func(name string, value []byte) error {
		t.Helper()
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
		if err != nil {
			t.Fatal(err)
		}
		return schemas[name].Validate(document)
	}

	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	someHistory(h)
	account, domain := uuid.New(), uuid.New()
	h.append(event(events.AccountSubject(account), &events.AccountCreated{AccountID: account, Name: "no keys", TimeZone: "UTC", BodyVersion: 2}))
	h.append(event(events.DomainSubject(account, domain), &events.DomainDrafted{DomainID: domain, Key: "dm_1", Definition: Definition{Title: "Draft", Variables: []events.Variable{}, Activities: []events.Activity{}}}))
	person := uuid.New()
	h.append(event(events.UserSubject(person), &events.UserCreated{UserID: person, Email: "ada@example.com", Name: "Ada"}))
	by := events.Administered{By: &events.Actor{How: events.ByShell, Name: "root"}}
	hook := uuid.New()
	hash := strings.Repeat("5", 64)
	h.append(event(events.AccountSubject(account), &events.WebhookCreated{Administered: by, WebhookID: hook, URL: "https://hooks.example.com", Name: "billing", Events: events.WebhookEvents, Hash: hash}))
	h.append(event(events.AccountSubject(account), &events.WebhookRolled{Administered: by, WebhookID: hook, Hash: hash, OverlapUntil: &start}))
	h.append(event(events.AccountSubject(account), &events.WebhookDisabled{Administered: by, WebhookID: hook, Reason: "none"}))
	token := uuid.New()
	h.append(event(events.UserSubject(person), &events.TokenCreated{Administered: by, TokenID: token, Hash: strings.Repeat("1", 64), Hint: "1111", Name: "laptop", Scopes: []string{ScopeRead}, ExpiresAt: &start}))
	h.append(event(events.UserSubject(person), &events.TokenUsed{Administered: by, TokenID: token}))
	session := uuid.New()
	h.append(event(events.UserSubject(person), &events.PasswordSet{Administered: by, Hash: "$argon2id$v=19$m=19456,t=2,p=1$c29t$c29t"}))
	h.append(event(events.UserSubject(person), &events.SessionStarted{Administered: by, SessionID: session, Hash: strings.Repeat("2", 64), Way: events.WayPassword, ExpiresAt: start}))
	h.append(event(events.UserSubject(person), &events.SessionMoved{Administered: by, SessionID: session, AccountID: account}))
	h.append(event(events.UserSubject(person), &events.IdentityLinked{Administered: by, Issuer: "https://id.example.com", Subject: "1"}))
	h.append(event(events.UserSubject(person), &events.LinkIssued{Administered: by, LinkID: uuid.New(), Hash: strings.Repeat("3", 64), ExpiresAt: start}))
	used := events.UsedChallenge{Hash: strings.Repeat("4", 64), ExpiresAt: time.Now().Add(time.Hour)}
	passkey := uuid.New()
	h.append(event(events.UserSubject(person), &events.PasskeyAdded{Administered: by, PasskeyID: passkey, Name: "Laptop", Credential: []byte("1"), PublicKey: []byte("2"), Transports: []string{"internal"}, Seal: []byte("3"), Challenge: used}))
	h.append(event(events.UserSubject(person), &events.SessionStarted{Administered: by, SessionID: uuid.New(), Hash: strings.Repeat("5", 64), Way: events.WayPasskey, ExpiresAt: start, Passkey: &events.PasskeyUsed{PasskeyID: passkey, Counter: 1, Challenge: used}}))
	name := "Nothing & Sons"
	h.append(event(events.AccountSubject(account), &events.AccountChanged{TimeZone: "UTC", BodyVersion: 2, Title: &name, Ceiling: &events.Limits{Reads: 1}, Retention: new(400)}))
	h.append(event(events.AccountSubject(account), &events.AccountSuspended{AccountID: account}))
	h.append(event(events.AccountSubject(account), &events.MemberJoined{Administered: by, UserID: person, Role: "owner"}))
	h.append(event(events.AccountSubject(account), &events.KeyCreated{Administered: by, KeyID: uuid.New(), Hash: strings.Repeat("0", 64)}))
	long := longConversation(account)
	for _, e := range long {
		h.append(e)
	}
	lost := failed(account, request(uuid.New(), "how much hay?"), "")
	lost.Data.(*events.MessageFailed).Errors = []byte(`[{"code":"language.not_understood","args":["hay"]}]`)
	lost.Time = start.AddDate(0, 0, 1)
	h.append(lost)
	text := "Trip to the lake"
	h.append(described(account, long[0].Conversation(), &text, &text))
	gone := first(account)
	h.append(gone)
	erased := h.append(event(events.AccountSubject(account), &events.ConversationErased{Administered: by, ConversationID: gone.Conversation()}))
	if err := v.Forgotten(t.Context(), erased.Sequence); err != nil {
		t.Fatal(err)
	}
	if err := v.save(); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	g, done := v.use() // another erasure that is named late makes the views anew
	defer done()
	at := func(name string) *bucket { return g.buckets[slices.Index(Names(), name)] }
	for name, place := range map[string]struct {
		bucket  *bucket
		pattern string
	}{
		"account":      {at("accounts"), "*"},
		"user":         {at("users"), "*"},
		"domain":       {at("domains"), "*.*"},
		"conversation": {at("conversations"), "*.*"},
		"page":         {at("conversations"), "*.*.*.*"},
		"usage":        {at("usage"), "*"},
		"day":          {at("usage"), "*.d"},
		"days":         {at("usage"), "*.b.*"},
		"lately":       {at("usage"), "*.r"},
	} {
		err := place.bucket.each(t.Context(), place.pattern, func(_ string, value []byte) error {
			seen[name]++
			if err := check(name, value); err != nil {
				t.Errorf("%s %s\n%v", name, value, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, least := range map[string]int{"account": 3, "domain": 3, "conversation": 19, "page": 5, "user": 1, "usage": 2, "day": 2, "days": 1, "lately": 2} {
		if seen[name] < least {
			t.Errorf("%d documents of %s were checked, want %d at least", seen[name], name, least)
		}
	}
}

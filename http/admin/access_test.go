package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/commands/nodes"
	"reckon/events"
	"reckon/events/log"
	"reckon/http"
	"reckon/projections"
)

// world is a server with two accounts and somebody of each kind, who all have a token.
type world struct {
	t      *testing.T
	url    string
	admin  commands.Admin
	views  *projections.Views
	tokens map[string]string // by who it is
	n      int
	server *Server

	service               *commands.Service
	conversation, message uuid.UUID // that acme has been answered, by answer
	prompt                string    // that answer asks
}

// Who the people of a world are: somebody without any part, a member, a developer and an owner of
// acme, an owner of another account, an operator, and somebody without a token.
var people = []string{"nobody", "stranger", "member", "developer", "owner", "alien", "operator"}

func newWorld(t *testing.T) *world {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	dir := t.TempDir()
	l, err := log.Open(t.Context(), log.Options{Dir: dir, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	views, err := projections.Open(t.Context(), l, dir, logger)
	if err != nil {
		t.Fatal(err)
	}
	administered := New(nodes.Own{Dir: dir})
	if err := administered.Open(l, views); err != nil {
		t.Fatal(err)
	}
	server := http.New(logger, "v0")
	server.Mount(administered.Face())
	service := commands.New(l, views, logger)
	server.Open(views, service)
	listening := httptest.NewServer(server.Handler())
	running, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		service.Run(running)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		listening.Close()
		if err := views.Close(); err != nil {
			t.Error(err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &world{t: t, url: listening.URL, admin: commands.Admin{Log: l, By: events.Actor{How: events.ByShell}}, views: views, tokens: map[string]string{}, service: service, server: administered, prompt: "x: 21\ncalculate: y"}
	for _, name := range []string{"acme", "other"} {
		w.must(w.admin.CreateAccount(t.Context(), commands.CreateAccount{Name: name}))
	}
	for _, who := range people[1:] {
		w.must(w.admin.CreateUser(t.Context(), who+"@example.com", who))
		_, secret, err := w.admin.CreateToken(t.Context(), who+"@example.com", commands.KeyTerms{Name: who})
		w.must(nil, err)
		w.tokens[who] = secret
	}
	for _, role := range projections.Roles {
		w.must(nil, w.admin.AddMember(t.Context(), "acme", string(role)+"@example.com", role))
	}
	w.must(nil, w.admin.AddMember(t.Context(), "other", "alien@example.com", projections.RoleOwner))
	w.must(nil, w.admin.SetOperator(t.Context(), "operator@example.com", true))
	w.must(w.admin.Publish(t.Context(), commands.Publication{Account: "acme", Definition: double(2)}))
	w.must(nil, views.Fresh(t.Context()))
	return w
}

// double is a domain that multiplies by a number.
func double(by int) events.Definition {
	return events.Definition{
		Title: "Double", Description: "Twice.",
		Variables: []events.Variable{
			{Key: "x", Title: "x", Kind: "number", DefaultValue: []byte(`""`)}, {Key: "y", Title: "y", Kind: "number", DefaultValue: []byte(`""`)},
		},
		Activities: []events.Activity{{Title: "Twice", Equation: fmt.Sprintf("y = %d*x", by), State: "active"}},
	}
}

func (w *world) must(_ any, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// answer has a question of acme answered.
func (w *world) answer() {
	w.t.Helper()
	account, err := w.admin.Account(w.t.Context(), "acme")
	w.must(nil, err)
	w.must(nil, w.views.Fresh(w.t.Context()))
	answered, err := w.service.Calculate(w.t.Context(), commands.Request{
		Account: account, Domain: w.views.Domains(account.ID)[0].ID, Prompt: w.prompt, Format: "structured", Fingerprint: "f",
	})
	w.must(nil, err)
	w.conversation, w.message = answered.Message.ConversationID, answered.Message.MessageID
}

// got is an answer.
type got struct {
	status int
	header nethttp.Header
	body   string
}

// code is that of an error, "" for none.
func (g got) code() string {
	var e struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	_ = json.Unmarshal([]byte(g.body), &e) // what is no error has no code
	return e.Error.Code
}

// as asks with the token of somebody; headers are pairs of name and value.
func (w *world) as(who, method, path, body string, headers ...string) got {
	w.t.Helper()
	r, err := nethttp.NewRequestWithContext(w.t.Context(), method, w.url+prefix+path, strings.NewReader(body))
	w.must(nil, err)
	if token := w.tokens[who]; token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := nethttp.DefaultClient.Do(r)
	w.must(nil, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	w.must(nil, err)
	return got{answer.StatusCode, answer.Header, string(text)}
}

// fresh makes what a path names anew, so that one request does not stand in the way of another.
func (w *world) fresh(who, path string) string {
	w.n++
	email := fmt.Sprintf("somebody%d@example.com", w.n)
	ctx := w.t.Context()
	fill := func(name, value string) { path = strings.ReplaceAll(path, "{"+name+"}", value) }
	if path == "accounts/{account}/erase" {
		account := fmt.Sprintf("acme-ended-%d", w.n)
		w.must(w.admin.CreateAccount(ctx, commands.CreateAccount{Name: account}))
		for _, role := range projections.Roles {
			w.must(nil, w.admin.AddMember(ctx, account, string(role)+"@example.com", role))
		}
		return strings.Replace(path, "{account}", account, 1)
	}
	fill("account", "acme")
	fill("domain", "Double")
	if strings.HasSuffix(path, "/erase") {
		fill("conversation", w.asked(`[{"code":"language.not_understood","args":["hay"]}]`).String())
	}
	fill("conversation", w.conversation.String())
	fill("message", w.message.String())
	fill("version", "1")
	if strings.Contains(path, "{user}") {
		w.must(w.admin.CreateUser(ctx, email, ""))
		w.must(nil, w.admin.AddMember(ctx, "acme", email, projections.RoleMember))
	}
	if strings.Contains(path, "webhooks") {
		account, err := w.admin.Account(ctx, "acme")
		w.must(nil, err)
		for _, hook := range account.Webhooks { // an account has only so many
			w.must(nil, w.admin.DeleteWebhook(ctx, hook.ID))
		}
	}
	if strings.Contains(path, "{webhook}") {
		url := "https://hooks.invalid/"
		id, _, err := w.admin.CreateWebhook(ctx, "acme", commands.WebhookTerms{URL: &url}, false)
		w.must(nil, err)
		fill("webhook", id.String())
		delivery := uuid.New()
		_, err = w.admin.Log.KeepOutcome(ctx, commands.AccountID("acme"), id, func(*events.Outcome) events.Outcome {
			return events.Outcome{Result: events.Delivered, Delivery: events.Delivery{
				ID: delivery, AccountID: commands.AccountID("acme"), WebhookID: id, Event: events.CalculationCompleted, Attempt: 1,
			}}
		})
		w.must(nil, err)
		fill("delivery", delivery.String())
	}
	if strings.Contains(path, "{token}") {
		of := email
		if strings.HasPrefix(path, "tokens/") {
			of = who + "@example.com"
		}
		if who != "nobody" || of == email {
			id, _, err := w.admin.CreateToken(ctx, of, commands.KeyTerms{})
			w.must(nil, err)
			fill("token", id.String())
		}
	}
	if strings.Contains(path, "{passkey}") {
		user, err := w.admin.User(ctx, email)
		w.must(nil, err)
		id, ends := uuid.New(), time.Now().Add(time.Minute).UTC().Truncate(time.Second)
		e := events.Event{ID: uuid.New(), Time: time.Now().UTC().Truncate(time.Millisecond), Subject: events.UserSubject(user.ID), Data: &events.PasskeyAdded{
			PasskeyID: id, Name: "Laptop", Credential: id[:], PublicKey: id[:], Seal: id[:], Challenge: events.UsedChallenge{Hash: strings.Repeat("0", 64), ExpiresAt: ends},
		}}
		w.must(w.admin.Log.Append(ctx, e, user.Sequence))
		fill("passkey", id.String())
	}
	fill("user", email)
	if strings.Contains(path, "{key}") {
		id, _, err := w.admin.CreateKey(ctx, "acme", commands.KeyTerms{})
		w.must(nil, err)
		fill("key", id.String())
	}
	return path
}

// asked is a new conversation of acme, whose first message is answered with errors.
func (w *world) asked(errors string) uuid.UUID {
	w.t.Helper()
	account, id := commands.AccountID("acme"), uuid.New()
	m := events.Message{
		ConversationID: id, MessageID: uuid.New(), Source: "api", InputFormat: "natural_language", Prompt: "how much hay?",
		Domain: events.DomainRef{ID: uuid.NewSHA1(account, []byte("domain double")), Version: 1, Title: "Double"}, ReceivedAt: time.Now().UTC().Truncate(time.Millisecond), TimeZone: "UTC",
	}
	e := events.Event{ID: uuid.New(), Time: m.ReceivedAt, Subject: events.ConversationSubject(account, id), Data: &events.MessageFailed{Message: m, Errors: []byte(errors)}}
	w.must(w.admin.Log.Append(w.t.Context(), e, 0))
	return id
}

// allowed says who may ask for each route.
var allowed = map[string]string{
	"DELETE accounts/{account}/domains/{domain}/draft":                        "developer owner",
	"POST accounts/{account}/domains/{domain}/versions/{version}/restore":     "developer owner",
	"GET accounts/{account}/usage":                                            "developer owner operator",
	"GET accounts/{account}/unanswered":                                       "developer owner",
	"GET me":                                                                  "stranger member developer owner alien operator",
	"GET tokens":                                                              "stranger member developer owner alien operator",
	"POST tokens":                                                             "stranger member developer owner alien operator",
	"POST tokens/{token}/revoke":                                              "stranger member developer owner alien operator",
	"GET accounts":                                                            "stranger member developer owner alien operator",
	"POST accounts":                                                           "operator",
	"GET accounts/{account}":                                                  "member developer owner operator",
	"PATCH accounts/{account}":                                                "owner operator",
	"POST accounts/{account}/suspend":                                         "operator",
	"POST accounts/{account}/resume":                                          "operator",
	"GET accounts/{account}/export":                                           "owner",
	"GET accounts/{account}/audit":                                            "owner operator",
	"GET accounts/{account}/members":                                          "member developer owner operator",
	"POST accounts/{account}/members":                                         "owner operator",
	"PATCH accounts/{account}/members/{user}":                                 "owner operator",
	"DELETE accounts/{account}/members/{user}":                                "owner operator",
	"POST accounts/{account}/invitations":                                     "owner operator",
	"GET users/{user}/sessions":                                               "operator",
	"GET users/{user}/passkeys":                                               "operator",
	"DELETE users/{user}/passkeys/{passkey}":                                  "operator",
	"POST users/{user}/sign-out":                                              "operator",
	"POST invitations":                                                        "operator",
	"GET accounts/{account}/keys":                                             "member developer owner",
	"POST accounts/{account}/keys":                                            "developer owner",
	"POST accounts/{account}/keys/{key}/rotate":                               "developer owner",
	"POST accounts/{account}/keys/{key}/revoke":                               "developer owner",
	"GET accounts/{account}/webhooks":                                         "developer owner",
	"POST accounts/{account}/webhooks":                                        "developer owner",
	"GET accounts/{account}/webhooks/{webhook}":                               "developer owner",
	"PATCH accounts/{account}/webhooks/{webhook}":                             "developer owner",
	"DELETE accounts/{account}/webhooks/{webhook}":                            "developer owner",
	"POST accounts/{account}/webhooks/{webhook}/roll":                         "developer owner",
	"POST accounts/{account}/webhooks/{webhook}/disable":                      "developer owner",
	"POST accounts/{account}/webhooks/{webhook}/enable":                       "developer owner",
	"POST accounts/{account}/webhooks/{webhook}/test":                         "developer owner",
	"GET accounts/{account}/webhooks/{webhook}/deliveries":                    "developer owner",
	"POST accounts/{account}/webhooks/{webhook}/deliveries/{delivery}/resend": "developer owner",
	"GET accounts/{account}/domains":                                          "member developer owner",
	"POST accounts/{account}/domains/check":                                   "developer owner",
	"POST accounts/{account}/domains/diff":                                    "developer owner",
	"POST accounts/{account}/domains/draft":                                   "developer owner",
	"POST accounts/{account}/domains/publish":                                 "developer owner",
	"GET accounts/{account}/domains/{domain}/draft":                           "member developer owner",
	"PUT accounts/{account}/domains/{domain}/draft":                           "developer owner",
	"POST accounts/{account}/domains/{domain}/publish":                        "developer owner",
	"GET accounts/{account}/domains/{domain}/versions":                        "member developer owner",
	"GET accounts/{account}/domains/{domain}/versions/{version}":              "member developer owner",
	"GET accounts/{account}/domains/{domain}/diff":                            "member developer owner",
	"GET accounts/{account}/conversations":                                    "member developer owner",
	"PATCH accounts/{account}/conversations/{conversation}":                   "member developer owner",
	"POST accounts/{account}/conversations/{conversation}/erase":              "owner",
	"POST accounts/{account}/erase":                                           "owner operator",
	"GET accounts/{account}/conversations/{conversation}/history":             "member developer owner",
	"POST accounts/{account}/conversations/{conversation}/replay":             "member developer owner",
	"GET accounts/{account}/messages/{message}/bisect":                        "member developer owner",
	"GET accounts/{account}/messages/{message}/test":                          "member developer owner",
	"POST accounts/{account}/replay":                                          "member developer owner",
	"GET nodes":                                                               "operator",
	"GET backup":                                                              "operator",
	"POST replay":                                                             "operator",
	"POST projections/verify":                                                 "operator",
	"POST projections/rebuild":                                                "operator",
	"GET accounts/{account}/domains/{domain}":                                 "member developer owner",
	"POST accounts/{account}/domains/{domain}/retire":                         "developer owner",
	"POST accounts/{account}/domains/{domain}/restore":                        "developer owner",
	"GET users":                               "operator",
	"POST users":                              "operator",
	"GET users/{user}":                        "operator",
	"POST users/{user}/disable":               "operator",
	"POST users/{user}/enable":                "operator",
	"GET users/{user}/tokens":                 "operator",
	"POST users/{user}/tokens":                "", // the user alone
	"POST users/{user}/tokens/{token}/revoke": "operator",
	"GET operators":                           "operator",
	"PUT operators/{user}":                    "operator",
	"DELETE operators/{user}":                 "operator",
	"GET audit":                               "operator",
}

// bodies are those of requests that need one, for a number that no other request has.
var bodies = map[string]string{
	"PATCH accounts/{account}/conversations/{conversation}":      `{"title": "title %d"}`,
	"POST accounts/{account}/conversations/{conversation}/erase": `{"reason": "letter %d"}`,
	"POST accounts/{account}/erase":                              `{"name": "acme-ended-%d"}`,
	"POST accounts/{account}/domains/check":                      `{"source": "title: Triple\n"}`,
	"POST accounts/{account}/domains/diff":                       `{"source": "title: Triple\nvariables: [{key: x}, {key: y}]\nactivities: [{equation: y = 3*x}]\n"}`,
	"POST accounts/{account}/domains/draft":                      `{"new": true, "source": "title: Draft %d\nvariables: [{key: x}, {key: y}]\nactivities: [{equation: y = 3*x}]\n"}`,
	"POST accounts/{account}/domains/publish":                    `{"new": true, "source": "title: Published %d\nvariables: [{key: x}, {key: y}]\nactivities: [{equation: y = 3*x}]\n"}`,
	"PUT accounts/{account}/domains/{domain}/draft":              `{"source": "title: Double\nvariables: [{key: x}, {key: y}]\nactivities: [{equation: y = %d*x}]\n"}`,
	"POST accounts/{account}/invitations":                        `{"email": "invited%d@example.com", "role": "member"}`,
	"POST invitations":                                           `{"email": "operator%d@example.com", "operator": true}`,
	"POST accounts/{account}/webhooks":                           `{"url": "https://hooks.example.com/%d", "events": ["calculation.failed"]}`,
	"PATCH accounts/{account}/webhooks/{webhook}":                `{"url": "https://hooks.example.com/changed/%d", "name": "changed"}`,
	"POST accounts/{account}/webhooks/{webhook}/roll":            `{"overlap": "1h"}`,
	"POST accounts/{account}/webhooks/{webhook}/disable":         `{"reason": "reason %d"}`,
	"POST tokens":                             `{"name": "n%d"}`,
	"POST accounts":                           `{"name": "account %d"}`,
	"PATCH accounts/{account}":                `{"limits": {"reads": %d}}`,
	"POST accounts/{account}/members":         `{"email": "new%d@example.com", "role": "member"}`,
	"PATCH accounts/{account}/members/{user}": `{"role": "developer"}`,
	"POST users":                              `{"email": "user%d@example.com"}`,
}

// TestRoutesAndRoles asks for every route as everybody. Who has no part in an account is told what
// they are told of one that is not there.
func TestRoutesAndRoles(t *testing.T) {
	w := newWorld(t)
	w.answer()
	for _, r := range routes {
		name := r.method + " " + r.path
		may, listed := allowed[name]
		if !listed {
			t.Errorf("%s: who may ask for it?", name)
		}
		for _, who := range people {
			body := bodies[name]
			path := w.fresh(who, r.path)
			if strings.Contains(body, "%d") {
				body = fmt.Sprintf(body, w.n)
			}
			if r.method != "PUT" && strings.HasSuffix(path, "/draft") || name == "POST accounts/{account}/domains/{domain}/publish" {
				w.must(w.admin.Publish(t.Context(), commands.Publication{Account: "acme", Definition: double(w.n), Draft: true}))
			}
			if strings.HasSuffix(path, "/Double/diff") {
				path += "?from=1"
			}
			if name == "POST accounts/{account}/members" {
				w.must(w.admin.CreateUser(t.Context(), fmt.Sprintf("new%d@example.com", w.n), ""))
			}
			g := w.as(who, r.method, path, body)
			inAccount := strings.Contains(r.path, "{account}")
			switch {
			case who == "nobody":
				if g.status != nethttp.StatusUnauthorized || g.header.Get("WWW-Authenticate") != "Bearer" {
					t.Errorf("%s without a token: %d %s", name, g.status, g.body)
				}
			case strings.Contains(" "+may+" ", " "+who+" "):
				if g.status >= 300 {
					t.Errorf("%s as %s: %d %s", name, who, g.status, g.body)
				}
				if kind := g.header.Get("Content-Type"); kind != "application/json" && g.status == 200 {
					if kind == "application/jsonl" && strings.Contains(g.body, `"error"`) {
						t.Errorf("%s as %s: %s", name, who, g.body)
					}
					continue
				}
				openAPI().Answers(t, r.method, prefix+r.path, g.status, []byte(g.body))
			case inAccount && (who == "stranger" || who == "alien"):
				// Not even the text tells whether there is such an account.
				none := w.as(who, r.method, strings.Replace(path, "acme", "none", 1), body)
				if g.status != nethttp.StatusNotFound || strings.ReplaceAll(g.body, "acme", "none") != none.body || none.status != g.status {
					t.Errorf("%s as %s: %d %s, of an account that is not there %d %s", name, who, g.status, g.body, none.status, none.body)
				}
			case strings.HasPrefix(r.path, "users/{user}") && who != "operator":
				if g.status != nethttp.StatusNotFound && g.status != nethttp.StatusForbidden {
					t.Errorf("%s as %s: %d %s", name, who, g.status, g.body)
				}
			case g.status != nethttp.StatusForbidden || g.code() != "error_insufficient_role":
				t.Errorf("%s as %s: %d %s", name, who, g.status, g.body)
			}
		}
	}
	for name := range allowed {
		found := false
		for _, r := range routes {
			found = found || r.method+" "+r.path == name
		}
		if !found {
			t.Errorf("%s is no route", name)
		}
	}
}

// A token does what its scopes say, and nothing once it is revoked, expired, or its user disabled.
func TestTokens(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	token := func(who string, terms commands.KeyTerms) (uuid.UUID, string) {
		t.Helper()
		id, secret, err := w.admin.CreateToken(ctx, who+"@example.com", terms)
		w.must(nil, err)
		return id, secret
	}
	acme := commands.AccountID("acme").String()
	w.must(nil, w.admin.AddMember(ctx, "other", "owner@example.com", projections.RoleOwner))
	_, w.tokens["reader"] = token("owner", commands.KeyTerms{Scopes: []string{projections.ScopeRead}})
	_, w.tokens["narrow"] = token("owner", commands.KeyTerms{Scopes: []string{projections.ScopeAccount + acme}})
	_, w.tokens["narrow operator"] = token("operator", commands.KeyTerms{Scopes: []string{projections.ScopeAccount + acme}})
	soon := time.Now().Add(700 * time.Millisecond)
	_, w.tokens["short"] = token("owner", commands.KeyTerms{ExpiresAt: &soon})
	w.tokens["wrong"] = "reckon_token_0000"
	_, w.tokens["key"], _ = w.admin.CreateKey(ctx, "acme", commands.KeyTerms{})

	want := func(who, method, path, body string, status int, code string) got {
		t.Helper()
		g := w.as(who, method, path, body)
		if g.status != status || g.code() != code {
			t.Errorf("%s %s as %s: %d %s, want %d %s", method, path, who, g.status, g.body, status, code)
		}
		for _, secret := range w.tokens {
			if secret != "" && strings.Contains(g.body, secret) {
				t.Errorf("%s %s as %s: a secret is in the answer", method, path, who)
			}
		}
		return g
	}
	want("reader", "GET", "accounts/acme/keys", "", 200, "")
	want("reader", "POST", "accounts/acme/keys", "{}", 403, "error_insufficient_scope")
	want("reader", "POST", "tokens", "{}", 403, "error_insufficient_scope")
	want("narrow", "GET", "accounts/acme/keys", "", 200, "")
	want("narrow", "GET", "accounts/"+acme, "", 200, "")
	want("narrow", "GET", "accounts/other/keys", "", 404, "error_not_found")
	want("narrow", "POST", "tokens", "{}", 403, "error_insufficient_scope")
	if g := want("narrow", "GET", "accounts", "", 200, ""); strings.Contains(g.body, "other") {
		t.Errorf("a token for one account lists another one: %s", g.body)
	}
	if g := want("narrow", "GET", "me", "", 200, ""); strings.Contains(g.body, `"other"`) || !strings.Contains(g.body, `"acme"`) {
		t.Errorf("a token for one account is told of another one: %s", g.body)
	}
	want("narrow operator", "GET", "users", "", 403, "error_insufficient_scope")
	want("narrow operator", "GET", "accounts/acme", "", 200, "")
	want("narrow operator", "GET", "accounts/other", "", 404, "error_not_found")
	want("wrong", "GET", "me", "", 401, "error_unauthorized")
	want("key", "GET", "me", "", 401, "error_unauthorized")
	want("nobody", "GET", "nothing", "", 401, "error_unauthorized")
	want("owner", "GET", "nothing", "", 404, "error_not_found")
	want("owner", "DELETE", "me", "", 405, "error_method_not_allowed")
	want("owner", "GET", "me?token="+w.tokens["owner"], "", 400, "error_secret_in_url")
	want("nobody", "GET", "accounts/"+w.tokens["owner"], "", 400, "error_secret_in_url")
	want("operator", "POST", "accounts/other/members", `{"email": "operator@example.com", "role": "owner"}`, 403, "error_insufficient_role")

	becomes := func(who string, status int, code string) {
		t.Helper()
		limited, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		for {
			g := w.as(who, "GET", "me", "")
			if g.status == status && g.code() == code {
				return
			}
			if limited.Err() != nil {
				t.Fatalf("%s: still %d %s", who, g.status, g.body)
			}
		}
	}
	becomes("short", 403, "error_disabled_token")
	id, secret := token("member", commands.KeyTerms{})
	w.tokens["second"] = secret
	becomes("second", 200, "")
	want("member", "POST", "tokens/"+id.String()+"/revoke", "", 200, "")
	becomes("second", 403, "error_disabled_token")
	want("operator", "POST", "users/member@example.com/disable", "", 200, "")
	becomes("member", 403, "error_disabled_token")
	w.must(nil, w.admin.RemoveMember(ctx, "acme", "developer@example.com"))
	want("developer", "GET", "accounts/acme", "", 404, "error_not_found")

	list, err := w.admin.Audit(ctx, "", time.Time{})
	w.must(nil, err)
	byToken, used := 0, map[uuid.UUID]int{}
	for _, e := range list {
		by := e.Data.(events.Administration).Actor()
		if by == nil {
			t.Fatalf("event %d says not by whom it came about", e.Sequence)
		}
		if data, is := e.Data.(*events.TokenUsed); is {
			used[data.TokenID]++
			continue
		}
		if by.How == events.ByToken && by.UserID != nil && by.TokenID != nil {
			byToken++
		}
	}
	if byToken != 3 {
		t.Errorf("%d events are by a token, want 3", byToken)
	}
	for token, times := range used {
		if times != 1 {
			t.Errorf("the use of token %s is recorded %d times in a day", token, times)
		}
	}
	operator, err := w.admin.User(ctx, "operator@example.com")
	w.must(nil, err)
	if at := operator.Tokens[0].LastUsed; at == nil || !at.Equal(at.Truncate(24*time.Hour)) || time.Since(*at) > 48*time.Hour {
		t.Errorf("the token of the operator was used last at %v", at)
	}
}

func TestWrongRequests(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", "accounts/acme/keys", `{`, "400 error_invalid_json"},
		{"POST", "accounts/acme/keys", `{"name": 1}`, "422 name must be a string"},
		{"POST", "accounts/acme/keys", `{"scopes": "read"}`, "422 scopes must be a list"},
		{"POST", "accounts/acme/keys", `{"scopes": ["write"]}`, `422 there is no scope \"write\"`},
		{"POST", "accounts/acme/keys", `{"expires_at": "tomorrow"}`, "422 expires_at must be a time"},
		{"POST", "accounts/acme/keys", `{"expires_at": "2001-01-01T00:00:00Z"}`, "422 the key would expire at"},
		{"POST", "accounts/acme/keys", `{"name": "` + strings.Repeat("x", 1<<20) + `"}`, "413 The body is too large (limit 1 MiB)"},
		{"POST", "accounts/acme/keys", `{"name": "` + strings.Repeat("x", 101) + `"}`, "422 the name of a key has at most 100"},
		{"POST", "accounts/acme/keys/" + uuid.NewString() + "/revoke", "", "404 does not exist"},
		{"POST", "accounts/acme/keys/reckon_x/rotate", "", "404 does not exist"},
		{"POST", "accounts/-/keys/" + uuid.NewString() + "/rotate", "", "404 does not exist"},
		{"POST", "accounts/acme/webhooks", `{}`, "422 a webhook needs a URL such as"},
		{"POST", "accounts/acme/webhooks", `{"url": "hooks.example.com"}`, "422 a webhook needs a URL such as"},
		{"POST", "accounts/acme/webhooks", `{"url": "https://hooks.example.com/\u0000"}`, "422 a webhook needs a URL such as"},
		{"POST", "accounts/acme/webhooks", `{"url": "https://hooks.example.com/ö"}`, "422 a webhook needs a URL such as"},
		{"POST", "accounts/acme/webhooks", `{"url": "http://hooks.example.com"}`, "422 a webhook needs an https address"},
		{"POST", "accounts/acme/webhooks", `{"url": "http://127.0.0.1:9000"}`, "422 a webhook needs an https address"},
		{"POST", "accounts/acme/webhooks", `{"url": "https://169.254.169.254/latest"}`, "422 private network"},
		{"POST", "accounts/acme/webhooks", `{"url": "https://[::ffff:10.0.0.1]/"}`, "422 private network"},
		{"POST", "accounts/acme/webhooks", `{"url": "https://user:word@hooks.example.com"}`, "422 has a user or a fragment"},
		{"POST", "accounts/acme/webhooks", `{"url": "https://hooks.example.com/` + strings.Repeat("x", 2000) + `"}`, "422 at most 2000 bytes"},
		{"POST", "accounts/acme/webhooks", `{"url": "https://hooks.example.com", "events": ["calculation.started"]}`, `422 there is no event \"calculation.started\"`},
		{"POST", "accounts/acme/webhooks", `{"url": "https://hooks.example.com", "events": ["calculation.failed", "calculation.failed"]}`, "422 is named twice"},
		{"POST", "accounts/acme/webhooks", `{"url": "https://hooks.example.com", "name": "` + strings.Repeat("x", 101) + `"}`, "422 at most 100 characters"},
		{"GET", "accounts/acme/webhooks/" + uuid.NewString(), "", "404 does not exist"},
		{"DELETE", "accounts/acme/webhooks/x", "", "404 does not exist"},
		{"POST", "accounts/-/webhooks/" + uuid.NewString() + "/roll", `{"overlap": "1h"}`, "404 does not exist"},
		{"PATCH", "accounts/acme", `{"limits": {"reads": -1}}`, "422 a limit of -1 a second"},
		{"PATCH", "accounts/acme", `{"limits": {"reads": 1.5}}`, "422 limits.reads must be an integer"},
		{"PATCH", "accounts/acme", `{"time_zone": "Mars"}`, "422 time zone"},
		{"POST", "accounts/acme/members", `{"email": "none@example.com", "role": "member"}`, "404 does not exist"},
		{"POST", "accounts/acme/members", `{"email": "stranger@example.com", "role": "king"}`, `422 there is no role \"king\"`},
		{"DELETE", "accounts/acme/members/owner@example.com", "", "409 is the only owner"},
		{"PATCH", "accounts/acme/members/owner@example.com", `{"role": "member"}`, "409 is the only owner"},
		{"GET", "accounts/acme/keys?limit=0", "", "422 limit must be one integer"},
		{"GET", "accounts/acme/keys?starting_after=x", "", "422 starting_after"},
		{"GET", "accounts/acme/audit?since=yesterday", "", "422 since must be a time"},
	} {
		g := w.as("owner", c.method, c.path, c.body)
		status, text, _ := strings.Cut(c.want, " ")
		if fmt.Sprint(g.status) != status || !strings.Contains(g.body, text) {
			t.Errorf("%s %s %.60s: %d %.300s, want %s", c.method, c.path, c.body, g.status, g.body, c.want)
		}
	}
	if g := w.as("owner", "POST", "accounts/acme/keys", "name=x", "Content-Type", "text/plain"); g.status != 415 {
		t.Errorf("a body that is no JSON: %d %s", g.status, g.body)
	}
	g := w.as("owner", "GET", "accounts/acme", "")
	if same := w.as("owner", "GET", "accounts/acme", "", "If-None-Match", g.header.Get("ETag")); same.status != 304 || g.header.Get("X-Request-Id") == "" {
		t.Errorf("the same account: %d %v", same.status, g.header)
	}
	for i := range 5 {
		w.must(w.admin.CreateAccount(t.Context(), commands.CreateAccount{Name: fmt.Sprint("page ", i)}))
	}
	names, after := []string{}, ""
	for range 10 {
		var page struct {
			Accounts []Account `json:"accounts"`
			Next     *string   `json:"next_cursor"`
		}
		g := w.as("operator", "GET", "accounts?limit=3"+after, "")
		if err := json.Unmarshal([]byte(g.body), &page); err != nil || len(page.Accounts) > 3 {
			t.Fatalf("%d %s", g.status, g.body)
		}
		for _, a := range page.Accounts {
			names = append(names, a.Name)
		}
		if page.Next == nil {
			break
		}
		after = "&starting_after=" + *page.Next
	}
	if got := strings.Join(names, ","); got != "acme,other,page 0,page 1,page 2,page 3,page 4" {
		t.Errorf("pages have %s", got)
	}
}

package console

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/go-webauthn/webauthn/protocol/webauthncbor"
	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
	"reckon/http/browsertest"
	"reckon/projections"
)

// device keeps one passkey, and answers as a browser with it does.
type device struct {
	t       *testing.T
	key     *ecdsa.PrivateKey
	id      []byte
	handle  []byte // of the user
	origin  string
	flags   byte
	counter uint32
}

const (
	present, verified, attested = 1, 4, 64 // flags of what a device says
)

func newDevice(t *testing.T, origin string) *device {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	id := make([]byte, 16)
	_, _ = rand.Read(id)
	return &device{t: t, key: key, id: id, origin: origin, flags: present | verified}
}

var coded = base64.RawURLEncoding.EncodeToString

func (d *device) encode(value any) []byte {
	d.t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		d.t.Fatal(err)
	}
	return text
}

// asked is what the console asks of a device.
type asked struct {
	Challenge string `json:"challenge"`
	User      struct {
		ID string `json:"id"`
	} `json:"user"`
	RPID string `json:"rpId"`
	RP   struct {
		ID string `json:"id"`
	} `json:"rp"`
}

func (d *device) says(rp string, flags byte) []byte {
	hash := sha256.Sum256([]byte(rp))
	d.counter++
	return binary.BigEndian.AppendUint32(append(hash[:], flags), d.counter)
}

// makes answers with a new passkey.
func (d *device) makes(a asked) string {
	d.t.Helper()
	var err error
	if d.handle, err = base64.RawURLEncoding.DecodeString(a.User.ID); err != nil {
		d.t.Fatal(err)
	}
	public, err := d.key.PublicKey.Bytes()
	if err != nil {
		d.t.Fatal(err)
	}
	cose, err := webauthncbor.Marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: public[1:33], -3: public[33:]})
	if err != nil {
		d.t.Fatal(err)
	}
	data := append(d.says(a.RP.ID, d.flags|attested), make([]byte, 16)...)
	data = append(binary.BigEndian.AppendUint16(data, uint16(len(d.id))), d.id...)
	object, err := webauthncbor.Marshal(map[string]any{"fmt": "none", "attStmt": map[string]any{}, "authData": append(data, cose...)})
	if err != nil {
		d.t.Fatal(err)
	}
	client := d.encode(map[string]any{"type": "webauthn.create", "challenge": a.Challenge, "origin": d.origin, "crossOrigin": false})
	return string(d.encode(map[string]any{
		"id": coded(d.id), "rawId": coded(d.id), "type": "public-key", "clientExtensionResults": map[string]any{},
		"response": map[string]any{"clientDataJSON": coded(client), "attestationObject": coded(object), "transports": []string{"internal"}},
	}))
}

// signs answers with a signature of the passkey.
func (d *device) signs(a asked) string {
	d.t.Helper()
	data := d.says(a.RPID, d.flags)
	client := d.encode(map[string]any{"type": "webauthn.get", "challenge": a.Challenge, "origin": d.origin, "crossOrigin": false})
	hash := sha256.Sum256(client)
	digest := sha256.Sum256(append(append([]byte{}, data...), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, d.key, digest[:])
	if err != nil {
		d.t.Fatal(err)
	}
	return string(d.encode(map[string]any{
		"id": coded(d.id), "rawId": coded(d.id), "type": "public-key", "clientExtensionResults": map[string]any{},
		"response": map[string]any{"clientDataJSON": coded(client), "authenticatorData": coded(data), "signature": coded(signature), "userHandle": coded(d.handle)},
	}))
}

// begins asks the console what a device is to sign.
func (b browser) begins(path string, fields ...string) (a asked) {
	b.h.t.Helper()
	p := b.post(path, fields...)
	if p.status != 200 || p.header.Get("Content-Type") != "application/json" || json.Unmarshal([]byte(p.text), &a) != nil {
		b.h.t.Fatalf("%s: %d %s", path, p.status, p.text)
	}
	return a
}

func (b browser) beginsAdding() asked {
	return b.begins("/console/you/passkeys/begin", "password", password)
}
func (b browser) beginsSigning() asked {
	return b.begins("/console/passkey/begin")
}

func of(user uuid.UUID) []byte { return user[:] }

// atLocalhost has a house reached by a name.
func atLocalhost(c *Config) { c.Public.Host = "localhost:" + c.Public.Port() }

// comes signs somebody in for the first time.
func (h *house) comes(email string) browser {
	h.t.Helper()
	b := h.browser()
	h.shows("the link of "+email, b.post("/console/invitation", "link", h.invite(email, "acme", projections.RoleOwner), "password", password, "again", password), 200, "/console")
	return b
}

// A passkey is added by whoever knows the password, signs in until it is removed, and what it answered once lets in no more.
func TestPasskeys(t *testing.T) {
	t.Parallel()
	h := open(t, atLocalhost)
	ada, bo := h.comes("ada@example.com"), h.comes("bo@example.com")
	d := newDevice(t, h.url)
	add := func(b browser, name, response string) shown {
		return b.post("/console/you/passkeys", "name", name, "response", response)
	}
	signIn := func(response string) (browser, shown) {
		b := h.browser()
		return b, b.post("/console/passkey", "response", response, "next", "/console/you")
	}
	refusedAt := func(what string, p shown, status int, text string) {
		t.Helper()
		h.shows(what, p, status, p.path, text)
	}

	h.shows("nothing yet", ada.get("/console/you"), 200, "/console/you", "ada@example.com", "You have none.", "This browser", "passkey.js")
	if p := ada.post("/console/you/passkeys/begin", "password", "wrong password"); p.status != 403 || !strings.Contains(p.text, "another one") {
		t.Errorf("a wrong password: %d %s", p.status, p.text)
	}
	first := ada.beginsAdding()
	if first.RP.ID != "localhost" {
		t.Errorf("the passkey is for %q", first.RP.ID)
	}
	made := d.makes(first)
	refusedAt("another's session", add(bo, "", made), 403, "begun too long ago")
	h.shows("a passkey", add(ada, "Laptop <1>", made), 200, "/console/you", "Laptop <1>", "never used")
	refusedAt("the same again", add(ada, "", made), 422, "known already")
	stranger := newDevice(t, "http://localhost:1")
	refusedAt("another origin", add(ada, "", stranger.makes(ada.beginsAdding())), 403, unfit)
	stranger.origin, stranger.flags = h.url, present
	refusedAt("nobody verified", add(ada, "", stranger.makes(ada.beginsAdding())), 403, unfit)
	stranger.flags = present | verified
	refusedAt("a challenge to sign in", add(ada, "", stranger.makes(asked{Challenge: h.browser().beginsSigning().Challenge, RP: first.RP, User: first.User})), 403, "begun too long ago")
	refusedAt("nonsense", add(ada, "", "{"), 403, unfit)
	refusedAt("a long name", add(ada, strings.Repeat("x", 101), stranger.makes(ada.beginsAdding())), 422, "at most 100 characters")
	h.shows("a passkey of the other", add(bo, "", stranger.makes(bo.beginsAdding())), 200, "/console/you", "Passkey of ")
	refusedAt("one of somebody else", add(bo, "", d.makes(bo.beginsAdding())), 422, "known already")
	d.handle = stranger.handle
	_, p := signIn(d.signs(h.browser().beginsSigning()))
	refusedAt("the user of another passkey", p, 403, "lets nobody in here")
	d.handle = of(commands.UserID("ada@example.com"))

	begun := h.browser().beginsSigning()
	answer := d.signs(begun)
	b, p := signIn(answer)
	h.shows("signing in", p, 200, "/console/you", "ada@example.com", "by passkey", "used last")
	_, p = signIn(answer)
	refusedAt("the same answer again", p, 403, "begun too long ago, or was answered before")
	d.counter++
	_, p = signIn(d.signs(begun))
	refusedAt("the same challenge again", p, 403, "begun too long ago, or was answered before")
	for what, spoil := range map[string]func(*device, *asked){
		"another origin":          func(d *device, _ *asked) { d.origin = "https://localhost" },
		"another party":           func(_ *device, a *asked) { a.RPID = "example.com" },
		"nobody verified":         func(d *device, _ *asked) { d.flags = present },
		"nobody present":          func(d *device, _ *asked) { d.flags = verified },
		"another key":             func(d *device, _ *asked) { d.key = stranger.key },
		"an unknown passkey":      func(d *device, _ *asked) { d.id = []byte("another") },
		"no user":                 func(d *device, _ *asked) { d.handle = nil },
		"a challenge of its own":  func(_ *device, a *asked) { a.Challenge = coded(make([]byte, 72)) },
		"a short challenge":       func(_ *device, a *asked) { a.Challenge = "abcd" },
		"a challenge to add one":  func(_ *device, a *asked) { a.Challenge = ada.beginsAdding().Challenge },
		"a changed challenge":     func(_ *device, a *asked) { a.Challenge = "A" + a.Challenge[1:] + "" },
		"a challenge that is odd": func(_ *device, a *asked) { a.Challenge = `\"` },
		"a counter behind":        func(d *device, _ *asked) { d.counter = 1 },
		"a flag that changed":     func(d *device, _ *asked) { d.flags |= 8 },
	} {
		spoiled, a := *d, h.browser().beginsSigning()
		if what == "a changed challenge" && strings.HasPrefix(a.Challenge, "A") {
			a.Challenge = "B" + a.Challenge[1:]
		}
		spoil(&spoiled, &a)
		b, p := signIn(spoiled.signs(a))
		if p.status != 403 || b.session() != "" {
			t.Errorf("%s: %d\n%s", what, p.status, p.text)
		}
		if what == "a counter behind" && !strings.Contains(p.text, "may have been copied") {
			t.Errorf("%s:\n%s", what, p.text)
		}
	}
	_, p = signIn(`{"id":"` + strings.Repeat("x", 10_000) + `"}`)
	refusedAt("nonsense", p, 403, unfit)

	// Removing it ends what it began, and lets in no more.
	pending := d.signs(h.browser().beginsSigning())
	id := regexp.MustCompile(`passkeys/remove"><input type="hidden" name="id" value="([^"]+)"`).FindStringSubmatch(ada.get("/console/you").text)
	h.shows("removing another's", bo.post("/console/you/passkeys/remove", "id", id[1]), 404, "/console/you/passkeys/remove", "no such passkey among yours")
	h.shows("removing it", ada.post("/console/you/passkeys/remove", "id", id[1]), 200, "/console/you", "You have none.")
	h.shows("its session", b.get("/console"), 200, "/console/sign-in")
	_, p = signIn(pending)
	if p.status != 403 {
		t.Errorf("a removed passkey: %d", p.status)
	}
	refusedAt("its first answer again", add(ada, "", made), 403, "answered before")

	// Whoever is disabled does not come in, whatever they prove.
	answer = stranger.signs(h.browser().beginsSigning())
	h.invite("cy@example.com", "acme", projections.RoleOwner)
	if err := h.admin.DisableUser(t.Context(), "bo@example.com"); err != nil {
		t.Fatal(err)
	}
	_, p = signIn(answer)
	refusedAt("a disabled user", p, 403, "lets nobody in here")

	list, err := h.admin.Audit(t.Context(), "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, e := range list {
		seen[events.Name(e.Data)]++
		if by := e.Data.(events.Administration).Actor(); strings.HasPrefix(events.Name(e.Data), "reckon.passkey.") && (by == nil || by.UserID == nil || by.How != events.BySession) {
			t.Errorf("%s is by %v", events.Name(e.Data), by)
		}
	}
	if seen["reckon.passkey.added.v1"] != 2 || seen["reckon.passkey.removed.v1"] != 1 {
		t.Errorf("the log has %v", seen)
	}
}

// A session that is not wanted any more is ended from another one.
func TestSessionsOfOneself(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	here := h.comes("ada@example.com")
	there := h.browser()
	there.post("/console/sign-in", "email", "ada@example.com", "password", password)
	bo := h.comes("bo@example.com")
	p := here.get("/console/you")
	h.shows("two sessions", p, 200, "/console/you", "This browser", "Another browser", "None can be added at this address")
	ids := regexp.MustCompile(`sessions/end"><input type="hidden" name="id" value="([^"]+)"`).FindAllStringSubmatch(p.text, -1)
	if len(ids) != 2 {
		t.Fatalf("%d sessions", len(ids))
	}
	h.shows("another's", bo.post("/console/you/sessions/end", "id", ids[0][1]), 404, "/console/you/sessions/end", "no such session among yours")
	for _, path := range []string{"/console/passkey/begin", "/console/passkey", "/console/you/passkeys/begin", "/console/you/passkeys"} {
		h.shows(path, here.post(path), 404, path, "There are no passkeys at this address")
	}
	h.shows("the other", here.post("/console/you/sessions/end", "id", ids[0][1]), 200, "/console/you", "This browser")
	h.shows("there", there.get("/console"), 200, "/console/sign-in")
	h.shows("this one", here.post("/console/you/sessions/end", "id", ids[1][1]), 200, "/console/sign-in")
}

// Passkeys need a name, and TLS or this machine.
func TestPasskeyAddresses(t *testing.T) {
	for public, want := range map[string]bool{
		"http://localhost:8080": true, "https://reckon.example.com": true, "https://localhost": true,
		"http://127.0.0.1:8080": false, "https://10.0.0.1": false, "https://[::1]:1": false,
	} {
		u, err := url.Parse(public)
		if err != nil {
			t.Fatal(err)
		}
		if w, err := newPasskeys(u); err != nil || (w != nil) != want {
			t.Errorf("%s: %v, %v", public, w != nil, err)
		}
	}
}

// A real browser adds a passkey and signs in with it, under the policy of the pages.
func TestBrowserPasskey(t *testing.T) {
	program := browsertest.Chromium(t)
	if program == "" {
		return
	}
	h := open(t, atLocalhost)
	link := commands.LinkURL(h.console.config.Public, h.invite("ada@example.com", "acme", projections.RoleOwner))
	b := browsertest.Open(t, program, h.url)
	var authenticator webauthn.AuthenticatorID
	b.Do("an authenticator", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		if _, err := chromedp.Call(ctx, webauthn.Enable, webauthn.EnableParams{}); err != nil {
			return err
		}
		made, err := chromedp.Call(ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal, HasResidentKey: true,
			HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		}})
		if err == nil {
			authenticator = made.AuthenticatorID
		}
		return err
	}))
	b.Do("the link", chromedp.Navigate(link), chromedp.WaitNotVisible(chromedp.ID("link-field")))
	b.Fill("a password", "main button", "password", password, "again", password)
	b.Do("you", chromedp.Navigate(h.url+"/console/you"), chromedp.WaitVisible(chromedp.ID("passkey-add")))
	b.Do("a wrong password", chromedp.SendKeys(chromedp.ID("password"), "wrong password"), chromedp.Click(chromedp.CSS("#passkey-add button")),
		chromedp.WaitVisible(chromedp.CSS("#passkey-add .wrong")))
	b.Shows("a wrong password", "/console/you", "The password that you have now is another one.")
	b.Fill("a passkey", "#passkey-add button", "name", "Laptop", "password", password)
	b.Shows("a passkey", "/console/you", "Laptop")
	b.Picture("you")
	b.Do("again", chromedp.SendKeys(chromedp.ID("password"), password), chromedp.Click(chromedp.CSS("#passkey-add button")), chromedp.WaitVisible(chromedp.CSS("#passkey-add .wrong")))
	b.Shows("again", "/console/you", "This device has a passkey for you already.")
	b.Fill("signing out", "header button")
	b.Do("signing in", chromedp.WaitVisible(chromedp.ID("passkey-sign-in")))
	b.Picture("signin-passkey")
	b.Fill("signing in", "#passkey-sign-in button")
	b.Shows("signing in", "/console", "ada@example.com")
	b.Do("you", chromedp.Navigate(h.url+"/console/you"))
	b.Shows("you", "/console/you", "used last")

	// A copy of the device has its counter from before.
	b.Do("a copy", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		has, err := chromedp.Call(ctx, webauthn.GetCredentials, webauthn.GetCredentialsParams{AuthenticatorID: authenticator})
		if err != nil {
			return err
		}
		if len(has.Credentials) != 1 {
			t.Fatalf("the device has %d passkeys", len(has.Credentials))
		}
		of := has.Credentials[0]
		if _, err := chromedp.Call(ctx, webauthn.ClearCredentials, webauthn.ClearCredentialsParams{AuthenticatorID: authenticator}); err != nil {
			return err
		}
		// webauthn.Credential speaks of keys that the device has none of, which a browser that knows them refuses.
		add := cdp.Command[map[string]any, cdp.Empty]{Method: webauthn.CommandAddCredential}
		_, err = chromedp.Call(ctx, add, map[string]any{"authenticatorId": authenticator, "credential": map[string]any{
			"credentialId": of.CredentialID, "isResidentCredential": true, "rpId": of.RpID, "privateKey": of.PrivateKey, "userHandle": of.UserHandle, "signCount": 0,
		}})
		return err
	}))
	b.Fill("signing out", "header button")
	b.Do("a copy", chromedp.WaitVisible(chromedp.ID("passkey-sign-in")))
	b.Fill("a copy", "#passkey-sign-in button")
	b.Shows("a copy", "/console/passkey", "may have been copied")
	b.Fill("the password", "main form button", "email", "ada@example.com", "password", password)
	b.Do("you", chromedp.Navigate(h.url+"/console/you"))
	b.Fill("removing it", "main .cards button")
	b.Shows("removing it", "/console/you", "You have none.")
	b.Fill("signing out", "header button")
	b.Do("a removed one", chromedp.WaitVisible(chromedp.ID("passkey-sign-in")))
	b.Fill("a removed one", "#passkey-sign-in button")
	b.Shows("a removed one", "/console/passkey", "lets nobody in here")
	b.Quiet()
}

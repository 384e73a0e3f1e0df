package console

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	nethttp "net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"reckon/http"
	"reckon/projections"
)

// Provider says which OpenID Connect provider people may sign in with, by the code flow with PKCE.
type Provider struct {
	Issuer string // URL, with https or on this machine
	Client string // id that the provider knows this installation by
	Secret string // "" for none
	Name   string // as the page of signing in calls the provider
}

// provider asks a Provider. What is known of it is asked for when somebody first signs in, since it
// may not be there before.
type provider struct {
	Provider
	client *nethttp.Client

	mutex  sync.Mutex
	known  *oidc.Provider
	missed error // why it was of no use when it was asked last, and when
	at     time.Time
}

const (
	providerPatience = 10 * time.Second
	// providerRest is how long a provider that did not answer is not asked again.
	providerRest = 5 * time.Second
	// attemptLasts is how long somebody may take to sign in elsewhere.
	attemptLasts = 10 * time.Minute
	// CallbackPath is where the provider sends people back to.
	CallbackPath = Path + "/provider/callback"
)

func newProvider(of *Provider) *provider {
	if of == nil {
		return nil
	}
	return &provider{Provider: *of, client: &nethttp.Client{Timeout: providerPatience}}
}

// discover is what the provider says of itself.
func (p *provider) discover() (*oidc.Provider, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.known != nil || p.missed != nil && time.Since(p.at) < providerRest {
		return p.known, p.missed
	}
	// The context goes on with the provider, whose keys are fetched when they change.
	known, err := oidc.NewProvider(oidc.ClientContext(context.Background(), p.client), p.Issuer)
	if err != nil {
		p.missed, p.at = fmt.Errorf("ask the provider %s: %w", p.Issuer, err), time.Now()
		return nil, p.missed
	}
	p.known, p.missed = known, nil
	return known, nil
}

// flow is how the provider is asked, with the place that it sends people back to.
func (p *provider) flow(known *oidc.Provider, public *url.URL) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.Client, ClientSecret: p.Secret, Endpoint: known.Endpoint(),
		RedirectURL: public.JoinPath(CallbackPath).String(), Scopes: []string{oidc.ScopeOpenID, "email"},
	}
}

// attempt is what a browser keeps while its user signs in elsewhere.
type attempt struct{ state, nonce, verifier, next string }

// attemptName is the name of the cookie that it is in.
func (c *Console) attemptName() string { return c.cookieName() + "-provider" }

func (a attempt) String() string {
	return strings.Join([]string{a.state, a.nonce, a.verifier, base64.RawURLEncoding.EncodeToString([]byte(a.next))}, ".")
}

// attempt is that of a browser, ok is false where it has none.
func (c *Console) attempt(r *nethttp.Request) (a attempt, ok bool) {
	cookies := r.CookiesNamed(c.attemptName())
	if len(cookies) != 1 {
		return attempt{}, false
	}
	part := strings.Split(cookies[0].Value, ".")
	if len(part) != 4 {
		return attempt{}, false
	}
	next, err := base64.RawURLEncoding.DecodeString(part[3])
	return attempt{part[0], part[1], part[2], string(next)}, err == nil && part[0] != "" && part[1] != "" && part[2] != ""
}

// unreachable is what is said where the provider is of no use.
var unreachable = http.Failure(nethttp.StatusBadGateway, "error_provider", "The provider that you sign in with does not answer as it should. Try again, or sign in with your password.")

// failed logs why a provider was of no use, without what it was told.
func (c *Console) failed(err error) {
	if refused := (*oauth2.RetrieveError)(nil); errors.As(err, &refused) {
		err = fmt.Errorf("the provider answers %s %q", refused.Response.Status, refused.ErrorCode)
	}
	c.config.Logger.Warn("signing in with the provider failed", "error", err)
}

// toProvider sends a browser to the provider.
func (c *Console) toProvider(v *visit) (http.Answer, error) {
	if c.provider == nil {
		return http.Answer{}, http.NotFound("There is nothing at this path.")
	}
	known, err := c.provider.discover()
	if err != nil {
		c.failed(err)
		return http.Answer{}, unreachable
	}
	next, err := v.x.Query("next")
	if err != nil {
		next = ""
	}
	a := attempt{state: rand.Text(), nonce: rand.Text(), verifier: oauth2.GenerateVerifier(), next: safe(next)}
	v.x.Header().Add("Set-Cookie", c.cookie(c.attemptName(), a.String(), attemptLasts))
	return redirect(c.provider.flow(known, c.config.Public).AuthCodeURL(a.state, oidc.Nonce(a.nonce), oauth2.S256ChallengeOption(a.verifier))), nil
}

// fromProvider signs in whoever comes back from it.
func (c *Console) fromProvider(v *visit) (http.Answer, error) {
	if c.provider == nil {
		return http.Answer{}, http.NotFound("There is nothing at this path.")
	}
	r := v.x.Request()
	a, is := c.attempt(r)
	v.x.Header().Add("Set-Cookie", c.cookie(c.attemptName(), "", 0))
	query := r.URL.Query()
	if !is || subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(a.state)) != 1 {
		v.fault("This was not begun in this browser, or more than ten minutes ago. Begin again here.")
		return c.page("signin", v, nethttp.StatusForbidden, c.signInShown(signInShown{}))
	}
	if query.Get("error") != "" || query.Get("code") == "" {
		v.fault("The provider did not let you in. Try again, or sign in with your password.")
		return c.page("signin", v, nethttp.StatusForbidden, c.signInShown(signInShown{Next: a.next}))
	}
	ctx, cancel := context.WithTimeout(r.Context(), providerPatience)
	defer cancel()
	identity, email, confirmed, err := c.provider.identify(ctx, c.config.Public, query.Get("code"), a)
	if err != nil {
		c.failed(err)
		return http.Answer{}, unreachable
	}
	_, secret, err := c.auth.ByIdentity(ctx, identity, email, confirmed)
	if status, is := refusal(v, err); is {
		v.faulty(err)
		return c.page("signin", v, status, c.signInShown(signInShown{Next: a.next}))
	}
	if err != nil {
		return http.Answer{}, err
	}
	return c.enter(v, secret, a.next)
}

// claims are what a provider says of a user. Some write that the address is confirmed as a text.
type claims struct {
	Subject   string `json:"sub"`
	Email     string `json:"email"`
	Confirmed any    `json:"email_verified"`
}

func (c claims) confirmed() bool { return c.Confirmed == true || c.Confirmed == "true" }

// identify exchanges a code for who has signed in, and their address if the provider tells it.
func (p *provider) identify(ctx context.Context, public *url.URL, code string, a attempt) (of projections.Identity, email string, confirmed bool, err error) {
	known, err := p.discover()
	if err != nil {
		return of, "", false, err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	token, err := p.flow(known, public).Exchange(ctx, code, oauth2.VerifierOption(a.verifier))
	if err != nil {
		return of, "", false, err
	}
	raw, is := token.Extra("id_token").(string)
	if !is {
		return of, "", false, errors.New("the provider gives no ID token")
	}
	id, err := known.VerifierContext(ctx, &oidc.Config{ClientID: p.Client}).Verify(ctx, raw)
	if err != nil {
		return of, "", false, fmt.Errorf("verify the ID token: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(a.nonce)) != 1 {
		return of, "", false, errors.New("the ID token is of another attempt")
	}
	var said claims
	if err := id.Claims(&said); err != nil {
		return of, "", false, fmt.Errorf("read the ID token: %w", err)
	}
	if said.Email == "" && known.UserInfoEndpoint() != "" {
		info, err := known.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if err == nil {
			err = info.Claims(&said)
		}
		if err != nil {
			return of, "", false, fmt.Errorf("ask the provider for the address: %w", err)
		}
		if info.Subject != id.Subject {
			return of, "", false, errors.New("the provider tells the address of somebody else")
		}
	}
	return projections.Identity{Issuer: id.Issuer, Subject: id.Subject}, said.Email, said.confirmed(), nil
}

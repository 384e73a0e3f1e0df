package console

import (
	"context"
	"errors"
	nethttp "net/http"
	"net/url"
	"time"

	"reckon/http"
)

// patience is how long a visit waits for others who sign in.
const patience = 5 * time.Second

// crowded is what is said then.
var crowded = http.Failure(nethttp.StatusServiceUnavailable, "error_server_internal", "Too many people sign in at once. Try again in a moment.")

// within bounds how long a visit waits for its turn.
func within(v *visit) (context.Context, context.CancelFunc) {
	return context.WithTimeout(v.x.Request().Context(), patience)
}

// late explains an error of waiting.
func late(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return crowded
	}
	return err
}

// signInShown is what the page of signing in shows.
type signInShown struct {
	Email, Next string
	Kept        string // form that is sent afterwards, "" for none
	Provider    string // name of the provider, "" for none
	Elsewhere   string // where to sign in with it
	Passkeys    bool   // whether there are any at this address
}

// signInShown adds what else there is to sign in with.
func (c *Console) signInShown(shown signInShown) signInShown {
	shown.Passkeys = c.passkeys != nil
	if c.provider != nil {
		shown.Provider = c.provider.Name
		shown.Elsewhere = Path + "/provider?" + url.Values{"next": {shown.Next}}.Encode()
	}
	return shown
}

// Unsent is the form that waits, nil for none.
func (s signInShown) Unsent() *keptShown { return keptOf(s.Kept) }

func (c *Console) signInPage(v *visit) (http.Answer, error) {
	next, err := v.x.Query("next")
	if err != nil {
		next = ""
	}
	if v.signedIn() {
		return redirect(safe(next)), nil
	}
	return c.page("signin", v, 0, c.signInShown(signInShown{Next: next}))
}

func (c *Console) signIn(v *visit) (http.Answer, error) {
	form, err := v.formOf(maxKept)
	if err != nil {
		return http.Answer{}, err
	}
	kept, led := v.kept(form)
	if led {
		return c.page("signin", v, nethttp.StatusForbidden, c.signInShown(signInShown{Kept: kept}))
	}
	ctx, cancel := within(v)
	defer cancel()
	email := form.Get("email")
	_, secret, err := c.auth.ByPassword(ctx, email, form.Get("password"), v.address)
	if status, is := refusal(v, err); is {
		v.faulty(err)
		return c.page("signin", v, status, c.signInShown(signInShown{Email: email, Next: form.Get("next"), Kept: kept}))
	}
	if err != nil {
		return http.Answer{}, late(err)
	}
	return c.enterWith(v, secret, form)
}

// signOut ends the session on every node.
func (c *Console) signOut(v *visit) (http.Answer, error) {
	if v.signedIn() {
		if err := c.auth.EndSession(v.x.Request().Context(), v.user, v.session.ID); err != nil {
			return http.Answer{}, err
		}
	}
	v.x.Header().Add("Set-Cookie", c.cookie(c.cookieName(), "", 0))
	return redirect(Path + "/sign-in"), nil
}

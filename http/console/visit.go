package console

import (
	"cmp"
	"errors"
	"log/slog"
	"mime"
	"net"
	nethttp "net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/http"
	"reckon/projections"
)

// visit is a request to the console with what is known of whoever asks.
type visit struct {
	x        *http.Exchange
	address  string
	session  projections.Session
	user     projections.User      // the zero User for whoever is not signed in
	accounts []projections.Account // of the user
	account  projections.Account   // that the session is about; the zero Account for none
	role     projections.Role      // of the user in it
	faults   []fault               // of the form that was sent
}

func (v *visit) signedIn() bool { return v.user.ID != uuid.Nil }

// User is who asks; pages show them.
func (v *visit) User() projections.User { return v.user }

// Account is the account that pages are about.
func (v *visit) Account() projections.Account { return v.account }

// Called is what that account is called.
func (v *visit) Called() string { return called(v.account) }

func called(account projections.Account) string { return cmp.Or(account.Title, account.Name) }

// Role is what the user is in it.
func (v *visit) Role() projections.Role { return v.role }

// At tells whether the page is at a path or below, Begins whether it is the start.
func (v *visit) At(path string) bool {
	at := v.x.Request().URL.Path
	return at == path || strings.HasPrefix(at, path+"/")
}
func (v *visit) Begins() bool { return v.x.Request().URL.Path == Path }

// May tells whether the user's role in the account may what another one may.
func (v *visit) May(role string) bool { return v.role.May(projections.Role(role)) }

// Choice tells whether the user has several accounts.
func (v *visit) Choice() bool { return len(v.accounts) > 1 }

// addresses is the name space of ids that are made of network addresses.
var addresses = uuid.MustParse("0d0a1c54-6f0e-4c3b-9d7e-5b1f6c2a8e90")

// share is on whose behalf a visit takes what is bounded: all from an address.
func (v *visit) share() uuid.UUID { return uuid.NewSHA1(addresses, []byte(v.address)) }

// address is where a request comes from: what connects, or, where that is a proxy of ours, what it
// says. Of IPv6 it is the network of 64 bits, of which a caller has all addresses.
func (c *Console) address(r *nethttp.Request) string {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	from, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	forwarded := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for len(forwarded) > 0 && c.isProxy(from) {
		before, err := netip.ParseAddr(strings.TrimSpace(forwarded[len(forwarded)-1]))
		if err != nil {
			break
		}
		from, forwarded = before, forwarded[:len(forwarded)-1]
	}
	from = from.Unmap().WithZone("")
	if from.Is6() {
		if network, err := from.Prefix(64); err == nil {
			return network.String()
		}
	}
	return from.String()
}

func (c *Console) isProxy(address netip.Addr) bool {
	for _, p := range c.config.Proxies {
		if p.Contains(address.Unmap().WithZone("")) {
			return true
		}
	}
	return false
}

// cookieName is the name of the cookie with the session's secret. Browsers take one that begins
// with __Host- from this host alone, and only if it is Secure. On this machine alone it has the
// port, which cookies are not told apart by: another server may answer on another one.
func (c *Console) cookieName() string {
	if c.config.Public.Scheme == "https" {
		return "__Host-reckon"
	}
	return "reckon-" + c.config.Public.Port()
}

// cookie is a cookie of the console, which ends after a time; a time of 0 removes it.
func (c *Console) cookie(name, value string, lasts time.Duration) string {
	cookie := nethttp.Cookie{
		Name: name, Value: value, Path: "/", HttpOnly: true, Secure: c.config.Public.Scheme == "https",
		SameSite: nethttp.SameSiteLaxMode, MaxAge: int(lasts.Seconds()),
	}
	if lasts == 0 {
		cookie.MaxAge = -1
	}
	return cookie.String()
}

// secret is the session's secret of a request, "" for none. Two of them are none: one may have been
// planted.
func (c *Console) secret(r *nethttp.Request) string {
	cookies := r.CookiesNamed(c.cookieName())
	if len(cookies) != 1 {
		return ""
	}
	return cookies[0].Value
}

// recognise finds the user of a visit, and the account that it is about: the one that was chosen,
// or the only one.
func (c *Console) recognise(v *visit) error {
	secret := c.secret(v.x.Request())
	if secret == "" {
		return nil
	}
	session, user, found, err := c.auth.Session(v.x.Request().Context(), secret)
	if err != nil {
		return err
	}
	if !found {
		v.x.Header().Add("Set-Cookie", c.cookie(c.cookieName(), "", 0))
		return nil
	}
	v.session, v.user, v.accounts = session, user, c.views.AccountsOf(user.ID)
	for _, account := range v.accounts {
		if account.ID == session.AccountID || len(v.accounts) == 1 {
			v.account = account
			v.role, _ = account.Role(user.ID)
		}
	}
	v.x.Known(v.share(), slog.String("user_id", user.ID.String()))
	return nil
}

// enter is the answer to whoever has signed in. A session that the browser had before ends.
func (c *Console) enter(v *visit, secret, next string) (http.Answer, error) {
	if v.signedIn() {
		if err := c.auth.EndSession(v.x.Request().Context(), v.user, v.session.ID); err != nil {
			return http.Answer{}, err
		}
	}
	v.x.Header().Add("Set-Cookie", c.cookie(c.cookieName(), secret, commands.SessionHolds))
	return redirect(safe(next)), nil
}

// enterWith is enter for a form that says what follows: a page, or what it keeps.
func (c *Console) enterWith(v *visit, secret string, form url.Values) (http.Answer, error) {
	a, err := c.enter(v, secret, form.Get("next"))
	if k := keptOf(form.Get("kept")); k != nil && err == nil {
		return c.goOn(v, k)
	}
	return a, err
}

// safe is a page of the console that may follow, which is home for whatever is none.
func safe(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || strings.Contains(next, `\`) || !strings.HasPrefix(u.Path, Path+"/") {
		return Path
	}
	return u.RequestURI()
}

const maxForm = 64 << 10

// form reads the form that a request sends.
func (v *visit) form() (url.Values, error) { return v.formOf(maxForm) }

// formOf is form for one of so many bytes at most.
func (v *visit) formOf(limit int64) (url.Values, error) {
	body, err := v.x.Body(limit, func(header nethttp.Header, _ int) error {
		if kind, _, err := mime.ParseMediaType(header.Get("Content-Type")); err != nil || kind != formType {
			return http.Failure(nethttp.StatusUnsupportedMediaType, "error_unsupported_media_type", "A form is expected, as a page of the console sends it.")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, http.Failure(nethttp.StatusBadRequest, "error_invalid_form", "The form cannot be read. Go back and send it again.")
	}
	return form, nil
}

// refusal is an error of signing in that a page shows beside its form: the status. ok is false for
// all other errors.
func refusal(v *visit, err error) (status int, ok bool) {
	var wait *commands.WaitError
	var refused *commands.RefusedError
	switch {
	case errors.As(err, &wait):
		v.x.Header().Set("Retry-After", strconv.Itoa(wait.Seconds()))
		return nethttp.StatusTooManyRequests, true
	case errors.Is(err, commands.ErrCredentials), errors.Is(err, commands.ErrLink), errors.Is(err, commands.ErrIdentity),
		errors.Is(err, commands.ErrPasskey), errors.Is(err, commands.ErrCopied), errors.Is(err, commands.ErrChallenge):
		return nethttp.StatusForbidden, true
	case errors.Is(err, commands.ErrPassword), errors.As(err, &refused):
		return nethttp.StatusUnprocessableEntity, true
	}
	return 0, false
}

// sentence is an error as a page says it.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

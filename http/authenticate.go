package http

import (
	"crypto/sha256"
	"log/slog"
	nethttp "net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"reckon/projections"
)

// authenticate finds the account of a request's key. The key itself is hashed and forgotten. One
// that is not known here may have been created a moment ago: it is looked up again in views that
// hold all there was when the request came.
func (s *Server) authenticate(x *Exchange) error {
	secret, ok := bearer(x.r.Header)
	if !ok {
		return unauthorized
	}
	hash := sha256.Sum256([]byte(secret))
	key, account, found, err := s.views.Authenticate(hash)
	if err == nil && !found {
		if err = s.views.Fresh(x.r.Context()); err == nil {
			key, account, found, err = s.views.Authenticate(hash)
		}
	}
	switch {
	case err != nil:
		return err
	case !found:
		return unauthorized
	}
	x.account, x.key = account, key
	x.Known(account.ID, slog.String("account_id", account.ID.String()), slog.String("key_id", key.ID.String()))
	if refused := refusal(key, account); refused != nil {
		return refused
	}
	s.service.Note(account.ID)
	return nil
}

// refusal is why a key is of no use, nil where it is.
func refusal(key projections.Key, account projections.Account) *failure {
	switch {
	case key.Revoked:
		return disabledKey
	case key.Expired(time.Now()):
		return expiredKey
	case account.Suspended != nil:
		return suspended
	}
	return nil
}

// bearer reads the key of an Authorization header: exactly one value, the scheme in any case, one
// word behind it.
func bearer(header nethttp.Header) (string, bool) {
	values := header.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	scheme, rest, _ := strings.Cut(values[0], " ")
	secret := strings.Trim(rest, " ")
	return secret, strings.EqualFold(scheme, "Bearer") && visible(secret, len(secret))
}

// secrets is what those begin with that people and programs have.
var secrets = []string{"reckon_live_", "reckon_token_", "reckon_link_", "reckon_session_"}

// hasSecret tells whether there is one in an address, which is written down in many places.
func hasSecret(u *url.URL) bool {
	query, err := url.QueryUnescape(u.RawQuery)
	if err != nil {
		query = u.RawQuery
	}
	return namesSecret(u.Path + "?" + query)
}

func namesSecret(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(secrets, func(begin string) bool { return strings.Contains(text, begin) })
}

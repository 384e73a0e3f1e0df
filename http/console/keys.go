package console

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/http"
	"reckon/projections"
)

// keysShown is what the page of keys shows.
type keysShown struct {
	Active, Ended []keyShown
	Domains       []projections.Domain
	Secret        string // of the key that was just made, which no other page shows
	Made          string // what that key is called
	Address       string // of /v1
	Name          string // as it was written in the form
	Changes       bool   // the visitor may make and end keys
}

// keyShown is a key in the list.
type keyShown struct {
	ID       uuid.UUID
	Name     string
	Hint     string
	May      string // what it may do
	Created  string
	LastUsed string // "" for never
	Expires  string // "" for never
	Overlap  string // until when the secret before it holds, "" for not at all
	State    string
}

// overlaps are those that a rotation offers, by their hours.
var overlaps = map[string]time.Duration{"0": 0, "1": time.Hour, "24": 24 * time.Hour, "168": commands.MaxOverlap}

func (c *Console) keysPage(v *visit) (http.Answer, error) { return c.keys(v, 0, keysShown{}) }

// keys lists the keys of the account.
func (c *Console) keys(v *visit, status int, s keysShown) (http.Answer, error) {
	ctx, now, zone := v.x.Request().Context(), time.Now(), zoneOf(v.account)
	if err := c.views.Fresh(ctx); err != nil {
		return http.Answer{}, err
	}
	account, _ := c.views.Account(v.account.ID)
	used, err := c.views.AccountUsed(ctx, account.ID, now)
	if err != nil {
		return http.Answer{}, err
	}
	s.Domains, s.Changes = c.views.Domains(account.ID), v.role.May(projections.RoleDeveloper)
	s.Address = c.config.Public.JoinPath("/v1/domains").String()
	for _, k := range account.Keys {
		row := keyShown{ID: k.ID, Name: k.Name, Hint: k.Hint, May: c.may(account.ID, k), Created: moment(k.CreatedAt, zone), State: "active"}
		if row.Name == "" {
			row.Name = "Without a name"
		}
		if at, ok := used.LastUsed[k.ID]; ok {
			row.LastUsed = moment(at, zone)
		}
		if k.ExpiresAt != nil {
			row.Expires = moment(*k.ExpiresAt, zone)
		}
		if k.Earlier != nil && now.Before(k.Earlier.Until) {
			row.Overlap = moment(k.Earlier.Until, zone)
		}
		switch {
		case k.Revoked:
			row.State = "revoked"
		case k.Expired(now):
			row.State = "expired"
		}
		if row.State == "active" {
			s.Active = append(s.Active, row)
		} else {
			s.Ended = append(s.Ended, row)
		}
	}
	slices.Reverse(s.Active)
	slices.Reverse(s.Ended)
	return c.page("keys", v, status, s)
}

// may says what a key may do.
func (c *Console) may(account uuid.UUID, k projections.Key) string {
	text := "Calculates and reads"
	if !k.Calculates() {
		text = "Reads"
	}
	var titles []string
	for _, scope := range k.Scopes {
		if id, err := uuid.Parse(strings.TrimPrefix(scope, projections.ScopeDomain)); err == nil && strings.HasPrefix(scope, projections.ScopeDomain) {
			title := "a domain that is gone"
			if d, found := c.views.Domain(account, id); found {
				title = commands.Title(d)
			}
			titles = append(titles, title)
		}
	}
	if len(titles) > 0 {
		text += ", for " + strings.Join(titles, ", ") + " alone"
	}
	return text
}

// createKey makes a key, whose secret the answer alone shows.
func (c *Console) createKey(v *visit) (http.Answer, error) {
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
	}
	s := keysShown{Name: strings.TrimSpace(form.Get("name"))}
	terms := commands.KeyTerms{Name: s.Name}
	if form.Get("may") == projections.ScopeRead {
		terms.Scopes = append(terms.Scopes, projections.ScopeRead)
	}
	if domain := form.Get("domain"); domain != "" {
		terms.Scopes = append(terms.Scopes, projections.ScopeDomain+domain)
	}
	if text := form.Get("expires"); text != "" {
		day, err := time.ParseInLocation("2006-01-02", text, zoneOf(v.account))
		if err != nil {
			v.fault("The day on which the key ends cannot be read. Write it as 2027-01-31.", "expires")
			return c.keys(v, unprocessable, s)
		}
		end := day.AddDate(0, 0, 1)
		terms.ExpiresAt = &end
	}
	_, secret, err := c.admin(v).CreateKey(v.x.Request().Context(), v.account.Name, terms)
	return c.showSecret(v, s, s.Name, secret, err)
}

// showSecret shows the secret of a key, or why there is none.
func (c *Console) showSecret(v *visit, s keysShown, name, secret string, err error) (http.Answer, error) {
	if err != nil {
		if !v.refused(err) {
			return http.Answer{}, err
		}
		return c.keys(v, unprocessable, s)
	}
	s.Name, s.Secret, s.Made = "", secret, name
	return c.keys(v, 0, s)
}

// key is the account's key that the path names.
func (c *Console) key(v *visit) (projections.Key, error) {
	id, ok := v.x.ID("key")
	for _, k := range v.account.Keys {
		if ok && k.ID == id {
			return k, nil
		}
	}
	return projections.Key{}, http.NotFound("There is no such key in this account.")
}

// rotateKey gives a key a new secret, which the answer alone shows.
func (c *Console) rotateKey(v *visit) (http.Answer, error) {
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
	}
	k, err := c.key(v)
	if err != nil {
		return http.Answer{}, err
	}
	secret, err := c.admin(v).RotateKey(v.x.Request().Context(), k.ID, overlaps[form.Get("overlap")])
	return c.showSecret(v, keysShown{}, k.Name, secret, err)
}

// revokeKey ends a key for ever.
func (c *Console) revokeKey(v *visit) (http.Answer, error) {
	if _, err := v.form(); err != nil {
		return http.Answer{}, err
	}
	k, err := c.key(v)
	if err != nil {
		return http.Answer{}, err
	}
	if err := c.admin(v).RevokeKey(v.x.Request().Context(), k.ID); err != nil {
		return http.Answer{}, err
	}
	return redirect(Path + "/keys"), nil
}

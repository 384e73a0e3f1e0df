package admin

import (
	nethttp "net/http"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/http"
	"reckon/projections"
)

// Token is a token as lists show it.
type Token struct {
	ID        uuid.UUID  `json:"id"`
	Name      string     `json:"name"`
	Hint      string     `json:"hint"`
	State     string     `json:"state"` // active, expired or revoked
	Scopes    []string   `json:"scopes"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"`
	LastUsed  *time.Time `json:"last_used_at"` // to the day, null for never
}

func tokenOf(t projections.Token, now time.Time) Token {
	return Token{t.ID, t.Name, t.Hint, stateOf(t.Revoked, t.Expired(now)), list(t.Scopes), t.CreatedAt, t.ExpiresAt, t.LastUsed}
}

// stateOf is what a list says of a key or a token.
func stateOf(revoked, expired bool) string {
	switch {
	case revoked:
		return "revoked"
	case expired:
		return "expired"
	}
	return "active"
}

// TokenSecret is a token with its secret, which is shown once.
type TokenSecret struct {
	ID    uuid.UUID `json:"id"`
	Token string    `json:"token"`
}

// Ended is a key or a token that has ended.
type Ended struct {
	ID    uuid.UUID `json:"id"`
	State string    `json:"state"`
}

// Terms is what a key or a token is called, what it may do and for how long.
type Terms struct {
	Name      string     `json:"name"`
	Scopes    []string   `json:"scopes"`
	ExpiresAt *time.Time `json:"expires_at"`
}

func (t Terms) terms() commands.KeyTerms {
	if t.ExpiresAt != nil {
		at := t.ExpiresAt.UTC()
		t.ExpiresAt = &at
	}
	return commands.KeyTerms{Name: t.Name, Scopes: t.Scopes, ExpiresAt: t.ExpiresAt}
}

// Me is who asks.
type Me struct {
	User     User         `json:"user"`
	Token    *Token       `json:"token"` // that was used, null in a shell
	Accounts []Membership `json:"accounts"`
}

// Membership is an account that a user has a part in.
type Membership struct {
	ID   uuid.UUID        `json:"id"`
	Name string           `json:"name"`
	Role projections.Role `json:"role"`
}

func (q *request) me() (http.Answer, error) {
	if q.caller.shell() {
		return http.Answer{}, http.NotFound("a shell is no user: what it does is recorded as of " + q.shell.Name)
	}
	accounts, err := q.admin.Accounts(q.ctx())
	if err != nil {
		return http.Answer{}, err
	}
	token := tokenOf(q.caller.token, time.Now())
	me := Me{userOf(q.caller.user), &token, []Membership{}}
	for _, a := range accounts {
		if role, is := a.Role(q.caller.user.ID); is && q.caller.token.Sees(a.ID) {
			me.Accounts = append(me.Accounts, Membership{a.ID, a.Name, role})
		}
	}
	return http.Answer{Body: me}, nil
}

// ofSelf and ofUser say of whom the tokens are: of who asks, or of the user that the path names.
func ofSelf(handle func(*request, projections.User) (http.Answer, error)) func(*request) (http.Answer, error) {
	return func(q *request) (http.Answer, error) {
		user, err := q.admin.UserWith(q.ctx(), q.caller.user.ID, "of a shell")
		if err != nil {
			return http.Answer{}, err
		}
		return handle(q, user)
	}
}

func ofUser(handle func(*request, projections.User) (http.Answer, error)) func(*request) (http.Answer, error) {
	return func(q *request) (http.Answer, error) {
		user, err := q.user()
		if err != nil {
			return http.Answer{}, err
		}
		return handle(q, user)
	}
}

func (q *request) tokens(of projections.User) (http.Answer, error) {
	rows, now := []Token{}, time.Now()
	for _, t := range of.Tokens {
		rows = append(rows, tokenOf(t, now))
	}
	return answerPart(q, "tokens", of.ID, rows)
}

// createToken makes a token of who asks. Nobody makes one of somebody else, and none that may more
// than the one it is asked by.
func (q *request) createToken(of projections.User) (http.Answer, error) {
	if !q.caller.shell() && of.ID != q.caller.user.ID {
		return http.Answer{}, http.Failure(nethttp.StatusForbidden, "error_insufficient_role", "A token is made by the user whose it is, or in a shell of the server.")
	}
	if !q.caller.shell() && len(q.caller.token.Scopes) > 0 {
		return http.Answer{}, http.Failure(nethttp.StatusForbidden, "error_insufficient_scope", "A token that is limited makes no others.")
	}
	var terms Terms
	if err := q.object(&terms); err != nil {
		return http.Answer{}, err
	}
	id, secret, err := q.admin.CreateToken(q.ctx(), of.Email, terms.terms())
	if err != nil {
		return http.Answer{}, err
	}
	return http.Answer{Status: nethttp.StatusCreated, Body: TokenSecret{id, secret}}, nil
}

func (q *request) revokeToken(of projections.User) (http.Answer, error) {
	id, ok := q.ID("token")
	if !ok {
		return http.Answer{}, http.NotFound("There is no token with this id.")
	}
	if err := q.admin.RevokeToken(q.ctx(), of.Email, id); err != nil {
		return http.Answer{}, err
	}
	return http.Answer{Body: Ended{id, "revoked"}}, nil
}

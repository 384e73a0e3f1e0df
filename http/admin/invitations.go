package admin

import (
	nethttp "net/http"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/http"
	"reckon/projections"
)

// Invite invites a person, who may be known already.
type Invite struct {
	Email    string           `json:"email"`
	Name     string           `json:"name"`     // of a user who is new
	Role     projections.Role `json:"role"`     // in the account; "" for a member whose role stays
	Operator bool             `json:"operator"` // to run the installation
}

// Invitation is what became of an Invite.
type Invitation struct {
	User      User       `json:"user"`
	Secret    string     `json:"secret"`     // of a link that lets in once, shown once; "" for a user whom another way lets in
	Link      *string    `json:"link"`       // with the secret in it, null where that is "", and where there is no console
	ExpiresAt *time.Time `json:"expires_at"` // of the link, null for none
}

// Session is a session of a browser as lists show it.
type Session struct {
	ID        uuid.UUID `json:"id"`
	Way       string    `json:"way"`
	StartedAt time.Time `json:"started_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

// invite invites to the account of the path, or to the installation. An operator gives no role to
// themselves, and only an operator makes others.
func (q *request) invite() (http.Answer, error) {
	var i Invite
	if err := q.object(&i); err != nil {
		return http.Answer{}, err
	}
	if i.Operator && !q.caller.operator() {
		return http.Answer{}, insufficient(operator)
	}
	if i.Role != "" {
		if err := q.anothers(commands.UserID(i.Email)); err != nil {
			return http.Answer{}, err
		}
	}
	made, err := q.admin.Invite(q.ctx(), commands.Invite{Email: i.Email, Name: i.Name, Account: q.account.Name, Role: i.Role, Operator: i.Operator})
	if err != nil {
		return http.Answer{}, err
	}
	answer := Invitation{User: userOf(made.User), Secret: made.Secret}
	if made.Secret != "" {
		answer.ExpiresAt = &made.ExpiresAt
		if q.links != nil {
			link := commands.LinkURL(q.links, made.Secret)
			answer.Link = &link
		}
	}
	return http.Answer{Status: nethttp.StatusCreated, Body: answer}, nil
}

func (q *request) sessions() (http.Answer, error) {
	user, err := q.user()
	if err != nil {
		return http.Answer{}, err
	}
	rows, now := []Session{}, time.Now()
	for _, s := range user.Sessions {
		if !s.Expired(now) {
			rows = append(rows, Session{s.ID, s.Way, s.StartedAt, s.ExpiresAt})
		}
	}
	return answerPart(q, "sessions", user.ID, rows)
}

func (q *request) signOut() (http.Answer, error) {
	return q.changed(func(email string) error { return q.admin.EndSessions(q.ctx(), email) })
}

package admin

import (
	nethttp "net/http"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/http"
	"reckon/projections"
)

// Member is a member as lists show it.
type Member struct {
	UserID uuid.UUID        `json:"user_id"`
	Email  string           `json:"email"`
	Name   string           `json:"name"`
	Role   projections.Role `json:"role"`
	Since  time.Time        `json:"since"`
}

// NewMember is a user, by address, with the role that they are to have.
type NewMember struct {
	Email string           `json:"email"`
	Role  projections.Role `json:"role"`
}

// RoleChange is the role that a member is to have.
type RoleChange struct {
	Role projections.Role `json:"role"`
}

// memberOf is a member of the account with their address.
func (q *request) memberOf(m projections.Member) (Member, error) {
	user, err := q.admin.UserWith(q.ctx(), m.UserID, m.UserID.String())
	return Member{m.UserID, user.Email, user.Name, m.Role, m.Since}, err
}

func (q *request) members() (http.Answer, error) {
	rows := []Member{}
	for _, m := range q.account.Members {
		row, err := q.memberOf(m)
		if err != nil {
			return http.Answer{}, err
		}
		rows = append(rows, row)
	}
	return answerPart(q, "members", q.account.ID, rows)
}

// anothers refuses an operator who would give themselves a role in an account.
func (q *request) anothers(user uuid.UUID) error {
	if err := commands.Another(q.account, q.caller.user.ID, user); err != nil && !q.caller.shell() {
		return http.Failure(nethttp.StatusForbidden, "error_insufficient_role", "An operator gives roles to others. Ask an owner of the account, or another operator.")
	}
	return nil
}

func (q *request) addMember() (http.Answer, error) {
	var n NewMember
	if err := q.object(&n); err != nil {
		return http.Answer{}, err
	}
	user, err := q.admin.User(q.ctx(), n.Email)
	if err == nil {
		err = q.anothers(user.ID)
	}
	if err == nil {
		err = q.admin.AddMember(q.ctx(), q.account.Name, n.Email, n.Role)
	}
	if err != nil {
		return http.Answer{}, err
	}
	return q.became(user.ID, nethttp.StatusCreated)
}

// member is the address of the user whom the path names, whether or not they are a member.
func (q *request) member() (projections.User, error) {
	text, _ := q.Named("user")
	id, isID := http.CanonicalUUID(text)
	if !isID {
		return projections.User{ID: commands.UserID(text), Email: text}, nil
	}
	for _, m := range q.account.Members {
		if m.UserID == id || q.repeats() {
			return q.admin.UserWith(q.ctx(), id, text)
		}
	}
	return projections.User{ID: id, Email: text}, nil
}

func (q *request) changeMember() (http.Answer, error) {
	var c RoleChange
	if err := q.object(&c); err != nil {
		return http.Answer{}, err
	}
	user, err := q.member()
	if err == nil {
		err = q.anothers(user.ID)
	}
	if err == nil {
		err = q.admin.ChangeMember(q.ctx(), q.account.Name, user.Email, c.Role)
	}
	if err != nil {
		return http.Answer{}, err
	}
	return q.became(user.ID, nethttp.StatusOK)
}

func (q *request) removeMember() (http.Answer, error) {
	user, err := q.member()
	if err == nil {
		err = q.admin.RemoveMember(q.ctx(), q.account.Name, user.Email)
	}
	if err != nil {
		return http.Answer{}, err
	}
	return http.Answer{Status: nethttp.StatusNoContent}, nil
}

// became answers with what a user is in the account after a change.
func (q *request) became(user uuid.UUID, status int) (http.Answer, error) {
	account, err := q.admin.AccountWith(q.ctx(), q.account.ID, q.account.Name)
	if err != nil {
		return http.Answer{}, err
	}
	for _, m := range account.Members {
		if m.UserID == user {
			row, err := q.memberOf(m)
			return http.Answer{Status: status, Body: row}, err
		}
	}
	return http.Answer{Status: nethttp.StatusNoContent}, nil // another change has come in between
}

package admin

import (
	nethttp "net/http"
	"time"

	"github.com/google/uuid"

	"reckon/http"
	"reckon/projections"
)

// User is a user as lists show it.
type User struct {
	ID        uuid.UUID `json:"id"`
	Email     string    `json:"email"`
	Name      string    `json:"name"`
	State     string    `json:"state"` // active or disabled
	Operator  bool      `json:"operator"`
	CreatedAt time.Time `json:"created_at"`
}

func userOf(u projections.User) User {
	state := "active"
	if u.Disabled {
		state = "disabled"
	}
	return User{u.ID, u.Email, u.Name, state, u.Operator, u.CreatedAt}
}

// NewUser is what a user is made of.
type NewUser struct {
	Email string `json:"email"`
	Name  string `json:"name"`
}

func (q *request) users() (http.Answer, error)     { return q.listUsers("users", false) }
func (q *request) operators() (http.Answer, error) { return q.listUsers("operators", true) }

func (q *request) listUsers(name string, operators bool) (http.Answer, error) {
	users, err := q.admin.Users(q.ctx())
	if err != nil {
		return http.Answer{}, err
	}
	rows := []User{}
	for _, u := range users {
		if u.Operator || !operators {
			rows = append(rows, userOf(u))
		}
	}
	return answerPart(q, name, uuid.Nil, rows)
}

func (q *request) createUser() (http.Answer, error) {
	var n NewUser
	if err := q.object(&n); err != nil {
		return http.Answer{}, err
	}
	user, err := q.admin.CreateUser(q.ctx(), n.Email, n.Name)
	if err != nil {
		return http.Answer{}, err
	}
	return http.Answer{Status: nethttp.StatusCreated, Body: userOf(user)}, nil
}

func (q *request) showUser() (http.Answer, error) {
	user, err := q.user()
	return http.Answer{Body: userOf(user)}, err
}

// changed changes a user by their address, and answers with what they are then.
func (q *request) changed(change func(email string) error) (http.Answer, error) {
	user, err := q.user()
	if err == nil {
		err = change(user.Email)
	}
	if err != nil {
		return http.Answer{}, err
	}
	return q.showUser()
}

func (q *request) disableUser() (http.Answer, error) {
	return q.changed(func(email string) error { return q.admin.DisableUser(q.ctx(), email) })
}

func (q *request) enableUser() (http.Answer, error) {
	return q.changed(func(email string) error { return q.admin.EnableUser(q.ctx(), email) })
}

func (q *request) addOperator() (http.Answer, error) {
	return q.changed(func(email string) error { return q.admin.SetOperator(q.ctx(), email, true) })
}

func (q *request) removeOperator() (http.Answer, error) {
	return q.changed(func(email string) error { return q.admin.SetOperator(q.ctx(), email, false) })
}

package projections

import (
	"context"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// User is a person whom the installation knows.
type User struct {
	ID        uuid.UUID `json:"id"`
	Email     string    `json:"email"` // as it was written first
	Name      string    `json:"name,omitempty"`
	Disabled  bool      `json:"disabled"`
	Operator  bool      `json:"operator"` // runs the installation, while not disabled
	CreatedAt time.Time `json:"created_at"`
	Sequence  uint64    `json:"sequence"`
}

// ApplyUser folds an event of a user's subject.
func ApplyUser(u User, e events.Event) User {
	u.Sequence = e.Sequence
	switch data := e.Data.(type) {
	case *events.UserCreated:
		u.ID, u.Email, u.Name, u.CreatedAt = data.UserID, data.Email, data.Name, e.Time
	case *events.UserDisabled:
		u.Disabled = true
	case *events.UserEnabled:
		u.Disabled = false
	case *events.OperatorAdded:
		u.Operator = true
	case *events.OperatorRemoved:
		u.Operator = false
	}
	return u
}

// usersModel has the document <user>: User.
var usersModel = model{
	name: "users", version: 1, readable: 1,
	folds: []any{
		(*events.UserCreated)(nil), (*events.UserDisabled)(nil), (*events.UserEnabled)(nil),
		(*events.OperatorAdded)(nil), (*events.OperatorRemoved)(nil),
	},
	open: func(b *bucket, _ *messageLog) view { return openUsers(b) },
}

// users holds every user in memory, since each request of administration asks for one.
type users struct{ table[User] }

func (u User) entity() entityKey      { return entityKey{account: u.ID} }
func (u User) madeBy() uint64         { return u.Sequence }
func (u User) stands() events.Subject { return events.UserSubject(u.ID) }

func openUsers(b *bucket) *users {
	return &users{table[User]{
		bucket: b, pattern: "*", index: func(User, User) {},
		byKey: map[entityKey]User{}, folded: map[entityKey]folded[User]{},
	}}
}

func (s *users) apply(_ context.Context, e events.Event) error {
	s.fold(entityKey{account: e.Subject.Account()}, e, ApplyUser)
	return nil
}

// User returns a user as far as they are folded.
func (v *Views) User(id uuid.UUID) (User, bool) {
	return viewOf[*users](v.serving.Load()).get(entityKey{account: id})
}

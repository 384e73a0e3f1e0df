package projections

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// Actor is who administered, and how.
type Actor = events.Actor

// Member is a user in an account.
type Member struct {
	UserID uuid.UUID `json:"user_id"`
	Role   Role      `json:"role"`
	Since  time.Time `json:"since"` // when they joined
}

// Role is what a member may do in an account. Each may what those before it may.
type Role string

// The roles, from the least to the most.
const (
	RoleMember    Role = "member"    // ask and read
	RoleDeveloper Role = "developer" // and keys and domains
	RoleOwner     Role = "owner"     // and members and settings
)

// Roles are all roles, from the least to the most.
var Roles = []Role{RoleMember, RoleDeveloper, RoleOwner}

// May tells whether a role may all that another one may.
func (r Role) May(least Role) bool {
	return slices.Index(Roles, r) >= max(0, slices.Index(Roles, least))
}

// Role is the role of a user in the account, and whether they have one.
func (a Account) Role(user uuid.UUID) (Role, bool) {
	if i := a.member(user); i >= 0 {
		return a.Members[i].Role, true
	}
	return "", false
}

// Owners is how many owners the account has.
func (a Account) Owners() int {
	n := 0
	for _, m := range a.Members {
		if m.Role == RoleOwner {
			n++
		}
	}
	return n
}

// member is the position of a member, -1 where a user is none.
func (a Account) member(user uuid.UUID) int {
	return slices.IndexFunc(a.Members, func(m Member) bool { return m.UserID == user })
}

package console

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/http"
	"reckon/projections"
)

// peopleShown is what the page of people shows.
type peopleShown struct {
	Members []memberShown
	Roles   []projections.Role
	Linked  linkShown
	Email   string // as it was written in the form
	Name    string
	Role    projections.Role
	Changes bool // the visitor may change who is in the account
}

// memberShown is a member in the list.
type memberShown struct {
	ID      uuid.UUID
	Email   string
	Name    string
	Role    projections.Role
	Since   string
	Invited string // until when the link holds that nobody has used, "" where none is out
	Never   bool   // nothing lets them in: there is no password, no passkey, no provider and no link
	Self    bool
}

func (c *Console) peoplePage(v *visit) (http.Answer, error) { return c.people(v, 0, peopleShown{}) }

// people lists the members of the account.
func (c *Console) people(v *visit, status int, s peopleShown) (http.Answer, error) {
	if err := c.views.Fresh(v.x.Request().Context()); err != nil {
		return http.Answer{}, err
	}
	account, _ := c.views.Account(v.account.ID)
	zone, now := zoneOf(account), time.Now()
	s.Changes, s.Roles = v.role.May(projections.RoleOwner), projections.Roles
	for _, m := range account.Members {
		s.Members = append(s.Members, c.memberOf(v, m, zone, now))
	}
	return c.page("people", v, status, s)
}

// memberOf is a member as lists show them.
func (c *Console) memberOf(v *visit, m projections.Member, zone *time.Location, now time.Time) memberShown {
	user, _ := c.views.User(m.UserID)
	row := memberShown{ID: m.UserID, Email: user.Email, Name: user.Name, Role: m.Role, Since: moment(m.Since, zone), Self: m.UserID == v.user.ID}
	if user.Link != nil && now.Before(user.Link.ExpiresAt) {
		row.Invited = moment(user.Link.ExpiresAt, zone)
	}
	row.Never = row.Invited == "" && user.Password == "" && len(user.Passkeys)+len(user.Identities) == 0
	return row
}

// invite makes a person a member, with a link that lets them in, or gives a member another link.
func (c *Console) invite(v *visit) (http.Answer, error) {
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
	}
	s := peopleShown{Email: strings.TrimSpace(form.Get("email")), Name: strings.TrimSpace(form.Get("name")), Role: projections.Role(form.Get("role"))}
	made, err := c.admin(v).Invite(v.x.Request().Context(), commands.Invite{Email: s.Email, Name: s.Name, Account: v.account.Name, Role: s.Role})
	if err != nil {
		return c.refusedPeople(v, s, err)
	}
	return c.people(v, 0, peopleShown{Linked: c.linkOf(made, zoneOf(v.account))})
}

// refusedPeople shows why something cannot be done with people.
func (c *Console) refusedPeople(v *visit, s peopleShown, err error, fields ...string) (http.Answer, error) {
	if !v.refused(err, fields...) {
		return http.Answer{}, err
	}
	return c.people(v, unprocessable, s)
}

// member is the member of the account that the path names.
func (c *Console) member(v *visit) (projections.User, error) {
	id, ok := v.x.ID("user")
	for _, m := range v.account.Members {
		if user, found := c.views.User(m.UserID); ok && found && m.UserID == id {
			return user, nil
		}
	}
	return projections.User{}, http.NotFound("There is no such person in this account.")
}

// changeRole gives a member another role.
func (c *Console) changeRole(v *visit) (http.Answer, error) {
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
	}
	user, err := c.member(v)
	if err != nil {
		return http.Answer{}, err
	}
	if err := c.admin(v).ChangeMember(v.x.Request().Context(), v.account.Name, user.Email, projections.Role(form.Get("role"))); err != nil {
		return c.refusedPeople(v, peopleShown{}, err, "role-"+user.ID.String())
	}
	return redirect(Path + "/people"), nil
}

// removeMember ends what a member may in the account, at once.
func (c *Console) removeMember(v *visit) (http.Answer, error) {
	if _, err := v.form(); err != nil {
		return http.Answer{}, err
	}
	user, err := c.member(v)
	if err != nil {
		return http.Answer{}, err
	}
	if err := c.admin(v).RemoveMember(v.x.Request().Context(), v.account.Name, user.Email); err != nil {
		return c.refusedPeople(v, peopleShown{}, err)
	}
	return redirect(Path + "/people"), nil
}

package console

import (
	"errors"
	nethttp "net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events/log"
	"reckon/http"
	"reckon/projections"
)

// tenantPath is where operators see an account: who is in it and what it may use, and nothing of
// what it asks.
const tenantPath = installationPath + "/accounts/{id}"

const unprocessable = nethttp.StatusUnprocessableEntity

func tenantOfID(id uuid.UUID) string { return installationPath + "/accounts/" + id.String() }

// tenantShown is what the page of an account shows to operators.
type tenantShown struct {
	Account projections.Account
	Row     tenantRow
	Since   string // of a suspension
	Members []memberShown
	Roles   []projections.Role
	Ceiling []limitShown
	Linked  linkShown
	Email   string // as it was written in the form
	Role    projections.Role
	Done    string
}

// linkShown is a link that was just made, which no other page shows.
type linkShown struct {
	URL    string
	For    string // whom it lets in
	Holds  string // until when
	Joined string // who joined without a link, since another way lets them in
}

// tenant finds the account that the path names.
func (c *Console) tenant(v *visit) (projections.Account, error) {
	id, _ := v.x.ID("id")
	account, err := c.admin(v).AccountWith(v.x.Request().Context(), id, id.String())
	if errors.Is(err, commands.ErrNone) {
		err = http.NotFound("There is no such account.")
	}
	return account, err
}

func (c *Console) tenantPage(v *visit) (http.Answer, error) {
	account, err := c.tenant(v)
	if err != nil {
		return http.Answer{}, err
	}
	done := ""
	if v.x.Request().URL.Query().Has("kept") {
		done = "It is kept."
	}
	return c.showTenant(v, 0, account, nil, tenantShown{Done: done})
}

// showTenant shows an account, with its ceiling as it is or as a form has it.
func (c *Console) showTenant(v *visit, status int, account projections.Account, form url.Values, s tenantShown) (http.Answer, error) {
	now := time.Now()
	s.Account, s.Row, s.Roles = account, c.tenantOf(account, now), projections.Roles
	if account.Suspended != nil {
		s.Since = moment(account.Suspended.Since, time.UTC)
	}
	if err := c.views.Fresh(v.x.Request().Context()); err != nil {
		return http.Answer{}, err
	}
	for _, m := range account.Members {
		s.Members = append(s.Members, c.memberOf(v, m, time.UTC, now))
	}
	for _, l := range limits {
		value := written(*l.of(&account.Ceiling))
		if form != nil {
			value = form.Get(l.name)
		}
		s.Ceiling = append(s.Ceiling, limitShown{l.name, l.what, value, 0})
	}
	return c.page("tenant", v, status, s)
}

// changeTenant has a form change an account, and shows why it cannot.
func (c *Console) changeTenant(v *visit, change func(projections.Account, url.Values) error) (http.Answer, error) {
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
	}
	account, err := c.tenant(v)
	if err != nil {
		return http.Answer{}, err
	}
	if err := change(account, form); err != nil && !v.refused(err) {
		return http.Answer{}, err
	}
	if v.faults != nil {
		return c.showTenant(v, unprocessable, account, form, tenantShown{})
	}
	return redirect(tenantOfID(account.ID) + "?kept"), nil
}

// changeCeiling changes what owners may set as limits at most.
func (c *Console) changeCeiling(v *visit) (http.Answer, error) {
	return c.changeTenant(v, func(account projections.Account, form url.Values) error {
		change := commands.ChangeAccount{Name: account.Name}
		for _, l := range limits {
			*l.change(&change.Ceiling) = v.wholeOf(form, l.name, l.what)
		}
		if v.faults != nil {
			return nil
		}
		_, err := c.admin(v).ChangeAccount(v.x.Request().Context(), change)
		return err
	})
}

// suspend ends the use of an account.
func (c *Console) suspend(v *visit) (http.Answer, error) {
	return c.changeTenant(v, func(account projections.Account, form url.Values) error {
		_, err := c.admin(v).Suspend(v.x.Request().Context(), account.Name, strings.TrimSpace(form.Get("reason")))
		return err
	})
}

// resume takes an account into use again.
func (c *Console) resume(v *visit) (http.Answer, error) {
	return c.changeTenant(v, func(account projections.Account, _ url.Values) error {
		_, err := c.admin(v).Resume(v.x.Request().Context(), account.Name)
		return err
	})
}

// linkTo invites a person to an account, or gives one of its members another link.
func (c *Console) linkTo(v *visit) (http.Answer, error) {
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
	}
	account, err := c.tenant(v)
	if err != nil {
		return http.Answer{}, err
	}
	return c.linked(v, account, commands.Invite{Email: strings.TrimSpace(form.Get("email")), Account: account.Name, Role: projections.Role(form.Get("role"))})
}

// linked invites, and shows the account with the link.
func (c *Console) linked(v *visit, account projections.Account, invite commands.Invite) (http.Answer, error) {
	var err error
	if invite.Role != "" {
		err = commands.Another(account, v.user.ID, commands.UserID(invite.Email))
	}
	var made commands.Invitation
	if err == nil {
		made, err = c.admin(v).Invite(v.x.Request().Context(), invite)
	}
	if err != nil {
		if !v.refused(err) {
			return http.Answer{}, err
		}
		return c.showTenant(v, unprocessable, account, nil, tenantShown{Email: invite.Email, Role: invite.Role})
	}
	if account, err = c.admin(v).AccountWith(v.x.Request().Context(), account.ID, account.Name); err != nil {
		return http.Answer{}, err
	}
	return c.showTenant(v, 0, account, nil, tenantShown{Linked: c.linkOf(made, time.UTC)})
}

// linkOf is what a page shows of an invitation.
func (c *Console) linkOf(made commands.Invitation, zone *time.Location) linkShown {
	if made.Secret == "" {
		return linkShown{Joined: made.User.Email}
	}
	return linkShown{URL: commands.LinkURL(c.config.Public, made.Secret), For: made.User.Email, Holds: moment(made.ExpiresAt, zone)}
}

// refused notes why something that is administered cannot be done, and tells whether the error says
// that; fields are those that it is about where it does not name any.
func (v *visit) refused(err error, fields ...string) bool {
	refused := (*commands.RefusedError)(nil)
	is := errors.As(err, &refused) || slices.ContainsFunc(refusals, func(e error) bool { return errors.Is(err, e) })
	if is {
		v.faulty(err, fields...)
	}
	return is
}

// refusals are the errors that say so beside commands.RefusedError.
var refusals = []error{
	commands.ErrLastOwner, commands.ErrNone, commands.ErrExists, commands.ErrOneself, commands.ErrRevoked, commands.ErrForeignSecret, log.ErrFull, errNoEvents,
	commands.ErrSeen, commands.ErrSuspended, commands.ErrRetired, errTaken, errOther,
}

// wholeOf reads a whole number of a form, 0 where the field is empty, and notes what is wrong with
// it.
func (v *visit) wholeOf(form url.Values, name, what string) *int {
	text := strings.NewReplacer(",", "", " ", "").Replace(form.Get(name))
	n, err := strconv.Atoi(text)
	if text != "" && (err != nil || n < 0) {
		v.fault(what+": "+strconv.Quote(form.Get(name))+" is no whole number. Leave the field empty for none.", name)
	}
	return &n
}

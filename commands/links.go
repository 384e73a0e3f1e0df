package commands

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/projections"
)

const (
	linkPrefix = "reckon_link_"
	// linkLasts is how long a link that was not used lets in.
	linkLasts = 24 * time.Hour
	// InvitationPath is where the console takes links.
	InvitationPath = "/console/invitation"
)

// Invite is an invitation of a person who may be known already.
type Invite struct {
	Email    string
	Name     string           // of a user who is new
	Account  string           // "" for none
	Role     projections.Role // in the account; "" for a member whose role stays
	Operator bool             // to run the installation
}

// Invitation is what became of an Invite.
type Invitation struct {
	User      projections.User
	Secret    string // of the link that lets in once, kept nowhere; "" for a user whom another way lets in
	ExpiresAt time.Time
}

// LinkURL is the address that a link's secret makes with the public address of the console. The
// secret is behind #, which browsers send nowhere.
func LinkURL(public *url.URL, secret string) string {
	return public.JoinPath(InvitationPath).String() + "#" + secret
}

// Invite makes a person known, a member and an operator as far as they are not yet, and gives them
// a link that lets in once. The link before it ends. Whoever is no operator gets a link only for
// users of their own accounts: it would let in to the others. It fails with ErrNone for an account
// that is not there, and for a user where the invitation is to nothing.
func (a Admin) Invite(ctx context.Context, c Invite) (Invitation, error) {
	a.Request = a.Request.unfinished()
	user, err := a.invited(ctx, c)
	if err != nil {
		return Invitation{}, err
	}
	if may, err := a.mayLink(ctx, user); err != nil || !may {
		return Invitation{User: user}, err
	}
	secret, hash := newSecret(linkPrefix)
	invitation := Invitation{Secret: secret, ExpiresAt: time.Now().Add(linkLasts).UTC().Truncate(time.Second)}
	invitation.User, err = a.changeUser(ctx, c.Email, func(u projections.User) (any, error) {
		if u.Disabled {
			return nil, disabled(u)
		}
		return &events.LinkIssued{LinkID: uuid.New(), Hash: hash, ExpiresAt: invitation.ExpiresAt}, nil
	})
	if err != nil {
		return Invitation{}, err
	}
	return invitation, nil
}

// LinkHolds tells whether a secret is that of the link that lets a user in now. It fails with
// ErrNone.
func (a Admin) LinkHolds(ctx context.Context, email, secret string) (bool, error) {
	user, err := a.User(ctx, email)
	if err != nil || user.Link == nil {
		return false, err
	}
	hash := sha256.Sum256([]byte(secret))
	return user.Link.Hash == hex.EncodeToString(hash[:]) && !user.Link.Expired(time.Now()), nil
}

// invited is the user of an invitation, who is what it invites to from then on.
func (a Admin) invited(ctx context.Context, c Invite) (projections.User, error) {
	if c.Account != "" {
		if _, err := a.Account(ctx, c.Account); err != nil {
			return projections.User{}, err
		}
	}
	if c.Role != "" {
		if err := checkRole(c.Role); err != nil {
			return projections.User{}, err
		}
	}
	user, err := a.User(ctx, c.Email)
	switch {
	case err == nil && user.Disabled:
		return user, disabled(user)
	case errors.Is(err, ErrNone) && (c.Account == "" || c.Role == "") && !c.Operator:
		return user, fmt.Errorf("user %q %w: invite them to an account with a role, or as an operator", c.Email, ErrNone)
	case errors.Is(err, ErrNone):
		if user, err = a.CreateUser(ctx, c.Email, c.Name); errors.Is(err, ErrExists) {
			user, err = a.User(ctx, c.Email)
		}
	}
	if err != nil {
		return user, err
	}
	if c.Account != "" {
		if err := a.invitedTo(ctx, c, user); err != nil {
			return user, err
		}
	}
	if c.Operator {
		err = a.SetOperator(ctx, c.Email, true)
	}
	return user, err
}

// invitedTo makes a user a member with the invitation's role.
func (a Admin) invitedTo(ctx context.Context, c Invite, user projections.User) error {
	account, err := a.Account(ctx, c.Account)
	if err != nil {
		return err
	}
	role, is := account.Role(user.ID)
	switch {
	case is && c.Role != "" && role != c.Role:
		return about("role", refused("%q has the role %s in account %q: change it with `reckon member role`", user.Email, role, account.Name))
	case is:
		return nil
	case c.Role == "":
		return about("role", refused("%q is not a member of account %q: say with which role they are invited: member, developer or owner", user.Email, account.Name))
	}
	err = a.AddMember(ctx, c.Account, c.Email, c.Role)
	if errors.Is(err, ErrExists) { // somebody else was first
		return a.invitedTo(ctx, c, user)
	}
	return err
}

// mayLink tells whether the actor may have a link of a user, which lets in to all that is theirs.
func (a Admin) mayLink(ctx context.Context, user projections.User) (bool, error) {
	if a.By.UserID == nil {
		return true, nil
	}
	by, err := a.readUser(ctx, *a.By.UserID)
	if err != nil || by.Operator && !by.Disabled {
		return err == nil, err
	}
	user, err = a.readUser(ctx, user.ID)
	if err != nil || user.Operator {
		return false, err
	}
	accounts, err := a.Accounts(ctx)
	if err != nil {
		return false, err
	}
	for _, account := range accounts {
		_, member := account.Role(user.ID)
		if role, _ := account.Role(by.ID); member && role != projections.RoleOwner {
			return false, nil
		}
	}
	return true, nil
}

package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

// ErrLastOwner says that an account would be left without an owner.
var ErrLastOwner = errors.New("is the only owner: make another member an owner first, with `reckon member role`")

// ErrOneself says that an operator would give themselves a role.
var ErrOneself = errors.New("an operator gives roles to others: ask an owner of the account, or another operator")

// Another fails with ErrOneself where a user would give a role in an account to themselves, unless
// they are an owner of it.
func Another(account projections.Account, by, to uuid.UUID) error {
	if role, _ := account.Role(by); by == to && role != projections.RoleOwner {
		return ErrOneself
	}
	return nil
}

const (
	maxEmail    = 254 // bytes
	maxUserName = 100 // characters
)

// UserID is the id of the user with this e-mail address. Addresses are told apart ignoring case.
func UserID(email string) uuid.UUID {
	return uuid.NewSHA1(names, []byte("user "+strings.ToLower(email)))
}

func checkEmail(email string) error {
	local, host, ok := strings.Cut(email, "@")
	odd := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == '@' }
	if !ok || local == "" || host == "" || len(email) > maxEmail || !utf8.ValidString(email) ||
		strings.ContainsFunc(local, odd) || strings.ContainsFunc(host, odd) {
		return about("email", refused("give an e-mail address such as ada@example.com, of at most %d bytes", maxEmail))
	}
	return nil
}

func checkUserName(name string) error {
	switch {
	case utf8.RuneCountInString(name) > maxUserName || !utf8.ValidString(name):
		return about("name", refused("the name of a user has at most %d characters, in UTF-8", maxUserName))
	case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return about("name", refused("the name of a user has a character that is not shown"))
	}
	return nil
}

// CreateUser makes a person known. It fails with ErrExists where the address is taken.
func (a Admin) CreateUser(ctx context.Context, email, name string) (projections.User, error) {
	if err := errors.Join(checkEmail(email), checkUserName(name)); err != nil {
		return projections.User{}, err
	}
	user, done, err := a.userDone(ctx, UserID(email))
	if done {
		return user, err
	}
	user, err = a.appendUser(ctx, user, &events.UserCreated{UserID: user.ID, Email: email, Name: name})
	if errors.Is(err, log.ErrConflict) {
		return user, fmt.Errorf("user %q %w", email, ErrExists)
	}
	return user, err
}

// User finds a user by e-mail address. It fails with ErrNone.
func (a Admin) User(ctx context.Context, email string) (projections.User, error) {
	return a.UserWith(ctx, UserID(email), email)
}

// UserWith finds a user by id, whom the caller calls by an address. It fails with ErrNone.
func (a Admin) UserWith(ctx context.Context, id uuid.UUID, email string) (projections.User, error) {
	user, err := a.readUser(ctx, id)
	if err == nil && user.Sequence == 0 {
		err = noUser(email)
	}
	return user, err
}

func noUser(email string) error {
	return fmt.Errorf("user %q %w: `reckon user invite EMAIL --account NAME --role ROLE` invites somebody, `reckon user list` names those there are", email, ErrNone)
}

// Users lists all users in the order of their addresses.
func (a Admin) Users(ctx context.Context) ([]projections.User, error) {
	ids, err := a.Log.Users(ctx)
	if err != nil {
		return nil, err
	}
	list := []projections.User{}
	for _, id := range ids {
		user, err := a.readUser(ctx, id)
		if err != nil {
			return nil, err
		}
		list = append(list, user)
	}
	sortBy(list, func(u projections.User) string { return strings.ToLower(u.Email) })
	return list, nil
}

// DisableUser ends all memberships of a user and takes from them the use of everything; EnableUser
// takes back the second alone. It fails with ErrNone, and with ErrLastOwner where an account would
// be left without an owner.
func (a Admin) DisableUser(ctx context.Context, email string) error {
	user, err := a.User(ctx, email)
	if err != nil {
		return err
	}
	if a.Request.did(events.UserSubject(user.ID), &events.UserDisabled{}, nil) {
		return nil
	}
	if err := a.leaveAll(ctx, user); err != nil {
		return err
	}
	_, err = a.changeUser(ctx, email, func(u projections.User) (any, error) {
		if u.Disabled {
			return nil, nil
		}
		return &events.UserDisabled{UserID: u.ID}, nil
	})
	if err != nil {
		return err
	}
	return a.leaveAll(ctx, user) // also what they were given meanwhile
}

func (a Admin) leaveAll(ctx context.Context, user projections.User) error {
	accounts, err := a.Accounts(ctx)
	if err != nil {
		return err
	}
	for _, account := range accounts {
		role, is := account.Role(user.ID)
		if is && role == projections.RoleOwner && account.Owners() == 1 {
			return lastOwner(user.Email, account)
		}
	}
	for _, account := range accounts {
		if _, is := account.Role(user.ID); !is {
			continue
		}
		if err := a.RemoveMember(ctx, account.Name, user.Email); err != nil && !errors.Is(err, ErrNone) {
			return err
		}
	}
	return nil
}

// EnableUser lets a user who was disabled do again what they may.
func (a Admin) EnableUser(ctx context.Context, email string) error {
	_, err := a.changeUser(ctx, email, func(u projections.User) (any, error) {
		if !u.Disabled {
			return nil, nil
		}
		return &events.UserEnabled{UserID: u.ID}, nil
	})
	return err
}

// SetOperator makes a user an operator of the installation, or ends that.
func (a Admin) SetOperator(ctx context.Context, email string, operator bool) error {
	_, err := a.changeUser(ctx, email, func(u projections.User) (any, error) {
		switch {
		case u.Operator == operator:
			return nil, nil
		case operator:
			return &events.OperatorAdded{UserID: u.ID}, nil
		}
		return &events.OperatorRemoved{UserID: u.ID}, nil
	})
	return err
}

// AddMember gives a user a role in an account. It fails with ErrNone for the account or the user,
// and with ErrExists where the user is a member.
func (a Admin) AddMember(ctx context.Context, account, email string, role projections.Role) error {
	if err := checkRole(role); err != nil {
		return err
	}
	user, err := a.User(ctx, email)
	if err != nil {
		return err
	}
	if user.Disabled {
		return disabled(user)
	}
	_, err = a.change(ctx, AccountID(account), account, func(account projections.Account) (any, error) {
		if _, is := account.Role(user.ID); is {
			return nil, fmt.Errorf("member %q of account %q %w: change what they may with `reckon member role`", user.Email, account.Name, ErrExists)
		}
		return &events.MemberJoined{UserID: user.ID, Role: string(role)}, nil
	})
	return err
}

// ChangeMember gives a member another role. It fails with ErrNone, and with ErrLastOwner.
func (a Admin) ChangeMember(ctx context.Context, account, email string, role projections.Role) error {
	if err := checkRole(role); err != nil {
		return err
	}
	return a.changeMember(ctx, account, email, role, func(user uuid.UUID, before projections.Role) any {
		if before == role {
			return nil
		}
		return &events.MemberChanged{UserID: user, Role: string(role)}
	})
}

// RemoveMember ends a membership, and the user's sessions. It fails with ErrNone, and with
// ErrLastOwner.
func (a Admin) RemoveMember(ctx context.Context, account, email string) error {
	err := a.changeMember(ctx, account, email, "", func(user uuid.UUID, _ projections.Role) any {
		return &events.MemberRemoved{UserID: user}
	})
	if err != nil {
		return err
	}
	return a.EndSessions(ctx, email)
}

// changeMember decides about a member, who has the role after it that is given, against the history
// of the account: of two owners who remove each other at once, one is refused.
func (a Admin) changeMember(ctx context.Context, account, email string, after projections.Role, decide func(uuid.UUID, projections.Role) any) error {
	user := UserID(email)
	_, err := a.change(ctx, AccountID(account), account, func(account projections.Account) (any, error) {
		role, is := account.Role(user)
		switch {
		case !is:
			return nil, fmt.Errorf("member %q of account %q %w: `reckon member list` names those there are", email, account.Name, ErrNone)
		case role == projections.RoleOwner && after != projections.RoleOwner && account.Owners() == 1:
			return nil, lastOwner(email, account)
		}
		return decide(user, role), nil
	})
	return err
}

func lastOwner(email string, account projections.Account) error {
	return fmt.Errorf("%q of account %q %w", email, account.Name, ErrLastOwner)
}

func checkRole(role projections.Role) error {
	if slices.Contains(projections.Roles, role) {
		return nil
	}
	return about("role", refused("there is no role %q: there are member, developer and owner", role))
}

func (a Admin) readUser(ctx context.Context, id uuid.UUID) (projections.User, error) {
	user := projections.User{ID: id}
	if a.Views != nil {
		if folded, found := a.Views.User(id); found {
			user = folded
		}
	}
	history, err := a.Log.Read(ctx, events.UserSubject(id), user.Sequence)
	if err != nil {
		return projections.User{}, fmt.Errorf("read user: %w", err)
	}
	for _, e := range history {
		user = projections.ApplyUser(user, e)
	}
	return user, nil
}

// changeUser is change for users.
func (a Admin) changeUser(ctx context.Context, email string, decide func(projections.User) (any, error)) (projections.User, error) {
	for {
		user, err := a.User(ctx, email)
		if err != nil {
			return user, err
		}
		data, err := decide(user)
		if a.Request.did(events.UserSubject(user.ID), data, err) {
			user, _, err = a.userDone(ctx, user.ID)
			return user, err
		}
		if err != nil || data == nil {
			return user, err
		}
		user, err = a.appendUser(ctx, user, data)
		if !errors.Is(err, log.ErrConflict) {
			return user, err
		}
	}
}

func (a Admin) appendUser(ctx context.Context, user projections.User, data any) (projections.User, error) {
	e := newEvent(events.UserSubject(user.ID), data)
	sequence, err := a.record(ctx, e, user.Sequence)
	if err != nil {
		return user, fmt.Errorf("record the change: %w", err)
	}
	e.Sequence = sequence
	return projections.ApplyUser(user, e), nil
}

package commands

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/projections"
)

var (
	// ErrPasskey says that a passkey lets nobody in.
	ErrPasskey = errors.New("this passkey lets nobody in here: it may have been removed. Sign in in another way")
	// ErrCopied says that a passkey's counter did not go on, as that of a copy would not.
	ErrCopied = errors.New("this passkey's counter of signatures did not go on: it may have been copied. Sign in in another way, remove it and add a new one")
)

// NewPasskey is a passkey that a device has made, as it proves.
type NewPasskey struct {
	Name           string // as the user calls it; "" for one by its date
	Credential     []byte
	PublicKey      []byte
	Transports     []string
	BackupEligible bool
	Counter        uint32
	Challenge      []byte // that was answered
}

// UsedPasskey is a signature of a passkey.
type UsedPasskey struct {
	ID        uuid.UUID
	Counter   uint32
	Challenge []byte // that was answered
}

// BeginPasskey is what a device has to sign for a new passkey of a user, in one of their sessions
// and with their password, if they have one. It fails as ByPassword does.
func (a *Authenticator) BeginPasskey(ctx context.Context, user projections.User, session projections.Session, password, address string) ([]byte, error) {
	if user.Password != "" {
		if _, err := a.prove(ctx, user.Email, password, address); err != nil {
			return nil, err
		}
	}
	if len(user.Passkeys) >= projections.MaxPasskeys {
		return nil, refused("there are %d passkeys, which is the most: remove one first", len(user.Passkeys))
	}
	return addChallenge(session), nil
}

// Answers tells whether a challenge of BeginPasskey is one of a session and may be answered now. It
// fails with ErrChallenge.
func (*Authenticator) Answers(challenge []byte, session projections.Session) error {
	_, err := holds(challenge, session.ID, []byte(session.Hash), "add", time.Now())
	return err
}

// AddPasskey gives a user a passkey, which this node knows from then on. It fails with ErrChallenge
// where the challenge does not hold, or did once.
func (a *Authenticator) AddPasskey(ctx context.Context, user projections.User, session projections.Session, n NewPasskey) error {
	now := time.Now()
	used, err := holds(n.Challenge, session.ID, []byte(session.Hash), "add", now)
	if err != nil {
		return err
	}
	if n.Name = strings.TrimSpace(n.Name); n.Name == "" {
		n.Name = "Passkey of " + now.UTC().Format("2 January 2006")
	}
	if err := checkUserName(n.Name); err != nil {
		return about("name", refused("the name of a passkey has at most %d characters, all of which are shown", maxUserName))
	}
	if _, taken := a.views.UserOfPasskey(n.Credential); taken {
		return refused("this passkey is known already")
	}
	_, err = a.as(user.ID).changeUser(ctx, user.Email, func(u projections.User) (any, error) {
		_, taken := u.PasskeyWith(n.Credential)
		_, signedIn := u.Session(session.ID)
		switch {
		case u.Disabled, !signedIn:
			return nil, ErrCredentials
		case taken:
			return nil, refused("this passkey is known already")
		case len(u.Passkeys) >= projections.MaxPasskeys:
			return nil, refused("there are %d passkeys, which is the most: remove one first", len(u.Passkeys))
		}
		if err := unused(u, used, now); err != nil {
			return nil, err
		}
		return &events.PasskeyAdded{
			PasskeyID: uuid.New(), Name: n.Name, Credential: n.Credential, PublicKey: n.PublicKey, Transports: n.Transports,
			BackupEligible: n.BackupEligible, Counter: n.Counter, Seal: random(32), Challenge: used,
		}, nil
	})
	if err != nil {
		return err
	}
	return a.views.Fresh(ctx)
}

// PasskeyUser is the user whose passkey a device knows by an id, and who says so of themselves. It
// fails with ErrChallenge where a challenge to sign in does not hold, and with ErrPasskey.
func (a *Authenticator) PasskeyUser(ctx context.Context, challenge, credential, says []byte) (projections.User, error) {
	if _, err := a.answersSignIn(ctx, challenge, time.Now()); err != nil {
		return projections.User{}, err
	}
	user, found := a.views.UserOfPasskey(credential)
	if !found || string(says) != string(user.ID[:]) || user.Disabled {
		return projections.User{}, ErrPasskey
	}
	return user, nil
}

// ByPasskey signs in whoever has proved to have a passkey. It fails as PasskeyUser does, with
// ErrCopied where the passkey's counter did not go on, and with a WaitError.
func (a *Authenticator) ByPasskey(ctx context.Context, user projections.User, by UsedPasskey) (projections.User, string, error) {
	now := time.Now()
	used, err := a.answersSignIn(ctx, by.Challenge, now)
	if err != nil {
		return user, "", err
	}
	secret, hash := newSecret(sessionPrefix)
	user, err = a.as(user.ID).changeUser(ctx, user.Email, func(u projections.User) (any, error) {
		passkey, is := u.Passkey(by.ID)
		if u.Disabled || !is {
			return nil, ErrPasskey
		}
		if err := unused(u, used, now); err != nil {
			return nil, err
		}
		if by.Counter <= passkey.Counter && (by.Counter != 0 || passkey.Counter != 0) {
			return nil, ErrCopied
		}
		e := newSession(hash, events.WayPasskey)
		e.Passkey = &events.PasskeyUsed{PasskeyID: by.ID, Counter: by.Counter, Challenge: used}
		return e, nil
	})
	if err != nil {
		return user, "", err
	}
	return user, secret, nil
}

// RemovePasskey lets a passkey of a user in no more, and ends the sessions that were started by it.
// It fails with ErrNone.
func (a Admin) RemovePasskey(ctx context.Context, email string, id uuid.UUID) error {
	_, err := a.changeUser(ctx, email, func(u projections.User) (any, error) {
		if _, is := u.Passkey(id); !is {
			return nil, fmt.Errorf("passkey %s of user %q %w: `reckon user passkeys` shows those there are", id, u.Email, ErrNone)
		}
		return &events.PasskeyRemoved{PasskeyID: id}, nil
	})
	return err
}

// RemovePasskey is that of a user themselves, which this node knows from then on.
func (a *Authenticator) RemovePasskey(ctx context.Context, user projections.User, id uuid.UUID) error {
	if err := a.as(user.ID).RemovePasskey(ctx, user.Email, id); err != nil {
		return err
	}
	return a.views.Fresh(ctx)
}

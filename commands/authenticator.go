package commands

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

// Errors of signing in, matched with errors.Is.
var (
	// ErrCredentials says that nobody signs in so: the user is unknown or disabled, or the password is
	// another one.
	ErrCredentials = errors.New("the e-mail address or the password is wrong")
	// ErrLink says that a link lets nobody in.
	ErrLink = errors.New("the link is not valid: it may have been used, be older than a day, or a newer one may have been made")
	// ErrIdentity says that a provider vouches for somebody whom nobody invited.
	ErrIdentity = errors.New("nobody was invited with the address that this provider has confirmed")
)

const (
	// hashing is how many passwords are hashed at once, on all behalves. Each takes 19 MiB and about
	// 30 ms of a processor.
	hashing = 1
	// hashingRest is how many times as long as a password was hashed none is hashed behind it: a flood
	// of attempts takes a third of a processor.
	hashingRest = 2
)

// Authenticator lets people in, and knows who is. It may be used from several goroutines.
type Authenticator struct {
	log      *log.Log
	views    *projections.Views
	turns    *FairSemaphore // of hashing passwords, by address
	attempts attempts
	cost     parameters // of new hashes
}

// NewAuthenticator lets in to the installation that a log is of.
func NewAuthenticator(l *log.Log, views *projections.Views) *Authenticator {
	return &Authenticator{log: l, views: views, turns: NewFairSemaphore(hashing, hashing), attempts: attempts{failed: map[string]failures{}}, cost: today}
}

// as administers in the name of a user.
func (a *Authenticator) as(user uuid.UUID) Admin {
	return Admin{Log: a.log, Views: a.views, By: events.Actor{How: events.BySession, UserID: &user}}
}

// Session finds the session with a secret and its user. found is false for one that has ended. It
// fails with projections.ErrBehind where this node does not know now.
func (a *Authenticator) Session(ctx context.Context, secret string) (session projections.Session, user projections.User, found bool, err error) {
	hash := sha256.Sum256([]byte(secret))
	session, user, found, err = a.views.AuthenticateSession(hash)
	if err == nil && !found { // it may have been started a moment ago, elsewhere
		if err = a.views.Fresh(ctx); err == nil {
			session, user, found, err = a.views.AuthenticateSession(hash)
		}
	}
	if err != nil || !found || session.Expired(time.Now()) || user.Disabled {
		return projections.Session{}, projections.User{}, false, err
	}
	return session, user, true, nil
}

// EndSession signs a user out in one browser, which this node knows from then on. Doing so again
// changes nothing.
func (a *Authenticator) EndSession(ctx context.Context, user projections.User, session uuid.UUID) error {
	_, err := a.as(user.ID).changeUser(ctx, user.Email, func(u projections.User) (any, error) {
		if _, is := u.Session(session); !is {
			return nil, nil
		}
		return &events.SessionEnded{UserID: u.ID, SessionID: &session}, nil
	})
	if err != nil {
		return err
	}
	return a.views.Fresh(ctx)
}

// MoveSession has a session be about another account of its user, which this node knows from then
// on. It fails with ErrNone where they are no member of it, and where the session has ended.
func (a *Authenticator) MoveSession(ctx context.Context, user projections.User, session, account uuid.UUID) error {
	admin := a.as(user.ID)
	of, err := admin.read(ctx, account)
	if err != nil {
		return err
	}
	if _, is := of.Role(user.ID); !is {
		return fmt.Errorf("the account %w", ErrNone)
	}
	_, err = admin.changeUser(ctx, user.Email, func(u projections.User) (any, error) {
		switch s, is := u.Session(session); {
		case !is:
			return nil, fmt.Errorf("the session %w", ErrNone)
		case s.AccountID == account:
			return nil, nil
		}
		return &events.SessionMoved{SessionID: session, AccountID: account}, nil
	})
	if err != nil {
		return err
	}
	return a.views.Fresh(ctx)
}

// ByPassword signs in with an e-mail address and a password, from a network address. It returns the
// secret of a session. It fails with ErrCredentials, after the same work whoever it is, with a
// WaitError after too many failures, and with ctx where others take all turns.
func (a *Authenticator) ByPassword(ctx context.Context, email, password, address string) (projections.User, string, error) {
	user, err := a.prove(ctx, email, password, address)
	if err != nil {
		return projections.User{}, "", err
	}
	return a.as(user.ID).startSession(ctx, user.Email, events.WayPassword, func(u projections.User) error {
		if u.Disabled || u.Password != user.Password {
			return ErrCredentials
		}
		return nil
	})
}

// prove finds the user with an e-mail address and a password.
func (a *Authenticator) prove(ctx context.Context, email, password, address string) (projections.User, error) {
	if len(password) > maxPasswordBytes {
		return projections.User{}, ErrCredentials
	}
	user, err := a.as(UserID(email)).readUser(ctx, UserID(email))
	if err != nil {
		return user, err
	}
	done, err := a.turn(ctx, address)
	if err != nil {
		return user, err
	}
	defer done()
	names := []string{"user " + user.ID.String(), "address " + address}
	if err := a.attempts.begin(time.Now(), names...); err != nil {
		return user, err
	}
	is, err := a.cost.matches(password, user.Password)
	if err != nil {
		return user, err
	}
	if !is || user.Disabled {
		return user, ErrCredentials
	}
	a.attempts.succeed(time.Now(), names...)
	return user, nil
}

// turn waits for the turn of an address to hash. Whoever calls done does not wait for the rest.
func (a *Authenticator) turn(ctx context.Context, address string) (done func(), err error) {
	of := uuid.NewSHA1(names, []byte("address "+address))
	if err := a.turns.Acquire(ctx, of); err != nil {
		return nil, fmt.Errorf("wait for others who sign in: %w", err)
	}
	began := time.Now()
	return func() { time.AfterFunc(hashingRest*time.Since(began), func() { a.turns.Release(of) }) }, nil
}

// Link is the user whom the link with a secret lets in. It fails with ErrLink.
func (a *Authenticator) Link(ctx context.Context, secret string) (projections.Link, projections.User, error) {
	if err := a.views.Fresh(ctx); err != nil {
		return projections.Link{}, projections.User{}, err
	}
	link, user, found, err := a.views.AuthenticateLink(sha256.Sum256([]byte(secret)))
	if err == nil && (!found || link.Expired(time.Now()) || user.Disabled) {
		err = ErrLink
	}
	return link, user, err
}

// ByLink signs in with a link, which ends with that, and sets a password. It fails with ErrLink,
// and with ErrPassword, which leaves the link as it is.
func (a *Authenticator) ByLink(ctx context.Context, secret, password, address string) (projections.User, string, error) {
	link, user, err := a.Link(ctx, secret)
	if err != nil {
		return user, "", err
	}
	err = a.setPassword(ctx, user, password, address, func(u projections.User) (*uuid.UUID, error) {
		if u.Disabled || u.Link == nil || u.Link.ID != link.ID {
			return nil, ErrLink
		}
		return &link.ID, nil
	})
	if err != nil {
		return user, "", err
	}
	return a.as(user.ID).startSession(ctx, user.Email, events.WayLink, enabled)
}

// enabled lets in whoever is not disabled.
func enabled(u projections.User) error {
	if u.Disabled {
		return ErrCredentials
	}
	return nil
}

// ChangePassword gives a user who knows their password another one, which ends all sessions, and
// returns the secret of a new session. It fails as ByPassword does, and with ErrPassword.
func (a *Authenticator) ChangePassword(ctx context.Context, user projections.User, old, password, address string) (string, error) {
	if err := checkPassword(password, user.Email); err != nil {
		return "", err
	}
	proved, err := a.prove(ctx, user.Email, old, address)
	if err != nil {
		return "", err
	}
	err = a.setPassword(ctx, user, password, address, func(u projections.User) (*uuid.UUID, error) {
		if u.Disabled || u.Password != proved.Password {
			return nil, ErrCredentials
		}
		return nil, nil
	})
	if err != nil {
		return "", err
	}
	_, secret, err := a.as(user.ID).startSession(ctx, user.Email, events.WayPassword, enabled)
	return secret, err
}

// setPassword sets the password of a user where decide allows it, which says by which link.
func (a *Authenticator) setPassword(ctx context.Context, user projections.User, password, address string, decide func(projections.User) (*uuid.UUID, error)) error {
	if err := checkPassword(password, user.Email); err != nil {
		return err
	}
	done, err := a.turn(ctx, address)
	if err != nil {
		return err
	}
	hash := a.cost.keep(password)
	done()
	_, err = a.as(user.ID).changeUser(ctx, user.Email, func(u projections.User) (any, error) {
		link, err := decide(u)
		if err != nil {
			return nil, err
		}
		return &events.PasswordSet{Hash: hash, LinkID: link}, nil
	})
	return err
}

// ByIdentity signs in whoever a provider vouches for: the user whose identity that is, or else the
// one who was invited with the address, which the provider has confirmed; that is kept. One who has
// another identity at the provider needs a link that was not used. It fails with ErrIdentity.
func (a *Authenticator) ByIdentity(ctx context.Context, identity projections.Identity, email string, confirmed bool) (projections.User, string, error) {
	if err := a.views.Fresh(ctx); err != nil {
		return projections.User{}, "", err
	}
	user, linked := a.views.UserOfIdentity(identity)
	if !linked {
		var err error
		if !confirmed {
			return user, "", ErrIdentity
		}
		if user, err = a.link(ctx, identity, email); err != nil {
			return user, "", err
		}
	}
	return a.as(user.ID).startSession(ctx, user.Email, events.WayIdentity, func(u projections.User) error {
		if known, is := u.Identity(identity.Issuer); u.Disabled || !is || known != identity {
			return ErrIdentity
		}
		return nil
	})
}

// link makes an identity that of the user with an address.
func (a *Authenticator) link(ctx context.Context, identity projections.Identity, email string) (projections.User, error) {
	user, err := a.as(UserID(email)).changeUser(ctx, email, func(u projections.User) (any, error) {
		known, is := u.Identity(identity.Issuer)
		switch {
		case known == identity && is:
			return nil, nil
		case u.Disabled, is && (u.Link == nil || u.Link.Expired(time.Now())):
			return nil, ErrIdentity
		}
		return &events.IdentityLinked{Issuer: identity.Issuer, Subject: identity.Subject}, nil
	})
	if errors.Is(err, ErrNone) {
		err = ErrIdentity
	}
	return user, err
}

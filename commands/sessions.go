package commands

import (
	"context"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/projections"
)

const (
	sessionPrefix = "reckon_session_"
	// SessionHolds is how long a session lasts that nothing ends before.
	SessionHolds = 7 * 24 * time.Hour
)

// EndSessions signs a user out everywhere. It fails with ErrNone.
func (a Admin) EndSessions(ctx context.Context, email string) error {
	_, err := a.changeUser(ctx, email, func(u projections.User) (any, error) {
		if len(u.Sessions) == 0 {
			return nil, nil
		}
		return &events.SessionEnded{UserID: u.ID}, nil
	})
	return err
}

// startSession signs a user in where decide, which sees the user as they are then, allows it. It
// returns the session's secret, which is kept nowhere.
func (a Admin) startSession(ctx context.Context, email, way string, decide func(projections.User) error) (projections.User, string, error) {
	secret, hash := newSecret(sessionPrefix)
	user, err := a.changeUser(ctx, email, func(u projections.User) (any, error) {
		if err := decide(u); err != nil {
			return nil, err
		}
		return newSession(hash, way), nil
	})
	if err != nil {
		return projections.User{}, "", err
	}
	return user, secret, nil
}

func newSession(hash, way string) *events.SessionStarted {
	return &events.SessionStarted{
		SessionID: uuid.New(), Hash: hash, Way: way, ExpiresAt: time.Now().Add(SessionHolds).UTC().Truncate(time.Second),
	}
}

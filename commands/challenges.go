package commands

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/projections"
)

// ErrChallenge says that an answer is to no challenge that holds now.
var ErrChallenge = errors.New("this was begun too long ago, or was answered before: begin again")

// ChallengeLasts is how long a challenge may be answered.
const ChallengeLasts = 5 * time.Minute

// Lengths of the parts of a challenge: the id of what it is sealed with, when it ends in
// milliseconds, what makes it one of its own, and the seal.
const (
	challengeOf    = 16
	challengeEnds  = 8
	challengeNonce = 16
	challengeBare  = challengeOf + challengeEnds + challengeNonce
	challengeWhole = challengeBare + sha256.Size
)

// SignInChallenge is what a passkey signs to let its user in. It is sealed with a secret of some
// passkey, so that every node knows it again and nobody else makes one, and nothing is written down
// for whoever asks. Without a passkey there is one that no answer is taken to.
func (a *Authenticator) SignInChallenge() []byte {
	passkey, _ := a.views.SomePasskey()
	if passkey.Seal == nil {
		passkey.Seal = random(sha256.Size)
	}
	return challenge(passkey.ID, passkey.Seal, "sign in", time.Now())
}

// addChallenge is what a new passkey signs, sealed with the session in which it is added.
func addChallenge(session projections.Session) []byte {
	return challenge(session.ID, []byte(session.Hash), "add", time.Now())
}

// answersSignIn finds out whether a challenge is one to sign in that may be answered now.
func (a *Authenticator) answersSignIn(ctx context.Context, text []byte, now time.Time) (events.UsedChallenge, error) {
	if len(text) != challengeWhole {
		return events.UsedChallenge{}, ErrChallenge
	}
	if err := a.views.Fresh(ctx); err != nil {
		return events.UsedChallenge{}, err
	}
	id := uuid.UUID(text[:challengeOf])
	passkey, found := a.views.PasskeyOf(id)
	switch {
	case id == uuid.Nil: // there was no passkey to seal it with
		return events.UsedChallenge{}, ErrPasskey
	case !found:
		return events.UsedChallenge{}, ErrChallenge
	}
	return holds(text, passkey.ID, passkey.Seal, "sign in", now)
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

func challenge(id uuid.UUID, key []byte, purpose string, now time.Time) []byte {
	bare := make([]byte, 0, challengeWhole)
	bare = append(bare, id[:]...)
	bare = binary.BigEndian.AppendUint64(bare, uint64(now.Add(ChallengeLasts).UnixMilli()))
	bare = append(bare, random(challengeNonce)...)
	return append(bare, seal(key, purpose, bare)...)
}

func seal(key []byte, purpose string, bare []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(purpose + "\x00"))
	mac.Write(bare)
	return mac.Sum(nil)
}

// holds tells whether a challenge was sealed with a key for a purpose, and has not expired. It is
// used when the log has what is returned.
func holds(text []byte, id uuid.UUID, key []byte, purpose string, now time.Time) (events.UsedChallenge, error) {
	if len(text) != challengeWhole || uuid.UUID(text[:challengeOf]) != id || !hmac.Equal(text[challengeBare:], seal(key, purpose, text[:challengeBare])) {
		return events.UsedChallenge{}, ErrChallenge
	}
	ends := time.UnixMilli(int64(binary.BigEndian.Uint64(text[challengeOf:]))).UTC()
	if !now.Before(ends) {
		return events.UsedChallenge{}, ErrChallenge
	}
	sum := sha256.Sum256(text)
	return events.UsedChallenge{Hash: hex.EncodeToString(sum[:]), ExpiresAt: ends}, nil
}

// unused tells whether a user may answer a challenge: once, and not very many in a short time.
func unused(u projections.User, c events.UsedChallenge, now time.Time) error {
	if u.Answered(c.Hash) {
		return ErrChallenge
	}
	open := 0
	for _, other := range u.Challenges {
		if now.Before(other.ExpiresAt) {
			open++
		}
	}
	if open >= projections.MaxChallenges {
		return &WaitError{For: ChallengeLasts}
	}
	return nil
}

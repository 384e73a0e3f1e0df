package admin

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
	"reckon/events/log"
)

// usingPatience is how long it is tried to record that a token was used, which the next request
// does again where it fails.
const usingPatience = time.Second

// usedTokens are the tokens whose use of today this node has recorded or is about to. The zero
// value has none. It is safe for concurrent use.
type usedTokens struct {
	mu    sync.Mutex
	today string
	ids   map[uuid.UUID]bool
}

// note records that a caller's token is used, which is one event a day. A request is answered too
// where that fails.
func (u *usedTokens) note(ctx context.Context, l *log.Log, by events.Actor, c caller) {
	now := time.Now()
	if !c.token.Idle(now) || !u.first(c.token.ID, now) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, usingPatience)
	defer cancel()
	if err := (commands.Admin{Log: l, By: by}).UseToken(ctx, c.user.Email, c.token.ID); err != nil {
		u.forget(c.token.ID)
	}
}

// first tells whether this is the first use of a token on the day of a moment.
func (u *usedTokens) first(id uuid.UUID, now time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if today := now.UTC().Format(time.DateOnly); today != u.today {
		u.today, u.ids = today, map[uuid.UUID]bool{}
	}
	was := u.ids[id]
	u.ids[id] = true
	return !was
}

func (u *usedTokens) forget(id uuid.UUID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.ids, id)
}

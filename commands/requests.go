package commands

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

// RequestsKept is how long a request of administration with an idempotency key is known again.
const RequestsKept = 24 * time.Hour

// ErrRepeated says that the same request was given at the same time, and was done elsewhere.
var ErrRepeated = errors.New("the same request was done meanwhile")

// AdminRequest is a request of administration that is done once, however often it is sent. The
// events that it brings about say so, so that any node finds them, also after a crash.
type AdminRequest struct {
	key   string // hex SHA-256 of whose it is and of its idempotency key
	print string // of what it asks for
	Done  []Done // what it has brought about, oldest first
	seen  uint64 // up to which sequence that is known
	acts  *bool  // it has brought something about since it was looked for
	steps bool   // it brings about several events of a type at a subject, each by how things are then
}

// Done is an event that a request has brought about.
type Done struct {
	Event   uint64
	Time    time.Time
	Subject events.Subject
	name    string // on the wire
	Secret  string // what it made or replaced whose secret was shown then, and how to have another; "" for nothing
}

// NewAdminRequest is a request with the idempotency key of a user, of which nothing is known yet.
// print tells what it asks for from all else.
func NewAdminRequest(user uuid.UUID, key, print string) *AdminRequest {
	sum := sha256.Sum256(append(user[:], key...))
	return &AdminRequest{key: hex.EncodeToString(sum[:]), print: print, acts: new(bool)}
}

// ID is that of something that the request makes, the same each time that it is sent.
func (r *AdminRequest) ID() uuid.UUID { return uuid.NewSHA1(uuid.Nil, []byte(r.key+r.print)) }

// mark is what events say of the request that they came about by.
func (r *AdminRequest) mark() string { return r.key + "." + r.print }

// at is the newest event of a subject that the request has brought about, 0 for none. Where it has
// changed nothing it is the event that says so, since the subject was as it was answered then.
func (r *AdminRequest) at(s events.Subject) (sequence uint64) {
	if r == nil {
		return 0
	}
	if unchanged := r.unchanged(); unchanged > 0 {
		return unchanged
	}
	for _, d := range r.Done {
		if d.Subject == s {
			sequence = d.Event
		}
	}
	return sequence
}

// unchanged is the event that says that the request was answered before and has changed nothing, 0
// for none.
func (r *AdminRequest) unchanged() (sequence uint64) {
	if r == nil {
		return 0
	}
	for _, d := range r.Done {
		if d.name != events.Name(&events.RequestAnswered{}) {
			return 0
		}
		sequence = d.Event
	}
	return sequence
}

// times is how many events of the type of data the request has brought about before.
func (r *AdminRequest) times(data any) (n int) {
	if r == nil {
		return 0
	}
	for _, d := range r.Done {
		if d.name == events.Name(data) {
			n++
		}
	}
	return n
}

// did tells whether the request has brought about before, at a subject, what was decided now on the
// subject as it is: the same, or by now nothing or an error.
func (r *AdminRequest) did(s events.Subject, decided any, err error) bool {
	if r.at(s) == 0 {
		return false
	}
	return r.unchanged() > 0 || err != nil || decided == nil || slices.ContainsFunc(r.Done, func(d Done) bool { return d.Subject == s && d.name == events.Name(decided) })
}

// Remember keeps the request where it has changed nothing, by an event of the user who sent it, so
// that it changes nothing when it is sent again.
func (a Admin) Remember(ctx context.Context, email string) error {
	if a.Request == nil || *a.Request.acts {
		return nil
	}
	_, err := a.changeUser(ctx, email, func(u projections.User) (any, error) {
		return &events.RequestAnswered{UserID: u.ID}, nil
	})
	if errors.Is(err, ErrRepeated) {
		return nil
	}
	return err
}

// unfinished is the request as one whose steps go on from how things are.
func (r *AdminRequest) unfinished() *AdminRequest {
	if r == nil {
		return nil
	}
	again := *r
	again.Done = nil
	return &again
}

// inSteps is unfinished for a request that may append several events of a type at a subject.
func (r *AdminRequest) inSteps() *AdminRequest {
	again := r.unfinished()
	if again != nil {
		again.steps = true
	}
	return again
}

// AdminRequests are the requests of administration with an idempotency key that the events of the
// last RequestsKept tell of. The zero value has read none. It is safe for concurrent use.
type AdminRequests struct {
	mu     sync.Mutex
	read   log.Administration
	byKey  map[string][]made
	pruned time.Time
}

// made is an event with a mark.
type made struct {
	print string
	Done
}

// Find reads what a request has brought about, with what came to the log of late. beside is another
// subject where that may stand, the zero Subject for none. It fails with ErrIdempotencyConflict
// where the key was used for something else.
func (s *AdminRequests) Find(ctx context.Context, l *log.Log, r *AdminRequest, beside events.Subject) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	since := time.Now().Add(-RequestsKept)
	if s.byKey == nil {
		s.byKey = map[string][]made{}
	}
	read, err := l.Administered(ctx, s.read, since, func(e events.Event) { s.keep(e, since) })
	if err != nil {
		return err
	}
	s.read, r.seen, r.Done = read, read.Through(), nil
	if time.Since(s.pruned) > time.Hour {
		for key, list := range s.byKey {
			if list[len(list)-1].Time.Before(since) {
				delete(s.byKey, key)
			}
		}
		s.pruned = time.Now()
	}
	found := s.byKey[r.key]
	if beside != (events.Subject{}) {
		from, err := l.Since(ctx, since)
		if err == nil {
			var list []events.Event
			list, err = l.Read(ctx, beside, from-1)
			for _, e := range list {
				if m, key := markOf(e); key == r.key {
					found = append(slices.Clip(found), m)
				}
			}
		}
		if err != nil && !errors.Is(err, log.ErrNotFound) {
			return err
		}
	}
	for _, m := range found {
		switch {
		case m.Time.Before(since):
		case m.print != r.print:
			return ErrIdempotencyConflict
		default:
			r.Done = append(r.Done, m.Done)
		}
	}
	return nil
}

// keep keeps an event with a mark, unless it is older than requests are known.
func (s *AdminRequests) keep(e events.Event, since time.Time) {
	if m, key := markOf(e); key != "" && !e.Time.Before(since) {
		s.byKey[key] = append(s.byKey[key], m)
	}
}

// markOf is what of an event tells of the request that brought it about, with the key of that.
func markOf(e events.Event) (m made, key string) {
	key, print, _ := strings.Cut(e.Request, ".")
	return made{print, Done{e.Sequence, e.Time, e.Subject, events.Name(e.Data), secretOf(e.Data)}}, key
}

// secretOf is what an event made or replaced whose secret was shown once.
func secretOf(data any) string {
	switch data := data.(type) {
	case *events.KeyCreated:
		return fmt.Sprintf("key %s: rotate it to have another", data.KeyID)
	case *events.KeyRotated:
		return fmt.Sprintf("key %s: rotate it again to have another", data.KeyID)
	case *events.TokenCreated:
		return fmt.Sprintf("token %s: revoke it, and make another", data.TokenID)
	case *events.WebhookCreated:
		return fmt.Sprintf("webhook %s: roll its secret to have another", data.WebhookID)
	case *events.WebhookRolled:
		return fmt.Sprintf("webhook %s: roll it again to have another", data.WebhookID)
	case *events.LinkIssued:
		return fmt.Sprintf("link %s: invite again to have another, which ends that one", data.LinkID)
	}
	return ""
}

// unrepeated says whether an event that is to be appended would be there a second time: one of the
// same type, of the same request, that came to its subject since it was looked for.
func (a Admin) unrepeated(ctx context.Context, e events.Event) error {
	if a.Request.unchanged() > 0 {
		return ErrRepeated
	}
	if a.Request.steps {
		return nil
	}
	newer, err := a.Log.Read(ctx, e.Subject, a.Request.seen)
	if err != nil {
		return err
	}
	for _, n := range newer {
		switch m, key := markOf(n); {
		case key != a.Request.key || time.Since(n.Time) > RequestsKept:
		case m.print != a.Request.print:
			return ErrIdempotencyConflict
		case events.Name(n.Data) == events.Name(e.Data):
			return ErrRepeated
		}
	}
	return nil
}

// accountDone is an account as the request has left it, where it is done; so are the others.
func (a Admin) accountDone(ctx context.Context, id uuid.UUID) (account projections.Account, done bool, err error) {
	account.ID = id
	done, err = a.foldDone(ctx, events.AccountSubject(id), func(e events.Event) { account = projections.ApplyAccount(account, e) })
	return account, done, err
}

func (a Admin) userDone(ctx context.Context, id uuid.UUID) (user projections.User, done bool, err error) {
	user.ID = id
	done, err = a.foldDone(ctx, events.UserSubject(id), func(e events.Event) { user = projections.ApplyUser(user, e) })
	return user, done, err
}

// publishDone is what became of a publication that the request has brought about.
func (a Admin) publishDone(ctx context.Context) (p Published, done bool, err error) {
	if a.Request == nil {
		return p, false, nil
	}
	for _, d := range a.Request.Done {
		var domain projections.Domain
		published := false
		_, err := a.foldDone(ctx, d.Subject, func(e events.Event) {
			switch e.Data.(type) {
			case *events.DomainPublished, *events.DomainDrafted:
				published = true
			default:
				published = false
			}
			domain = projections.ApplyDomain(domain, e)
		})
		if err != nil || published {
			return Published{DomainID: domain.ID, Key: domain.Key, Version: domain.Version, Sequence: domain.Sequence}, published, err
		}
	}
	return p, false, nil
}

// publishUnchanged is what was answered to a publication that has changed nothing.
func (a Admin) publishUnchanged(ctx context.Context, is projections.Domain) (Published, error) {
	var d projections.Domain
	_, err := a.foldDone(ctx, events.DomainSubject(is.AccountID, is.ID), func(e events.Event) { d = projections.ApplyDomain(d, e) })
	return Published{DomainID: d.ID, Key: d.Key, Version: d.Version, Sequence: d.Sequence, Unchanged: true}, err
}

// foldDone folds a subject up to what the request has brought about there.
func (a Admin) foldDone(ctx context.Context, s events.Subject, apply func(events.Event)) (done bool, err error) {
	through := a.Request.at(s)
	if through == 0 {
		return false, nil
	}
	history, err := a.Log.Read(ctx, s, 0)
	if err != nil {
		return true, fmt.Errorf("read what was done before: %w", err)
	}
	for _, e := range history {
		if e.Sequence <= through {
			apply(e)
		}
	}
	return true, nil
}

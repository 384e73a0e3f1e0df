package projections

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
)

const (
	// unread is how many changes are kept for a follower that takes none meanwhile. What comes
	// beyond that it finds in the views, as if it had been away.
	unread = 256
	// soughtAtOnce is how many changes a follower that was away finds at once, in 64 bytes each.
	soughtAtOnce = 1 << 15
)

// Change is what became of a conversation: one of its messages is in progress or answered, people
// have described it, or it was erased.
type Change struct {
	Sequence     uint64       // of the event
	Conversation Conversation // as it is now; of one that was erased the ids alone
	Message      *Message     // nil where the change is not about a message
	Erased       bool
}

// Follower hands out the changes of an account's conversations, or of one of them, from this node's
// fold, in the order of the log. Of what happened while it was away it tells the newest state of
// each message. All but Moved is for one goroutine at a time.
type Follower struct {
	views    *Views
	of       entityKey // a conversation; an account where its id is uuid.Nil
	position uint64
	sought   []change // found in the views, oldest first
	atOnce   int      // how many of these there may be

	mu    sync.Mutex
	next  []change // that were folded since, oldest first
	away  bool     // there may be others behind position, which the views have
	moved chan struct{}
}

// change says what a Change is made of. One of a conversation as a whole has no message.
type change struct {
	sequence     uint64
	conversation uuid.UUID
	number       int
	message      uuid.UUID
	erased       bool
}

// followers are those of all accounts.
type followers struct {
	mu        sync.Mutex
	byAccount map[uuid.UUID]map[*Follower]bool
}

// Follow follows a conversation, or all of an account where its id is uuid.Nil, from behind the
// event with a sequence. Close must follow.
func (v *Views) Follow(account, conversation uuid.UUID, after uint64) *Follower {
	f := &Follower{views: v, of: entityKey{account, conversation}, position: after, atOnce: soughtAtOnce, away: true, moved: make(chan struct{}, 1)}
	v.followers.mu.Lock()
	defer v.followers.mu.Unlock()
	if v.followers.byAccount[account] == nil {
		v.followers.byAccount[account] = map[*Follower]bool{}
	}
	v.followers.byAccount[account][f] = true
	return f
}

// Close ends a follower.
func (f *Follower) Close() {
	all := &f.views.followers
	all.mu.Lock()
	defer all.mu.Unlock()
	delete(all.byAccount[f.of.account], f)
	if len(all.byAccount[f.of.account]) == 0 {
		delete(all.byAccount, f.of.account)
	}
}

// Moved receives, once for all that came meanwhile, when there may be a change, and when something
// else of the account has changed, such as a key. It may be missed by nobody who calls Next before.
func (f *Follower) Moved() <-chan struct{} { return f.moved }

// Position is the sequence of an event up to which every change was handed out: where another
// follower, on any node, goes on.
func (f *Follower) Position() uint64 { return f.position }

// Behind tells whether Next searches the views, which may take long, for what happened while the
// follower was away.
func (f *Follower) Behind() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.away && len(f.sought) == 0
}

// Next is the next change; ok is false where none is folded yet. A follower that has failed has not
// passed the change that it failed at, and another one finds it.
func (f *Follower) Next(ctx context.Context) (next Change, ok bool, err error) {
	for {
		c, ok, err := f.take(ctx)
		if err != nil || !ok {
			return Change{}, false, err
		}
		next, ok, err = f.views.changeOf(ctx, entityKey{f.of.account, c.conversation}, c)
		if err != nil {
			return Change{}, false, err
		}
		if f.position = c.sequence; ok {
			return next, true, nil
		}
	}
}

// take is the next thing that is behind the position.
func (f *Follower) take(ctx context.Context) (change, bool, error) {
	for {
		if len(f.sought) > 0 {
			c := f.sought[0]
			f.sought = f.sought[1:]
			return c, true, nil
		}
		f.mu.Lock()
		if f.away {
			f.away = false // what is folded from here on is told
			f.mu.Unlock()
			if err := f.seek(ctx); err != nil {
				return change{}, false, err
			}
			continue
		}
		f.next = f.next[f.passed():]
		if len(f.next) == 0 {
			f.next = nil
			f.mu.Unlock()
			return change{}, false, nil
		}
		c := f.next[0]
		f.next = f.next[1:]
		f.mu.Unlock()
		return c, true, nil
	}
}

// passed is how many of the changes that were told are not behind the position.
func (f *Follower) passed() int {
	at, found := slices.BinarySearchFunc(f.next, f.position, func(c change, p uint64) int { return cmp.Compare(c.sequence, p) })
	if found {
		at++
	}
	return at
}

// seek finds in the views what is behind the position, the oldest changes where these are many.
func (f *Follower) seek(ctx context.Context) error {
	upTo := f.views.folded.Load()
	found, all, err := f.views.changes(ctx, f.of, search{after: f.position, upTo: upTo, most: f.atOnce})
	if err != nil {
		return err
	}
	f.sought = found
	if !all {
		f.mu.Lock()
		f.away = true
		f.mu.Unlock()
	} else if len(found) == 0 {
		f.position = max(f.position, upTo)
	}
	return nil
}

// tell has a follower find a change, and wakes it.
func (f *Follower) tell(c change) {
	f.mu.Lock()
	switch {
	case f.away:
	case len(f.next) == unread:
		f.away, f.next = true, nil
	default:
		f.next = append(f.next, c)
	}
	f.mu.Unlock()
	f.wake()
}

func (f *Follower) wake() {
	select {
	case f.moved <- struct{}{}:
	default:
	}
}

// tell hands what was folded to those who follow it: the events, and the messages that they made.
// It is called once the fold has passed them: who has begun to follow since finds them in the
// views.
func (a *followers) tell(list []events.Event, made []Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.byAccount) == 0 {
		return
	}
	messages := make(map[uint64]*Message, len(made))
	for i := range made {
		messages[made[i].Sequence] = &made[i]
	}
	for _, e := range list {
		following := a.byAccount[e.Subject.Account()]
		if len(following) == 0 {
			continue
		}
		c, is := changeBy(e, messages[e.Sequence])
		for f := range following {
			if !is {
				f.wake()
			} else if f.of.id == uuid.Nil || f.of.id == c.conversation {
				f.tell(c)
			}
		}
	}
}

// changeBy is the change that an event makes with the message that it made, nil for none.
func changeBy(e events.Event, m *Message) (change, bool) {
	c := change{sequence: e.Sequence, conversation: e.Conversation()}
	switch e.Data.(type) {
	case *events.ConversationDescribed:
		return c, true
	case *events.ConversationErased:
		c.erased = true
		return c, true
	}
	if m == nil || m.Interpreted != nil { // which is in progress as it was
		return c, false
	}
	c.number, c.message = m.Number, m.MessageID
	return c, true
}

// changeOf reads a change. That of a conversation that is not there, or not any more, is none, but
// for its erasure.
func (v *Views) changeOf(ctx context.Context, key entityKey, c change) (Change, bool, error) {
	if c.erased {
		return Change{Sequence: c.sequence, Conversation: Conversation{AccountID: key.account, ID: key.id}, Erased: true}, true, nil
	}
	head, found, err := v.Conversation(ctx, key.account, key.id)
	if err != nil || !found {
		return Change{}, false, err
	}
	change := Change{Sequence: c.sequence, Conversation: head}
	if c.number == 0 {
		return change, true, nil
	}
	list, err := v.messages.read(ctx, []int{c.number}, []messageRef{{ID: c.message, Sequence: c.sequence}})
	if errors.Is(err, log.ErrNotFound) { // its erasure may not be folded here yet
		if err := v.Fresh(ctx); err != nil {
			return Change{}, false, err
		}
		if _, found, again := v.Conversation(ctx, key.account, key.id); again != nil || !found {
			return Change{}, false, again
		}
	}
	if err != nil {
		return Change{}, false, err
	}
	change.Message = &list[0]
	return change, true, nil
}

// changes finds what has become of a conversation, or of all of an account, in the order of the
// log. Where there is too much it is the oldest part, and all is false.
func (v *Views) changes(ctx context.Context, of entityKey, s search) (found []change, all bool, err error) {
	if of.id != uuid.Nil {
		err = v.searchPart(ctx, &s, func(*conversations) []entityKey { return []entityKey{of} })
		return s.oldest(), !s.cut, err
	}
	err = v.searchPart(ctx, &s, func(c *conversations) (described []entityKey) {
		described, s.found = c.recency.movedBehind(of.account, s.after)
		return described
	})
	for place, more := s.after, true; more && err == nil; {
		err = v.searchPart(ctx, &s, func(c *conversations) (keys []entityKey) {
			for _, e := range c.recency.behind(of.account, place, maxKeys) {
				keys, place = append(keys, entityKey{of.account, e.conversation}), e.sequence
			}
			more = len(keys) > 0
			return keys
		})
	}
	return s.oldest(), !s.cut, err
}

// searchPart searches some conversations, in the generation that serves now.
func (v *Views) searchPart(ctx context.Context, into *search, which func(*conversations) []entityKey) error {
	g, done := v.use()
	defer done()
	c := viewOf[*conversations](g)
	return c.searchAll(ctx, which(c), into)
}

// search is what is sought and was found.
type search struct {
	after, upTo uint64 // between which events, the second one, which is folded, included
	most        int
	found       []change
	cut         bool // there is more, behind what was found
}

func (s *search) add(c change) {
	if c.sequence <= s.after || c.sequence > s.upTo {
		return
	}
	s.found = append(s.found, c)
	if len(s.found) >= 2*s.most {
		s.found = s.oldest()
	}
}

// oldest are the oldest changes that were found, each once, as many as may be in memory.
func (s *search) oldest() []change {
	slices.SortFunc(s.found, func(a, b change) int { return cmp.Compare(a.sequence, b.sequence) })
	s.found = slices.CompactFunc(s.found, func(a, b change) bool { return a.sequence == b.sequence })
	if len(s.found) > s.most {
		s.found, s.cut = s.found[:s.most], true
	}
	return s.found
}

// pagesAtOnce is how many pages a search reads at once.
const pagesAtOnce = 64

// searchAll searches conversations.
func (s *conversations) searchAll(ctx context.Context, keys []entityKey, into *search) error {
	for some := range slices.Chunk(keys, maxKeys) {
		heads, err := s.readHeads(ctx, some)
		if err != nil {
			return err
		}
		for _, key := range some {
			if h, ok := heads[key]; ok {
				if err := s.search(ctx, key, &h, into); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (s *conversations) search(ctx context.Context, key entityKey, h *head, into *search) error {
	if h.Erased {
		into.add(change{sequence: h.Sequence, conversation: key.id, erased: true})
		return nil
	}
	if h.Active > 0 { // the newest event describes it
		into.add(change{sequence: h.Sequence, conversation: key.id})
	}
	add := func(page int, places []messageRef) {
		for i, at := range places {
			into.add(change{sequence: at.Sequence, conversation: key.id, number: page*pageSize + i + 1, message: at.ID})
		}
	}
	add(h.pages(), h.Places)
	for first := 0; first < h.pages(); first += pagesAtOnce {
		var pages []pageKey
		for n := first; n < min(first+pagesAtOnce, h.pages()); n++ {
			pages = append(pages, messagePage(key, n))
		}
		list, err := s.readPages(ctx, pages)
		if err != nil {
			return err
		}
		for i, p := range list {
			add(first+i, p.Places)
		}
	}
	return nil
}

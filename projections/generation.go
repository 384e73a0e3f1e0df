package projections

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/uuid"

	"reckon/events"
)

// model is a read model, which has a bucket of its own. Raise the version when its Apply function or the shape of its documents
// changes: a new bucket is then filled from the whole history, beside the old one, which serves and takes new events in
// until the new one has caught up. Raise readable to the version too when the documents of the versions before cannot be
// read any more: then nothing is served until the new buckets have caught up.
type model struct {
	name              string
	version, readable int
}

// models are all read models, in the order of a checkpoint's buckets.
var models = []model{
	{"accounts", 1, 1},      // <account>: Account
	{"domains", 1, 1},       // <account>.<domain>: Domain; <account>.<domain>.v.<version>: version
	{"conversations", 2, 2}, // <account>.<conversation>: Conversation; below it messages, pointers and origins
	{"activity", 1, 1},      // <account>.<conversation>: standing
}

// Names lists the read models, in the order in which they are rebuilt.
func Names() []string {
	names := make([]string, len(models))
	for i, m := range models {
		names[i] = m.name
	}
	return names
}

// modelOf is the name of the read model that folds events of a type, by its wire name.
func modelOf(eventType string) string {
	part := strings.Split(eventType, ".")
	if len(part) < 2 {
		return ""
	}
	return map[string]string{"account": "accounts", "key": "accounts", "domain": "domains", "message": "conversations"}[part[1]]
}

// bucket is the name of a model's bucket in a generation.
func (m model) bucket(generation int) string {
	return fmt.Sprintf("%s_%d_%d", m.name, m.version, generation)
}

// bucketVersion takes a bucket's name apart; a name without a generation is of generation 0.
func bucketVersion(name string) (model string, version, generation int, ok bool) {
	part := strings.Split(name, "_")
	if len(part) != 2 && len(part) != 3 {
		return "", 0, 0, false
	}
	version, err := strconv.Atoi(part[1])
	if err == nil && len(part) == 3 {
		generation, err = strconv.Atoi(part[2])
	}
	return part[0], version, generation, err == nil
}

// generation is a set of buckets with what is held of them in memory. One serves; another may be built beside it, of some
// models or all: the buckets of the others are nil.
type generation struct {
	store *store

	accounts     *accounts
	domains      *domains
	activity     *activity
	headCache    *cache[conversationKey, Conversation]
	messageCache *cache[messageKey, Message]

	written *filter               // ids of all messages that the buckets hold, nil where that is not known
	pending map[uuid.UUID]Message // messages in progress, where nothing is written (see replay), else nil
	room    []folded              // there: empty, for the messages of the next batch

	reading sync.RWMutex // held for reading by those who read the buckets
	retired bool         // another generation serves
}

func newGeneration(s *store) *generation {
	return &generation{
		store:    s,
		accounts: newAccounts(), domains: newDomains(), activity: newActivity(),
		headCache:    newCache[conversationKey, Conversation](cachedHeads),
		messageCache: newCache[messageKey, Message](cachedBytes),
	}
}

// use returns the generation that serves, which stays until done is called. One who uses a generation must not call use again
// before that.
func (v *Views) use() (g *generation, done func()) {
	for {
		g := v.serving.Load()
		g.reading.RLock()
		if !g.retired {
			return g, g.reading.RUnlock
		}
		g.reading.RUnlock()
	}
}

// retire waits until nobody reads the buckets of a generation that serves no more.
func (g *generation) retire() {
	g.reading.Lock()
	defer g.reading.Unlock()
	g.retired = true
}

// folds tells whether a generation takes an event in.
func (g *generation) folds(e events.Event) bool {
	switch e.Data.(type) {
	case nil:
		return false
	case *events.AccountCreated, *events.AccountChanged, *events.KeyCreated, *events.KeyRotated, *events.KeyRevoked:
		return g.store.accounts != nil
	case *events.DomainDrafted, *events.DomainPublished:
		return g.store.domains != nil
	}
	return g.store.conversations != nil || g.store.activity != nil
}

// fold takes events into the generation: it writes the documents that they change, and only then shows them to readers in
// memory.
func (g *generation) fold(ctx context.Context, list []events.Event) (*batch, error) {
	b := newBatch(g)
	list = slices.DeleteFunc(slices.Clone(list), func(e events.Event) bool { return !g.folds(e) })
	if err := b.read(ctx, list); err != nil {
		return nil, err
	}
	if err := b.applyAll(ctx, list); err != nil {
		return nil, err
	}
	first, second := b.documents()
	for _, step := range []documents{first, second} {
		if step.err != nil {
			return nil, step.err
		}
		if err := g.store.write(ctx, step.list); err != nil {
			return nil, err
		}
	}
	b.show()
	return b, nil
}

// filter tells of ids that were not added that they were not, except for a few; of those that were it always says so. Its
// size is fixed.
type filter struct{ bits []uint64 }

// filterBits is 8 MiB: of a million ids one new one in a million is taken for a known one, of ten millions one in forty.
const filterBits = 1 << 26

func newFilter() *filter { return &filter{make([]uint64, filterBits/64)} }

// add adds an id and tells whether it may have been there. Ids are random in their last 62 bits.
func (f *filter) add(id uuid.UUID) bool {
	known := true
	h := uint64(id[8])<<56 | uint64(id[9])<<48 | uint64(id[10])<<40 | uint64(id[11])<<32 | uint64(id[12])<<24 | uint64(id[13])<<16 | uint64(id[14])<<8 | uint64(id[15])
	h ^= (uint64(id[0])<<40 | uint64(id[1])<<32 | uint64(id[2])<<24 | uint64(id[3])<<16 | uint64(id[4])<<8 | uint64(id[5])) * 0x9e3779b97f4a7c15
	for range 4 {
		h *= 0x9e3779b97f4a7c15
		h ^= h >> 29
		bit := h % filterBits
		if f.bits[bit/64]&(1<<(bit%64)) == 0 {
			known = false
			f.bits[bit/64] |= 1 << (bit % 64)
		}
	}
	return known
}

package projections

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"reckon/events"
	"reckon/events/log"
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
	{"domains", 2, 1},       // <account>.<domain>: Domain; <account>.<domain>.v.<version>: version
	{"conversations", 3, 3}, // <account>.<conversation>: head; <account>.<conversation>.m.<n> and .s.<n>: page
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
	log   *log.Log // has the messages

	accounts     *accounts
	domains      *domains
	activity     *activity
	headCache    *Cache[conversationKey, head] // only the fold puts heads in, so that none is ever older than its bucket
	messageCache *Cache[uint64, Message]       // by sequence

	backlog    *backlog
	writing    sync.Mutex // held while the backlog is written
	unwritable error      // with writing held: why nothing can be written any more

	turn atomic.Uint64 // odd while the fold changes what is shown

	pages map[pageKey]page // all pages, where nothing is written (see newReplay), else nil

	reading sync.RWMutex // held for reading by those who read the buckets
	retired bool         // another generation serves
}

func newGeneration(s *store, log *log.Log) *generation {
	return &generation{
		store: s, log: log,
		accounts: newAccounts(), domains: newDomains(), activity: newActivity(), backlog: newBacklog(),
		headCache:    NewCache[conversationKey, head](cachedHeads),
		messageCache: NewCache[uint64, Message](cachedMessages),
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
	return g.store.conversations != nil
}

// fold takes events into the generation, through an empty batch, and shows readers the documents that they change, which write
// brings into the buckets later; here it does when there are many.
func (g *generation) fold(ctx context.Context, b *batch, list []events.Event) error {
	list = slices.DeleteFunc(slices.Clone(list), func(e events.Event) bool { return !g.folds(e) })
	if err := b.read(ctx, list); err != nil {
		return err
	}
	if err := b.applyAll(ctx, list); err != nil {
		return err
	}
	definitions := 0
	for i := range list {
		switch list[i].Data.(type) {
		case *events.DomainDrafted, *events.DomainPublished:
			definitions += list[i].Weight()
		}
	}
	first, second := b.documents()
	full := g.backlog.add(first, second, definitions)
	b.show()
	if full {
		return g.write()
	}
	return nil
}

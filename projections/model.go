package projections

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"reckon/events"
)

// model is a read model: everything that the fold, the buckets, a rebuild and a verification have
// to know of it. It has a bucket of its own. Each of its documents is a JSON object that ends with
// the sequence of the event that made it what it is.
//
// Raise the version when its Apply function or the shape of its documents changes: a new bucket is
// then filled from the whole history, beside the old one, which serves and takes new events in
// until the new one has caught up. Raise readable to the version too when the documents of the
// versions before cannot be read any more: then the model is filled like one that is new, and
// nothing is served until it has caught up. The other models go on from where they are.
type model struct {
	name              string
	version, readable int
	folds             []any // nil pointers to the event types that it takes in
	words             bool  // its documents have words of conversations, or count them: when some are erased it is rebuilt
	// open makes an empty view of the read model on its bucket.
	open func(b *bucket, messages *messageLog) view
	// part takes a key that goes with another document: what is wrong where the history makes that
	// one and not this. It may be nil, and what is "" where the key goes with none.
	part func(key string) (whole, what string)
}

// models are all read models, in the order of a checkpoint's buckets.
var models = []model{accountsModel, domainsModel, conversationsModel, usageModel, usersModel}

// view is a read model within a generation: what is held in memory of its bucket, and how that
// changes. One goroutine at a time folds, in these steps: prefetch, apply for each event, staged,
// show. Readers see nothing of it before show.
type view interface {
	// load reads from the bucket what is held in memory.
	load(ctx context.Context) error
	// prefetch reads with as few requests as possible what applying events needs.
	prefetch(ctx context.Context, list []events.Event) error
	// apply takes an event in, unless the documents that it changes have it already: the node may
	// have stopped between writing documents and the checkpoint.
	apply(ctx context.Context, e events.Event) error
	// staged returns the documents that were changed since the last show.
	staged() []document
	// show lets readers see them.
	show()
	// newer calls found with the events behind a sequence that documents in memory are made of.
	newer(sequence uint64, found func(sequence uint64, subject events.Subject))
}

// takes tells whether a model folds an event.
func (m model) takes(e events.Event) bool {
	typ := reflect.TypeOf(e.Data)
	return slices.ContainsFunc(m.folds, func(data any) bool { return reflect.TypeOf(data) == typ })
}

// Names lists the read models, in the order in which they are rebuilt.
func Names() []string {
	names := make([]string, len(models))
	for i, m := range models {
		names[i] = m.name
	}
	return names
}

// modelOf is the name of the read model that folds events of a type, by its wire name in any
// version.
func modelOf(eventType string) string {
	version := strings.LastIndex(eventType, ".v")
	for name, typ := range events.Types() {
		if version < 0 || strings.LastIndex(name, ".v") != version || name[:version] != eventType[:version] {
			continue
		}
		e := events.Event{Data: reflect.Zero(reflect.PointerTo(typ)).Interface()}
		for _, m := range models {
			if m.takes(e) {
				return m.name
			}
		}
	}
	return ""
}

// bucketName is the name of a model's bucket in a generation.
func (m model) bucketName(generation int) string {
	return fmt.Sprintf("%s_%d_%d", m.name, m.version, generation)
}

// reads tells whether a model can read a bucket with this name, and of which version that is.
func (m model) reads(name string) (version int, ok bool) {
	model, version, _, ok := parseBucketName(name)
	return version, ok && model == m.name && m.readable <= version && version <= m.version
}

// parseBucketName takes a bucket's name apart; a name without a generation is of generation 0.
func parseBucketName(name string) (model string, version, generation int, ok bool) {
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

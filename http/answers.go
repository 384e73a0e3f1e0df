package http

import (
	nethttp "net/http"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"reckon/projections"
)

const (
	// keptAnswers is about how many bytes of answers stay in memory.
	keptAnswers = 32 << 20
	// keptAtMost is the largest answer that does.
	keptAtMost = 4 << 20
)

// question is what a GET asks for. The same has the same answer as long as the views are in the
// same state.
type question struct {
	account     uuid.UUID
	route       string
	id          uuid.UUID // of the conversation, or the cursor of a page
	number      int       // index of the scenario, 0 where none is meant, or limit of the page
	bodyVersion int
}

// state is what an answer is made from: the views that serve, and the newest event that what is
// asked for depends on, 0 where that is not known. It is read before all else, so that an answer is
// never older than its state.
type state struct {
	edition  projections.Edition
	sequence uint64
}

// made is the body of an answer with its ETag, and the state that both were made from.
type made struct {
	state state
	body  jsontext.Value
	tag   string
}

// answers keeps what was answered last: what is asked again and has not changed is not read,
// written and hashed again. It may be used from several goroutines.
type answers struct {
	kept *projections.Cache[question, made]
}

func newAnswers() answers { return answers{projections.NewCache[question, made](keptAnswers)} }

// find is the answer to a question in a state, if it is kept.
func (a answers) find(q question, now state) (answer, bool) {
	m, ok := a.kept.Get(q)
	if !ok || m.state != now || now.sequence == 0 {
		return answer{}, false
	}
	return answer{status: nethttp.StatusOK, body: m.body, tag: m.tag}, true
}

// keep makes the answer to a question in a state, and keeps it unless the state is not known. The
// body must not be changed.
func (a answers) keep(q question, now state, body jsontext.Value) answer {
	m := made{now, body, entityTag(body)}
	if now.sequence != 0 && len(body) <= keptAtMost {
		a.kept.Put(q, m, m.weight())
	}
	return answer{status: nethttp.StatusOK, body: body, tag: m.tag}
}

// weight is about how many bytes an answer takes in memory.
func (m made) weight() int { return 512 + cap(m.body) }

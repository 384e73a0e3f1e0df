package http

import (
	"encoding/json"
	nethttp "net/http"
	"sync"

	"github.com/google/uuid"

	"reckon/projections"
)

const (
	// keptAnswers is about how many bytes of answers stay in memory.
	keptAnswers = 32 << 20
	// keptAtMost is the largest answer that does.
	keptAtMost = 4 << 20
)

// question is what a GET asks for. The same has the same answer as long as the views are in the same state.
type question struct {
	account     uuid.UUID
	route       string
	id          uuid.UUID // of the conversation, or the cursor of a page
	number      int       // index of the scenario, or limit of the page
	bodyVersion int
}

// state is what an answer is made from: the views that serve, and the newest event that what is asked for depends on, 0 where
// that is not known. It is read before all else, so that an answer is never older than its state.
type state struct {
	edition  projections.Edition
	sequence uint64
}

// made is the body of an answer with its ETag, and the state that both were made from.
type made struct {
	state state
	body  json.RawMessage
	tag   string
}

// answers keeps what was answered last: what is asked again and has not changed is not read, written and hashed again. It may
// be used from several goroutines. The zero value is empty.
type answers struct {
	mu     sync.Mutex
	young  map[question]made // becomes old when it weighs half of keptAnswers
	old    map[question]made
	weight int // of young
}

// find is the answer to a question in a state, if it is kept.
func (a *answers) find(q question, now state) (answer, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	m, ok := a.young[q]
	if !ok {
		m, ok = a.old[q]
	}
	if !ok || m.state != now || now.sequence == 0 {
		return answer{}, false
	}
	if _, young := a.young[q]; !young {
		a.put(q, m)
	}
	return answer{status: nethttp.StatusOK, body: m.body, tag: m.tag}, true
}

// keep makes the answer to a question in a state, and keeps it unless the state is not known. The body must not be changed.
func (a *answers) keep(q question, now state, body json.RawMessage) answer {
	m := made{now, body, entityTag(body)}
	if now.sequence != 0 && len(body) <= keptAtMost {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.put(q, m)
	}
	return answer{status: nethttp.StatusOK, body: body, tag: m.tag}
}

func (a *answers) put(q question, m made) {
	if there, ok := a.young[q]; ok {
		a.weight -= there.weight()
	}
	if a.young == nil || a.weight+m.weight() > keptAnswers/2 {
		a.old, a.young, a.weight = a.young, map[question]made{}, 0
	}
	a.young[q] = m
	a.weight += m.weight()
}

// weight is about how many bytes an answer takes in memory.
func (m made) weight() int { return 512 + cap(m.body) }

package http

import (
	nethttp "net/http"

	"github.com/google/uuid"

	"reckon/projections"
)

const (
	// keptAnswers is about how many bytes of answers stay in memory.
	keptAnswers = 32 << 20
	// keptAtMost is the largest answer that does.
	keptAtMost = 16 << 20
)

// question is what a GET asks for. The same has the same answer as long as the views are in the
// same state.
type question struct {
	account     uuid.UUID
	route       string
	id          uuid.UUID // of the conversation, or the cursor of a page
	number      int       // index of the scenario, or limit of the page, 0 where none is meant
	below       int       // number of the message that the page is below of, 0 where no page is meant
	bodyVersion int

	message uuid.UUID // of the conversation, uuid.Nil where none is meant
	query   string    // of an analysis, as it was sent
	large   bool      // the answer may be: it is made like that of a long conversation
}

// state is what an answer is made from: the views that serve, and the newest event that what is
// asked for depends on, 0 where that is not known. It is read before all else, so that an answer is
// never older than its state.
type state struct {
	edition  projections.Edition
	sequence uint64
}

// made is an answer with the state that it was made from.
type made struct {
	answer
	state state
}

// answers keeps what was answered last: what is asked again and has not changed is not read,
// written and hashed again. It may be used from several goroutines.
type answers struct {
	*projections.Cache[question, made]
}

func newAnswers() answers { return answers{projections.NewCache[question, made](keptAnswers)} }

// find is the answer to a question in a state, if it is kept.
func (a answers) find(q question, now state) (answer, bool) {
	m, ok := a.Get(q)
	return m.answer, ok && m.state == now && now.sequence != 0
}

// keep makes the answer to a question in a state, and keeps it unless the state is not known. The
// body must not be changed. A tag of "" is made of it.
func (a answers) keep(q question, now state, found answer, tag string) answer {
	if tag == "" {
		tag = entityTag(found.body)
	}
	found.status, found.tag = nethttp.StatusOK, tag
	if now.sequence != 0 && len(found.body) <= keptAtMost {
		a.Put(q, made{found, now}, found.weight()+len(q.query))
	}
	return found
}

// Forget drops the answers that are kept: they are made again when they are asked for.
func (s *Server) Forget() { s.answers.Clear() }

// weight is about how many bytes an answer takes in memory.
func (a answer) weight() int { return 512 + cap(a.body) }

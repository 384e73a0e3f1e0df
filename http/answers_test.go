package http

import (
	"bytes"
	"testing"

	"github.com/google/uuid"
)

func TestAnswersAreThoseOfTheState(t *testing.T) {
	a := newAnswers()
	q, now := question{id: uuid.New(), bodyVersion: 2}, state{sequence: 7}
	if _, ok := a.find(q, now); ok {
		t.Error("there is an answer before it was made")
	}
	made := a.keep(q, now, answer{body: []byte(`{"a":1}`)}, "")
	if made.status != 200 || made.tag != entityTag(made.body) {
		t.Errorf("the answer is %+v", made)
	}
	if got, ok := a.find(q, now); !ok || got.status != 200 || !bytes.Equal(got.body, made.body) || got.tag != made.tag {
		t.Errorf("kept is %+v, %v", got, ok)
	}
	if _, ok := a.find(q, state{sequence: 8}); ok {
		t.Error("an answer is that of a later state too")
	}
	if _, ok := a.find(question{id: q.id, bodyVersion: 1}, now); ok {
		t.Error("an answer is that of another question too")
	}
	a.keep(q, state{sequence: 8}, answer{body: []byte(`{"a":2}`)}, "")
	if got, ok := a.find(q, state{sequence: 8}); !ok || string(got.body) != `{"a":2}` {
		t.Errorf("of the later state %s is kept, %v", got.body, ok)
	}
	a.keep(q, state{}, answer{body: []byte(`{"a":3}`)}, "")
	if _, ok := a.find(q, state{}); ok {
		t.Error("an answer of no known state is kept")
	}
}

func TestAnswersAreBounded(t *testing.T) {
	a := newAnswers()
	body := make([]byte, 1<<20)
	used, now := question{id: uuid.New()}, state{sequence: 1}
	a.keep(used, now, answer{body: body}, "")
	asked := []question{used}
	for range 4 * keptAnswers / len(body) {
		asked = append(asked, question{id: uuid.New()})
		a.keep(asked[len(asked)-1], now, answer{body: body}, "")
		if _, ok := a.find(used, now); !ok {
			t.Fatal("an answer that is asked for again and again is dropped")
		}
	}
	kept := 0
	for _, q := range asked {
		if _, ok := a.find(q, now); ok {
			kept += (answer{body: body}).weight()
		}
	}
	if kept > keptAnswers || kept < keptAnswers/2 {
		t.Errorf("%d bytes are kept", kept)
	}
	large := question{id: uuid.New()}
	a.keep(large, now, answer{body: make([]byte, keptAtMost+1)}, "")
	if _, ok := a.find(large, now); ok {
		t.Error("too large an answer is kept")
	}
}

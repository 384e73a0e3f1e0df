package projections

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"
)

// plant writes a document that the history does not make.
func plant(t *testing.T, v *Views, b *bucket, key string, value any) {
	t.Helper()
	text, err := encode(value)
	if err == nil {
		err = v.shelf.write(t.Context(), []document{{b, key, text}})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Documents that are missing, older, other, or more than the history makes, each named once.
func TestVerifyFinds(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	e := h.append(first(uuid.New()))
	second := h.append(after(e, 1))
	if err := v.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if result := verified(t, v); result.Documents != 2 || result.Sequence != 2 {
		t.Errorf("verified %+v", result)
	}
	c := conversationKey{e.Subject.Account(), e.Message().ConversationID}
	right := headOf(t, v, c)
	older, other, elsewhere := right, right, right
	older.Sequence = 1
	other.Messages = 3
	elsewhere.Places = slices.Clone(right.Places)
	elsewhere.Places[0].Sequence = second.Sequence
	foreign := headKey(conversationKey{uuid.New(), uuid.New()})
	for _, row := range []struct {
		name  string
		model int // place in models
		key   string
		value any // nil for none
		want  string
	}{
		{"missing", 2, headKey(c), nil, "2: it is missing"},
		{"missing in another bucket", 3, headKey(c), nil, "2: it is missing"},
		{"older", 2, headKey(c), older, "2: it stands at event 1"},
		{"other", 2, headKey(c), other, "2: its bytes differ"},
		{"no document", 2, headKey(c), "text", "2: it is no document"},
		{"another event's message", 2, headKey(c), elsewhere, "2: its bytes differ"},
		{"a page too many", 2, messagePage(c, 0).String(), page{Sequence: 2}, "2: the conversation has no such page"},
		{"a page of scenarios too many", 2, scenarioPage(c, 1).String(), page{Sequence: 2}, "2: the conversation has no such page"},
		{"a page under another name", 2, messagePage(c, 0).String() + "x", page{Sequence: 2}, "2: the conversation has no such page"},
		{"of a later event", 2, scenarioPage(c, 9).String(), page{Sequence: 99}, "99: there is no such event"},
		{"of no event", 2, scenarioPage(c, 9).String(), page{Sequence: 0}, "0: there is no such event"},
		{"of another event", 2, headKey(c) + ".o.9", page{Sequence: 2}, "2: the event of its sequence does not make it"},
		{"of another conversation", 3, foreign, standing{Sequence: 1}, "1: the event of its sequence does not make it"},
		{"of a domain that is none", 1, versionKey(c.account, c.conversation, 1), version{Sequence: 1}, "1: the event of its sequence does not make it"},
		{"of an account that is none", 0, accountKey(c.account), Account{Sequence: 2}, "2: the event of its sequence does not make it"},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := *v.serving.Load().store.places()[row.model]
			if row.value != nil {
				plant(t, v, b, row.key, row.value)
			} else {
				stream, err := v.shelf.publisher.Stream(t.Context(), "KV_"+b.name)
				if err == nil {
					err = stream.Purge(t.Context(), jetstream.WithPurgeSubject(b.subject(row.key)))
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			var found []string
			result, err := v.Verify(t.Context(), nil, func(d Difference) {
				found = append(found, fmt.Sprintf("%s %s %d: %s", d.Projection, d.Key, d.Sequence, d.What))
			})
			if err != nil {
				t.Fatal(err)
			}
			want := models[row.model].name + " " + row.key + " " + row.want
			if !slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, want) }) || result.Differences != uint64(len(found)) {
				t.Errorf("found %d:\n%s\nwant\n%s", result.Differences, strings.Join(found, "\n"), want)
			}
			if err := v.Rebuild(t.Context(), nil, nil); err != nil {
				t.Fatal(err)
			}
			verified(t, v)
		})
	}
}

// The history is read in several passes, each for some of the conversations.
func TestPassesCoverEverything(t *testing.T) {
	const passes = 3
	count := make([]int, passes)
	for e := range generated(500) {
		pass := passOf(e.Subject, passes)
		count[pass]++
		if e.Message() == nil && pass != 0 {
			t.Errorf("%s is of pass %d", e.Subject, pass)
		}
	}
	for pass, n := range count {
		if n < 100 {
			t.Errorf("pass %d has %d events", pass, n)
		}
	}
}

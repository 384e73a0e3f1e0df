package projections

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
)

// plant writes a document that the history does not make.
func plant(t *testing.T, v *Views, b *bucket, key string, value any) {
	t.Helper()
	writeAll(t, v, b, []document{{key: key, value: value}})
}

// writeAll writes documents past the buffer.
func writeAll(t *testing.T, v *Views, b *bucket, list []document) {
	t.Helper()
	// The views' own writing must not come in between.
	if err := v.save(); err != nil {
		t.Fatal(err)
	}
	documents := make([]encoded, len(list))
	for i, d := range list {
		text, err := events.Marshal(d.value)
		if err != nil {
			t.Fatal(err)
		}
		documents[i] = encoded{d.key, text}
	}
	if err := b.write(documents); err != nil {
		t.Fatal(err)
	}
}

// take removes a document.
func take(t *testing.T, v *Views, b *bucket, key string) {
	t.Helper()
	if err := v.save(); err != nil {
		t.Fatal(err)
	}
	stream, err := v.store.publisher.Stream(t.Context(), b.stream())
	if err == nil {
		err = stream.Purge(t.Context(), jetstream.WithPurgeSubject(b.subject(key)))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// bucketOf is the bucket of a model.
func bucketOf(v *Views, name string) *bucket {
	return v.serving.Load().buckets[slices.Index(Names(), name)]
}

// versioned publishes a version of a domain.
func versioned(account, domain uuid.UUID, number int) events.Event {
	definition := Definition{Title: fmt.Sprint("Road trip ", number), Variables: []events.Variable{}, Activities: []events.Activity{}}
	return event(events.DomainSubject(account, domain), &events.DomainPublished{DomainID: domain, Key: "dm_1", Version: number, Definition: definition})
}

// differences are what was found, each as a line.
type differences []string

func (f *differences) add(d Difference) {
	*f = append(*f, fmt.Sprintf("%s %s %d: %s", d.Projection, d.Key, d.Sequence, d.What))
}

// Documents that are missing, older, newer, other, or more than the history makes, each named once.
func TestVerifyFinds(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	account, domain := uuid.New(), uuid.New()
	h.append(event(events.AccountSubject(account), &events.AccountCreated{AccountID: account, Name: "acme", TimeZone: "UTC", BodyVersion: 2}))
	h.append(versioned(account, domain, 1))
	h.append(versioned(account, domain, 2))
	e := h.append(first(account))
	second := h.append(after(e, 1))
	long := h.append(first(account))
	for range pageSize {
		h.append(after(long, 1))
	}
	if err := v.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if result := verified(t, v); result.Documents != 10 || result.Sequence != h.next {
		t.Errorf("verified %+v", result)
	}
	c := entityKey{account, e.Message().ConversationID}
	paged := messagePage(entityKey{account, long.Message().ConversationID}, 0)
	right := headOf(t, v, c)
	older, newer, beyond, other, elsewhere := right, right, right, right, right
	older.Sequence, newer.Sequence, beyond.Sequence = 4, 6, 999
	other.Messages = 3
	elsewhere.Places = slices.Clone(right.Places)
	elsewhere.Places[0].Sequence = second.Sequence
	settings, _ := v.Account(account)
	renamed := settings
	renamed.Name = "another"
	foreign := entityKey{account, uuid.New()}.String()
	stranger := uuid.New().String()
	made := "the event of its sequence does not make it"
	for _, row := range []struct {
		name  string
		model int // place in models
		key   string
		value any // nil for none
		want  string
	}{
		{"a head is missing", 2, c.String(), nil, "5: it is missing"},
		{"a page is missing", 2, paged.String(), nil, "70: it is missing"},
		{"an account is missing", 0, account.String(), nil, "1: it is missing"},
		{"a domain is missing", 1, entityKey{account, domain}.String(), nil, "3: it is missing"},
		{"a version is missing", 1, versionKey(entityKey{account, domain}, 1), nil, "2: it is missing"},
		{"older", 2, c.String(), older, "5: it stands at event 4"},
		{"an older page", 2, paged.String(), page{Sequence: 6}, "70: it stands at event 6"},
		{"an older domain", 1, entityKey{account, domain}.String(), Domain{Sequence: 2}, "3: it stands at event 2"},
		{"newer", 2, c.String(), newer, "5: it stands at event 6"},
		{"a newer version", 1, versionKey(entityKey{account, domain}, 1), version{Sequence: 3}, "2: it stands at event 3"},
		{"a newer account", 0, account.String(), Account{Sequence: 2}, "1: it stands at event 2"},
		{"newer than the log", 2, c.String(), beyond, "999: there is no such event"},
		{"of no event where there is one", 2, c.String(), page{}, "5: it stands at event 0"},
		{"other", 2, c.String(), other, "5: its bytes differ"},
		{"another event's message", 2, c.String(), elsewhere, "5: its bytes differ"},
		{"another page", 2, paged.String(), page{Sequence: 70}, "70: its bytes differ"},
		{"another account", 0, account.String(), renamed, "1: its bytes differ"},
		{"another version", 1, versionKey(entityKey{account, domain}, 1), version{Sequence: 2}, "2: its bytes differ"},
		{"no document", 2, c.String(), "text", "5: it is no document"},
		{"no document where there is none", 2, "nobody", "text", "0: it is no document"},
		{"a page too many", 2, messagePage(c, 0).String(), page{Sequence: 5}, "5: the conversation has no such page"},
		{"a page of scenarios too many", 2, scenarioPage(c, 1).String(), page{Sequence: 5}, "5: the conversation has no such page"},
		{"a page under another name", 2, paged.String() + "x", page{Sequence: 5}, "5: the conversation has no such page"},
		{"a page with another number", 2, messagePage(paged.entityKey, 0).String() + "0", page{Sequence: 70}, "70: the conversation has no such page"},
		{"a page of nobody", 2, foreign + ".m.0", page{Sequence: 5}, "5: " + made},
		{"of a later event", 2, scenarioPage(c, 9).String(), page{Sequence: 99}, "99: there is no such event"},
		{"of no event", 2, scenarioPage(c, 9).String(), page{Sequence: 0}, "0: there is no such event"},
		{"of another event", 2, c.String() + ".o.9", page{Sequence: 5}, "5: " + made},
		{"a head too many", 2, foreign, right, "5: " + made},
		{"a head in capitals", 2, strings.ToUpper(c.String()), right, "5: " + made},
		{"of a domain that is none", 1, versionKey(c, 1), version{Sequence: 2}, "2: " + made},
		{"a day is missing", 3, newestDayKey(account), nil, "70: it is missing"},
		{"another day", 3, newestDayKey(account), newestDay{Sequence: 70}, "70: its bytes differ"},
		{"days too many", 3, blockKey(account, 9), dayBlock{Sequence: 70}, "70: the account has used nothing of it"},
		{"a version too many", 1, versionKey(entityKey{account, domain}, 3), version{Sequence: 3}, "3: " + made},
		{"of an account that is none", 0, stranger, Account{Sequence: 2}, "2: " + made},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := v.serving.Load().buckets[row.model]
			if row.value != nil {
				plant(t, v, b, row.key, row.value)
			} else {
				take(t, v, b, row.key)
			}
			want := models[row.model].name + " " + row.key + " " + row.want
			var found differences
			result, err := v.Verify(t.Context(), nil, found.add)
			if err != nil {
				t.Fatal(err)
			}
			if len(found) != 1 || !strings.HasPrefix(found[0], want) || result.Differences != 1 {
				t.Errorf("found %d:\n%s\nwant\n%s", result.Differences, strings.Join(found, "\n"), want)
			}
			if err := v.Rebuild(t.Context(), nil, nil); err != nil {
				t.Fatal(err)
			}
			verified(t, v)
		})
	}
}

// Events that come while the keys are read are compared too: what they make is no difference, and a
// document that only claims to be of one of them is.
func TestVerifyFindsWhileEventsCome(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	account, domain := uuid.New(), uuid.New()
	h.append(versioned(account, domain, 1))
	var all []events.Event
	for range 40 {
		all = append(all, h.append(first(account)))
	}
	for range pageSize - 2 {
		h.append(after(all[0], 1))
	}
	if err := v.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	key := func(e events.Event) entityKey { return entityKey{account, e.Message().ConversationID} }
	accounts, domains, heads := bucketOf(v, "accounts"), bucketOf(v, "domains"), bucketOf(v, "conversations")
	nobody := uuid.New().String()
	plant(t, v, accounts, nobody, Account{Sequence: 1}) // which is found first
	take(t, v, heads, key(all[3]).String())
	older := headOf(t, v, key(all[2]))
	older.Sequence--
	plant(t, v, heads, key(all[2]).String(), older)
	want := []string{
		fmt.Sprintf("accounts %s 1: the event of its sequence does not make it", nobody),
		fmt.Sprintf("conversations %s 5: it is missing", key(all[3]).String()),
		fmt.Sprintf("conversations %s 4: it stands at event 3", key(all[2]).String()),
	}
	var found differences
	result, err := v.Verify(t.Context(), nil, func(d Difference) {
		found.add(d)
		if len(found) > 1 {
			return
		}
		h.append(versioned(account, domain, 2))
		for i := 4; i < len(all); i++ {
			h.append(after(all[i], 1))
		}
		h.append(after(all[0], 1)) // fills the page
		h.append(after(all[0], 1)) // makes it
		e := h.append(first(account))
		h.append(after(e, 1))
		if err := v.Fresh(t.Context()); err != nil {
			t.Error(err)
		}
		claims, foreign := headOf(t, v, key(all[1])), entityKey{account, uuid.New()}.String()
		claims.Sequence = e.Sequence
		plant(t, v, heads, key(all[1]).String(), claims)
		plant(t, v, heads, foreign, claims)
		plant(t, v, heads, messagePage(key(all[4]), 0).String(), page{Sequence: h.last[all[4].Subject.String()]})
		plant(t, v, domains, versionKey(entityKey{account, domain}, 3), version{Sequence: e.Sequence})
		ahead := headOf(t, v, key(all[5]))
		ahead.Sequence = 999
		plant(t, v, heads, key(all[5]).String(), ahead)
		want = append(want,
			fmt.Sprintf("conversations %s %d: the event of its sequence does not make it", key(all[1]).String(), e.Sequence),
			fmt.Sprintf("conversations %s %d: the event of its sequence does not make it", foreign, e.Sequence),
			fmt.Sprintf("conversations %s %d: the conversation has no such page", messagePage(key(all[4]), 0), h.last[all[4].Subject.String()]),
			fmt.Sprintf("domains %s %d: the event of its sequence does not make it", versionKey(entityKey{account, domain}, 3), e.Sequence),
			fmt.Sprintf("conversations %s 999: there is no such event", key(all[5]).String()))
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	slices.Sort(want)
	if result.Sequence != h.next || !slices.Equal(found, want) {
		t.Errorf("to %d of %d, found\n%s\nwant\n%s", result.Sequence, h.next, strings.Join(found, "\n"), strings.Join(want, "\n"))
	}
	if err := v.Rebuild(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	verified(t, v)
}

// A node that takes events in all the time is verified without a difference, and the progress grows
// to the end.
func TestVerifyWhileServing(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	newHistoryOf(t, log, 300)
	v := openViews(t, log, dir)
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	for range 2 {
		writers.Go(func() {
			h := newHistory(t, log)
			account := uuid.New()
			for e := h.append(first(account)); ctx.Err() == nil; {
				for range 3 {
					h.append(after(e, 1))
				}
				e = h.append(first(account))
			}
		})
	}
	read := v.folded.Load()
	if stored, err := v.store.count(t.Context(), v.serving.Load()); err != nil {
		t.Fatal(err)
	} else {
		read += stored
	}
	var told []Progress
	_, err := v.Verify(t.Context(), func(p Progress) { told = append(told, p) }, func(d Difference) { t.Errorf("%+v", d) })
	if err != nil {
		t.Fatal(err)
	}
	last := told[len(told)-1]
	if last.Events != last.Total || last.Left != 0 || last.Events < read {
		t.Errorf("the last progress is %+v of %d that were read at least", last, read)
	}
	for i, p := range told[1:] {
		if p.Events < told[i].Events || p.Total < p.Events {
			t.Errorf("the progress is %+v behind %+v", p, told[i])
		}
	}
	if all := buckets(t, v); len(all) != len(models) {
		t.Errorf("a verification leaves %v", all)
	}
	stop()
	writers.Wait()
}

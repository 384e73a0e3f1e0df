package projections

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// What was used is counted by day, domain, key and code as a plain count of the events says, in
// batches of any size, from memory and from the bucket, and after a start.
func TestDaysAreCounted(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, t.TempDir())
	v, h := openIdle(t, log, dir), newHistory(t, nil)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	accounts, ids := []uuid.UUID{uuid.New(), uuid.New()}, []uuid.UUID{uuid.New(), uuid.New(), uuid.New()}
	want := map[uuid.UUID]map[string]*DayUsed{}
	lastUsed := map[uuid.UUID]map[uuid.UUID]time.Time{}
	for _, account := range accounts {
		want[account], lastUsed[account] = map[string]*DayUsed{}, map[uuid.UUID]time.Time{}
	}
	check := func(v *Views) {
		t.Helper()
		for _, account := range accounts {
			for _, since := range []time.Time{{}, start.AddDate(0, 0, 40)} {
				used, err := v.AccountUsed(t.Context(), account, since)
				if err != nil {
					t.Fatal(err)
				}
				var days []DayUsed
				for _, day := range slices.Sorted(maps.Keys(want[account])) {
					if day >= dayOf(since) {
						days = append(days, *want[account][day])
					}
				}
				if got, want := fmt.Sprintf("%+v", used.Days), fmt.Sprintf("%+v", days); len(days)+len(used.Days) > 0 && got != want {
					t.Fatalf("since %s\n%s\nwant\n%s", since, got, want)
				}
				if !reflect.DeepEqual(used.LastUsed, lastUsed[account]) {
					t.Fatalf("last used %v, want %v", used.LastUsed, lastUsed[account])
				}
			}
		}
	}
	for batch := range 60 {
		var list []events.Event
		for range 1 + random.IntN(20) {
			account := accounts[random.IntN(len(accounts))]
			m := request(uuid.New(), "x")
			m.Domain.ID, m.KeyID = ids[random.IntN(3)], ids[random.IntN(3)]
			at := start.Add(time.Duration(batch)*time.Hour*24 - time.Duration(random.IntN(50))*time.Hour)
			m.ReceivedAt = at
			e := []events.Event{completed(account, m, "new", 0, 1), started(account, m), failed(account, m, "")}[random.IntN(3)]
			if data, ok := e.Data.(*events.MessageFailed); ok {
				data.Errors = json.RawMessage([]string{`[{"code":"a"},{"code":"b"},{"code":"a"}]`, `[{"code":"b"}]`}[random.IntN(2)])
			}
			e.Time, e.Size = at, 1+random.IntN(1000)
			e = h.number(e)
			list = append(list, e)
			d := want[account][dayOf(at)]
			if d == nil {
				d = &DayUsed{Day: dayOf(at), Domains: map[uuid.UUID]Count{}, Keys: map[uuid.UUID]Count{}}
				want[account][d.Day] = d
			}
			c := Count{Bytes: e.Size}
			if _, ok := e.Data.(*events.MessageStarted); !ok {
				c.Messages = 1
			}
			if data, ok := e.Data.(*events.MessageFailed); ok {
				c.Errors = 1
				if d.Codes == nil {
					d.Codes = map[string]int{}
				}
				d.Codes["b"]++
				if len(data.Errors) > 20 {
					d.Codes["a"]++
				}
			}
			d.Count, d.Domains[m.Domain.ID], d.Keys[m.KeyID] = d.Count.Plus(c), d.Domains[m.Domain.ID].Plus(c), d.Keys[m.KeyID].Plus(c)
			if hour := at.Truncate(time.Hour); hour.After(lastUsed[account][m.KeyID]) {
				lastUsed[account][m.KeyID] = hour
			}
		}
		if batch%3 == 0 {
			s := viewOf[*usage](v.serving.Load())
			s.days.Clear()
			s.lately.Clear()
		}
		if err := v.fold(list); err != nil {
			t.Fatal(err)
		}
		if err := v.fold(list); err != nil { // as after a start
			t.Fatal(err)
		}
		check(v)
		if batch%10 == 0 {
			if err := v.serving.Load().flush(); err != nil {
				t.Fatal(err)
			}
			g := v.serving.Load()
			again := newGeneration(models, g.buckets, v.messages)
			if err := again.load(t.Context()); err != nil {
				t.Fatal(err)
			}
			v.serving.Store(again)
			check(v)
		}
	}
}

// Of 1,000 days the newest 400 are kept, and of each what is counted one by one is bounded, as are
// the keys and questions that are kept.
func TestUsageIsBounded(t *testing.T) {
	log := openLog(t, t.TempDir())
	v, h := openIdle(t, log, t.TempDir()), newHistory(t, nil)
	account := uuid.New()
	fold := func(change func(i int, m *events.Message) time.Time, count int) {
		t.Helper()
		for first := 0; first < count; first += 100 {
			var list []events.Event
			for i := first; i < min(first+100, count); i++ {
				m := request(uuid.New(), "x")
				at := change(i, &m)
				m.ReceivedAt = at
				e := failed(account, m, "")
				e.Data.(*events.MessageFailed).Errors = json.RawMessage(`[{"code":"language.not_understood","args":["hay"]}]`)
				e.Time, e.Size = at, 1
				list = append(list, h.number(e))
			}
			if err := v.fold(list); err != nil {
				t.Fatal(err)
			}
		}
	}
	fold(func(i int, _ *events.Message) time.Time { return start.AddDate(0, 0, i) }, 1000)
	fold(func(int, *events.Message) time.Time { return start }, 1) // a clock that is far behind
	s := viewOf[*usage](v.serving.Load())
	days, err := s.usedDays(t.Context(), account, time.Time{})
	if err != nil || len(days) != keptDays || days[0].Day != dayOf(start.AddDate(0, 0, 600)) || days[keptDays-1].Day != dayOf(start.AddDate(0, 0, 999)) {
		t.Fatalf("%d days are kept (%v)", len(days), err)
	}
	if len(days[0].Domains) != 1 || days[0].Messages != 1 || days[0].Codes["language.not_understood"] != 1 {
		t.Errorf("a day is %+v", days[0])
	}
	last := start.AddDate(0, 0, 999)
	fold(func(i int, m *events.Message) time.Time {
		m.Domain.ID, m.KeyID = uuid.New(), uuid.New()
		return last.Add(time.Duration(i) * time.Second)
	}, 1500)
	days, err = s.usedDays(t.Context(), account, last)
	if err != nil || len(days) != 1 {
		t.Fatalf("%d days (%v)", len(days), err)
	}
	if d := days[0]; len(d.Domains) > maxCounted+1 || len(d.Keys) > maxCounted+1 || d.Messages != 1501 || d.Domains[uuid.Nil].Messages != 1501-maxCounted {
		t.Errorf("%d domains, %d keys, %d messages, %d of others", len(d.Domains), len(d.Keys), d.Messages, d.Domains[uuid.Nil].Messages)
	}
	found, err := read[lately](t.Context(), s.bucket, []string{latelyKey(account)})
	if l := found[latelyKey(account)]; err != nil || len(l.Keys) != maxKeysUsed || len(l.Unanswered) != maxUnanswered {
		t.Errorf("%d keys and %d questions are kept (%v)", len(l.Keys), len(l.Unanswered), err)
	}
}

// Words that nobody understood are read from the events: what is no longer in the log is gone here
// too, and a verification finds nothing.
func TestUnanswered(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	account := uuid.New()
	var all []events.Event
	for i := range 5 {
		e := failed(account, request(uuid.New(), "how much hay?"), "")
		e.Data.(*events.MessageFailed).Errors = json.RawMessage([]string{
			`[{"code":"language.not_understood","args":["\"hay\""]}]`,
			`[{"code":"input.unknown_variable","args":["hay","day"]},{"code":"input.unknown_unit","args":["hands"]}]`,
			`[{"code":"calculation.missing_inputs","args":["time"]}]`, `[{"code":"language.not_understood"}]`, `"nothing"`,
		}[i])
		e.Time = start.Add(time.Duration(i) * time.Minute)
		all = append(all, h.append(e))
	}
	words := func(since time.Time) (words []string) {
		t.Helper()
		if err := v.Fresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		used, err := v.AccountUsed(t.Context(), account, since)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range used.Unanswered {
			words = append(words, u.Words)
		}
		return words
	}
	if got := words(time.Time{}); !slices.Equal(got, []string{"hay", "hands", `"hay"`}) {
		t.Errorf("the words are %q", got)
	}
	if got := words(start.Add(time.Hour)); got != nil {
		t.Errorf("later words are %q", got)
	}
	verified(t, v)
	if err := v.save(); err != nil {
		t.Fatal(err)
	}
	stream, err := log.JetStream().Stream(t.Context(), "EVENTS")
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.SecureDeleteMsg(t.Context(), all[1].Sequence); err != nil {
		t.Fatal(err)
	}
	if got := words(time.Time{}); !slices.Equal(got, []string{`"hay"`}) {
		t.Errorf("after one is gone the words are %q", got)
	}
}

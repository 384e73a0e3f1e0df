package console

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/http"
	"reckon/projections"
)

// usageShown is what the page of usage shows.
type usageShown struct {
	Days       int // that it looks back
	Choices    []int
	Total      projections.Count
	Month      []quotaShown
	Bars       []dayBar
	Top        int // messages of the day with the most
	Width      int // of the drawing
	ByDay      []usedRow
	By         []usedTable
	Unanswered []unansweredShown
}

// quotaShown is what is used of what an account may use in a month.
type quotaShown struct {
	What, Used, Of string // Of is "" where nothing bounds it
	Share          int    // in percent, at most 100
}

// dayBar is a day in the drawing, which is 100 high: where its bar stands, and where the parts with
// and without an error begin and how high they are.
type dayBar struct {
	X, AnsweredY, Answered, FailedY, Failed float64
	Tip                                     string
}

// usedTable is what was used of each thing of a kind.
type usedTable struct {
	Title, Of string
	Rows      []usedRow
	More      int
}

type usedRow struct {
	Name                    string
	Messages, Errors, Bytes string
}

// periods are how many days back the page may look.
var periods = []int{7, 30, 90, 365}

const (
	maxUsedRows   = 20
	maxWords      = 50
	usageBarWidth = 10
)

// usagePage shows what the account has used.
func (c *Console) usagePage(v *visit) (http.Answer, error) {
	ctx := v.x.Request().Context()
	if err := c.views.Fresh(ctx); err != nil {
		return http.Answer{}, err
	}
	account, _ := c.views.Account(v.account.ID)
	s := usageShown{Days: 30, Choices: periods}
	if days, err := strconv.Atoi(v.x.Request().URL.Query().Get("days")); err == nil && slices.Contains(periods, days) {
		s.Days = days
	}
	now := time.Now()
	used, err := c.views.AccountUsed(ctx, account.ID, now.AddDate(0, 0, 1-s.Days))
	if err != nil {
		return http.Answer{}, err
	}
	s.draw(used.Days, now)
	s.count(used.Days, c.namesOf(account))
	s.Month = quotas(c.views.Used(account.ID, now), account.Allowed())
	for _, u := range used.Unanswered[:min(len(used.Unanswered), maxWords)] {
		s.Unanswered = append(s.Unanswered, unansweredShown{u.Words, u.Domain, u.ConversationID, u.MessageID})
	}
	return c.page("usage", v, 0, s)
}

// namesOf are the names of an account's domains and keys, and under uuid.Nil that of what was too
// much to count one by one.
func (c *Console) namesOf(account projections.Account) map[uuid.UUID]string {
	names := map[uuid.UUID]string{uuid.Nil: "others"}
	for _, d := range c.views.Domains(account.ID) {
		names[d.ID] = commands.Title(d)
	}
	for _, k := range account.Keys {
		names[k.ID] = strings.TrimSpace(k.Name + " …" + k.Hint)
	}
	return names
}

// draw makes the bars of the days up to a moment.
func (s *usageShown) draw(days []projections.DayUsed, now time.Time) {
	byDay := map[string]projections.DayUsed{}
	for _, d := range days {
		byDay[d.Day] = d
		s.Top = max(s.Top, d.Messages)
	}
	s.Width = s.Days * usageBarWidth
	scale := 100 / math.Max(1, float64(s.Top))
	for i := range s.Days {
		d := byDay[now.UTC().AddDate(0, 0, i+1-s.Days).Format(time.DateOnly)]
		if d.Messages == 0 {
			continue
		}
		all, failed := round(float64(d.Messages)*scale), round(float64(d.Errors)*scale)
		s.Bars = append(s.Bars, dayBar{
			X: float64(i * usageBarWidth), AnsweredY: 100 - all, Answered: round(all - failed), FailedY: 100 - failed, Failed: failed,
			Tip: fmt.Sprintf("%s: %s, %s", d.Day, count(d.Messages, "message", "messages"), count(d.Errors, "error", "errors")),
		})
	}
}

// count adds the days up: by day, domain, key and code.
func (s *usageShown) count(days []projections.DayUsed, names map[uuid.UUID]string) {
	domains, keys, codes := map[uuid.UUID]projections.Count{}, map[uuid.UUID]projections.Count{}, map[string]int{}
	for _, d := range slices.Backward(days) {
		all := projections.Count{Messages: d.Messages, Errors: d.Errors, Bytes: d.Bytes}
		s.Total = s.Total.Plus(all)
		s.ByDay = append(s.ByDay, usedRowOf(d.Day, all))
		for id, n := range d.Domains {
			domains[id] = domains[id].Plus(n)
		}
		for id, n := range d.Keys {
			keys[id] = keys[id].Plus(n)
		}
		for code, n := range d.Codes {
			codes[cmp.Or(code, names[uuid.Nil])] += n
		}
	}
	s.By = []usedTable{usedTableOf("By domain", "Domain", domains, func(id uuid.UUID) string { return cmp.Or(names[id], "a domain that is gone") }),
		usedTableOf("By key", "Key", keys, func(id uuid.UUID) string {
			if id == uuid.Nil {
				return "people, in this console"
			}
			return cmp.Or(names[id], "a key that is gone")
		})}
	failed := map[string]projections.Count{}
	for code, n := range codes {
		failed[code] = projections.Count{Messages: n, Errors: n}
	}
	s.By = append(s.By, usedTableOf("By error", "Error", failed, func(code string) string { return code }))
}

// usedTableOf is a table of counts, the most first.
func usedTableOf[K comparable](title, of string, counts map[K]projections.Count, name func(K) string) usedTable {
	type named struct {
		name string
		projections.Count
	}
	var all []named
	for k, n := range counts {
		all = append(all, named{name(k), n})
	}
	slices.SortFunc(all, func(a, b named) int { return cmp.Or(cmp.Compare(b.Messages, a.Messages), cmp.Compare(a.name, b.name)) })
	t := usedTable{Title: title, Of: of, More: max(0, len(all)-maxUsedRows)}
	for _, n := range all[:min(len(all), maxUsedRows)] {
		t.Rows = append(t.Rows, usedRowOf(n.name, n.Count))
	}
	return t
}

func usedRowOf(name string, n projections.Count) usedRow {
	return usedRow{name, grouped(n.Messages), grouped(n.Errors), size(n.Bytes)}
}

// quotas is what was used in a month beside what may be.
func quotas(used projections.MonthUsed, may projections.Limits) []quotaShown {
	list := []quotaShown{{What: "messages", Used: grouped(used.Messages)}, {What: "of storage", Used: size(used.Bytes)}}
	if used.Messages == 1 && may.MonthMessages == 0 {
		list[0].What = "message"
	}
	for i, of := range []struct{ used, may int }{{used.Messages, may.MonthMessages}, {used.Bytes, may.MonthBytes}} {
		if of.may > 0 {
			list[i].Share = min(100, int(100*float64(of.used)/float64(of.may)))
			if list[i].Of = grouped(of.may); i == 1 {
				list[i].Of = size(of.may)
			}
		}
	}
	return list
}

// grouped is a whole number with groups of three digits.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// size is a number of bytes as people read it.
func size(bytes int) string {
	const kilo = 1000
	if bytes < kilo {
		return fmt.Sprintf("%d B", bytes)
	}
	amount, unit := float64(bytes), ""
	for _, unit = range []string{"kB", "MB", "GB", "TB"} {
		if amount /= kilo; amount < kilo {
			break
		}
	}
	return fmt.Sprintf("%.1f %s", amount, unit)
}

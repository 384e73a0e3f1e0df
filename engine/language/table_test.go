package language

import (
	"strings"
	"testing"

	"reckon/engine/units"
)

// first is the texts of the readings of the first quantity of a prompt.
func first(t *testing.T, prompt string) []string {
	t.Helper()
	list := scan(tokenize(prompt), units.Standard(), "", thursday)
	if len(list) == 0 {
		t.Errorf("%q: no quantity", prompt)
		return nil
	}
	var texts []string
	for _, r := range list[0].readings {
		texts = append(texts, r.text)
	}
	return texts
}

func readsAs(t *testing.T, example, means string) {
	t.Helper()
	if got := strings.Join(first(t, example), ", "); got != means {
		t.Errorf("%q: %s, want %s", example, got, means)
	}
}

// TestRows runs the example of every row.
func TestRows(t *testing.T) {
	for _, r := range numberWords {
		if texts := first(t, r.example); len(texts) == 0 || texts[0] != r.means+" mi" {
			t.Errorf("%q: %q, want %s mi", r.example, texts, r.means)
		}
	}
	for _, r := range spokenUnits {
		readsAs(t, r.example, r.means)
	}
	for _, r := range letterUnits {
		readsAs(t, r.example, r.means)
	}
	for _, r := range suffixes {
		readsAs(t, r.example, r.means)
	}
	for _, r := range overWords {
		readsAs(t, r.example, r.means)
	}
	for _, r := range moneyWords {
		readsAs(t, r.example, r.means)
	}
	for _, r := range bareParts {
		readsAs(t, r.example, r.means)
	}
	for _, r := range monthWords {
		readsAs(t, r.example, r.means)
	}
	for _, r := range spokenDays {
		readsAs(t, r.example, r.means)
	}
	for _, r := range weekdays {
		readsAs(t, r.example, r.means)
	}
	for _, r := range weekdayLeads {
		readsAs(t, r.example, r.means)
	}
	for _, r := range dayTimes {
		readsAs(t, r.example, r.means)
	}
	for _, r := range clockWords {
		readsAs(t, r.example, r.means)
	}
	for _, r := range dayParts {
		readsAs(t, r.example, r.means)
	}
}

// TestSpellings holds that every spelling of a row is read, and that the units of rows are units.
func TestSpellings(t *testing.T) {
	table := units.Standard()
	s := newScanner(nil, table, "")
	for i := range spokenUnits {
		r := &spokenUnits[i]
		if senses := s.senses(r, 1); len(senses) != strings.Count(r.units, ", ")+1 {
			t.Errorf("%s: one of %s is no unit", r.words, r.units)
		}
		for spelling := range strings.SplitSeq(r.words, ", ") {
			want, _, _ := strings.Cut(r.units, ",")
			want, _, _ = strings.Cut(want, ":")
			sc := newScanner(tokenize("3 "+spelling), table, "")
			list := sc.single(1, true)
			if len(list) == 0 || list[0].n != len(sc.tokens)-1 {
				t.Errorf("%q is not read as a unit", spelling)
			} else if u, err := table.Parse(want); err != nil || list[0].unit != u {
				t.Errorf("%q is read as %s, not as %s", spelling, list[0].unit.Symbol(), want)
			}
		}
	}
	for i := range moneyWords {
		for spelling := range fields(moneyWords[i].words) {
			if list := newScanner(tokenize("3 "+spelling), table, "").single(1, true); len(list) == 0 || !isCurrency(list[0].unit) {
				t.Errorf("%q is not read as money", spelling)
			}
		}
		for code := range fields(moneyWords[i].codes) {
			if u := table.Lookup(code); !isCurrency(u) {
				t.Errorf("%s is no currency", code)
			}
		}
	}
	for name := range commonUnits() {
		if notUnits()[name] || notSlips()[name] {
			t.Errorf("%q is a unit and no unit", name)
		}
		if list := newScanner(tokenize("3 "+name), table, "").single(1, true); len(list) == 0 || list[0].typo {
			t.Errorf("%q is not read as a unit", name)
		}
	}
}

// TestDays holds that every name of a day is one, and which days a phrase means on which day.
func TestDays(t *testing.T) {
	for _, r := range spokenDays {
		want := dayOf(thursday + r.ahead*secondsOfDay).text("")
		for spelling := range strings.SplitSeq(r.words, ", ") {
			if got := first(t, spelling+" at 14:00"); len(got) == 0 || got[0] != want+"T14:00" {
				t.Errorf("%q: %s, want %s", spelling, got, want)
			}
		}
	}
	for i, r := range weekdays {
		for name := range fields(r.words + " " + r.short) {
			readsAs(t, "on "+name, dayOf(thursday+int64((i+3)%7+1)*secondsOfDay).text(""))
		}
	}
	const saturday, sunday, leapDay = thursday + 2*secondsOfDay, thursday + 3*secondsOfDay, 1835395200
	for _, c := range []struct {
		today        int64
		prompt, want string
	}{
		{saturday, "next Friday", "2026-03-13"},
		{saturday, "next Sunday", "2026-03-08, 2026-03-15"},
		{saturday, "next Saturday", "2026-03-14"},
		{sunday, "next Monday", "2026-03-09, 2026-03-16"},
		{sunday, "next Sunday", "2026-03-15"},
		{sunday, "Friday next week", "2026-03-13, 2026-03-20"},
		{saturday, "Friday next week", "2026-03-13"},
		{sunday, "last Sunday", "2026-03-01"},
		{sunday, "last Saturday", "2026-03-07"},
		{leapDay, "tomorrow", "2028-03-01"},
		{leapDay, "a year from today", "2029-02-28, 1 yr"},
		{leapDay + 31*secondsOfDay, "a month ago", "2028-02-29, 1 mo"},
		{leapDay, "by the 31st", "2028-03-31"},
		{leapDay, "Friday the 13th", "2028-10-13"},
		{-secondsOfDay, "today at noon", "1969-12-31T12:00, 12:00"},
		{-secondsOfDay, "on Thursday", "1970-01-01"},
	} {
		var texts []string
		for _, q := range scan(tokenize(c.prompt), units.Standard(), "", c.today) {
			for _, r := range q.readings {
				texts = append(texts, r.text)
			}
		}
		if got := strings.Join(texts, ", "); got != c.want {
			t.Errorf("%q on %s: %s, want %s", c.prompt, dayOf(c.today).text(""), got, c.want)
		}
	}
}

// TestCountingUnits holds that the counting units of a domain come before whatever else their names are.
func TestCountingUnits(t *testing.T) {
	table, err := units.Standard().With("pizza", "tile", "person")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ prompt, want string }{
		{"3 pizzas", "3 pizza|3"}, {"twelve tiles", "12 tile|12"}, {"4 people", "4 person|4"}, {"4 persons", "4 person|4"}, {"5 miles", "5 mi"},
		{"£3 a pizza", "3 GBP/pizza|3 GBP"}, {"2 tiles per hour", "2 tile/h|2 1/h"},
	} {
		var texts []string
		for _, q := range scan(tokenize(c.prompt), table, "", thursday) {
			for _, r := range q.readings {
				texts = append(texts, r.text)
			}
		}
		if got := strings.Join(texts, "|"); got != c.want {
			t.Errorf("%q: %s, want %s", c.prompt, got, c.want)
		}
	}
}

func TestScanUnit(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"hours", "h"}, {"miles per hour", "mi/h"}, {"hours please", "h"}, {"km", "km"}, {"km/h", "km/h"}, {"square feet", "ft^2"},
		{"dollars", "USD"}, {"minutes?", "min"}, {"litres per 100 km", "L/100km"}, {"%", "%"}, {"kilowatt hours", "kWh"}, {"pounds", "lb"},
		{"degrees celsius", "degC"}, {"mpg", "mpg"}, {"m2", "m^2"}, {"kilometrs", "km"}, {"dollars per hour", "USD/h"}, {"USD", "USD"},
		{"total", ""}, {"the morning", ""}, {"2026", ""}, {"a", ""}, {"as", ""}, {"I'm", ""}, {"all", ""}, {"", ""},
	} {
		tokens := tokenize(c.text)
		u, text, n := scanUnit(tokens, 0, units.Standard())
		if text != c.want || (n == 0) != (c.want == "") || n > len(tokens) {
			t.Errorf("%q: %s in %d tokens, want %s", c.text, text, n, c.want)
		}
		if n > 0 && u.Symbol() != text {
			t.Errorf("%q: unit %s, text %s", c.text, u.Symbol(), text)
		}
	}
}

package language

import (
	"flag"
	"os"
	"strings"
	"testing"

	"reckon/engine/units"
)

// thursday is the day of the tests, 2026-03-05.
const thursday = 1772668800

var update = flag.Bool("update", false, "rewrite the answers in testdata")

// described is what a scan found, for people: the span of each quantity in brackets, then its
// readings.
func described(prompt, currency string) string {
	tokens := tokenize(prompt)
	var list []string
	for _, q := range scan(tokens, units.Standard(), currency, thursday) {
		text := "[" + prompt[tokens[q.from].start:tokens[q.to-1].end] + "]"
		if q.approx {
			text += " about"
		}
		if q.weak {
			text += " weak"
		}
		if q.none {
			text += " none"
		}
		switch {
		case q.rng:
			text += " range"
		case len(q.readings) == 0 && q.moment:
			text += " moment"
		case len(q.readings) == 0:
			text += " nothing"
		}
		for i, r := range q.readings {
			if i > 0 {
				text += " |"
			}
			text += " " + kindNames[r.kind] + " " + r.text
			if r.weak && !q.weak {
				text += " (weak)"
			}
		}
		list = append(list, text)
	}
	if len(list) == 0 {
		return "-"
	}
	return strings.Join(list, "; ")
}

var kindNames = [...]string{
	kindNumber: "number", kindMeasure: "measure", kindPercent: "percent", kindMoney: "money",
	kindDate: "date", kindDatetime: "datetime", kindClock: "clock", kindDuration: "duration", kindTable: "table",
	kindLabel: "label",
}

// TestQuantities holds the lines "prompt => quantities" of testdata/quantities.txt; "[GBP] prompt"
// is a prompt to a domain whose only currency is the pound.
func TestQuantities(t *testing.T) {
	const file = "testdata/quantities.txt"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	cases := 0
	for i, line := range lines {
		if line == "" || line == "#" || strings.HasPrefix(line, "# ") {
			continue
		}
		prompt, want, _ := strings.Cut(line, " => ")
		cases++
		currency, text := "", prompt
		if strings.HasPrefix(prompt, "[") && len(prompt) > 6 && prompt[4] == ']' {
			currency, text = prompt[1:4], prompt[6:]
		}
		got := described(text, currency)
		if got != want && !*update {
			t.Errorf("%s:%d: %s\n got %s\nwant %s", file, i+1, prompt, got, want)
		}
		lines[i] = prompt + " => " + got
	}
	if cases < 300 {
		t.Errorf("%s has %d cases, and should have 300", file, cases)
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	const prompt = "If I drive about 150 miles at 60 miles an hour and leave at 8:15 am, paying $3.20 a gallon, when am I there?"
	table := units.Standard()
	b.ReportAllocs()
	for b.Loop() {
		scan(tokenize(prompt), table, "USD", thursday)
	}
}

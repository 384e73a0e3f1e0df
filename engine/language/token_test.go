package language

import (
	"strings"
	"testing"
	"unicode/utf8"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

// TestTokens holds tokens as text: a space where white space stood, a bar where none did.
func TestTokens(t *testing.T) {
	for _, c := range []struct{ prompt, want string }{
		{"I'm at 60mph, what's it?", "I'm at 60|mph|, what's it|?"},
		{"a 150-mile trip", "a 150|-|mile trip"},
		{`6'2"`, `6|'|2|"`},
		{"2026-03-05", "2026|-|03|-|05"},
		{"14:07 or 1,234.5", "14|:|07 or 1,234.5"},
		{"3/4 1e-3 .5 5. 5.", "3|/|4 1e-3 .5 5|. 5|."},
		{"1½ ½", "1|½ ½"},
		{"$20k £5 20°C 20ºC", "$|20|k £|5 20|°|C 20|º|C"},
		{"m2 60m2 CO2 2h30m", "m2 60|m|2 CO2 2|h|30|m"},
		{"5–10 well—so", "5|–|10 well|—|so"},
		{"don’t ‘quote’", "don’t ‘|quote|’"},
		{"100%", "100|%"},
		{"5->6 => 7→8 --> -9", "5|->|6 => 7|→|8 --> -|9"},
		{"\x80a\xff", "\x80|a|\xff"},
		{"1e5x 2em", "1|e|5|x 2|em"},
		{"", ""},
	} {
		got := ""
		for i, token := range tokenize(c.prompt) {
			if i > 0 && token.spaced {
				got += " "
			} else if i > 0 {
				got += "|"
			}
			got += token.text
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.prompt, got, c.want)
		}
	}
}

// FuzzScan holds that tokens keep every byte but white space, that quantities lie in order inside
// the prompt, and that the numbers of readings are those of their texts.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		"If I drive 150 miles at 60 mph, when am I there?", "between £5 and £10k a month", `6'2" and "60"`, "half past eight pm",
		"1 1/2 - 3/4 of a mile", "March 5th, 2026 at 8:15 a.m.", "a million and a half", "\xff5\xfe", "5 ft 2 in 3", "two-and-a-half",
		"7 L/100 km per second per second", "5 degrees below zero", "9e999999 m", "12345678901234567890k", "-$-5", "24/7", "a a a an an",
		"next sun at 8 on the 31st, a century from today", "from 9 am to 5 pm tomorrow", "99999 years ago", "6 pounds 50 a litre -> no fee",
	} {
		f.Add(seed, "GBP")
	}
	f.Fuzz(func(t *testing.T, prompt, currency string) {
		tokens := tokenize(prompt)
		end := 0
		for _, token := range tokens {
			if token.start < end || token.end <= token.start || token.end > len(prompt) || prompt[token.start:token.end] != token.text {
				t.Fatalf("token %q at %d to %d behind %d", token.text, token.start, token.end, end)
			}
			if strings.TrimSpace(prompt[end:token.start]) != "" {
				t.Fatalf("%q is in no token", prompt[end:token.start])
			}
			if token.spaced != (token.start > end || end == 0) {
				t.Fatalf("%q: spaced is %v", token.text, token.spaced)
			}
			end = token.end
		}
		if strings.TrimSpace(prompt[end:]) != "" {
			t.Fatalf("%q is in no token", prompt[end:])
		}
		at := 0
		for _, q := range scan(tokens, units.Standard(), currency, thursday) {
			if q.from < at || q.to <= q.from || q.to > len(tokens) {
				t.Fatalf("quantity from %d to %d behind %d of %d", q.from, q.to, at, len(tokens))
			}
			at = q.to
			for _, r := range q.readings {
				if r.text == "" || !utf8.ValidString(r.text) || r.unitTokens < 0 || r.unitTokens > q.to-q.from {
					t.Fatalf("reading %+v of %d tokens", r, q.to-q.from)
				}
				if r.kind == kindNumber && !strings.Contains(r.text, "/") {
					if n, err := decimal.Parse(r.text); err != nil || n.Cmp(r.number) != 0 {
						t.Fatalf("%s is not %s", r.text, r.number)
					}
				}
			}
		}
		for i := range tokens {
			if _, n := scanUnit(tokens, i, units.Standard()); n < 0 || i+n > len(tokens) {
				t.Fatalf("unit of %d tokens at %d of %d", n, i, len(tokens))
			}
		}
	})
}

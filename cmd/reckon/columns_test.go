package main

import (
	"strings"
	"testing"
)

func TestColumns(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "旅行": 4, "🚗": 2, "Füße": 4, "Fu\u0308r": 3, "ｱ": 1, "Ａ": 2, "█░…": 3, "\u200d": 0} {
		if got := columns(text); got != want {
			t.Errorf("%q has %d columns, not %d", text, got, want)
		}
	}
	for _, c := range []struct {
		text string
		room int
		want string
	}{
		{"旅行 plan", 9, "旅行 plan"}, {"旅行 plan", 8, "旅行 pl…"}, {"旅行 plan", 4, "旅…"}, {"旅行 plan", 1, "…"}, {"旅行 plan", 0, "…"},
	} {
		if got := cutLine(c.text, c.room); got != c.want {
			t.Errorf("%d columns of %q are %q", c.room, c.text, got)
		}
	}
}

func TestWrapped(t *testing.T) {
	for _, c := range []struct {
		text string
		room int
		want string
	}{
		{"one two three", 13, "one two three"},
		{"one two three", 12, "one two\nthree"},
		{"one two three\n\nfour", 7, "one two\nthree\n\nfour"},
		{"  :why   how the answer came about", 20, "  :why   how the\n         answer came\n         about"},
		{"  = a / b and c", 10, "  = a / b\n  and c"},
		{"unbreakableword and", 8, "unbreakableword and"},
		{"旅行 旅行 旅行", 9, "旅行 旅行\n旅行"},
		{strings.Repeat(" ", 30), 8, strings.Repeat(" ", 30)},
		{"a     b", 3, "a\nb"},
	} {
		if got := wrapped(c.text, c.room); got != c.want {
			t.Errorf("%q in %d columns is\n%s", c.text, c.room, got)
		}
	}
}

// The place of a problem is seen, however long the line before and behind it is.
func TestAroundAPlace(t *testing.T) {
	long := strings.Repeat("many 旅 words ", 20)
	line := long + "HERE" + long
	for _, room := range []int{12, 20, 40, 80, 1000} {
		part, at := around(line, columns(long), 4, room)
		if columns(part) > room || !strings.HasPrefix(part[len(beginning(part, at)):], "HERE") {
			t.Errorf("in %d columns it is %q at %d", room, part, at)
		}
	}
	if part, at := around("HERE"+long, 0, 4, 10); at != 0 || part != "HEREmany …" {
		t.Errorf("%q at %d", part, at)
	}
}

func TestTablesWithWideCharacters(t *testing.T) {
	var out strings.Builder
	rows := newTable("NAME", "VALUE", "")
	rows.add("東京", "1", "x")
	rows.add("a", "22", "yy")
	rows.add("alone")
	if err := rows.print(terminal{out: &out}, ""); err != nil {
		t.Fatal(err)
	}
	if want := "NAME  VALUE\n東京  1   x\na     22  yy\nalone\n"; out.String() != want {
		t.Errorf("\n%s", out.String())
	}
}

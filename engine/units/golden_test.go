package units

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"reckon/engine/decimal"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// golden runs every line "INPUT = OUTPUT # COMMENT" of a file through run. separator stands before
// the output.
func golden(t *testing.T, name string, run func(t *testing.T, input string) string) {
	path := filepath.Join("testdata", name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cases := 0
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		input, rest, found := cutLast(line)
		if strings.HasPrefix(line, "#") || !found {
			out.WriteString(line + "\n")
			continue
		}
		cases++
		want, comment, commented := strings.Cut(rest, "   # ")
		got := run(t, input)
		if got != want && !*update {
			t.Errorf("%s:%d: %s = %s, want %s", path, i+1, input, got, want)
		}
		out.WriteString(input + " = " + got)
		if commented {
			out.WriteString("   # " + comment)
		}
		out.WriteString("\n")
	}
	if cases < 100 {
		t.Errorf("%s holds only %d cases", path, cases)
	}
	if *update {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// cutLast splits at the first " = " behind a quoted input, else at the first one.
func cutLast(line string) (input, rest string, found bool) {
	if quoted, err := strconv.QuotedPrefix(line); err == nil {
		rest, found := strings.CutPrefix(line[len(quoted):], " = ")
		return quoted, rest, found
	}
	return strings.Cut(line, " = ")
}

// countingTable knows the counting units of the test data.
func countingTable(t testing.TB) *Table {
	table, err := Standard().With("widget", "person")
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func mustParse(t testing.TB, table *Table, text string) *Unit {
	u, err := table.Parse(text)
	if err != nil {
		t.Fatalf("parse %q: %v", text, err)
	}
	return u
}

func TestConversions(t *testing.T) {
	table := countingTable(t)
	golden(t, "conversions.txt", func(t *testing.T, input string) string {
		left, right, _ := strings.Cut(input, " -> ")
		number, unit, _ := strings.Cut(left, " ")
		n, err := decimal.Parse(number)
		if err != nil {
			t.Fatalf("%s: %v", input, err)
		}
		from, to := mustParse(t, table, unit), mustParse(t, table, right)
		c := decimal.NewContext(100)
		q, err := Convert(c, Quantity{n, from}, to)
		if Compatible(from, to) != (err == nil) {
			t.Errorf("%s: Compatible disagrees with Convert (%v)", input, err)
		}
		switch {
		case err != nil:
			return err.Error()
		case c.Err() != nil:
			return c.Err().Error()
		}
		return q.String()
	})
}

func TestSpellings(t *testing.T) {
	table := countingTable(t)
	golden(t, "spellings.txt", func(t *testing.T, input string) string {
		text, err := strconv.Unquote(input)
		if err != nil {
			t.Fatalf("%s: %v", input, err)
		}
		u, err := table.Parse(text)
		switch err := err.(type) {
		case nil:
			kind := u.Dimension().Name()
			if u.IsPoint() {
				kind += ", point"
			}
			if u.IsOne() {
				return "(" + kind + ")"
			}
			return u.Symbol() + " (" + kind + ")"
		case *SyntaxError:
			return "error at " + strconv.Itoa(err.Offset) + ": " + err.Reason
		default:
			return "error: " + err.Error()
		}
	})
}

func TestResults(t *testing.T) {
	table := countingTable(t)
	golden(t, "results.txt", func(t *testing.T, input string) string {
		list, sought, _ := strings.Cut(input, "> ")
		var used []*Unit
		for text := range strings.SplitSeq(list, ",") {
			if text = strings.TrimSpace(text); text != "" {
				used = append(used, mustParse(t, table, text))
			}
		}
		sought, point := strings.CutSuffix(sought, " point")
		d := mustParse(t, table, sought).Dimension()
		u := table.ForResult(d, used, point)
		if u.Dimension() != d && u.Dimension().WithoutAngle() != d.WithoutAngle() {
			t.Errorf("%s = %s, of another dimension", input, u.Symbol())
		}
		if u.IsOne() {
			return "1"
		}
		return u.Symbol()
	})
}

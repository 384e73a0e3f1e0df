package format

import (
	"flag"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reckon/engine/decimal"
	"reckon/engine/value"
)

var update = flag.Bool("update", false, "rewrite the texts in engine/testdata/formats.txt")

const formatCases = "../testdata/formats.txt"

// formatCase is a line of engine/testdata/formats.txt.
type formatCase struct{ line, value, kind, format, text string }

// readFormatCases reads engine/testdata/formats.txt, a case for each line; those of comments have a line
// alone.
func readFormatCases(tb testing.TB) []formatCase {
	tb.Helper()
	data, err := os.ReadFile(formatCases)
	if err != nil {
		tb.Fatal(err)
	}
	var cases []formatCase
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		c := formatCase{line: line}
		if line != "" && !strings.HasPrefix(line, "#") {
			columns := strings.Split(line, "|")
			if len(columns) != 4 {
				tb.Fatalf("%q has not four columns", line)
			}
			for i, field := range []*string{&c.value, &c.kind, &c.format, &c.text} {
				*field = strings.TrimSpace(columns[i])
			}
		}
		cases = append(cases, c)
	}
	return cases
}

func TestFormatCases(t *testing.T) {
	count := map[[2]string]int{}
	seen := map[[3]string]bool{}
	var lines []string
	for _, c := range readFormatCases(t) {
		if c.kind == "" {
			lines = append(lines, c.line)
			continue
		}
		count[[2]string{c.kind, c.format}]++
		id := [3]string{c.value, c.kind, c.format}
		if seen[id] {
			t.Errorf("twice: %s", c.line)
		}
		seen[id] = true
		text, err := Render(c.value, c.kind, c.format)
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.line, err)
		case text != c.text && !*update:
			t.Errorf("%s\ngot %s", c.line, text)
		}
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%s | %s | %s | %s", c.value, c.kind, c.format, text), " "))
	}
	if *update {
		if err := os.WriteFile(formatCases, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range kinds {
		if f.structure != "number" {
			continue
		}
		if count[[2]string{f.name, ""}] == 0 {
			t.Errorf("no case of the default format of %s", f.name)
		}
		for _, format := range f.formats {
			if n := count[[2]string{f.name, format}]; n < 3 {
				t.Errorf("%d cases of %s %s", n, f.name, format)
			}
		}
	}
}

func TestRenderRefuses(t *testing.T) {
	for _, c := range []struct{ value, kind, format, want string }{
		{"1", "money", "", `render "1": "money" is not a kind of a single value`},
		{"1", "table", "", `render "1": "table" is not a kind of a single value`},
		{"1 s", "date", "duration_hms", `render "1 s": "duration_hms" is not a format of kind date`},
		{"", "number", "decimals_10", `render "": "decimals_10" is not a format of kind number`},
		{"USD", "number", "", `render "USD": read number: ` + decimal.ErrSyntax.Error()},
		{"1,000", "number", "", `render "1,000": read number: ` + decimal.ErrSyntax.Error()},
		{"today", "number", "", `render "today": read number: ` + decimal.ErrSyntax.Error()},
		{"1e9999", "percent", "", `render "1e9999": read number: ` + decimal.ErrTooLarge.Error()},
	} {
		text, err := Render(c.value, c.kind, c.format)
		if err == nil || err.Error() != c.want {
			t.Errorf("%v: %q, %v", c, text, err)
		}
	}
}

// TestRenderedDecimals compares the fixed decimals with the rounding of exact fractions.
func TestRenderedDecimals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?[0-9]{1,20}(\.[0-9]{1,12}5?)?`).Draw(t, "value")
		places := rapid.IntRange(0, 9).Draw(t, "places")
		exact, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("%s is no fraction", text)
		}
		want := exact.FloatString(places) // ties away from zero
		if rounded, ok := new(big.Rat).SetString(want); ok && rounded.Sign() == 0 {
			want = strings.TrimPrefix(want, "-")
		}
		got, err := Render(text, "no_separator", fmt.Sprintf("decimals_%d", places))
		if err != nil || got != want {
			t.Fatalf("%s, %v, not %s", got, err, want)
		}
		separated, err := Render(text, "number", fmt.Sprintf("decimals_%d", places))
		if err != nil || strings.ReplaceAll(separated, ",", "") != want {
			t.Fatalf("%s, %v, not %s", separated, err, want)
		}
	})
}

// TestRenderedMoments reads the ISO forms of moments and spans back.
func TestRenderedMoments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Int64Range(-62135596800_000, 253402300799_999).Draw(t, "milliseconds")
		value := fmt.Sprintf("%de-3 s", ms)
		text, err := Render(value, "datetime", "datetime_iso")
		if err != nil {
			t.Fatal(err)
		}
		read, err := time.Parse("2006-01-02T15:04:05.999", text)
		if err != nil || read.UnixMilli() != ms {
			t.Fatalf("%s reads as %v, %v", text, read, err)
		}
		text, err = Render(value, "duration", "duration_dhms")
		if err != nil {
			t.Fatal(err)
		}
		text, negative := strings.CutPrefix(text, "-")
		var days, hours, minutes, seconds int64
		if _, err := fmt.Sscanf(text, "%d:%d:%d:%d", &days, &hours, &minutes, &seconds); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		total := ((days*24+hours)*60+minutes)*60 + seconds
		if negative {
			total = -total
		}
		if off := total*1000 - ms; off < -500 || off > 500 {
			t.Fatalf("%s is %d ms off", text, off)
		}
	})
}

// FuzzRender holds that each value is either refused by all kinds alike or rendered in all formats,
// on one short line.
func FuzzRender(f *testing.F) {
	for _, c := range readFormatCases(f) {
		if c.kind != "" {
			f.Add(c.value)
		}
	}
	f.Add("1e-6144 USD")
	f.Add("-9.99999999999999999999e6144")
	f.Fuzz(func(t *testing.T, val string) {
		number, unit, _ := strings.Cut(val, " ")
		_, invalid := decimal.Parse(number)
		for _, k := range kinds {
			for _, layout := range k.formats {
				text, err := Render(val, k.name, layout)
				word := value.IsMomentWord(val) && !slices.Contains(k.formats, "decimals_0")
				switch {
				case val == "" || word:
					if text != val || err != nil {
						t.Errorf("%q %s: %q, %v", val, layout, text, err)
					}
				case (err != nil) != (invalid != nil):
					t.Errorf("%q %s: %v", val, layout, err)
				case text == "" && err == nil || len(text) > len(number)+len(unit)+60:
					t.Errorf("%q %s: %q", val, layout, text)
				}
			}
		}
	})
}

// TestFormats names what the tables of kinds miss.
func TestFormats(t *testing.T) {
	for _, f := range kinds {
		if f.structure == "number" && len(f.formats) == 0 {
			t.Errorf("kind %s has no format", f.name)
		}
		seen := map[string]bool{}
		for _, format := range f.formats {
			if seen[format] {
				t.Errorf("kind %s has the format %s twice", f.name, format)
			}
			seen[format] = true
		}
		if !slices.Contains([]string{"number", "table", "bar_chart", "pie_chart"}, f.structure) {
			t.Errorf("kind %s has the structure %s", f.name, f.structure)
		}
	}
}

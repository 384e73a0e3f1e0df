package engine

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"reckon/engine/input"
	"reckon/engine/units"
	"reckon/engine/value"
)

// textEnv is 2026-03-05 14:07:09 in Berlin, 13:07:09 in UTC.
func textEnv(tb testing.TB) value.Env {
	tb.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		tb.Fatal(err)
	}
	return value.Env{Now: time.Date(2026, 3, 5, 13, 7, 9, 0, time.UTC), Zone: zone}
}

// textDomain has the variables given and no activities.
func textDomain(tb testing.TB, variables ...value.Variable) *Domain {
	tb.Helper()
	table, err := units.Standard().With("widget")
	if err != nil {
		tb.Fatal(err)
	}
	def := Definition{Units: []string{"widget"}, Variables: variables}
	return &Domain{
		Definition: def,
		Scope:      value.Scope{Declared: variables, Profiles: make([]value.Profile, len(variables)), Counting: def.Units, Table: table},
	}
}

// textVariable reads "kind: percent; unit: mi/h; default: 10 USD; display: {…}" (display last).
func textVariable(tb testing.TB, text string) value.Variable {
	tb.Helper()
	v := value.Variable{ID: "id", Key: "x", Title: "Test variable"}
	for text != "" {
		name, rest, found := strings.Cut(text, ":")
		value := rest
		if !found {
			tb.Fatalf("a variable with %q", text)
		}
		text = ""
		if name = strings.TrimSpace(name); name != "display" {
			value, text, _ = strings.Cut(rest, ";")
		}
		value = strings.TrimSpace(value)
		switch name {
		case "kind":
			v.Kind = value
		case "unit":
			v.Unit = value
		case "format":
			v.Format = value
		case "default":
			v.Default = textOf(tb, value)
		case "display":
			v.Display = json.RawMessage(value)
		default:
			tb.Fatalf("a variable has no %s", name)
		}
	}
	return v
}

// textOf reads a table as JSON, anything else as it is.
func textOf(tb testing.TB, s string) value.Text {
	tb.Helper()
	if !strings.HasPrefix(s, "[") {
		return value.Scalar(s)
	}
	var t value.Text
	if err := json.Unmarshal([]byte(s), &t); err != nil {
		tb.Fatalf("%s: %v", s, err)
	}
	return t
}

// lineOf is a Text on one line.
func lineOf(t value.Text) string {
	if t.Rank == 0 {
		return t.Scalar()
	}
	data, err := json.Marshal(t)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// sentence is an error with its placeholders filled.
func sentence(e value.Error) string {
	message := e.Message
	for i, arg := range e.Args {
		message = strings.ReplaceAll(message, "%arg"+strconv.Itoa(i)+"%", arg)
	}
	at := ""
	if e.Offset != nil {
		at = fmt.Sprintf(" at %d", *e.Offset)
	}
	return e.Code + at + ": " + message
}

// runText runs the cases of files in testdata: "== heading" lines set the scene, each "> input"
// line is followed by the output up to the next blank line.
func runText(t *testing.T, pattern string, output func(t *testing.T, heading, input string) string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			heading, cases, inOutput := "", 0, false
			for _, line := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
				if h, found := strings.CutPrefix(line, "=="); found {
					heading = strings.TrimSpace(h)
				}
				input, found := strings.CutPrefix(line, ">")
				switch {
				case found:
					cases++
					fmt.Fprintf(&out, "%s\n%s\n", line, strings.TrimRight(output(t, heading, strings.TrimPrefix(input, " ")), "\n"))
					inOutput = true
				case line == "" || !inOutput:
					out.WriteString(line + "\n")
					inOutput = false
				}
			}
			if *update {
				if err := os.WriteFile(file, []byte(out.String()), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if cases == 0 {
				t.Fatal("no cases")
			}
			want, got := strings.Split(string(data), "\n"), strings.Split(out.String(), "\n")
			for i := range min(len(want), len(got)) {
				if got[i] != want[i] {
					t.Fatalf("%s:%d: got\n%s\nwant\n%s", file, i+1, got[i], want[i])
				}
			}
			if len(got) != len(want) {
				t.Fatalf("%s: %d lines, want %d", file, len(got), len(want))
			}
		})
	}
}

// TestValues reads values, and everything that they are shown as reads back as the same value.
func TestValues(t *testing.T) {
	env := textEnv(t)
	runText(t, "value_*.txt", func(t *testing.T, heading, text string) string {
		d := textDomain(t, textVariable(t, heading))
		v, normal, errs := input.ParseValue(&d.Scope, 0, textOf(t, text), env)
		if len(errs) > 0 {
			var lines []string
			for _, e := range errs {
				lines = append(lines, sentence(e))
			}
			return strings.Join(lines, "\n")
		}
		checkRoundTrip(t, d, v, normal, env)
		shown := lineOf(v.Text())
		if n := lineOf(normal); n != shown {
			shown += " (" + n + ")"
		}
		return shown
	})
}

func checkRoundTrip(tb testing.TB, d *Domain, v value.Value, normal value.Text, env value.Env) {
	tb.Helper()
	again, _, errs := input.ParseValue(&d.Scope, 0, v.Text(), env)
	if len(errs) > 0 || !again.Equal(v) {
		tb.Errorf("the value %s does not read back: %v %v", lineOf(v.Text()), errs, again)
	}
	again, second, errs := input.ParseValue(&d.Scope, 0, normal, env)
	if len(errs) > 0 || !again.Equal(v) {
		tb.Errorf("the normal form %s of %s does not read back: %v", lineOf(normal), lineOf(v.Text()), errs)
	} else if lineOf(second) != lineOf(normal) {
		tb.Errorf("the normal form %s has the normal form %s", lineOf(normal), lineOf(second))
	}
}

func TestUnitsAsked(t *testing.T) {
	runText(t, "asked_units.txt", func(t *testing.T, heading, text string) string {
		d := textDomain(t, textVariable(t, heading))
		u, err := input.ParseUnit(&d.Scope, 0, text)
		if err != nil {
			return sentence(*err)
		}
		return u.String()
	})
}

// TestNames has headings "key=Title, key=Title, …".
func TestNames(t *testing.T) {
	runText(t, "names.txt", func(t *testing.T, heading, input string) string {
		var variables []value.Variable
		for _, v := range strings.Split(heading, ",") {
			key, title, _ := strings.Cut(strings.TrimSpace(v), "=")
			variables = append(variables, value.Variable{Key: key, Title: title})
		}
		i, err := textDomain(t, variables...).FindVariable(input)
		if err != nil {
			return sentence(*err)
		}
		return variables[i].Key
	})
}

func TestEqual(t *testing.T) {
	d := textDomain(t, value.Variable{Key: "x"}, value.Variable{Key: "table", Kind: "table"})
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"2 m^3", "2000 L", true},
		{"1/3 h", "20 min", true},
		{"36 km/h", "10 m/s", true},
		{"0 degC", "273.15 K", true},
		{"6%", "0.06", true},
		{"2 m", "2 s", false},
		{"2 m", "2", false},
		{"1 USD", "1 EUR", false},
		{"1", "1.0000000000000000000000000000000001", true},
		{"1", "1.000000000000000000000000000000001", false},
		{"10 L/100km", "10 km/L", true},
		{"20 L/100km", "10 km/L", false},
		{`["1 m",""]`, `["100 cm",""]`, true},
		{`["1 m",""]`, `["100 cm","0 m"]`, false},
		{`["1 m"]`, `[["1 m"]]`, false},
		{`["1 m"]`, `["1 m","2 m"]`, false},
		{`[["1 m"],["2 m"]]`, `[["1 m","2 m"]]`, false},
	} {
		read := func(s string) value.Value {
			variable := 0
			if strings.HasPrefix(s, "[") {
				variable = 1
			}
			v, _, errs := input.ParseValue(&d.Scope, variable, textOf(t, s), value.Env{})
			if len(errs) > 0 {
				t.Fatalf("%s: %v", s, errs)
			}
			return v
		}
		a, b := read(c.a), read(c.b)
		if a.Equal(b) != c.want || b.Equal(a) != c.want {
			t.Errorf("%s and %s: equal is %v, want %v", c.a, c.b, a.Equal(b), c.want)
		}
	}
}

func TestText(t *testing.T) {
	for _, form := range []string{
		`""`, `"5 ft"`, `"<&> ½ \""`, `[]`, `["a"]`, `["a","","b"]`, `[[]]`, `[["a"],["b","c"]]`,
	} {
		var text value.Text
		if err := json.Unmarshal([]byte(form), &text); err != nil {
			t.Errorf("%s: %v", form, err)
			continue
		}
		data, err := text.MarshalJSON()
		if err != nil || string(data) != form {
			t.Errorf("%s is written as %s, %v", form, data, err)
		}
		if text.IsEmpty() != (form == `""`) {
			t.Errorf("%s: IsEmpty is %v", form, text.IsEmpty())
		}
	}
	for _, form := range []string{`5`, `null`, `true`, `{}`, `[1]`, `["a",["b"]]`, `[["a"],"b"]`, `[[["a"]]]`, `[null]`, `[["a",2]]`, `[["a"],null]`} {
		text := value.Scalar("untouched")
		if err := json.Unmarshal([]byte(form), &text); err == nil {
			t.Errorf("%s is read as %v", form, text)
		} else if text.Scalar() != "untouched" {
			t.Errorf("%s changes the text", form)
		}
	}
}

func TestMoment(t *testing.T) {
	honolulu, err := time.LoadLocation("Pacific/Honolulu")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 5, 5, 0, 1, 0, time.UTC)
	for _, c := range []struct {
		zone       *time.Location
		now, today string
	}{
		{nil, "2026-03-05T05:00:01", "2026-03-05T00:00"},
		{honolulu, "2026-03-04T19:00:01", "2026-03-04T00:00"},
	} {
		env := value.Env{Now: now, Zone: c.zone}
		if got := time.Unix(env.Moment(), 0).UTC().Format("2006-01-02T15:04:05"); got != c.now {
			t.Errorf("now in %v is %s", c.zone, got)
		}
		if got := time.Unix(env.Today(), 0).UTC().Format("2006-01-02T15:04"); got != c.today {
			t.Errorf("today in %v is %s", c.zone, got)
		}
	}
}

// TestHugeValues has texts of which each part could cost more than its length: all are read to an
// end, and errors stay short.
func TestHugeValues(t *testing.T) {
	d := textDomain(t, value.Variable{Key: "x", Unit: "m"}, value.Variable{Key: "day", Kind: "date"}, value.Variable{Key: "span", Kind: "duration"}, value.Variable{Key: "rate", Kind: "percent"})
	const size, quoted, unitLength = 64 << 10, 200, 200
	for _, part := range []string{
		"(", "-", "1", "1,", "1,000", ",000", ".1", "1 m ", "m", "m·", "m/", "/100m", "m1", " ", "1+", "9^", "9*", "½", "²", "1/2", "$", "USD ", "a ", "5 km 1 m ",
		"9e6000*", "(m", "^(", "mar 1 ",
	} {
		for _, head := range []string{"", "1 m", "(", "$1"} {
			text := head + strings.Repeat(part, size/len(part))
			for variable := range d.Variables {
				_, _, errs := input.ParseValue(&d.Scope, variable, value.Scalar(text), value.Env{})
				for _, e := range errs {
					for _, arg := range e.Args {
						if len(arg) > 5*quoted {
							t.Errorf("%s%s…: %s with %d bytes", head, part, e.Code, len(arg))
						}
					}
				}
			}
			if _, err := input.ParseUnit(&d.Scope, 0, text); err == nil && len(strings.TrimSpace(text)) > unitLength {
				t.Errorf("%s%s… is a unit", head, part)
			}
			if i, _ := d.FindVariable(text); i >= 0 {
				t.Errorf("%s%s… is a name", head, part)
			}
		}
	}
}

func FuzzParseValue(f *testing.F) {
	for _, s := range []string{
		"60 mi/h", "6%", "$20", "20 €/kWh", "5 ft 11 in", "2:30", "8:15 am", "2026-03-05T14:07", "5 March", "(55 + 5) mi/h", "1 1/2", "2½ h",
		"1,234.5", "1,23", "1.234,5", "-2^2 m²", "20 degC + 5 K", "5/s", "60 1/h", "L/100km", "today", "03/04/2026", "10 - 3 %",
	} {
		for variable := range 8 {
			f.Add(variable, s)
		}
	}
	d := textDomain(f,
		value.Variable{Key: "any"}, value.Variable{Key: "speed", Unit: "mi/h"}, value.Variable{Key: "cost", Default: value.Scalar("10 USD")},
		value.Variable{Key: "rate", Kind: "percent"}, value.Variable{Key: "day", Kind: "date"}, value.Variable{Key: "at", Kind: "time"},
		value.Variable{Key: "moment", Kind: "datetime"}, value.Variable{Key: "span", Kind: "duration", Unit: "min"})
	env := textEnv(f)
	f.Fuzz(func(t *testing.T, variable int, s string) {
		variable = int(uint(variable) % uint(len(d.Variables)))
		one := textDomain(t, d.Variables[variable])
		v, normal, errs := input.ParseValue(&one.Scope, 0, value.Scalar(s), env)
		if len(errs) == 0 {
			checkRoundTrip(t, one, v, normal, env)
			return
		}
		for _, e := range errs {
			if e.Offset != nil && (*e.Offset < 0 || *e.Offset > len([]rune(s))) {
				t.Errorf("%q: offset %d", s, *e.Offset)
			}
		}
	})
}

func BenchmarkParseValue(b *testing.B) {
	d := textDomain(b, value.Variable{Key: "x"}, value.Variable{Key: "day", Kind: "date"})
	for _, c := range []struct {
		text     string
		variable int
	}{{"60 mi/h", 0}, {"1,250.75 USD", 0}, {"5 ft 11 in", 0}, {"5ft11in", 0}, {"(55 + 5) mi/h", 0}, {"2026-03-05", 1}, {"5 kgg", 0}} {
		b.Run(c.text, func(b *testing.B) {
			text := value.Scalar(c.text)
			b.ReportAllocs()
			for b.Loop() {
				input.ParseValue(&d.Scope, c.variable, text, value.Env{})
			}
		})
	}
}

package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"reckon/commands"
	"reckon/commands/domainfile"
)

// Questions in a terminal make a domain; what is wrong is said at once and asked again. An input
// that ends leaves no file.
func TestInterview(t *testing.T) {
	t.Chdir(t.TempDir())
	answers := func(lines ...string) (int, string) {
		keyboard, program := openTerminal(t)
		if _, err := keyboard.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		return run(terminal{Context: t.Context(), in: program, out: &out, err: &out}, []string{"domain", "new", "trip.yaml"}), out.String()
	}
	if code, out := answers("Road trip", "A journey.", "distance\x04\x04"); code != 1 || !strings.Contains(out, "nothing is written: the input ended") {
		t.Errorf("an input that ends: status %d, %s", code, out)
	}
	if _, err := os.Stat("trip.yaml"); err == nil {
		t.Fatal("a file is written")
	}
	code, out := answers("", "Road trip", "A journey.", "distance km", "2x", "speed furlong/fortnigt", "speed km/h", "time h", "", "time = distance speed", "time = distance", "time = distance / speed", "")
	if code != 0 {
		t.Fatalf("status %d: %s", code, out)
	}
	for _, want := range []string{`"2x" cannot be a key`, `Did you mean "fortnight"?`, "Write distance * speed to multiply", "different dimensions"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	f, err := domainfile.Read("trip.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, report := f.Check(); !report.Valid || len(f.Definition.Variables) != 3 || len(f.Definition.Activities) != 1 {
		t.Errorf("%s\n%+v", f.Bytes(), report.Findings)
	}
}

// What the editor of the console begins with stands by itself, and is right.
func TestBegun(t *testing.T) {
	list := begun()
	if len(list) != len(starters())+1 {
		t.Errorf("%d texts to begin with, %d starter domains", len(list), len(starters()))
	}
	for _, s := range list {
		if _, report := domainfile.Parse(s.Name+".yaml", []byte(s.Text)).Compile(); !report.Valid || s.Title == "" {
			t.Errorf("%s: %v", s.Name, report.Findings)
		}
		if len(s.Text) > commands.MaxSource {
			t.Errorf("%s has %d bytes", s.Name, len(s.Text))
		}
	}
}

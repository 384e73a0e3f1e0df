package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"reckon/commands/domainfile"
)

// openTerminal opens the two ends of a pseudo-terminal.
func openTerminal(t *testing.T) (keyboard, program *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { keyboard.Close() })
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return keyboard, program
}

// A finding has colours on a terminal, unless NO_COLOR or the terminal says otherwise, and the
// caret stands under its place behind letters of two columns and in a line that is cut.
func TestFindingsOnATerminal(t *testing.T) {
	t.Chdir(t.TempDir())
	long := strings.Repeat("é", 150)
	text := "title: A\ndescription: B\nvariables: [{key: a}, {key: 家, title: \"\tC\"}]\nactivities:\n  - equation: a =\t家 + b\n" +
		"  - {title: " + long + ", equation: a = 家 + 2x}\n"
	if err := os.WriteFile("a.yaml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	keyboard, program := openTerminal(t)
	lines := bufio.NewScanner(keyboard)
	check := func() []string {
		if code := run(terminal{Context: t.Context(), out: program, err: program}, []string{"domain", "check", "a.yaml"}); code != 1 {
			t.Fatalf("exit status %d", code)
		}
		var shown []string
		for len(shown) < 9 && lines.Scan() {
			shown = append(shown, lines.Text())
		}
		return shown
	}
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	shown := check()
	for i, want := range []string{
		3: "a.yaml:5:23: \x1b[1;31merror\x1b[0m: Unknown variable \"b\". The variables are a, 家.",
		4: "  5 |   - equation: a = 家 + b",
		5: "    |                        \x1b[1;32m^\x1b[0m",
		7: "  6 | …" + strings.Repeat("é", 77) + ", equation: a = 家 + 2x}",
		8: "    | " + strings.Repeat(" ", 1+77+22) + "\x1b[1;32m^\x1b[0m",
	} {
		if want != "" && shown[i] != want {
			t.Errorf("line %d is\n%q, want\n%q", i, shown[i], want)
		}
	}
	for name, value := range map[string]string{"NO_COLOR": "1", "TERM": "dumb"} {
		t.Setenv("NO_COLOR", "")
		t.Setenv("TERM", "xterm")
		t.Setenv(name, value)
		if shown := strings.Join(check(), "\n"); strings.Contains(shown, "\x1b") {
			t.Errorf("with %s=%s it has colours:\n%s", name, value, shown)
		}
	}
}

// A file may be a single line of a megabyte, with a finding at every name in it: the line is not
// taken apart again for each.
func TestFindingsOnOneLongLine(t *testing.T) {
	var variables []string
	for i := range 3000 {
		variables = append(variables, fmt.Sprintf(`{"key": "v%d", "title": "%d", "description": "%s"}`, i, i, strings.Repeat("x", 150)))
	}
	text := `{"title": "A", "description": "B", "variables": [` + strings.Join(variables, ", ") + `], "activities": [{"title": "First", "equation": "v0 = 2 * v1"}]}`
	f := domainfile.Parse("long.json", []byte(text))
	_, report := f.Check()
	findings := report.Findings
	if len(findings) < 2000 {
		t.Fatalf("%d findings", len(findings))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	showFindings(io.Discard, f, findings)
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 100<<20 {
		t.Errorf("%d MiB are allocated for %d findings in %d bytes", (after.TotalAlloc-before.TotalAlloc)>>20, len(findings), len(text))
	}
}

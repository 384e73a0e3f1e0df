package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// overlaid builds the program with other contents of some of its files, or of the standard library's.
func overlaid(t *testing.T, files map[string]string) (program string) {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for name, text := range files {
		absolute, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		replace[absolute] = filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(replace[absolute], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "reckon")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-overlay", file, "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return program
}

// replaced is the text of a file with a piece of it replaced, which must be there once.
func replaced(t *testing.T, file, old, with string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Count(text, []byte(old)) != 1 {
		t.Fatalf("%s does not hold %q once", file, old)
	}
	return strings.Replace(string(text), old, with, 1)
}

// TestWrongClock lets the clock of one node be an hour fast, and then an hour slow, while callers work and nodes fail. The program is
// built with another time.Now for that.
func TestWrongClock(t *testing.T) {
	if !soaking {
		fmt.Fprintf(os.Stderr, "NOT RUN: %s: it builds the standard library anew; make soak runs it\n", t.Name())
		return
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	clock := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	text := replaced(t, clock, "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n", `var wrong = func() int64 {
	text, _ := syscall.Getenv("WRONG_CLOCK")
	d, _ := ParseDuration(text)
	return int64(d / Second)
}()

func Now() Time {
	sec, nsec, mono := runtimeNow()
	sec += wrong
`)
	program := overlaid(t, map[string]string{clock: strings.Replace(text, "import (\n", "import (\n\t\"syscall\"\n", 1)})
	for _, offset := range []string{"1h", "-1h"} {
		t.Run(offset, func(t *testing.T) {
			c := newCluster(t, t.TempDir())
			c.nodes[0].install(program)
			c.nodes[0].env = []string{"WRONG_CLOCK=" + offset}
			c.goThrough(t, seedOf(t, 13), clusterFaults)
			if hour := c.nodes[0].wrongClock(t); hour < 59*time.Minute || hour > 61*time.Minute {
				t.Fatalf("the clock of %s is wrong by %s", c.nodes[0].name, hour)
			}
		})
	}
}

// wrongClock is how wrong a node's clock is, as the date of its answers says.
func (n *node) wrongClock(t *testing.T) time.Duration {
	t.Helper()
	a, err := request(&probing, "GET", n.url+"/readyz", "", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	date, err := time.Parse(time.RFC1123, a.header.Get("Date"))
	if err != nil {
		t.Fatal(err)
	}
	return time.Since(date).Abs()
}

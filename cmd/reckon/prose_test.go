package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reckon/commands/domainfile"
	"reckon/engine/value"
)

// The shares, in percent, that the offline interpreter must keep on the prompts of testdata/prose.
// A wrong guess costs more than a refusal. `reckon evaluate --verbose` shows what went wrong where.
const (
	mostWrong      = 3.0 // of all turns
	leastRight     = 90.0
	leastRefused   = 95.0 // of those that must be
	leastDialogues = 85.0 // of conversations right in every turn
)

func TestProse(t *testing.T) { judge(t, "testdata/prose/*.prompts.yaml") }

// TestGerman is TestProse of domains in German, which are read by tables alone.
func TestGerman(t *testing.T) { judge(t, "testdata/german/*.prompts.yaml") }

// TestBlind is TestProse of prompts about far subjects, most of which were used for the rules after
// they had been asked once: see testdata/blind/README.md.
func TestBlind(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of prompts take long")
	}
	judge(t, "testdata/blind/*/*.prompts.yaml")
}

func judge(t *testing.T, pattern string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no prompt files: %v", err)
	}
	var out, errs bytes.Buffer
	if code := run(terminal{Context: t.Context(), in: &bytes.Buffer{}, out: &out, err: &errs}, append([]string{"evaluate", "--json"}, files...)); code != 0 {
		t.Fatalf("exit status %d: %s", code, errs.String())
	}
	var report struct{ Total tally }
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	c := report.Total
	t.Logf("%d turns: %.1f%% right, %.1f%% wrong guesses, %.1f%% over-refusals; %.1f%% refused of %d that must be; %.1f%% of %d conversations",
		c.Turns, share(c.Right, c.Turns), share(c.Wrong, c.Turns), share(c.OverRefused, c.Turns), share(c.Refused, c.MustRefuse), c.MustRefuse,
		share(c.AllRight, c.Conversations), c.Conversations)
	if wrong := share(c.Wrong, c.Turns); wrong > mostWrong {
		t.Errorf("%.1f%% wrong guesses, more than %g%%", wrong, mostWrong)
	}
	if right := share(c.Right, c.Turns); right < leastRight {
		t.Errorf("%.1f%% right, fewer than %g%%", right, leastRight)
	}
	if refused := share(c.Refused, c.MustRefuse); refused < leastRefused {
		t.Errorf("%.1f%% refused of those that must be, fewer than %g%%", refused, leastRefused)
	}
	if right := share(c.AllRight, c.Conversations); right < leastDialogues {
		t.Errorf("%.1f%% of the conversations right, fewer than %g%%", right, leastDialogues)
	}
}

// TestProbe asks each equation of every starter and test domain in plain titles, in several
// wordings. Each question is read as it is meant.
func TestProbe(t *testing.T) {
	var files []string
	patterns := []string{"starter/*/*.yaml", "testdata/prose/*.yaml", "testdata/domains/*.yaml", "testdata/german/*.yaml"}
	if slowdown > 1 && !soaking {
		t.Log("NOT RUN with the race detector: the domains of testdata; RECKON_SOAK=1 runs them")
		patterns = patterns[:1]
	}
	for _, pattern := range patterns {
		list, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, list...)
	}
	env := value.Env{Now: time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC), Zone: time.UTC}
	asked := 0
	for _, file := range files {
		if strings.HasSuffix(file, ".prompts.yaml") {
			continue
		}
		f, err := domainfile.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		domain, report := f.Compile()
		if domain == nil {
			t.Fatalf("%s: %v", file, report.Findings)
		}
		n, misread := domain.Probe(env)
		asked += n
		for _, m := range misread {
			t.Errorf("%s: %s\n  want %s\n  got  %s", file, m.Prompt, m.Want, m.Got)
		}
	}
	t.Logf("%d questions", asked)
}

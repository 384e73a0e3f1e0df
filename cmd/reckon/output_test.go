package main

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestNothingSentSteersATerminal: prompts stand in what an administrator reads.
func TestNothingSentSteersATerminal(t *testing.T) {
	for text, want := range map[string]string{
		"Ünïcode — 家 👩\u200d🍳\tand\nlines": "Ünïcode — 家 👩\u200d🍳\tand\nlines",
		"\x1b[2J\x1b]0;title\a":            `\u001b[2J\u001b]0;title\u0007`,
		"good\rbad\b\x7f":                  `good\u000dbad\u0008\u007f`,
		"\u009b2J, \u202ereverse\u202c":    `\u009b2J, \u202ereverse\u202c`,
		"\xff\xfe":                         "\xff\xfe",
	} {
		var out bytes.Buffer
		if n, err := (visible{&out}).Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%q: %d, %v", text, n, err)
		}
		if out.String() != want {
			t.Errorf("%q is shown as %q, want %q", text, out.String(), want)
		}
	}
	var out bytes.Buffer
	if err := printJSON(terminal{out: visible{&out}}, "\u009b\u202e\x7f\n"); err != nil {
		t.Fatal(err)
	}
	var back string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back != "\u009b\u202e\x7f\n" {
		t.Errorf("%s says %q (%v)", out.Bytes(), back, err)
	}
}

package language

import (
	"path/filepath"
	"strings"
	"testing"
)

// cutEvery is how many prompts there are for each one that TestCut cuts.
const cutEvery = 60

// TestCut reads prompts of all sets with words missing at either end, so that what looks beside a
// word meets the ends of the prompt. None may panic.
func TestCut(t *testing.T) {
	paths, err := filepath.Glob("../../cmd/reckon/testdata/*/*/*.prompts.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	n := 0
	for _, path := range paths {
		set := loadTrained(t, path)
		v := New(set.domain)
		for _, d := range set.dialogues {
			for _, turn := range d.Turns {
				words := strings.Fields(turn.Prompt)
				if n++; n%cutEvery != 0 {
					continue
				}
				for i := 1; i < min(len(words), 6); i++ {
					for _, cut := range []string{strings.Join(words[i:], " "), strings.Join(words[:len(words)-i], " "), strings.Join(words[i:], " ") + "?"} {
						v.Interpret(cut, empty(), tripEnv)
					}
				}
			}
		}
	}
}

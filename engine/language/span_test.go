package language

import (
	"fmt"
	"strings"
	"testing"
)

// The stretches of a prompt are named as they were read.
func TestSpans(t *testing.T) {
	v := trip(t)
	before := after(t, v, "how long for 150 miles at 60 mph?")
	for prompt, want := range map[string]string{
		"how long for 150 miles at 60 mph?":                              "target[how long]time= value[150 miles]distance=150 mi value[60 mph]speed=60 mph",
		"150 miles at 60 bananas":                                        "value[150 miles]distance=150 mi unread[60 bananas]=",
		"and 10 mph faster?":                                             "change[10 mph faster]speed=70 mph",
		"and in the first scenario with 200 miles instead of 150 miles?": "scenario[in the first scenario]= value[200 miles]distance=200 mi change[150 miles]=",
		"xyzzy": "unread[xyzzy]=",
		"":      "",
	} {
		refers := empty()
		if strings.HasPrefix(prompt, "and ") {
			refers = before
		}
		_, trace, _ := v.Interpret(prompt, refers, tripEnv)
		var got []string
		last := 0
		for _, s := range trace.Spans() {
			if s.From < last || s.To <= s.From || s.To > len(prompt) {
				t.Errorf("%q: from %d to %d behind %d", prompt, s.From, s.To, last)
			}
			last = s.To
			got = append(got, fmt.Sprintf("%s[%s]%s=%s", s.Part, prompt[s.From:s.To], s.Variable, s.Value))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%q: %s, want %s", prompt, text, want)
		}
	}
}

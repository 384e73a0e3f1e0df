package console

import (
	"strings"
	"testing"

	"reckon/projections"
)

// What asks for nothing is answered with what came of it, and not as an error.
func TestReplied(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	h.publish("acme", "home/electricity.yaml")
	b := h.signedIn("ada@example.com", "acme", projections.RoleMember)
	for prompt, said := range map[string]string{"start over": "The next question begins a new scenario.", "thanks": "You are welcome."} {
		at := "/console/conversations/" + h.said(b, "acme", prompt)[0]
		b.eventually(prompt, func() bool { return strings.Contains(b.get(at).raw, said) })
		if p := b.get(at); strings.Contains(p.raw, `class="pod problem"`) || strings.Contains(p.raw, ">"+prompt+"</textarea>") {
			t.Errorf("%s is an error:\n%s", prompt, p.raw)
		}
	}
}

package http

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// TestAnalyses compares scenarios of a conversation, sweeps one and tells its sensitivity: answers
// are as described, and nothing is written.
func TestAnalyses(t *testing.T) {
	n := startNode(t)
	running, stop := context.WithCancel(t.Context())
	var working sync.WaitGroup
	working.Go(func() { n.server.service.Run(running) })
	t.Cleanup(func() { stop(); working.Wait() })
	conversation := ""
	say := func(prompt string) {
		t.Helper()
		body, _ := json.Marshal(map[string]string{"domain_id": n.domain.ID.String(), "prompt": prompt, "conversation_id": conversation})
		if conversation == "" {
			body = []byte(strings.Replace(string(body), `"conversation_id":"",`, "", 1))
		}
		w := n.ask("POST", "/v1/calculate", string(body))
		var m struct {
			ConversationID string `json:"conversation_id"`
			Status         string
		}
		if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil || m.Status != "completed" {
			t.Fatalf("%s: %s", prompt, w.Body)
		}
		conversation = m.ConversationID
	}
	say("a: 1\ncalculate: b")
	say("a: 3")
	path := "/v1/conversations/" + conversation
	before := n.ask("GET", path, "").Body.String()
	for _, c := range []struct {
		what, query, schema string
		status              int
		holds               string
	}{
		{"compare", "scenarios=1,2", "Comparison", 200, `"part":"1"`},
		{"compare", "scenarios=1,2&of=a", "Comparison", 200, `"reason":"given"`},
		{"compare", "scenarios=1,2&of=c", "Comparison", 200, `"status":"error"`},
		{"compare", "scenarios=2,2", "Comparison", 200, `"difference":"0"`},
		{"compare", "scenarios=1,9", "TransportError", 404, ""},
		{"compare", "scenarios=1", "TransportError", 422, ""},
		{"compare", "", "TransportError", 422, ""},
		{"sweep", "vary=a&from=0&to=1&steps=3", "Sweep", 200, `[["0","1"],["0.5","1.5"],["1","2"]]`},
		{"sweep", "vary=a&values=1,+2,+5&of=b", "Sweep", 200, `[["1","2"],["2","3"],["5","6"]]`},
		{"sweep", "vary=b&from=0&to=1&of=a&scenario=1", "Sweep", 200, `"key":"a"`},
		{"sweep", "vary=a&from=1&to=x", "Sweep", 200, `"status":"error"`},
		{"sweep", "vary=a&from=1&to=2&vary2=a&values2=1", "Sweep", 200, `"code":"input.duplicate_variable"`},
		{"sweep", "vary=a&from=1&to=2&values=3", "TransportError", 422, ""},
		{"sweep", "vary=a&from=1", "TransportError", 422, ""},
		{"sweep", "from=1&to=2", "TransportError", 422, ""},
		{"sweep", "vary=a&from=1&to=2&steps=1001", "TransportError", 422, ""},
		{"sweep", "vary=a&from=1&to=2&vary2=b", "TransportError", 422, ""},
		{"sweep", "vary=a&from=1&to=2&scenario=0", "TransportError", 422, ""},
		{"sweep", "vary=a&from=1&to=2&scenario=7", "TransportError", 404, ""},
		{"sensitivity", "", "Sensitivity", 200, `"elasticity":"0.75"`},
		{"sensitivity", "scenario=1&by=50%25&of=b", "Sensitivity", 200, `"elasticity":"0.5"`},
		{"sensitivity", "by=bounds", "Sensitivity", 200, `"method":"derivative"`},
		{"sensitivity", "by=ten", "TransportError", 422, ""},
		{"sensitivity", "by=0%25", "TransportError", 422, ""},
		{"sensitivity", "by=1%25&by=2%25", "TransportError", 422, ""},
	} {
		w := n.ask("GET", path+"/"+c.what+"?"+c.query, "")
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.holds) {
			t.Errorf("%s %s: %d %s", c.what, c.query, w.Code, w.Body)
		}
		conforms(t, c.schema, w.Body.Bytes())
		tag := w.Header().Get("ETag")
		if again := n.ask("GET", path+"/"+c.what+"?"+c.query, "", "If-None-Match", tag); c.status == 200 && again.Code != 304 {
			t.Errorf("%s %s: %d with its own tag %s", c.what, c.query, again.Code, tag)
		}
	}
	if after := n.ask("GET", path, "").Body.String(); after != before {
		t.Errorf("the conversation was\n%s\nand is\n%s", before, after)
	}
	if w := n.ask("GET", path+"/sweep?vary="+url.QueryEscape(strings.Repeat("a", 9000))+"&from=1&to=2", ""); w.Code != 200 {
		t.Errorf("a long name: %d %s", w.Code, w.Body)
	}
}

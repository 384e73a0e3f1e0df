package main

import (
	"encoding/json"
	"fmt"
	nethttp "net/http"
	"path/filepath"
	"sync"
	"testing"
)

// TestKillUnderLoadLosesNothing kills the server three times while callers calculate, in structured text and in prose.
// Whatever was acknowledged must be answered again under its key, by the same message; whatever was not may be asked again
// and runs at most once. A request in prose whose worker was killed is answered by the next one.
func TestKillUnderLoadLosesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, filepath.Join(t.TempDir(), "data"))
	prompts := []string{promptOf(0, true), "How much energy do 1500 W use at 3 hours per day in 30 days?"}
	post := func(key string, prose int) (answer, messageBody, error) {
		body, err := json.Marshal(map[string]string{"domain_id": w.domain, "prompt": prompts[prose]})
		if err != nil {
			return answer{}, messageBody{}, err
		}
		a, err := send(&caller, "POST", w.url+"/v1/calculate", map[string]string{
			"Authorization": "Bearer " + w.secret, "Idempotency-Key": key, "Prefer": "wait=10",
		}, body)
		var m messageBody
		if err == nil && a.status == nethttp.StatusOK {
			err = json.Unmarshal(a.body, &m)
		}
		return a, m, err
	}
	type asked struct {
		key   string
		prose int // 1 for prose
	}
	acknowledged := map[asked]string{} // its message
	cut := map[asked]bool{}            // prose whose answer did not arrive
	count := 0
	for round := range 3 {
		w.serve(t)
		var mutex sync.Mutex
		var callers sync.WaitGroup
		enough := make(chan struct{})
		for i := range 8 {
			callers.Go(func() {
				for n := 0; ; n++ {
					q := asked{fmt.Sprintf("%d-%d-%d", round, i, n), n % 2}
					a, m, err := post(q.key, q.prose)
					mutex.Lock()
					count++
					if err == nil && a.status == nethttp.StatusOK {
						acknowledged[q] = m.MessageID
						if len(acknowledged) == 150*(round+1) {
							close(enough)
						}
					}
					if err != nil && q.prose == 1 {
						cut[q] = true
					}
					mutex.Unlock()
					if err != nil {
						return
					}
				}
			})
		}
		<-enough
		w.kill()
		callers.Wait()
	}
	w.serve(t)
	for q, message := range acknowledged {
		a, m, err := post(q.key, q.prose)
		if err != nil || a.status != nethttp.StatusOK || a.header.Get("Idempotent-Replayed") != "true" || m.MessageID != message {
			t.Fatalf("key %s: status %d, headers %v, message %s instead of %s: %v", q.key, a.status, a.header, m.MessageID, message, err)
		}
	}
	for q := range cut {
		a, m, err := post(q.key, q.prose)
		if err != nil || a.status != nethttp.StatusOK || m.Results == nil {
			t.Fatalf("key %s, which was cut off: status %d, %s: %v", q.key, a.status, a.body, err)
		}
	}
	t.Logf("%d of %d requests were acknowledged, all are there", len(acknowledged), count)
}

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	nethttp "net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// program builds the real program.
func program(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "reckon")
	if out, err := exec.Command("go", "build", "-o", name, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return name
}

// running is a server in a process of its own.
type running struct {
	process *exec.Cmd
	url     string
	output  string
}

func start(t *testing.T, program, data string) *running {
	t.Helper()
	r := &running{process: exec.Command(program, "serve", "--dev", "--data", data, "--listen", "127.0.0.1:0", "--log-level", "warn")}
	r.process.Stderr = os.Stderr
	out, err := r.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.kill)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		r.output += lines.Text() + "\n"
		if m := readyLine.FindStringSubmatch(lines.Text()); m != nil {
			r.url = m[1]
		}
		if bytes.HasPrefix(lines.Bytes(), []byte("curl ")) {
			return r
		}
	}
	t.Fatalf("the server did not start: %s", r.output)
	return nil
}

func (r *running) kill() {
	_ = r.process.Process.Signal(syscall.SIGKILL)
	_ = r.process.Wait()
}

// post sends a calculation with an idempotency key, and waits for its answer where it is in prose.
func (r *running) post(key, secret string, body []byte) (status int, replayed bool, message string, err error) {
	request, err := nethttp.NewRequest("POST", r.url+"/v1/calculate", bytes.NewReader(body))
	if err != nil {
		return 0, false, "", err
	}
	request.Header.Set("Authorization", "Bearer "+secret)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	request.Header.Set("Prefer", "wait=10")
	client := nethttp.Client{Timeout: 20 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		return 0, false, "", err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, false, "", err
	}
	var m struct {
		ID string `json:"message_id"`
	}
	if response.StatusCode == nethttp.StatusOK {
		err = json.Unmarshal(data, &m)
	}
	return response.StatusCode, response.Header.Get("Idempotent-Replayed") == "true", m.ID, err
}

// TestKillUnderLoadLosesNothing kills the server three times while callers calculate, in structured text and in prose.
// Whatever was acknowledged must be answered again under its key, by the same message; whatever was not may be asked again
// and runs at most once. A request in prose whose worker was killed is answered by the next one.
func TestKillUnderLoadLosesNothing(t *testing.T) {
	binary, data := program(t), filepath.Join(t.TempDir(), "data")
	acknowledged := map[string]string{} // message by key
	cut := map[string]bool{}            // keys of prose whose answer did not arrive
	asked := 0
	var secret string
	var structured, prose []byte
	body := func(key string) []byte {
		if strings.HasSuffix(key, "prose") {
			return prose
		}
		return structured
	}
	for round := range 3 {
		server := start(t, binary, data)
		if secret == "" {
			key, err := os.ReadFile(filepath.Join(data, "dev-key"))
			if err != nil {
				t.Fatal(err)
			}
			secret = string(bytes.TrimSpace(key))
			structured = firstBody(t, server.output)
			var members map[string]string
			if err := json.Unmarshal(structured, &members); err != nil {
				t.Fatal(err)
			}
			members["input_format"], members["prompt"] = "natural_language", "How long for 150 miles at 60 mph?"
			if prose, err = json.Marshal(members); err != nil {
				t.Fatal(err)
			}
		}
		var mutex sync.Mutex
		var callers sync.WaitGroup
		enough := make(chan struct{})
		for i := range 8 {
			callers.Go(func() {
				for n := 0; ; n++ {
					key := fmt.Sprintf("%d-%d-%d-%s", round, i, n, []string{"structured", "prose"}[n%2])
					status, _, message, err := server.post(key, secret, body(key))
					mutex.Lock()
					asked++
					if err == nil && status == nethttp.StatusOK {
						acknowledged[key] = message
						if len(acknowledged) == 150*(round+1) {
							close(enough)
						}
					}
					if err != nil && n%2 == 1 {
						cut[key] = true
					}
					mutex.Unlock()
					if err != nil {
						return
					}
				}
			})
		}
		<-enough
		server.kill()
		callers.Wait()
	}
	server := start(t, binary, data)
	for key, message := range acknowledged {
		status, replayed, again, err := server.post(key, secret, body(key))
		if err != nil || status != nethttp.StatusOK || !replayed || again != message {
			t.Fatalf("key %s: status %d, replayed %v, message %s instead of %s: %v", key, status, replayed, again, message, err)
		}
	}
	for key := range cut {
		status, _, message, err := server.post(key, secret, prose)
		if err != nil || status != nethttp.StatusOK {
			t.Fatalf("key %s, which was cut off: status %d, message %s: %v", key, status, message, err)
		}
	}
	t.Logf("%d of %d requests were acknowledged, all are there", len(acknowledged), asked)
}

// firstBody is the body of the curl line that --dev prints.
func firstBody(t *testing.T, output string) []byte {
	t.Helper()
	from, to := bytes.Index([]byte(output), []byte("-d '")), bytes.LastIndexByte([]byte(output), '\'')
	if from < 0 || to <= from {
		t.Fatalf("no curl line in %s", output)
	}
	return []byte(output[from+4 : to])
}

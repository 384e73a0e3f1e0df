package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	nethttp "net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
)

// hostileShape is a domain in which much hangs together, with a question.
type hostileShape struct {
	name, prompt string
	variables    int
	equations    []string
}

// shapedVariable is the key of a variable by its number, in letters.
func shapedVariable(i int) string {
	return "v" + string([]rune{rune('a' + i/676), rune('a' + i/26%26), rune('a' + i%26)})
}

// hostileShapes are tangles of products, cliques, alternatives, dense chains and trees.
func hostileShapes() []hostileShape {
	v := shapedVariable
	chance := rand.New(rand.NewPCG(1, 2))
	given := func(target string, keys ...string) string {
		var lines strings.Builder
		for i, key := range keys {
			fmt.Fprintf(&lines, "%s: %d\n", key, i+2)
		}
		return lines.String() + "calculate: " + target
	}
	tangle := hostileShape{name: "tangle", variables: 40, prompt: given(v(39), v(0), v(1), v(2), v(3))}
	for range 700 {
		p := chance.Perm(40)
		tangle.equations = append(tangle.equations, fmt.Sprintf("%s = %s * %s + %s", v(p[0]), v(p[1]), v(p[2]), v(p[3])))
	}
	unknowing, little := tangle, tangle
	unknowing.name, unknowing.prompt = "tangle of which nothing is given", given(v(39))
	little.name, little.prompt = "tangle of which little is given", given(v(39), v(0), v(1), v(2))
	clique := hostileShape{name: "clique", variables: 16, prompt: given(v(15), v(0))}
	for i := range 16 {
		for j := range i {
			for k := range j {
				clique.equations = append(clique.equations, fmt.Sprintf("%s = %s * %s + 1", v(i), v(j), v(k)))
			}
		}
	}
	alternatives := hostileShape{name: "alternatives", variables: 400, prompt: given(v(399), v(0))}
	chain := hostileShape{name: "dense chain", variables: 400, prompt: given(v(399), v(0), v(1))}
	for i := range 398 {
		alternatives.equations = append(alternatives.equations, fmt.Sprintf("%s = %s + 1", v(i+1), v(i)), fmt.Sprintf("%s = %s * 2", v(i+1), v(i)))
		chain.equations = append(chain.equations, fmt.Sprintf("%s = %s * %s - %s", v(i+2), v(i), v(i+1), v(max(0, i-1))))
	}
	alternatives.equations = append(alternatives.equations, fmt.Sprintf("%s = %s + 1", v(399), v(398)))
	tree := hostileShape{name: "tree", variables: 801, prompt: given(v(0))}
	for i := range 400 {
		tree.equations = append(tree.equations, fmt.Sprintf("%s = %s * %s", v(i), v(2*i+1), v(2*i+2)))
	}
	return []hostileShape{tangle, unknowing, little, clique, alternatives, chain, tree}
}

// file is the domain as an author writes it.
func (s hostileShape) file() string {
	var b strings.Builder
	fmt.Fprintf(&b, "title: A %s\ndescription: Generated.\nvariables:\n", s.name)
	for i := range s.variables {
		fmt.Fprintf(&b, "  - {key: %[1]s, title: %[1]s}\n", shapedVariable(i))
	}
	b.WriteString("activities:\n")
	for i, equation := range s.equations {
		fmt.Fprintf(&b, "  - {title: Activity %d, equation: %s}\n", i, equation)
	}
	return b.String()
}

// processorTime is how long a process has been on processors.
func processorTime(t *testing.T, process int) time.Duration {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	var ticks int
	for _, field := range fields[11:13] { // utime and stime, in hundredths of a second
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// TestHostileDomains asks domains that once took minutes of processor time. Each question is
// answered for a little of it, and no more when it is asked again under its key; others, of the same
// account and of another one, are answered meanwhile and afterwards. A server that was killed while
// it worked on them answers each, once.
func TestHostileDomains(t *testing.T) {
	t.Parallel()
	// mostTime is what a question may take of a processor: its budget is a quarter of a second on a
	// usual machine.
	const mostTime = 3 * time.Second
	w := newWorld(t, filepath.Join(t.TempDir(), "data"))
	w.serve(t)
	last := func(args ...string) string {
		lines := strings.Split(strings.TrimSpace(mustRun(t, append(args, "--data", w.data)...)), "\n")
		return lines[len(lines)-1]
	}
	publish := func(account, name, text string) string {
		file := filepath.Join(t.TempDir(), name+".yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return last("domain", "publish", "--new", file, "--account", account)
	}
	const simple = "title: Simple\nvariables:\n  - {key: a, title: A}\n  - {key: b, title: B}\nactivities:\n  - {title: Double, equation: a = 2*b}\n"
	last("account", "create", "stranger")
	callers := []tenant{
		{devAccount, w.secret, publish(devAccount, "simple", simple)},
		{"stranger", last("key", "create", "--account", "stranger"), publish("stranger", "simple", simple)},
	}
	shapes := hostileShapes()
	domains := make([]string, len(shapes))
	for i, shape := range shapes {
		domains[i] = publish(devAccount, fmt.Sprint(i), shape.file())
	}
	ask := func(i int) (answer, messageBody, error) {
		body, err := json.Marshal(map[string]string{"domain_id": domains[i], "prompt": shapes[i].prompt})
		if err != nil {
			return answer{}, messageBody{}, err
		}
		a, err := request(&caller, "POST", w.url+"/v1/calculate", w.secret, fmt.Sprintf("hostile-%d", i), body)
		var m messageBody
		if err == nil && a.status == nethttp.StatusOK {
			err = json.Unmarshal(a.body, &m)
		}
		return a, m, err
	}
	first := map[int]string{}
	for i, shape := range shapes {
		answered := make(chan struct{})
		before := processorTime(t, w.server.Process.Pid)
		go func() {
			defer close(answered)
			a, m, err := ask(i)
			if err != nil || a.status != nethttp.StatusOK || m.Results == nil && len(m.Errors) == 0 {
				t.Errorf("%s: status %d, %.300s: %v", shape.name, a.status, a.body, err)
			}
			first[i] = string(a.body)
		}()
		others := 0
		for running := true; running; others += len(callers) {
			select {
			case <-answered:
				running = false
			default:
			}
			for _, who := range callers {
				if _, status, err := w.ledger.post(&caller, w.url, who, "", "", "b: 3\ncalculate: a"); err != nil || status != nethttp.StatusOK {
					t.Errorf("beside %s, %s is answered %d, %v", shape.name, who.account, status, err)
				}
			}
		}
		took := processorTime(t, w.server.Process.Pid) - before
		if took > mostTime {
			t.Errorf("%s takes %s of processor time", shape.name, took)
		}
		before = processorTime(t, w.server.Process.Pid)
		for range 3 {
			a, _, err := ask(i)
			if err != nil || string(a.body) != first[i] || a.header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("%s, asked again: %v %.300s instead of %.300s: %v", shape.name, a.header, a.body, first[i], err)
			}
		}
		again := processorTime(t, w.server.Process.Pid) - before
		if again > took/2+100*time.Millisecond {
			t.Errorf("%s takes %s of processor time, and %s to be answered again", shape.name, took, again)
		}
		var shown struct {
			Status string
			Errors []struct{ Code string }
		}
		if err := json.Unmarshal([]byte(first[i]), &shown); err != nil {
			t.Error(err)
		}
		t.Logf("%s: %s %v, %s of processor time, %s for 3 replays, %d others answered meanwhile", shape.name, shown.Status, shown.Errors, took, again, others)
	}
	w.kill()
	w.serve(t)
	for i, shape := range shapes {
		if a, _, err := ask(i); err != nil || string(a.body) != first[i] {
			t.Errorf("%s, asked of the next server: %.300s instead of %.300s: %v", shape.name, a.body, first[i], err)
		}
	}
	w.killedAtWork(t, domains[2], shapes[2].prompt)
}

// killedAtWork kills the server while it works on questions, the first of which is answered. The next
// one answers each of them, and the log has one answer to each.
func (w *world) killedAtWork(t *testing.T, domain, prompt string) {
	t.Helper()
	const questions = 8
	key := func(i int) string { return fmt.Sprintf("killed-%d", i) }
	who := tenant{devAccount, w.secret, domain}
	unfinished := 0
	for round := 0; unfinished == 0 && round < 5; round++ {
		var callers sync.WaitGroup
		url, first := w.url, make(chan struct{}, questions)
		for i := range questions {
			callers.Go(func() {
				_, _, _ = w.ledger.post(&caller, url, who, key(questions*round+i), "", prompt)
				first <- struct{}{}
			})
		}
		<-first
		w.kill()
		callers.Wait()
		final := finalEvents(readEvents(t, w.data))
		stored, _, _ := w.commands(t)
		for i := range questions {
			if k := key(questions*round + i); stored[k] > 0 && final[k] == 0 {
				unfinished++
			}
		}
		w.serve(t)
		for i := range questions {
			if _, status, err := w.ledger.post(&caller, w.url, who, key(questions*round+i), "", prompt); err != nil || status != nethttp.StatusOK {
				t.Errorf("%s, sent again after a kill: %d, %v", key(questions*round+i), status, err)
			}
		}
	}
	if unfinished == 0 {
		t.Error("no kill fell between a command and its event")
	}
	w.history.events = recordedIn(readEvents(t, w.data), func(id uuid.UUID) string {
		if id == commands.AccountID(devAccount) {
			return devAccount
		}
		return "stranger"
	})
	if wrong := w.history.check(); len(wrong) > 0 {
		t.Errorf("%s", strings.Join(wrong[:min(len(wrong), 10)], "\n"))
	}
	t.Logf("%d commands were in work at a kill", unfinished)
}

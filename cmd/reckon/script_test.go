package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	nethttp "net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write the expected outputs of scripts anew")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"reckon": main, "reckon-default-sync": defaultSync})
}

// TestScript runs the scripts of testdata/script against the real program in processes of its own. Besides testscript's
// own commands they have:
//
//	serve [FLAG…]                start a server on $WORK/data and wait until it is ready; sets $URL
//	shutdown, crash              end it with SIGTERM (and wait), or with SIGKILL
//	get PATH [HEADER…]           GET with the key $KEY
//	send METHOD PATH FILE|- [HEADER…]  any request; FILE's variables are expanded
//	calculate FILE [NAME=VALUE…] POST /v1/calculate with FILE as prompt for $DOMAIN; other names are members, or headers when they have a capital
//	together N FILE [NAME=VALUE…]  the same N times at once; prints how many answers and distinct messages there were
//	keep VARIABLE PATH           set a variable from the last answer ("results.variables.0.value")
//	value KEY                    print the value and source of a variable of the last answer
//	setlast VARIABLE             set a variable to the last line of standard output
//	fromoutput VARIABLE REGEXP   set a variable to the first group in what the server printed
//	fromjson VARIABLE PATH       set a variable from standard output, which is JSON
//	becomes STATUS KEY           ask with a key until that status comes, for a second at most
//	plant FROM TO MESSAGE KEY VALUE  copy the history of a directory, with another value in an answer
//	spoil PROJECTION WAS IS      write another text into a document of the stopped server's views
//	same A B                     fail unless two words are the same
//	status N COMMAND…            run a command that must end with the exit status N
//
// Answers are printed as the status, the headers that matter, and the body with ids and times replaced.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			s := &session{labels: map[string]string{}}
			env.Values["session"] = s
			env.Defer(func() { s.end(syscall.SIGKILL) })
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serve":     serveScript,
			"shutdown":  func(ts *testscript.TestScript, _ bool, _ []string) { sessionOf(ts).end(syscall.SIGTERM) },
			"crash":     func(ts *testscript.TestScript, _ bool, _ []string) { sessionOf(ts).end(syscall.SIGKILL) },
			"get":       getScript,
			"send":      sendScript,
			"calculate": calculateScript,
			"together":  togetherScript,
			"keep":      keepScript,
			"value":     valueScript,
			"setlast": func(ts *testscript.TestScript, _ bool, args []string) {
				lines := strings.Split(strings.TrimSpace(ts.ReadFile("stdout")), "\n")
				ts.Setenv(args[0], lines[len(lines)-1])
			},
			"fromoutput": func(ts *testscript.TestScript, _ bool, args []string) {
				m := regexp.MustCompile(args[1]).FindStringSubmatch(sessionOf(ts).output)
				if m == nil {
					ts.Fatalf("the server printed:\n%s", sessionOf(ts).output)
				}
				ts.Setenv(args[0], m[1])
			},
			"fromjson": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Setenv(args[0], fmt.Sprint(at(ts, []byte(ts.ReadFile("stdout")), args[1])))
			},
			"becomes": becomesScript,
			"plant":   plantScript,
			"spoil":   spoilScript,
			"same": func(ts *testscript.TestScript, _ bool, args []string) {
				if args[0] != args[1] {
					ts.Fatalf("%s is not %s", args[0], args[1])
				}
			},
			"status": func(ts *testscript.TestScript, _ bool, args []string) {
				status := 0
				if err := ts.Exec(args[1], args[2:]...); err != nil {
					var ended *exec.ExitError
					if !errors.As(err, &ended) {
						ts.Fatalf("%v", err)
					}
					status = ended.ExitCode()
				}
				if fmt.Sprint(status) != args[0] {
					ts.Fatalf("the exit status is %d", status)
				}
			},
		},
	})
}

// session is the server of a script, and the last answer it gave.
type session struct {
	process *exec.Cmd
	output  string // what the server printed
	last    []byte
	labels  map[string]string // of ids, in order of appearance
}

func sessionOf(ts *testscript.TestScript) *session { return ts.Value("session").(*session) }

func (s *session) end(signal syscall.Signal) {
	if s.process != nil {
		_ = s.process.Process.Signal(signal)
		_ = s.process.Wait()
		s.process = nil
	}
}

var readyLine = regexp.MustCompile(`is ready on (http://\S+)`)

func serveScript(ts *testscript.TestScript, neg bool, args []string) {
	s := sessionOf(ts)
	program, err := exec.LookPath("reckon")
	if found := filepath.Join(strings.Split(ts.Getenv("PATH"), string(os.PathListSeparator))[0], "reckon"); err != nil {
		program = found
	}
	log, err := os.OpenFile(ts.MkAbs("server.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	ts.Check(err)
	defer log.Close()
	s.process = exec.Command(program, append([]string{"serve", "--data", ts.MkAbs("data"), "--listen", "127.0.0.1:0"}, args...)...)
	s.process.Env = append(os.Environ(), "PATH="+ts.Getenv("PATH"), "HOME="+ts.Getenv("HOME"))
	s.process.Stderr = log
	out, err := s.process.StdoutPipe()
	ts.Check(err)
	ts.Check(s.process.Start())
	s.output = ""
	last := "is ready on"
	if slices.Contains(args, "--dev") {
		last = "/console/invitation#"
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		s.output += lines.Text() + "\n"
		if m := readyLine.FindStringSubmatch(lines.Text()); m != nil {
			ts.Setenv("URL", m[1])
		}
		if strings.Contains(lines.Text(), last) {
			fmt.Fprint(ts.Stdout(), s.output)
			return
		}
	}
	data, _ := os.ReadFile(ts.MkAbs("server.log"))
	ts.Fatalf("the server did not start:\n%s%s", s.output, data)
}

// becomesScript asks until a change of a key has reached the server, which takes a second at most.
func becomesScript(ts *testscript.TestScript, neg bool, args []string) {
	deadline := time.Now().Add(time.Second)
	for {
		a, err := ask(ts, "GET", "/v1/domains", map[string]string{"Authorization": "Bearer " + args[1]}, nil)
		ts.Check(err)
		if fmt.Sprint(a.status) == args[0] {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("still %d after a second", a.status)
		}
	}
}

// scripted shows scripts where a redirect leads.
var scripted = nethttp.Client{Timeout: 30 * time.Second, CheckRedirect: func(*nethttp.Request, []*nethttp.Request) error { return nethttp.ErrUseLastResponse }}

// ask sends a request to the server of a script, with its API key unless a header names another one or none.
func ask(ts *testscript.TestScript, method, path string, headers map[string]string, body []byte) (answer, error) {
	all := map[string]string{}
	if key := ts.Getenv("KEY"); key != "" {
		all["Authorization"] = "Bearer " + key
	}
	for name, value := range headers {
		all[nethttp.CanonicalHeaderKey(name)] = value
	}
	return send(&scripted, method, ts.Getenv("URL")+path, all, body)
}

// shownHeaders are the headers that scripts see.
var shownHeaders = []string{"Allow", "Body-Version", "Idempotent-Replayed", "Location", "Preference-Applied", "Retry-After", "Www-Authenticate"}

func (s *session) show(ts *testscript.TestScript, a answer) {
	s.last = a.body
	out := ts.Stdout()
	fmt.Fprintln(out, "HTTP", a.status)
	for _, name := range shownHeaders {
		if value := a.header.Get(name); value != "" {
			fmt.Fprintf(out, "%s: %s\n", name, s.masked(ts, value))
		}
	}
	ts.Setenv("ETAG", a.header.Get("ETag"))
	if len(a.body) == 0 {
		return
	}
	if ct := a.header.Get("Content-Type"); ct != "application/json" {
		fmt.Fprintln(out, "Content-Type:", ct)
	}
	var indented bytes.Buffer
	if json.Indent(&indented, a.body, "", "  ") != nil {
		indented.Write(a.body)
	}
	fmt.Fprintln(out, s.masked(ts, strings.TrimSpace(indented.String())))
}

var (
	uuidForm = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	timeForm = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
)

// masked replaces ids by names in order of appearance, and times of the clock.
func (s *session) masked(ts *testscript.TestScript, text string) string {
	text = uuidForm.ReplaceAllStringFunc(text, func(id string) string {
		if s.labels[id] == "" {
			s.labels[id] = fmt.Sprintf("<id %d>", len(s.labels)+1)
			for _, name := range []string{"DOMAIN", "OTHER"} {
				if ts.Getenv(name) == id {
					s.labels[id] = "<" + strings.ToLower(name) + ">"
				}
			}
		}
		return s.labels[id]
	})
	return timeForm.ReplaceAllString(text, "<time>")
}

func headersOf(ts *testscript.TestScript, args []string) map[string]string {
	headers := map[string]string{}
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, ":")
		if !ok {
			ts.Fatalf("%q is not a header", arg)
		}
		headers[name] = strings.TrimSpace(value)
	}
	return headers
}

func getScript(ts *testscript.TestScript, neg bool, args []string) {
	a, err := ask(ts, "GET", args[0], headersOf(ts, args[1:]), nil)
	ts.Check(err)
	sessionOf(ts).show(ts, a)
}

func sendScript(ts *testscript.TestScript, neg bool, args []string) {
	var body []byte
	if args[2] != "-" {
		body = []byte(os.Expand(ts.ReadFile(args[2]), ts.Getenv))
	}
	a, err := ask(ts, args[0], args[1], headersOf(ts, args[3:]), body)
	if neg {
		if err == nil {
			ts.Fatalf("answered %d, where the connection should have ended", a.status)
		}
		return
	}
	ts.Check(err)
	sessionOf(ts).show(ts, a)
}

// calculation makes the body and headers of POST /v1/calculate.
func calculationOf(ts *testscript.TestScript, args []string) (body []byte, headers map[string]string) {
	members := map[string]any{"domain_id": ts.Getenv("DOMAIN"), "prompt": strings.TrimSuffix(ts.ReadFile(args[0]), "\n")}
	if c := ts.Getenv("CONVERSATION"); c != "" {
		members["conversation_id"] = c
	}
	headers = map[string]string{}
	for _, arg := range args[1:] {
		name, value, _ := strings.Cut(arg, "=")
		if strings.ToLower(name) != name {
			headers[name] = value
		} else {
			members[name] = value
		}
	}
	body, err := json.Marshal(members)
	ts.Check(err)
	return body, headers
}

func calculateScript(ts *testscript.TestScript, neg bool, args []string) {
	body, headers := calculationOf(ts, args)
	a, err := ask(ts, "POST", "/v1/calculate", headers, body)
	ts.Check(err)
	sessionOf(ts).show(ts, a)
}

func togetherScript(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	body, headers := calculationOf(ts, args[1:])
	answers := make([]answer, n)
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { answers[i], errs[i] = ask(ts, "POST", "/v1/calculate", headers, body) })
	}
	all.Wait()
	messages, statuses, replays := map[string]bool{}, map[string]int{}, 0
	for i, a := range answers {
		ts.Check(errs[i])
		var m struct {
			ID string `json:"message_id"`
		}
		ts.Check(json.Unmarshal(a.body, &m))
		messages[m.ID] = true
		statuses[fmt.Sprint(a.status)]++
		if a.header.Get("Idempotent-Replayed") == "true" {
			replays++
		}
	}
	for _, status := range slices.Sorted(func(yield func(string) bool) {
		for s := range statuses {
			if !yield(s) {
				return
			}
		}
	}) {
		fmt.Fprintf(ts.Stdout(), "HTTP %s: %d\n", status, statuses[status])
	}
	fmt.Fprintf(ts.Stdout(), "messages: %d\nreplayed: %d\n", len(messages), replays)
	sessionOf(ts).last = answers[0].body
}

// at finds a value in JSON by the names and indexes on the way to it.
func at(ts *testscript.TestScript, data []byte, path string) any {
	var v any
	ts.Check(json.Unmarshal(data, &v))
	for _, part := range strings.Split(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[part]
		case []any:
			i, err := strconv.Atoi(part)
			ts.Check(err)
			if i >= len(at) {
				ts.Fatalf("%s: there are %d entries", path, len(at))
			}
			v = at[i]
		default:
			ts.Fatalf("%s: nothing there in %s", path, data)
		}
	}
	return v
}

func keepScript(ts *testscript.TestScript, neg bool, args []string) {
	v := at(ts, sessionOf(ts).last, args[1])
	if v == nil {
		ts.Fatalf("%s is null in %s", args[1], sessionOf(ts).last)
	}
	ts.Setenv(args[0], fmt.Sprint(v))
}

func valueScript(ts *testscript.TestScript, neg bool, args []string) {
	for _, v := range at(ts, sessionOf(ts).last, "results.variables").([]any) {
		variable := v.(map[string]any)
		if variable["key"] == args[0] {
			fmt.Fprintf(ts.Stdout(), "%v (%v)\n", variable["value"], variable["source"])
			return
		}
	}
	ts.Fatalf("no value for %s in %s", args[0], sessionOf(ts).last)
}

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/evanw/esbuild/pkg/api"

	"reckon/engine/format"
	"reckon/engine/value"
)

func TestClientIsTheFile(t *testing.T) {
	for language, ending := range clientEndings {
		want, err := os.ReadFile(filepath.Join("clients", "reckon."+ending))
		if err != nil {
			t.Fatal(err)
		}
		if got := mustRun(t, "client", language); got != string(want) {
			t.Errorf("the client for %s is not printed as it stands", language)
		}
	}
}

// badLink stands between clients and a service, and treats each request as the first part of its path says.
type badLink struct {
	to      *httputil.ReverseProxy
	leak    string // where it redirects to
	mu      sync.Mutex
	arrived map[string][]time.Time // by path and Idempotency-Key
}

func (l *badLink) ServeHTTP(w nethttp.ResponseWriter, r *nethttp.Request) {
	fault, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	l.mu.Lock()
	id := r.URL.Path + " " + r.Header.Get("Idempotency-Key")
	l.arrived[id] = append(l.arrived[id], time.Now())
	times := l.arrived[id]
	l.mu.Unlock()
	r.URL.Path = "/" + path
	if len(times) > 1 && (fault == "lost" || fault == "busy" || fault == "cut") {
		if pause := times[len(times)-1].Sub(times[0]); fault == "busy" && pause < time.Second {
			nethttp.Error(w, "asked again after "+pause.String(), nethttp.StatusTeapot)
			return
		}
		l.to.ServeHTTP(w, r)
		return
	}
	switch fault {
	case "lost": // the service answers, and nobody hears it
		l.to.ServeHTTP(httptest.NewRecorder(), r)
		panic(nethttp.ErrAbortHandler)
	case "cut":
		heard := httptest.NewRecorder()
		l.to.ServeHTTP(heard, r)
		w.Header().Set("Content-Length", strconv.Itoa(heard.Body.Len()))
		_, _ = w.Write(heard.Body.Bytes()[:heard.Body.Len()/2])
		panic(nethttp.ErrAbortHandler)
	case "busy":
		w.Header().Set("Retry-After", "1")
		nethttp.Error(w, `{"error":{"code":"error_server_internal","message":"There was no answer in time.","params":null}}`, nethttp.StatusServiceUnavailable)
	case "spent":
		w.Header().Set("Retry-After", "86400")
		nethttp.Error(w, fmt.Sprintf(`{"error":{"code":"error_rate_limited","message":"Attempt %d: come back tomorrow.","params":null}}`, len(times)), nethttp.StatusTooManyRequests)
	case "moved":
		nethttp.Redirect(w, r, l.leak+"/"+path, nethttp.StatusTemporaryRedirect)
	case "page":
		fmt.Fprint(w, "<html>Welcome to our hotel</html>")
	case "silent":
		_, _ = io.Copy(io.Discard, r.Body) // without, nobody sees that the caller has gone
		<-r.Context().Done()
	default:
		nethttp.Error(w, "there is no fault "+fault, nethttp.StatusTeapot)
	}
}

// shownCases are values with what shows them, as JSON for clients: those of formats.txt, and tables and charts as the engine
// shows them.
func shownCases(t *testing.T) []byte {
	t.Helper()
	type shownCase struct {
		Value   value.Text      `json:"value"`
		Display json.RawMessage `json:"display"`
		Text    value.Text      `json:"text"`
	}
	var cases []shownCase
	for line := range strings.Lines(root(t, "engine/testdata/formats.txt")) {
		columns := strings.Split(strings.TrimSpace(line), "|")
		if strings.HasPrefix(line, "#") || len(columns) != 4 {
			continue
		}
		for i, column := range columns {
			columns[i] = strings.TrimSpace(column)
		}
		display, err := json.Marshal(map[string]any{"data_type": "number", "kind": columns[1], "format": columns[2]})
		if columns[2] == "" {
			display, err = json.Marshal(map[string]any{"data_type": "number", "kind": columns[1], "format": nil})
		}
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, shownCase{value.Scalar(columns[0]), display, value.Scalar(columns[3])})
	}
	if len(cases) < 300 {
		t.Fatalf("there are %d cases", len(cases))
	}
	for _, c := range []struct{ value, display string }{
		{`[["86400 s", "1234.5 USD", "0.06", "9"], ["", "", "0.5", "7"]]`, `{"data_type": "table", "start_row_index": 1, "columns": [{"name": "Day", "kind": "date", "format": null}, {"name": "", "kind": "number", "format": "decimals_2"}, {"name": "", "kind": "percent", "format": "decimals_0"}], "rows": {}}`},
		{`["1000 m", "2000 m", ""]`, `{"data_type": "table", "start_row_index": 1, "columns": [], "rows": {}}`},
		{`[]`, `{"data_type": "table", "start_row_index": 1, "columns": [], "rows": {"names": ["a"]}}`},
		{`[["1000", "2000"], ["0.5", "0.25"], ["3000", "4000"]]`, `{"data_type": "bar_chart", "series_by": "rows", "stacked": false, "x_axis": {}, "labels": {}, "series": [{"name": "A", "kind": "number", "format": "decimals_1"}, {"name": "B", "kind": "percent", "format": null}]}`},
		{`[["3600 s", "1"], ["7200 s", "2000"]]`, `{"data_type": "bar_chart", "series_by": "columns", "stacked": true, "x_axis": {"title": "Time"}, "labels": {"source": "first_series", "start_series_index": 1}, "series": [{"name": "A", "kind": "duration", "format": "duration_hm"}]}`},
		{`["0.25", "0.75"]`, `{"data_type": "pie_chart", "kind": "percent", "format": "decimals_1", "slices": {"names": ["a", "b"]}}`},
	} {
		k := shownCase{Display: json.RawMessage(c.display)}
		if err := k.Value.UnmarshalJSON([]byte(c.value)); err != nil {
			t.Fatal(err)
		}
		var err error
		if k.Text, err = format.RenderText(k.Value, k.Display); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, k)
	}
	data, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

const clientDomain = `title: Journey
description: A journey, for clients.
variables:
  - {key: distance, unit: mi}
  - {key: speed, unit: mi/h}
  - {key: time, unit: h, format: decimals_2}
  - {key: hours, kind: table, unit: h}
  - {key: total, unit: h}
activities:
  - {equation: time = distance / speed}
  - {equation: total = sum(hours)}
`

// TestClients has each client do the same with a service, partly over a bad link: see testdata/clients/walk.py. All must see
// what testdata/clients/walk.txt has.
func TestClients(t *testing.T) {
	t.Parallel()
	w := newWorld(t, filepath.Join(t.TempDir(), "data"))
	w.serve(t)
	file := filepath.Join(t.TempDir(), "journey.yaml")
	if err := os.WriteFile(file, []byte(clientDomain), 0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "domain", "publish", file, "--account", devAccount, "--data", w.data)

	leaked := httptest.NewServer(nethttp.HandlerFunc(func(_ nethttp.ResponseWriter, r *nethttp.Request) {
		t.Errorf("a redirect is followed, with the key %q", r.Header.Get("Authorization"))
	}))
	defer leaked.Close()
	service, err := url.Parse(w.url)
	if err != nil {
		t.Fatal(err)
	}
	link := httptest.NewServer(&badLink{to: httputil.NewSingleHostReverseProxy(service), leak: leaked.URL, arrived: map[string][]time.Time{}})
	defer link.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + closed.Addr().String()
	closed.Close()

	// More conversations than a page has, and one with more messages than that.
	body := fmt.Sprintf(`{"domain_id": %q, "prompt": "distance: 150 mi\nspeed: 60 mi/h\ncalculate: time"`, w.domainNamed(t, "Journey"))
	first, err := request(&patient, "POST", w.url+"/v1/calculate", w.secret, "first", []byte(body+"}"))
	var made struct {
		Conversation string `json:"conversation_id"`
	}
	if err != nil || json.Unmarshal(first.body, &made) != nil || first.status != 200 {
		t.Fatalf("%d %s %v", first.status, first.body, err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 13 {
				for _, more := range []string{"}", `, "conversation_id": "` + made.Conversation + `"}`} {
					a, err := request(&patient, "POST", w.url+"/v1/calculate", w.secret, fmt.Sprint(i, "-", j, "-", len(more)), []byte(body+more))
					if err != nil || a.status != 200 {
						t.Errorf("%d %s %v", a.status, a.body, err)
					}
				}
			}
		})
	}
	all.Wait()
	cases := filepath.Join(t.TempDir(), "cases.json")
	if err := os.WriteFile(cases, shownCases(t), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{w.url, w.secret, link.URL, nobody, made.Conversation, cases}

	golden := filepath.Join("testdata", "clients", "walk.txt")
	compare := func(t *testing.T, got string) {
		t.Helper()
		want, err := os.ReadFile(golden)
		if err != nil || string(want) != got {
			t.Errorf("%v, the client sees:\n%s", err, got)
		}
	}
	t.Run("go", func(t *testing.T) {
		got := walk(t, args)
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		compare(t, got)
	})
	t.Run("others", func(t *testing.T) {
		for language, program := range clientPrograms(t, "walk") {
			t.Run(language, func(t *testing.T) {
				t.Parallel()
				compare(t, output(t, program(args...)))
			})
		}
	})
}

// clientPrograms are the programs of testdata/clients with a name, by their language, to be run with arguments.
func clientPrograms(t *testing.T, name string) map[string]func(args ...string) *exec.Cmd {
	t.Helper()
	programs := map[string]func(args ...string) *exec.Cmd{}
	path := filepath.Join("testdata", "clients", name)
	if exec.Command("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 9))").Run() == nil {
		programs["python"] = func(args ...string) *exec.Cmd {
			return exec.Command("python3", append([]string{"-B", path + ".py", "clients"}, args...)...)
		}
	} else {
		notRun(t, "there is no python3 from 3.9 on")
	}
	if module := typescriptClient(t); module != "" {
		programs["typescript"] = func(args ...string) *exec.Cmd {
			return exec.Command("node", append([]string{path + ".mjs", module}, args...)...)
		}
	} else {
		notRun(t, "there is no node")
	}
	return programs
}

// output is what a program prints.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%v\n%s", err, said.Bytes())
	}
	return string(out)
}

// typescriptClient is the module of the client for TypeScript: as it was compiled, or its file without its types. It is ""
// where nothing runs it.
func typescriptClient(t *testing.T) string {
	t.Helper()
	if compiled := os.Getenv("RECKON_CLIENT_MODULE"); compiled != "" {
		return compiled
	}
	if exec.Command("node", "--version").Run() != nil {
		return ""
	}
	file := filepath.Join(t.TempDir(), "reckon.mjs")
	if err := os.WriteFile(file, withoutTypes(t, api.TransformOptions{}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// withoutTypes is the client for TypeScript as JavaScript.
func withoutTypes(t *testing.T, options api.TransformOptions) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("clients", "reckon.ts"))
	if err != nil {
		t.Fatal(err)
	}
	options.Loader, options.Charset = api.LoaderTS, api.CharsetUTF8
	result := api.Transform(string(text), options)
	for _, e := range result.Errors {
		t.Fatalf("reckon.ts:%d: %s", e.Location.Line, e.Text)
	}
	return result.Code
}

// domainNamed is the id of a domain of the account.
func (w *world) domainNamed(t *testing.T, title string) string {
	t.Helper()
	a, err := request(&patient, "GET", w.url+"/v1/domains", w.secret, "", nil)
	var list struct {
		Domains []struct{ ID, Title string }
	}
	if err != nil || json.Unmarshal(a.body, &list) != nil {
		t.Fatalf("%s %v", a.body, err)
	}
	for _, d := range list.Domains {
		if d.Title == title {
			return d.ID
		}
	}
	t.Fatalf("there is no domain %q", title)
	return ""
}

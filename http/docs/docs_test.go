package docs

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	nethttp "net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"

	"reckon/commands"
	"reckon/engine/formula"
	"reckon/engine/units"
	"reckon/events/log"
	"reckon/http"
	"reckon/projections"
)

// shelved are the books and starter domains as they stand in the repository.
func shelved(t testing.TB) map[string]string {
	t.Helper()
	books := map[string]string{}
	files, err := filepath.Glob(filepath.FromSlash("../../" + startersFolder + "*/*.*"))
	if err != nil {
		t.Fatal(err)
	}
	for file := range shelf {
		files = append(files, filepath.Join("../..", file))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel("../..", file)
		if err != nil {
			t.Fatal(err)
		}
		books[filepath.ToSlash(name)] = string(text)
	}
	return books
}

// open starts a server that has the documentation and nothing else to answer from.
func open(t *testing.T) (*Docs, *httptest.Server) {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	d := New(Config{Address: "https://reckon.example.com", Books: shelved(t), Logger: logger})
	l, err := log.Open(t.Context(), log.Options{Dir: t.TempDir(), Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	views, err := projections.Open(t.Context(), l, t.TempDir(), logger)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { views.Close() })
	server := http.New(logger, "test")
	server.Mount(d.Face())
	server.Open(views, commands.New(l, views, logger))
	listening := httptest.NewServer(server.Handler())
	t.Cleanup(listening.Close)
	return d, listening
}

type shown struct {
	status int
	header nethttp.Header
	text   string
}

func get(t *testing.T, address string) shown {
	t.Helper()
	response, err := nethttp.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return shown{response.StatusCode, response.Header, string(body)}
}

// read is what a test wants to know of a page.
type read struct {
	ids   map[string]bool
	links []string // to pages, with anchors
	loads []string // what a browser asks for with the page
	text  string
}

// void are the elements that have no end.
var void = []string{"meta", "link", "input", "br", "hr", "img"}

// parents are the elements that some may stand in directly, and no others.
var parents = map[string][]string{
	"li": {"ul", "ol"}, "tr": {"thead", "tbody"}, "td": {"tr"}, "th": {"tr"}, "thead": {"table"}, "tbody": {"table"},
	"dt": {"dl"}, "dd": {"dl"}, "summary": {"details"}, "title": {"head"}, "h1": {"article"},
}

// phrasing are elements that hold no blocks.
var phrasing = []string{"p", "span", "a", "code", "h1", "h2", "h3", "h4", "summary", "button", "label", "mark"}

var blocks = []string{"p", "ul", "ol", "dl", "div", "table", "pre", "section", "article", "details", "h1", "h2", "h3", "nav", "form"}

// check reads a page as strictly as a person would who writes HTML by hand: what is begun is ended, ids are given once, and nothing
// stands where it may not, nor what the policy forbids.
func check(t *testing.T, where, page string) read {
	t.Helper()
	r := read{ids: map[string]bool{}}
	z := xhtml.NewTokenizer(strings.NewReader(page))
	var stack []string
	wrong := func(format string, args ...any) { t.Errorf("%s: "+format, append([]any{where}, args...)...) }
	level := 0
	for {
		kind := z.Next()
		token := z.Token()
		switch kind {
		case xhtml.ErrorToken:
			if z.Err() != io.EOF || len(stack) > 0 {
				wrong("%v, open are %q", z.Err(), stack)
			}
			return r
		case xhtml.TextToken:
			r.text += token.Data
		case xhtml.EndTagToken:
			if len(stack) == 0 || stack[len(stack)-1] != token.Data {
				wrong("</%s> ends %q", token.Data, stack)
				return r
			}
			stack = stack[:len(stack)-1]
		case xhtml.CommentToken:
			wrong("a comment %q", token.Data)
		case xhtml.SelfClosingTagToken:
			wrong("<%s/>", token.Data)
		case xhtml.StartTagToken:
			parent := ""
			if len(stack) > 0 {
				parent = stack[len(stack)-1]
			}
			if may := parents[token.Data]; may != nil && !slices.Contains(may, parent) {
				wrong("<%s> in <%s>", token.Data, parent)
			}
			if slices.Contains([]string{"ul", "ol"}, parent) && token.Data != "li" {
				wrong("<%s> in <%s>", token.Data, parent)
			}
			if slices.Contains(blocks, token.Data) {
				for _, above := range stack {
					if slices.Contains(phrasing, above) {
						wrong("<%s> in <%s>", token.Data, above)
					}
				}
			}
			if n := strings.TrimPrefix(token.Data, "h"); len(n) == 1 && n[0] >= '1' && n[0] <= '6' {
				if next := int(n[0] - '0'); next > level+1 {
					wrong("<h%d> follows <h%d>", next, level)
				} else {
					level = next
				}
			}
			if token.Data == "a" && slices.Contains(stack, "a") {
				wrong("a link in a link")
			}
			for _, a := range token.Attr {
				switch {
				case a.Key == "id" && (r.ids[a.Val] || a.Val == "" || strings.Contains(a.Val, " ")):
					wrong("the id %q", a.Val)
				case a.Key == "id":
					r.ids[a.Val] = true
				case a.Key == "style", strings.HasPrefix(a.Key, "on"):
					wrong("the attribute %s", a.Key)
				case a.Key == "href" && token.Data == "a":
					r.links = append(r.links, a.Val)
				case a.Key == "src", a.Key == "href":
					r.loads = append(r.loads, a.Val)
				}
			}
			if !slices.Contains(void, token.Data) {
				stack = append(stack, token.Data)
			}
		}
	}
}

// Every page is sound, loads what is there, and leads to where something is.
func TestPages(t *testing.T) {
	d, server := open(t)
	pages := map[string]read{}
	titles := map[string]string{}
	for path := range d.site().pages {
		p := get(t, server.URL+path)
		if p.status != 200 {
			t.Errorf("%s: %d", path, p.status)
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache", "Content-Type": htmlType,
		} {
			if got := p.header.Get(name); got != want {
				t.Errorf("%s: %s: %q, want %q", path, name, got, want)
			}
		}
		pages[path] = check(t, path, p.text)
		title := regexp.MustCompile(`<title>(.*)</title>`).FindString(p.text)
		if other, ok := titles[title]; ok && !strings.HasPrefix(path, Path+"/api") && !strings.HasPrefix(other, Path+"/api") && !strings.HasSuffix(path, "/schemas") {
			t.Errorf("%s and %s are both called %s", path, other, title)
		}
		titles[title] = path
		if strings.Contains(p.text, "raw HTML omitted") || strings.Contains(p.text, "ZgotmplZ") {
			t.Errorf("%s has what is not rendered", path)
		}
	}
	outside := map[string]bool{}
	loads := map[string]bool{}
	for path, p := range pages {
		for _, to := range p.links {
			u, err := url.Parse(to)
			if err != nil {
				t.Errorf("%s: %s: %v", path, to, err)
				continue
			}
			if u.Host != "" {
				if u.Scheme != "https" {
					t.Errorf("%s: %s is not https", path, to)
				}
				outside[u.Host] = true
				continue
			}
			at := u.Path
			if at == "" {
				at = path
			}
			target, ok := pages[at]
			if !ok {
				t.Errorf("%s: %s leads nowhere", path, to)
			} else if u.Fragment != "" && !target.ids[u.Fragment] {
				t.Errorf("%s: %s has no such place", path, to)
			}
		}
		for _, load := range p.loads {
			loads[load] = true
		}
	}
	for load := range loads {
		p := get(t, server.URL+load)
		if !strings.HasPrefix(load, Path+"/assets/") || p.status != 200 || p.header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %d %v", load, p.status, p.header)
		}
	}
	for _, s := range d.site().index.sections {
		at, id, _ := strings.Cut(s.path, "#")
		if p, ok := pages[at]; !ok || id != "" && !p.ids[id] {
			t.Errorf("the search leads to %s, where nothing is", s.path)
		}
	}
	if len(pages) < 100 || len(outside) < 5 {
		t.Errorf("%d pages, links to %v", len(pages), slices.Sorted(maps.Keys(outside)))
	}
}

// All that there is of the tables and the interfaces has its place.
func TestNothingIsLeftOut(t *testing.T) {
	d, _ := open(t)
	s := d.site()
	has := func(path, text string) {
		t.Helper()
		if !strings.Contains(string(s.pages[path]), text) {
			t.Errorf("%s has no %s", path, text)
		}
	}
	for _, f := range formula.Functions() {
		has(Path+"/functions", "#"+f.Name+`"`)
		has(Path+"/functions/"+slug(f.Group), `id="`+f.Name+`"`)
	}
	rows := 0
	for range units.Standard().All() {
		rows++
	}
	if n := strings.Count(string(s.pages[Path+"/units"]), "<tr id="); n != rows {
		t.Errorf("%d of %d units", n, rows)
	}
	for _, r := range refusals([]*reference{readReference("", contents(t, "openapi.yaml"), ""), readReference("", contents(t, "admin.openapi.yaml"), "")}) {
		if len(r.Means) == 0 || r.Means[0] == "" || len(r.Statuses) == 0 || r.Statuses[0] == "" {
			t.Errorf("%s has no words, or no status: %+v", r.Code, r)
		}
		has(Path+"/errors", `id="`+r.Code+`"`)
	}
	for _, code := range regexp.MustCompile(`"code": "([a-z._]+)"`).FindAllStringSubmatch(contents(t, "errors.json"), -1) {
		has(Path+"/errors", `id="`+code[1]+`"`)
	}
	for part, file := range map[string]string{"/api": "openapi.yaml", "/api-v1": "openapi.v1.yaml", "/admin": "admin.openapi.yaml"} {
		n := 0
		for _, m := range regexp.MustCompile(`(?m)operationId: (\w+)$`).FindAllStringSubmatch(contents(t, file), -1) {
			if strings.HasPrefix(m[1], "head") {
				continue
			}
			n++
			if s.pages[Path+part+"/"+m[1]] == nil {
				t.Errorf("%s%s has no page", part, m[1])
			}
		}
		if n < 5 {
			t.Errorf("%s: %d operations", file, n)
		}
	}
}

func contents(t *testing.T, schema string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "schemas", schema))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A search finds what its words mean before all else.
func TestSearch(t *testing.T) {
	d, server := open(t)
	for query, want := range map[string]string{
		"pmt":                                   "/docs/functions/money#pmt",
		"PMT":                                   "/docs/functions/money#pmt",
		"NORM.DIST":                             "/docs/functions/distributions#",
		"vlookup":                               "/docs/functions/tables#lookup",
		"calculation.missing_inputs":            "/docs/errors#calculation.missing_inputs",
		"missing inputs":                        "/docs/errors#calculation.missing_inputs",
		"error_rate_limited":                    "/docs/errors#error_rate_limited",
		"gallons":                               "/docs/units#unit-gal",
		"mmHg":                                  "/docs/units#unit-mmhg",
		"POST /v1/calculate":                    "/docs/api/calculate",
		"listConversations":                     "/docs/api/listConversations",
		"backup":                                "/docs/backup",
		"kubernetes":                            "/docs/kubernetes",
		"idempotency key":                       "/docs/",
		"datetime_med":                          "/docs/formats#datetime",
		"claude":                                "/docs/assistants#adding-it",
		"sensitiv":                              "/docs/",
		"loan":                                  "/docs/starters/loan.yaml",
		"revoke a token":                        "/docs/admin/revokeToken",
		"structured text grammar of a document": "/docs/contract#2-structured-text",
	} {
		f := d.site().find(query)
		if len(f.Hits) == 0 || !strings.HasPrefix(f.Hits[0].Path, want) {
			var got []string
			for _, h := range f.Hits[:min(len(f.Hits), 5)] {
				got = append(got, h.Path)
			}
			t.Errorf("%q finds %q, want %s", query, got, want)
		}
	}
	if f := d.site().find("vlookup"); !strings.Contains(f.Hint, "lookup(") {
		t.Errorf("vlookup: %q", f.Hint)
	}
	// Whoever means harm is shown their words, and no more.
	for _, query := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `{{.}}`, "\x00\xff\xfe", strings.Repeat("a ", 5000), strings.Repeat("é", 5000), "%", ". . .", "'", `\`, "\u202e", "javascript:alert(1)", "a\r\nSet-Cookie: a=b",
	} {
		p := get(t, server.URL+Path+"/search?q="+url.QueryEscape(query))
		if p.status != 200 || p.header.Get("Set-Cookie") != "" {
			t.Errorf("%.40q: %d %v", query, p.status, p.header)
		}
		check(t, fmt.Sprintf("%.40q", query), p.text)
		if len(p.text) > 64<<10 {
			t.Errorf("%.40q: %d bytes", query, len(p.text))
		}
	}
	for _, raw := range []string{"q=%zz", "q", "", "q=a&q=b", "x=1", "q=%"} {
		if p := get(t, server.URL+Path+"/search?"+raw); p.status != 200 {
			t.Errorf("%s: %d", raw, p.status)
		}
	}
	for _, path := range []string{"/", "/asking/", "/functions/tables/", "/search/?q=units"} {
		asked, err := nethttp.NewRequestWithContext(t.Context(), "GET", server.URL+Path+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := nethttp.DefaultTransport.RoundTrip(asked) // follows nothing
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		to := strings.TrimSuffix(strings.Replace(Path+path, "/?", "?", 1), "/")
		if got := response.Header.Get("Location"); response.StatusCode != 308 || got != to || get(t, server.URL+to).status != 200 {
			t.Errorf("%s leads to %q: %d", path, got, response.StatusCode)
		}
	}
	for _, path := range []string{"//", "//example.com/", "/nothing/", "/asking//", "/..%2f/"} {
		if p := get(t, server.URL+Path+path); p.status != 404 {
			t.Errorf("%s: %d", path, p.status)
		}
	}
	p := get(t, server.URL+Path+"/nothing/at/all")
	if p.status != 404 || p.header.Get("Content-Type") != htmlType {
		t.Errorf("no page: %d %v", p.status, p.header)
	}
	check(t, "no page", p.text)
	if p := get(t, server.URL+Path+"/%3Cscript%3E"); p.status != 404 || strings.Contains(p.text, "<script>") {
		t.Errorf("no page: %d\n%s", p.status, p.text)
	}
}

func BenchmarkSearch(b *testing.B) {
	s := New(Config{Books: shelved(b), Logger: slog.New(slog.DiscardHandler)}).site()
	for b.Loop() {
		s.find("how is a loan's monthly payment in another currency")
	}
}

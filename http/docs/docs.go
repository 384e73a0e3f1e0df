// Package docs is the documentation at /docs: the reference of the interfaces, made from their
// descriptions, the tables of functions, units, formats and errors, and the books of the
// repository, with a search over all of it. It needs no key, knows no account, and asks nobody.
package docs

import (
	"log/slog"
	nethttp "net/http"
	"strings"
	"sync"
	"time"

	"reckon/http"
)

// Path is where the documentation is.
const Path = "/docs"

const searchPath = Path + "/search"

// Config is what the documentation has to know of its installation.
type Config struct {
	Address string            // where the service is, as callers write it, such as https://reckon.example.com
	Books   map[string]string // Markdown and other texts, by their paths from the root of the repository
	Logger  *slog.Logger
}

// Docs answers for the documentation. It is safe for concurrent use.
type Docs struct {
	config Config
	files  *http.Files
	look   look
	site   func() *site // made when it is asked for first
}

// New makes a documentation that may be mounted.
func New(config Config) *Docs {
	d := &Docs{config: config, files: http.NewFiles(Path+"/assets", embedded)}
	d.look = newLook(d.files)
	d.site = sync.OnceValue(func() *site {
		begun := time.Now()
		s := build(config, d.look)
		config.Logger.Debug("the documentation is made", "pages", len(s.pages), "sections", len(s.index.sections), "took", time.Since(begun))
		return s
	})
	return d
}

// routes is the whole documentation.
var routes = []struct {
	path   string
	handle func(*Docs, *http.Exchange) (http.Answer, error)
}{
	{Path, (*Docs).page},
	{searchPath, (*Docs).search},
	{Path + "/assets/{hash}/{name}", (*Docs).asset},
	{Path + "/{page}", (*Docs).page},
	{Path + "/{part}/{page}", (*Docs).page},
	{Path + "/", (*Docs).slashed},
	{Path + "/{page}/", (*Docs).slashed},
	{Path + "/{part}/{page}/", (*Docs).slashed},
}

// Face is the documentation as a server takes it.
func (d *Docs) Face() http.Face {
	f := http.Face{Prefix: Path + "/", Admit: admit, Refuse: d.refuse}
	for _, r := range routes {
		f.Routes = append(f.Routes, http.Route{Method: nethttp.MethodGet, Path: r.path, Handle: func(x *http.Exchange) (http.Answer, error) {
			return r.handle(d, x)
		}})
	}
	return f
}

// policy is what pages may do: nothing leaves this origin, and nothing in a page is run.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// protect sets the header fields that all answers have. Pages are the same for everybody until the
// program is another one, and are asked for with their tag.
func protect(h nethttp.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
}

func admit(x *http.Exchange) error {
	protect(x.Header())
	return nil
}

const htmlType = "text/html; charset=utf-8"

func html(body []byte) (http.Answer, error) {
	return http.Answer{Header: map[string]string{"Content-Type": htmlType}, Body: body}, nil
}

// refuse is the page of an error.
func (d *Docs) refuse(x *http.Exchange, status int, message string) []byte {
	protect(x.Header())
	x.Header().Set("Content-Type", htmlType)
	return d.look.page(&page{Path: x.Request().URL.Path, Title: nethttp.StatusText(status), Lead: message}, nil)
}

var errNoPage = http.NotFound("There is no such page of the documentation.")

func (d *Docs) page(x *http.Exchange) (http.Answer, error) {
	p, ok := d.site().pages[x.Request().URL.Path]
	if !ok {
		return http.Answer{}, errNoPage
	}
	return html(p)
}

// slashed leads from a page's path with a slash behind it to the page, and nowhere else.
func (d *Docs) slashed(x *http.Exchange) (http.Answer, error) {
	to := strings.TrimSuffix(x.Request().URL.Path, "/")
	if _, ok := d.site().pages[to]; !ok && to != searchPath {
		return http.Answer{}, errNoPage
	}
	if query := x.Request().URL.RawQuery; query != "" {
		to += "?" + query
	}
	return http.Answer{Status: nethttp.StatusPermanentRedirect, Header: map[string]string{"Location": to}}, nil
}

func (d *Docs) asset(x *http.Exchange) (http.Answer, error) { return d.files.Answer(x) }

// maxQuery bounds what is searched for, in bytes.
const maxQuery = 200

// search answers with what is found of the parameter q.
func (d *Docs) search(x *http.Exchange) (http.Answer, error) {
	values := x.Request().URL.Query()["q"]
	query := strings.TrimSpace(strings.ToValidUTF8(strings.Join(values, " "), " "))
	if len(query) > maxQuery {
		query = strings.ToValidUTF8(query[:maxQuery], "")
	}
	s := d.site()
	p := &page{Path: searchPath, Title: "Search", Query: query}
	if query != "" {
		p.Title = "“" + query + "”"
	}
	p.Body = d.look.part("search", s.find(query))
	return html(d.look.page(p, s))
}

package console

import (
	"mime"
	nethttp "net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"reckon/http"
)

const formType = "application/x-www-form-urlencoded"

// maxKept is how long a form is at most that has another one in a field.
const maxKept = 2 * maxForm

// keptShown is a form that came before its sender was signed in or had chosen an account. Pages
// carry it in a field until then, as its path and what it states, and have it sent again by hand:
// who sends it may be another person by then.
type keptShown struct {
	Path   string
	Fields []fieldKept
}

type fieldKept struct{ Name, Value string }

// keep leads a form to a page that keeps it. ok is false for what is no form, or has nothing in it.
func (v *visit) keep(page string) (a http.Answer, ok bool) {
	r := v.x.Request()
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if r.Method != nethttp.MethodPost || err != nil || kind != formType || r.ContentLength == 0 {
		return a, false
	}
	a = redirect(page + "?" + url.Values{"kept": {r.URL.Path}}.Encode())
	a.Status = nethttp.StatusTemporaryRedirect
	return a, true
}

// kept is what a page keeps, "" for nothing: a form that was led to it, or the one in a field.
func (v *visit) kept(form url.Values) (text string, led bool) {
	if path := v.x.Request().URL.Query().Get("kept"); path != "" {
		return path + "?" + form.Encode(), true
	}
	return form.Get("kept"), false
}

// keptOf reads what a page keeps, nil for nothing that a page of the console has sent.
func keptOf(text string) *keptShown {
	u, err := url.Parse(text)
	if err != nil || text == "" || safe(text) == Path {
		return nil
	}
	k := keptShown{Path: u.EscapedPath()}
	for name, values := range u.Query() {
		for _, value := range values {
			k.Fields = append(k.Fields, fieldKept{name, value})
		}
	}
	slices.SortStableFunc(k.Fields, func(a, b fieldKept) int { return strings.Compare(a.Name, b.Name) })
	return &k
}

// Written is what people have written into the form, as far as that can be told from ids.
func (k *keptShown) Written() (list []string) {
	for _, f := range k.Fields {
		if _, err := uuid.Parse(f.Value); err != nil && f.Value != "" {
			list = append(list, f.Value)
		}
	}
	return list
}

// goOn shows what was kept, to be sent now.
func (c *Console) goOn(v *visit, k *keptShown) (http.Answer, error) { return c.page("kept", v, 0, k) }

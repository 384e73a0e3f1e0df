package http

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"maps"
	nethttp "net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"reckon/schemas"
)

// The description is there without a key, and before the views are.
func TestDescribed(t *testing.T) {
	handler := New(slog.New(slog.DiscardHandler), "v0").Handler()
	get := func(path string, header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", path, nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	for version, name := range map[int]string{1: "/openapi.v1", 2: "/openapi"} {
		text := get(name + ".yaml")
		if text.Code != 200 || text.Body.String() != schemas.OpenAPI(version) || text.Header().Get("Content-Type") != "application/yaml" {
			t.Errorf("YAML: %d %v", text.Code, text.Header())
		}
		var got, want any
		w := get(name + ".json")
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 || w.Header().Get("Content-Type") != "application/json" {
			t.Fatalf("JSON: %d %v: %v", w.Code, w.Header(), err)
		}
		if err := yaml.Unmarshal(text.Body.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		if asJSON := encode(want); !bytes.Equal(asJSON, w.Body.Bytes()) {
			t.Error("JSON says something else than YAML")
		}
		if again := get(name+".json", "If-None-Match", w.Header().Get("ETag")); again.Code != nethttp.StatusNotModified || again.Body.Len() > 0 {
			t.Errorf("unchanged: %d with %d bytes", again.Code, again.Body.Len())
		}
	}
}

// describedHeaders are the names of all headers of answers in a part of a description.
func describedHeaders(part any) (names []string) {
	switch part := part.(type) {
	case map[string]any:
		for name, inner := range part {
			if all, ok := inner.(map[string]any); ok && name == "headers" && part["description"] != nil {
				names = slices.AppendSeq(names, maps.Keys(all))
			}
			names = append(names, describedHeaders(inner)...)
		}
	case []any:
		for _, inner := range part {
			names = append(names, describedHeaders(inner)...)
		}
	}
	return names
}

// Pages of origins that were named may ask, others may not; who asks without a browser sees no
// difference.
func TestOrigins(t *testing.T) {
	n := startNode(t)
	const page, foreign = "https://app.example.com", "https://evil.example.com"
	preflight := func(origin, method, header string) nethttp.Header {
		w := n.ask("OPTIONS", "/v1/calculate", "", "Authorization", "", "Origin", origin, "Access-Control-Request-Method", method, "Access-Control-Request-Headers", header)
		return w.Header()
	}
	if got := preflight(page, "POST", "authorization"); got.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("no origin is named, and a preflight says %v", got)
	}
	if err := n.server.AllowOrigins([]string{page, "http://localhost:5173"}); err != nil {
		t.Fatal(err)
	}
	got := preflight(page, "POST", "authorization,content-type,idempotency-key")
	if got.Get("Access-Control-Allow-Origin") != page || got.Get("Access-Control-Allow-Methods") != "POST" || got.Get("Access-Control-Allow-Headers") == "" {
		t.Errorf("a preflight says %v", got)
	}
	if got := preflight(page, "POST", "authorization,content-type,mcp-method,mcp-name,mcp-protocol-version,mcp-session-id"); got.Get("Access-Control-Allow-Headers") == "" {
		t.Errorf("a preflight of an assistant in a page says %v", got)
	}
	if got := preflight(page, "DELETE", ""); got.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("a preflight of DELETE says %v", got)
	}
	if got := preflight(foreign, "POST", "authorization"); got.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("a preflight of another origin says %v", got)
	}
	w := n.ask("GET", "/v1/domains", "", "Origin", page)
	if w.Code != 200 || w.Header().Get("Access-Control-Allow-Origin") != page || !strings.Contains(w.Header().Get("Access-Control-Expose-Headers"), "X-Request-Id") {
		t.Errorf("a page's request: %d %v", w.Code, w.Header())
	}
	exposed := strings.Split(strings.ToLower(w.Header().Get("Access-Control-Expose-Headers")), ", ")
	for _, name := range describedHeaders(openAPI[2]().Document) {
		if name != "Vary" && !slices.Contains(exposed, strings.ToLower(name)) { // which is of use to caches alone
			t.Errorf("pages may not read the header %s, which is described", name)
		}
	}
	if vary := strings.Join(w.Header().Values("Vary"), ", "); !strings.Contains(vary, "Origin") || !strings.Contains(vary, "Authorization") {
		t.Errorf("an answer varies by %s", vary)
	}
	if w := n.ask("GET", "/v1/domains", "", "Origin", foreign); w.Code != 200 || w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("a request of another origin: %d %v", w.Code, w.Header())
	}
	for origin, want := range map[string]bool{"": false, page: false, "http://localhost:5173": false, foreign: true, "null": true} {
		r := httptest.NewRequest("POST", "http://reckon.example.com/mcp", nil)
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		if got := n.server.Foreign(r); got != want {
			t.Errorf("a page of %q is foreign: %t", origin, got)
		}
	}
	n.secret = "wrong"
	if w := n.ask("GET", "/v1/domains", "", "Origin", page); w.Code != 401 || w.Header().Get("Access-Control-Allow-Origin") != page {
		t.Errorf("a refusal that the page is to read: %d %v", w.Code, w.Header())
	}
	for _, bad := range []string{"", "app.example.com", "https://", "https://a.example/", "https://a.example/x", "https://*.example", "ftp://a.example", "null", "https://user@a.example"} {
		if err := n.server.AllowOrigins([]string{bad}); err == nil {
			t.Errorf("%q is taken for an origin", bad)
		}
	}
}

package console

import (
	"crypto/sha256"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// What pages load is kept by browsers for ever, under another address when it is another file.
func TestAssets(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	b := h.browser()
	p := b.get("/console/sign-in")
	found := regexp.MustCompile(`(?:href|src)="(/console/assets/[^"]+)"`).FindAllStringSubmatch(p.text, -1)
	if len(found) < 2 {
		t.Fatalf("%d assets in\n%s", len(found), p.text)
	}
	for _, m := range found {
		for _, encoding := range []string{"identity", "gzip"} {
			r := b.request("GET", m[1], nil)
			r.Header.Set("Accept-Encoding", encoding)
			a := b.do(r)
			if a.status != 200 || a.header.Get("Cache-Control") != "public, max-age=31536000, immutable" || (a.header.Get("Content-Encoding") == "gzip") != (encoding == "gzip") || a.header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s, %s: %d %v", m[1], encoding, a.status, a.header)
			}
		}
		wrong := regexp.MustCompile(`[0-9a-f]{16}`).ReplaceAllString(m[1], "0123456789abcdef")
		if a := b.get(wrong); a.status != 404 {
			t.Errorf("%s: %d", wrong, a.status)
		}
	}
	if strings.Contains(p.text, "<style") || strings.Contains(p.text, " style=") || regexp.MustCompile(`<script>| on[a-z]+=`).MatchString(p.text) {
		t.Errorf("the page has what its policy forbids:\n%s", p.text)
	}
}

// What others have written is as they publish it.
func TestVendored(t *testing.T) {
	text, err := os.ReadFile("VENDOR.txt")
	if err != nil {
		t.Fatal(err)
	}
	entries := regexp.MustCompile(`(?m)^(\S+)\n  project   .+, https://\S+\n  version   \S+\n  licence   \S+\n  sha256    ([0-9a-f]{64})\n  command   .+$`).FindAllStringSubmatch(string(text), -1)
	if len(entries) == 0 {
		t.Fatal("nothing is vendored")
	}
	for _, e := range entries {
		body, err := embedded.ReadFile("assets/" + e[1])
		if err != nil {
			t.Fatal(err)
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256(body)); sum != e[2] {
			t.Errorf("%s: %s, want %s", e[1], sum, e[2])
		}
	}
}

// What a page loads before anything else stays small.
func TestScriptsAreSmall(t *testing.T) {
	t.Parallel()
	b, size := open(t, nil).browser(), 0
	for _, name := range []string{"htmx.js", "console.js"} {
		path, err := b.h.console.assets.Path(name)
		if err != nil {
			t.Fatal(err)
		}
		r := b.request("GET", path, nil)
		r.Header.Set("Accept-Encoding", "gzip")
		size += len(b.do(r).raw)
	}
	if size == 0 || size > 60<<10 {
		t.Errorf("scripts take %d bytes", size)
	}
}

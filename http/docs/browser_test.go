package docs

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"reckon/http/browsertest"
)

// looked are the pages that a browser looks at, one of each sort.
var looked = []string{
	"", "/search?q=payment", "/search?q=nothing%20of%20that%20sort%20zzz", "/api", "/api/calculate", "/api/compareScenarios", "/api/schemas", "/api-v1/calculate", "/admin/publishDomain",
	"/asking", "/webhooks", "/assistants", "/errors", "/functions", "/functions/money", "/units", "/formats", "/authoring", "/contract", "/operations", "/starters", "/starters/loan.yaml", "/nothing",
}

// A real browser finds nothing wrong, asks nobody else, and needs no more room than there is.
func TestBrowser(t *testing.T) {
	program := browsertest.Chromium(t)
	if program == "" {
		return
	}
	_, server := open(t)
	b := browsertest.Open(t, program, server.URL)
	for _, path := range looked {
		b.Do(path, chromedp.Navigate(server.URL+Path+path))
		b.Picture(strings.NewReplacer("/", "-", "?", "-", "%20", "_", "=", "-").Replace("docs" + path))
	}
	b.Quiet()
}

package admin

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	nethttp "net/http"
	"strings"
	"testing"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/commands/export"
	"reckon/events"
)

// An export has all of an account that is not erased, in a form that a person can read, and nothing
// by which a key could be found.
func TestExport(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	long := strings.Repeat("# a long prompt\n", events.LongPrompt/16) + "x: 21\ncalculate: y"
	for _, prompt := range []string{"x: 21\ncalculate: y", long} {
		w.prompt = prompt
		w.answer()
	}
	erased := w.asked(`[{"code":"language.not_understood","args":["hay"]}]`)
	w.must(w.admin.Publish(ctx, commands.Publication{Account: "acme", Definition: double(3)}))
	w.must(w.admin.Publish(ctx, commands.Publication{Account: "acme", Definition: double(4), Draft: true}))
	w.must(w.admin.Publish(ctx, commands.Publication{Account: "other", Definition: double(5)}))
	id, first, err := w.admin.CreateKey(ctx, "acme", commands.KeyTerms{Name: "shop"})
	w.must(nil, err)
	second, err := w.admin.RotateKey(ctx, id, 0)
	w.must(nil, err)
	_, _, err = w.admin.EraseConversation(ctx, "acme", erased, "letter of 3 May")
	w.must(nil, err)

	g := w.as("owner", "GET", "accounts/acme/export", "")
	if g.status != nethttp.StatusOK || g.header.Get("Content-Type") != "application/zip" {
		t.Fatalf("%d %v %.300s", g.status, g.header, g.body)
	}
	archive, err := zip.NewReader(strings.NewReader(g.body), int64(len(g.body)))
	w.must(nil, err)
	files := map[string]string{}
	for _, f := range archive.File {
		file, err := f.Open()
		w.must(nil, err)
		text, err := io.ReadAll(file)
		w.must(nil, err)
		files[f.Name] = string(text)
		for _, secret := range []string{first, second} {
			hash := sha256.Sum256([]byte(secret))
			for _, no := range []string{secret, hex.EncodeToString(hash[:]), "how much hay"} {
				if bytes.Contains(text, []byte(no)) {
					t.Errorf("%s has %s", f.Name, no)
				}
			}
		}
	}
	account := commands.AccountID("acme")
	domains, err := w.admin.Domains(ctx, account)
	w.must(nil, err)
	key := domains[0].Key
	if len(files) != 3 {
		t.Errorf("%d files", len(files))
	}
	for name, by := range map[string]string{"domains/" + key + ".yaml": "y = 3*x", "domains/" + key + ".draft.yaml": "y = 4*x"} {
		f := domainfile.Parse(name, []byte(files[name]))
		if !f.Readable() || f.Key != key || len(f.Definition.Activities) != 1 || f.Definition.Activities[0].Equation != by {
			t.Errorf("%s is\n%s", name, files[name])
		}
	}
	kinds, before := map[string]int{}, uint64(0)
	var prompts []string
	for line := range strings.Lines(files["events.jsonl"]) {
		var e export.Event
		w.must(nil, json.Unmarshal([]byte(line), &e))
		data := e.Data.(map[string]any)
		if e.Sequence <= before || e.Event == "" || e.Time.IsZero() || e.Kind == "account" && e.ID != account.String() {
			t.Errorf("after %d: %s", before, line)
		}
		before = e.Sequence
		kinds[e.Kind]++
		if prompt, is := data["prompt"].(string); is {
			prompts = append(prompts, prompt)
		}
	}
	history, err := w.admin.Log.Read(ctx, events.AccountSubject(account), 0)
	w.must(nil, err)
	if kinds["account"] != len(history) || kinds["domain"] != 3 || kinds["conversation"] != 2 || len(kinds) != 3 {
		t.Errorf("events: %v, and %d of the account", kinds, len(history))
	}
	if len(prompts) != 2 || prompts[1] != long {
		t.Errorf("prompts: %.300q", prompts)
	}
	for _, want := range []string{`"name":"shop"`, `"reason":"letter of 3 May"`, `"id":"` + w.conversation.String() + `"`} {
		if !strings.Contains(files["events.jsonl"], want) {
			t.Errorf("no %s in\n%.3000s", want, files["events.jsonl"])
		}
	}
}

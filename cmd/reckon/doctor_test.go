package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reckon/commands/nodes"
	"reckon/events/backup"
)

// tells runs a command that prints JSON, and reads it into v.
func tells(t *testing.T, v any, args ...string) (code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(terminal{Context: t.Context(), in: &bytes.Buffer{}, out: &out, err: &errs}, append(args, "--json"))
	if err := json.Unmarshal(out.Bytes(), v); err != nil {
		t.Fatalf("reckon %s: exit status %d, %v, %s%s", strings.Join(args, " "), code, err, out.String(), errs.String())
	}
	return code
}

func TestStatusOfADirectory(t *testing.T) {
	dir := t.TempDir()
	var s statusShown
	_, errs := serving(t, dir, "--metrics-listen", "0", "--console", "off", "--scrub", "off", "--webhook-allow-private")
	errs.awaits(t, `msg="?(metrics are answered)`)
	for s.Nodes == nil || !s.Nodes.This.Ready { // while it starts it has no answer
		var out bytes.Buffer
		run(terminal{Context: t.Context(), in: &bytes.Buffer{}, out: &out, err: &bytes.Buffer{}}, []string{"status", "--data", dir, "--json"})
		_ = json.Unmarshal(out.Bytes(), &s)
	}
	if code := tells(t, &s, "status", "--data", dir); code != 1 || s.Status != "warning" || len(s.Advice) != 1 || s.Advice[0].About != "backup" {
		t.Errorf("without a backup: exit status %d, %+v", code, s)
	}
	if n := s.Nodes.This; n.Version != version() || n.Started == nil || n.DiskTotal == 0 || n.LogBytes == 0 && s.Nodes.Events > 0 {
		t.Errorf("%+v", s.Nodes)
	}
	var kept backup.Summary
	if code := tells(t, &kept, "backup", "--data", dir, filepath.Join(t.TempDir(), "b.gz")); code != 0 {
		t.Fatalf("exit status %d", code)
	}
	if code := tells(t, &s, "status", "--data", dir); code != 0 || s.Status != "ok" || len(s.Advice) != 0 || s.Nodes.This.Backup == nil || !s.Nodes.This.Backup.Equal(kept.CreatedAt) {
		t.Errorf("with a backup: exit status %d, %+v", code, s)
	}
	if code := tells(t, &s, "status", "--data", dir, "--backup-age", "1ns"); code != 1 {
		t.Errorf("with an old backup: exit status %d", code)
	}

	// The doctor tells of the settings that the server has, whatever it is given itself.
	var list []nodes.Advice
	about := func(about, says string) bool {
		return slices.ContainsFunc(list, func(a nodes.Advice) bool {
			return a.About == about && a.Level == warning && strings.Contains(a.Says, says) && a.Do != ""
		})
	}
	code := tells(t, &list, "doctor", "--data", dir, "--listen", "0.0.0.0:1")
	if code != 1 || !about("settings", "--scrub off") || about("address", "") || about("webhooks", "") {
		t.Errorf("exit status %d, %+v", code, list)
	}
	var made struct {
		ID string `json:"id"`
	}
	for _, args := range [][]string{
		{"account", "create", "acme"}, {"webhook", "create", "--account", "acme", "http://127.0.0.1:1/"}, {"webhook", "disable", "", "--reason", "It moves."},
	} {
		if args[0] == "webhook" && args[1] == "disable" {
			args[2] = made.ID
		}
		if code := tells(t, &made, append(args, "--data", dir)...); code != 0 {
			t.Fatalf("%v: exit status %d", args, code)
		}
	}
	named := made.ID + " of the account acme: it is disabled, since It moves."
	if code := tells(t, &list, "doctor", "--data", dir); code != 1 || !about("webhooks", named) {
		t.Errorf("exit status %d, %+v", code, list)
	}
	if code := tells(t, &s, "status", "--data", dir); code != 1 || len(s.Advice) != 1 || !strings.Contains(s.Advice[0].Says, named) {
		t.Errorf("exit status %d, %+v", code, s)
	}
}

func TestStatusWithoutAServer(t *testing.T) {
	dir := t.TempDir()
	if code := run(terminal{Context: t.Context(), in: &bytes.Buffer{}, out: &bytes.Buffer{}, err: &bytes.Buffer{}}, []string{"account", "create", "acme", "--data", dir}); code != 0 {
		t.Fatal("no account")
	}
	var s statusShown
	if code := tells(t, &s, "status", "--data", dir); code != 2 || s.Status != "critical" || s.Nodes != nil || s.Advice[0].About != "server" {
		t.Errorf("exit status %d, %+v", code, s)
	}
	var errs bytes.Buffer
	code := run(terminal{Context: t.Context(), in: &bytes.Buffer{}, out: &bytes.Buffer{}, err: &errs}, []string{"status", "--data", filepath.Join(dir, "nowhere")})
	if code != 2 || !strings.Contains(errs.String(), "there is no data directory") {
		t.Errorf("exit status %d, %s", code, errs.String())
	}
}

func TestStatusJudges(t *testing.T) {
	now := time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
	fresh, old := now.Add(-time.Hour), now.Add(-100*time.Hour)
	well := nodes.Installation{Events: 10, This: nodes.Node{Started: &old, Ready: true, Folded: 10, DiskFree: 50 << 30, DiskTotal: 100 << 30, Backup: &fresh}}
	for name, c := range map[string]struct {
		change func(*nodes.Installation)
		level  string // "" for nothing to say
		says   string
	}{
		"well":      {func(*nodes.Installation) {}, "", ""},
		"damaged":   {func(n *nodes.Installation) { n.This.Damaged = "a block" }, critical, "The log is damaged: a block."},
		"waiting":   {func(n *nodes.Installation) { n.This.Ready, n.This.Waits = false, "the views are at event 1 of 10" }, critical, "not ready: the views are at event 1"},
		"behind":    {func(n *nodes.Installation) { n.Events = 1_000_000 }, warning, "999,990 events behind"},
		"full":      {func(n *nodes.Installation) { n.This.DiskFree = 1 << 20 }, critical, "1.0 MiB of 100.0 GiB are free"},
		"near full": {func(n *nodes.Installation) { n.This.DiskFree = 3 << 29 }, warning, "1.5 GiB of 100.0 GiB"},
		"old":       {func(n *nodes.Installation) { n.This.Backup = &old }, warning, "The last backup is 4 days old."},
		"away":      {func(n *nodes.Installation) { n.Others = []nodes.Peer{{Name: "b", Offline: true}} }, warning, "The node b is not there."},
		"lagging":   {func(n *nodes.Installation) { n.Others = []nodes.Peer{{Name: "b", Lag: 9000}} }, warning, "The node b is 9,000 messages behind."},
		"silent":    {func(n *nodes.Installation) { n.Nodes = []nodes.Answer{{Name: "b"}} }, warning, "The node b does not answer."},
		"absent": {func(n *nodes.Installation) {
			n.Others, n.Nodes = []nodes.Peer{{Name: "b", Offline: true}}, []nodes.Answer{{Name: "b"}}
		}, warning, "The node b is not there."},
		"elsewhere full": {func(n *nodes.Installation) {
			n.Nodes = []nodes.Answer{{Name: "b", Node: &nodes.Node{Ready: true, Folded: 10, DiskFree: 1 << 20, DiskTotal: 100 << 30}}}
		}, critical, "are free on the disk of node b"},
		"elsewhere behind": {func(n *nodes.Installation) {
			n.Events, n.This.Folded = 10_000, 10_000
			n.Nodes = []nodes.Answer{{Name: "b", Node: &nodes.Node{Ready: true, Folded: 10}}}
		}, warning, "The node b shows 9,990 events less"},
		"ending": {func(n *nodes.Installation) {
			n.This.Certificates = []nodes.Certificate{{Of: "authority", Ends: now.AddDate(1, 0, 0)}, {Of: "node", Ends: now.AddDate(0, 0, 10)}}
		}, warning, "(node) ends in 10 days."},
		"ended": {func(n *nodes.Installation) {
			n.This.Certificates = []nodes.Certificate{{Of: "node", Ends: now.Add(-time.Hour)}}
		}, critical, "(node) has ended"},
		"elsewhere ending": {func(n *nodes.Installation) {
			n.Nodes = []nodes.Answer{{Name: "b", Node: &nodes.Node{Ready: true, Folded: 10, Certificates: []nodes.Certificate{{Of: "node", Ends: now.AddDate(0, 0, 10)}}}}}
		}, warning, "The certificate of the node b (node) ends in 10 days."},
		"disabled": {func(n *nodes.Installation) {
			n.This.Webhooks = []nodes.Webhook{{Account: "acme", Since: old, Reason: "the receiver answered 410, which says that it is gone"}}
		}, warning, "of the account acme: it is disabled, since the receiver answered 410"},
		"elsewhere damaged": {func(n *nodes.Installation) {
			n.Nodes = []nodes.Answer{{Name: "b", Node: &nodes.Node{Damaged: "a block", Folded: 10}}}
		}, critical, "The node b has a damaged log: a block."},
	} {
		n := well
		c.change(&n)
		list := nodes.Advise(n, "here", 48*time.Hour, now)
		switch {
		case c.level == "" && len(list) > 0:
			t.Errorf("%s: %+v", name, list)
		case c.level != "" && (len(list) != 1 || list[0].Level != c.level || !strings.Contains(list[0].Says, c.says) || list[0].Do == ""):
			t.Errorf("%s: %+v", name, list)
		}
	}
	many := well
	many.This.Webhooks = make([]nodes.Webhook, 8)
	if list := nodes.Advise(many, "here", 48*time.Hour, now); len(list) != 6 || !strings.Contains(list[5].Says, "3 other webhooks") {
		t.Errorf("many webhooks are disabled: %+v", list)
	}
}

func TestSettingsOfNodes(t *testing.T) {
	all, one := nodes.Advice{Level: note, Says: "There is one thing."}, nodes.Advice{Level: warning, Says: "There is another."}
	n := nodes.Installation{This: nodes.Node{Name: "a", Findings: []nodes.Advice{all}}}
	n.Nodes = []nodes.Answer{{Name: "a", Node: &n.This}, {Name: "b", Node: &nodes.Node{Findings: []nodes.Advice{all, one}}}, {Name: "c"}}
	if list := nodes.Settings(n); len(list) != 2 || list[0] != all || list[1].Says != "On the node b: There is another." {
		t.Errorf("%+v", list)
	}
}

func TestDoctorNamesWhatIsUnwise(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if code := run(terminal{Context: t.Context(), in: &bytes.Buffer{}, out: &bytes.Buffer{}, err: &bytes.Buffer{}}, []string{"account", "create", "acme", "--data", dir}); code != 0 {
		t.Fatal("no account")
	}
	if err := backup.Remember(dir, backup.Summary{CreatedAt: time.Now()}); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("0123456789abcdef0123"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flags        string
		before       func()
		about, level string
		says         string
	}{
		{flags: "", about: "nodes", level: note, says: "There is one node"},
		{flags: "--listen 0.0.0.0:8080", about: "address", level: warning, says: "without TLS"},
		{flags: "--listen 0.0.0.0:8080 --dev", about: "address", level: critical, says: "--dev"},
		{flags: "--listen 0.0.0.0:8080", about: "console", level: warning, says: "There is no console"},
		{flags: "--public-url https://reckon.example.com", about: "console", level: warning, says: "count as one address"},
		{flags: "--admin-listen 10.0.0.1:9000", about: "address", level: warning, says: "Administration"},
		{flags: "--metrics-listen 0.0.0.0:9100", about: "address", level: warning, says: "whoever asks"},
		{flags: "--metrics-listen here", about: "address", level: critical, says: "give a port"},
		{flags: "--scrub off", about: "settings", level: warning, says: "--scrub off"},
		{flags: "--keep-free 0%", about: "disk", level: warning, says: "to its end"},
		{flags: "--idempotency-retention 700h", about: "settings", level: note, says: "29 days"},
		{flags: "--nats-url nats://10.0.0.1:4222", about: "sync", level: note, says: "existing NATS"},
		{flags: "--cluster main", about: "nodes", level: critical, says: "--cluster needs --node"},
		{flags: "--language-mode model-then-rules", about: "model", level: critical, says: "no name"},
		{flags: "--oidc-client-id x", about: "console", level: critical, says: "--oidc-issuer"},
		{flags: "--oidc-secret-file " + secret, about: "certificates", level: warning, says: "mode 0644"},
		{about: "backup", level: warning, says: "old", before: func() {
			if err := backup.Remember(dir, backup.Summary{CreatedAt: time.Now().Add(-100 * time.Hour)}); err != nil {
				t.Fatal(err)
			}
		}},
		{flags: "--data " + filepath.Join(dir, "nowhere"), about: "directory", level: critical, says: "There is no data directory"},
		{about: "directory", level: warning, says: "mode 0755", before: func() {
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		if c.before != nil {
			c.before()
		}
		var list []nodes.Advice
		code := tells(t, &list, append([]string{"doctor", "--data", dir}, strings.Fields(c.flags)...)...)
		at := slices.IndexFunc(list, func(a nodes.Advice) bool {
			return a.About == c.about && a.Level == c.level && strings.Contains(a.Says, c.says)
		})
		if at < 0 || list[at].Do == "" {
			t.Errorf("doctor %s: there is no %s of %s that says %q in %+v", c.flags, c.level, c.about, c.says, list)
		}
		if least := map[string]int{warning: 1, critical: 2}[c.level]; code < least || code > 2 {
			t.Errorf("doctor %s: exit status %d", c.flags, code)
		}
	}
	var out bytes.Buffer
	if code := run(terminal{Context: t.Context(), in: &bytes.Buffer{}, out: &out, err: &out}, []string{"doctor", "--data", dir, "--listen", "0.0.0.0:1"}); code != 1 || !strings.Contains(out.String(), "warning: Callers are answered on 0.0.0.0:1 without TLS") {
		t.Errorf("exit status %d, %s", code, out.String())
	}
}

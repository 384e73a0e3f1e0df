package nodes

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Advice is what a look at an installation finds that is not as it should be.
type Advice struct {
	Level string `json:"level"` // Note, Warning or Critical
	About string `json:"about"` // what it is about, in a word
	Says  string `json:"says"`
	Do    string `json:"do"`
}

// Levels of advice.
const (
	Note     = "note"
	Warning  = "warning"
	Critical = "critical"
)

const (
	// BackupAge is how old the last backup may be unless it is said otherwise.
	BackupAge = 48 * time.Hour
	// farBehind is from how many events on a node is behind.
	farBehind = 5000
	// EndsSoon is how long before its end a certificate is spoken of.
	EndsSoon = 30 * 24 * time.Hour
)

// Advise judges what a node tells. where is what its data directory is called, and backupAge how
// old the last backup may be, 0 for any age.
func Advise(n Installation, where string, backupAge time.Duration, now time.Time) (list []Advice) {
	add := func(level, about, says, do string) { list = append(list, Advice{level, about, says, do}) }
	switch {
	case n.This.Damaged != "":
		add(Critical, "log", "The log is damaged: "+n.This.Damaged+".", "What is whole is served, read only. OPERATIONS.md says how it is mended: 'reckon log verify', then 'reckon log repair' with a backup.")
	case !n.This.Ready:
		add(Critical, "ready", "The server is not ready: "+n.This.Waits+".", "Wait while it folds history or waits for other nodes; its log says more.")
	case n.This.Started == nil:
		add(Critical, "server", "No server runs on "+where+".", "Start it with 'reckon serve'.")
	}
	if behind := n.Events - min(n.Events, n.This.Folded); behind > farBehind {
		add(Warning, "views", "The views are "+grouped(behind)+" events behind the log.", "Wait for them to catch up; where that goes on, processors or the disk are too slow.")
	}
	list = append(list, OfDisk(where, n.This.DiskFree, n.This.DiskTotal)...)
	list = append(list, ofCertificates(n.This.Name, n.This, now)...)
	list = append(list, OfBackup(n.This.Backup, backupAge, now)...)
	list = append(list, ofWebhooks(n.This.Webhooks)...)
	for _, peer := range n.Others {
		switch {
		case peer.Offline:
			add(Warning, "nodes", "The node "+peer.Name+" is not there.", "Start it again: while it is away the others can lose no more.")
		case !peer.Current && peer.Lag > farBehind:
			add(Warning, "nodes", "The node "+peer.Name+" is "+grouped(peer.Lag)+" messages behind.", "Look at its disk, and at the network to it.")
		}
	}
	for _, a := range n.Nodes {
		if a.Name != n.This.Name {
			list = append(list, ofNode(n, a, now)...)
		}
	}
	return list
}

// named is how many disabled webhooks are spoken of by themselves.
const named = 5

// ofWebhooks says to which webhooks nothing is sent.
func ofWebhooks(disabled []Webhook) (list []Advice) {
	for _, w := range disabled[:min(len(disabled), named)] {
		a := Advice{
			Level: Warning, About: "webhooks", Says: "Nothing is sent to the webhook " + w.ID.String() + " of the account " + w.Account + ": it is disabled.",
			Do: "'reckon webhook test " + w.ID.String() + "' tries the receiver; once it is well, 'reckon webhook enable' has it sent what happens from then on. Delete one that nobody needs.",
		}
		if w.Reason != "" {
			a.Says = strings.TrimSuffix(a.Says, ".") + ", since " + w.Reason + "."
		}
		list = append(list, a)
	}
	if more := len(disabled) - named; more > 0 {
		list = append(list, Advice{Level: Warning, About: "webhooks", Says: "Nothing is sent to " + count(more, "other webhook") + " either.", Do: "GET /admin/v1/nodes lists all of them; 'reckon webhook list' those of an account."})
	}
	return list
}

// Settings is what the nodes find on their own settings and machines. What several find is said
// once, as that of the node that was asked.
func Settings(n Installation) []Advice {
	list := slices.Clone(n.This.Findings)
	for _, a := range n.Nodes {
		if a.Node == nil || a.Name == n.This.Name {
			continue
		}
		for _, found := range a.Node.Findings {
			if !slices.Contains(n.This.Findings, found) {
				found.Says = "On the node " + a.Name + ": " + found.Says
				list = append(list, found)
			}
		}
	}
	return list
}

// ofNode judges what a node that was not asked itself says, or does not say.
func ofNode(n Installation, a Answer, now time.Time) (list []Advice) {
	add := func(level, says, do string) { list = append(list, Advice{level, "nodes", says, do}) }
	name := "The node " + a.Name
	if a.Node == nil {
		if !slices.ContainsFunc(n.Others, func(p Peer) bool { return p.Name == a.Name && p.Offline }) {
			add(Warning, name+" does not answer.", "Look at its log: it starts, is cut off, or runs a program before this one.")
		}
		return list
	}
	switch {
	case a.Node.Damaged != "":
		add(Critical, name+" has a damaged log: "+a.Node.Damaged+".", "OPERATIONS.md says how it is mended: start it again with --heal.")
	case !a.Node.Ready:
		add(Warning, name+" is not ready: "+a.Node.Waits+".", "Wait while it folds history or waits for other nodes; its log says more.")
	}
	if behind := n.Events - min(n.Events, a.Node.Folded); behind > farBehind {
		add(Warning, name+" shows "+grouped(behind)+" events less than the log has.", "Wait for it to catch up; where that goes on, its processors or its disk are too slow.")
	}
	list = append(list, ofCertificates(a.Name, *a.Node, now)...)
	return append(list, OfDisk("node "+a.Name, a.Node.DiskFree, a.Node.DiskTotal)...)
}

// Bytes writes a number of bytes in the unit that fits.
func Bytes(n uint64) string {
	switch {
	case n >= 1<<40:
		return fmt.Sprintf("%.1f TiB", float64(n)/(1<<40))
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d KiB", n>>10)
}

// Span writes how long something is ago, or will take.
func Span(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return count(int(d/(24*time.Hour)), "day")
	case d >= 2*time.Hour:
		return count(int(d/time.Hour), "hour")
	case d >= 2*time.Minute:
		return count(int(d/time.Minute), "minute")
	}
	return count(max(0, int(d/time.Second)), "second")
}

// OfDisk says whether a disk is nearly full, against what calculations leave free unless a server
// is told otherwise.
func OfDisk(where string, free, total uint64) []Advice {
	if total == 0 {
		return nil
	}
	kept := min(total/20, 1<<30)
	a := Advice{
		About: "disk", Says: fmt.Sprintf("%s of %s are free on the disk of %s.", Bytes(free), Bytes(total), where),
		Do: "Make room, or give it a larger disk: calculations leave 5% free, or 1 GiB where that is less (--keep-free), and are refused below that.",
	}
	switch {
	case free < kept:
		a.Level = Critical
	case free < 2*kept:
		a.Level = Warning
	default:
		return nil
	}
	return []Advice{a}
}

// OfBackup says whether the last backup is older than it may be; it is nil for none that is known.
func OfBackup(made *time.Time, most time.Duration, now time.Time) []Advice {
	a := Advice{
		Level: Warning, About: "backup", Says: "No backup is known that was made from here.",
		Do: "Have 'reckon backup' write one to another machine, again and again: BACKUP.md says how. Each directory knows of its own alone.",
	}
	switch {
	case most == 0:
		return nil
	case made == nil:
	case now.Sub(*made) > most:
		a.Says = "The last backup is " + Span(now.Sub(*made)) + " old."
	default:
		return nil
	}
	return []Advice{a}
}

func ofCertificates(name string, n Node, now time.Time) (list []Advice) {
	for _, c := range n.Certificates {
		list = append(list, OfCertificate("of the node "+name+" ("+c.Of+")", c.Ends, now)...)
	}
	return list
}

// OfCertificate says whether a certificate of the cluster has ended, or ends soon.
func OfCertificate(which string, ends, now time.Time) []Advice {
	a := Advice{
		Level: Warning, About: "certificates", Says: "The certificate " + which + " ends in " + Span(ends.Sub(now)) + ".",
		Do: "Remove it, make it anew with 'reckon cluster credentials', and start the nodes again one after the other.",
	}
	switch left := ends.Sub(now); {
	case left < 0:
		a.Level, a.Says = Critical, "The certificate "+which+" has ended: no node lets this one in."
	case left >= EndsSoon:
		return nil
	}
	return []Advice{a}
}

// grouped writes a count in groups of three digits.
func grouped(n uint64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

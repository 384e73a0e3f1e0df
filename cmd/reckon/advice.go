package main

import (
	"fmt"
	"io"
	"time"
)

// advice is what a look at an installation finds that is not as it should be.
type advice struct {
	Level string `json:"level"` // note, warning or critical
	About string `json:"about"` // what it is about, in a word
	Says  string `json:"says"`
	Do    string `json:"do"`
}

// Levels of advice.
const (
	note     = "note"
	warning  = "warning"
	critical = "critical"
)

// statusOf is the exit status for monitors: 0 where nothing but notes is found, 1 for a warning, 2
// for what is critical.
func statusOf(list []advice) error {
	status := exit(0)
	for _, a := range list {
		switch a.Level {
		case warning:
			status = max(status, 1)
		case critical:
			status = 2
		}
	}
	if status == 0 {
		return nil
	}
	return status
}

// printAdvice writes each with what to do, for reading.
func printAdvice(w io.Writer, list []advice) {
	colour := map[string]string{note: green, warning: yellow, critical: red}
	for _, a := range list {
		level := a.Level
		if colours(w) {
			level = colour[a.Level] + level + plain
		}
		fmt.Fprintf(w, "\n%s: %s\n  %s\n", level, inLine(a.Says), inLine(a.Do))
	}
}

// bytesOf writes a number of bytes in the unit that fits.
func bytesOf(n uint64) string {
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

// spanOf writes how long something is ago, or will take.
func spanOf(d time.Duration) string {
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

// diskAdvice says whether a disk is nearly full, against what calculations leave free unless a
// server is told otherwise.
func diskAdvice(where string, free, total uint64) []advice {
	if total == 0 {
		return nil
	}
	kept := min(total/20, 1<<30)
	a := advice{
		About: "disk", Says: fmt.Sprintf("%s of %s are free on the disk of %s.", bytesOf(free), bytesOf(total), where),
		Do: "Make room, or give it a larger disk: calculations leave 5% free, or 1 GiB where that is less (--keep-free), and are refused below that.",
	}
	switch {
	case free < kept:
		a.Level = critical
	case free < 2*kept:
		a.Level = warning
	default:
		return nil
	}
	return []advice{a}
}

// backupAdvice says whether the last backup is older than it may be; it is nil for none that is
// known.
func backupAdvice(made *time.Time, most time.Duration, now time.Time) []advice {
	a := advice{
		Level: warning, About: "backup", Says: "No backup is known that was made from here.",
		Do: "Have 'reckon backup' write one to another machine, again and again: BACKUP.md says how. Each directory knows of its own alone.",
	}
	switch {
	case most == 0:
		return nil
	case made == nil:
	case now.Sub(*made) > most:
		a.Says = "The last backup is " + spanOf(now.Sub(*made)) + " old."
	default:
		return nil
	}
	return []advice{a}
}

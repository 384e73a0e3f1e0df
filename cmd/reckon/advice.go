package main

import (
	"fmt"
	"io"

	"reckon/commands/nodes"
)

// Levels of advice.
const (
	note     = nodes.Note
	warning  = nodes.Warning
	critical = nodes.Critical
)

// statusOf is the exit status for monitors: 0 where nothing but notes is found, 1 for a warning, 2
// for what is critical.
func statusOf(list []nodes.Advice) error {
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
func printAdvice(w io.Writer, list []nodes.Advice) {
	colour := map[string]string{note: green, warning: yellow, critical: red}
	for _, a := range list {
		level := a.Level
		if colours(w) {
			level = colour[a.Level] + level + plain
		}
		fmt.Fprintf(w, "\n%s: %s\n  %s\n", level, inLine(a.Says), inLine(a.Do))
	}
}

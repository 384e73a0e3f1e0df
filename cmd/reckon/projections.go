package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"reckon/events"
	"reckon/http/admin"
	"reckon/projections"
)

type projectionsCommands struct {
	Rebuild projectionsRebuild `cmd:"" help:"Build the projections anew from the whole history."`
	Verify  projectionsVerify  `cmd:"" help:"Compare the projections with the whole history."`
}

type projectionsRebuild struct {
	installation
	Name string `arg:"" optional:"" help:"One of accounts, domains, conversations and usage; all when left out."`
	JSON bool   `help:"Print JSON, one object a line."`
}

func (*projectionsRebuild) Help() string {
	return `The new generation is built beside the one that serves and takes its place when it has caught up; on a running server no request fails or is answered from an older state meanwhile. An interrupted command does not interrupt a rebuild in a running server.

Examples:
  reckon projections rebuild
  reckon projections rebuild conversations --data /var/lib/reckon`
}

func (c *projectionsRebuild) Run(t terminal) error {
	var names []string
	if c.Name != "" {
		names = []string{c.Name}
		if !slices.Contains(projections.Names(), c.Name) {
			return fmt.Errorf("there is no projection %q: give one of %s, or none for all", c.Name, strings.Join(projections.Names(), ", "))
		}
	}
	shown := newProgressLine(t, c.JSON, "events")
	var last projections.Progress
	err := c.askViews(t, func(a administration) error {
		return a.each(admin.Rebuild{Projections: names}, "rebuilt", func(name string, value json.RawMessage) error {
			err := events.Unmarshal(value, &last)
			if err == nil && name == "progress" {
				shown.progress(last)
			}
			return err
		}, "projections", "rebuild")
	})
	shown.end()
	if err != nil {
		return err
	}
	if c.JSON {
		return shown.line(map[string]any{"rebuilt": true, "events": last.Events})
	}
	what := "All projections are"
	if c.Name != "" {
		what = "The projection " + c.Name + " is"
	}
	fmt.Fprintf(t.out, "%s rebuilt from %s events.\n", what, grouped(last.Events))
	return nil
}

type projectionsVerify struct {
	installation
	JSON bool `help:"Print JSON, one object a line."`
}

func (*projectionsVerify) Help() string {
	return `The history is folded anew, into documents beside those that serve, and each is compared byte for byte; documents that the history does not make are differences too. Differences are listed, and the exit status is 1 when there are any, and 2 when the command itself fails. 'reckon projections rebuild' mends them.

Example:
  reckon projections verify --data /var/lib/reckon`
}

func (c *projectionsVerify) Run(t terminal) error {
	shown := newProgressLine(t, c.JSON, "events and documents")
	var result projections.Verification
	listed := uint64(0)
	report := func(d projections.Difference) {
		listed++
		shown.end()
		if c.JSON {
			_ = shown.line(map[string]any{"difference": d}) // what cannot be printed is counted all the same
			return
		}
		fmt.Fprintf(t.out, "%s %s, event %d: %s\n", d.Projection, d.Key, d.Sequence, d.What)
	}
	err := c.askViews(t, func(a administration) error {
		return a.each(nil, "verification", func(name string, value json.RawMessage) error {
			switch name {
			case "difference":
				var d projections.Difference
				err := events.Unmarshal(value, &d)
				if err == nil {
					report(d)
				}
				return err
			case "verification":
				return events.Unmarshal(value, &result)
			}
			var p projections.Progress
			err := events.Unmarshal(value, &p)
			if err == nil {
				shown.progress(p)
			}
			return err
		}, "projections", "verify")
	})
	shown.end()
	if err != nil {
		return err
	}
	switch {
	case c.JSON:
		if err := shown.line(map[string]any{"verification": result}); err != nil {
			return err
		}
	case result.Differences == 0:
		fmt.Fprintf(t.out, "The projections are what the history makes: %s documents compared, up to event %d.\n", grouped(result.Documents), result.Sequence)
	default:
		if listed < result.Differences {
			fmt.Fprintf(t.out, "… and %s more\n", grouped(result.Differences-listed))
		}
		noun := "differences"
		if result.Differences == 1 {
			noun = "difference"
		}
		fmt.Fprintf(t.out, "%s %s up to event %d. Rebuild the projections with: reckon projections rebuild %s\n",
			grouped(result.Differences), noun, result.Sequence, c.flags())
	}
	if result.Differences > 0 {
		return exit(1)
	}
	return nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"reckon/events/log"
	"reckon/projections"
)

type projectionsCommands struct {
	Rebuild projectionsRebuild `cmd:"" help:"Build the projections anew from the whole history."`
	Verify  projectionsVerify  `cmd:"" help:"Compare the projections with the whole history."`
}

type projectionsRebuild struct {
	directory
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
	tell := func(p projections.Progress) {
		last = p
		shown.progress(p)
	}
	err := c.withViews(t, func(v *projections.Views) error {
		return v.Rebuild(t, names, tell)
	}, func(r projections.Remote) error {
		err := r.Rebuild(t, names, tell)
		if errors.Is(err, context.Canceled) {
			err = errors.New("interrupted; the server goes on with the rebuild")
		}
		return err
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
	directory
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
	err := c.withViews(t, func(v *projections.Views) (err error) {
		result, err = v.Verify(t, shown.progress, report)
		return err
	}, func(r projections.Remote) (err error) {
		result, err = r.Verify(t, shown.progress, report)
		return err
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

// withViews runs here on the views of the data directory when no server does, else there on those
// of the running server.
func (d directory) withViews(t terminal, here func(*projections.Views) error, there func(projections.Remote) error) error {
	if err := d.there(); err != nil {
		return err
	}
	return d.join(t, d.Data, func(l *log.Log) error {
		if !l.Local() {
			return there(projections.RemoteOf(l))
		}
		views, err := projections.Open(t, l, d.Data, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		return errors.Join(here(views), views.Close())
	})
}

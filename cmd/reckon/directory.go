package main

import (
	"fmt"
	"log/slog"
	"os"

	"reckon/commands"
	"reckon/events"
)

// directory is the flag of commands that work on a data directory, whether or not a server runs on it.
type directory struct {
	Data string `help:"Data directory (${default})." default:".reckon" placeholder:"DIR" type:"path"`
}

// administer opens the log of the data directory for f. A directory that is not there is an error, since it may be misspelt.
func (d directory) administer(t terminal, f func(commands.Admin) error) error {
	if _, err := os.Stat(d.Data); err != nil {
		return fmt.Errorf("there is no data directory %s: name the one of the server with --data, or make one with 'reckon account create'", d.Data)
	}
	return d.begin(t, f)
}

// begin is administer, for the commands that may make a directory.
func (d directory) begin(t terminal, f func(commands.Admin) error) error {
	log, err := events.Join(t, events.Options{Dir: d.Data, Logger: slog.New(slog.NewTextHandler(t.err, &slog.HandlerOptions{Level: slog.LevelError}))})
	if err != nil {
		return err
	}
	err = f(commands.Admin{Log: log})
	if closed := log.Close(); err == nil {
		err = closed
	}
	return err
}

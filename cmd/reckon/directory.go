package main

import (
	"log/slog"

	"reckon/commands"
	"reckon/events"
)

// directory is the flag of commands that work on a data directory, whether or not a server runs on it.
type directory struct {
	Data string `help:"Data directory (${default})." default:".reckon" placeholder:"DIR" type:"path"`
}

// administer opens the log of the data directory for f.
func (d directory) administer(t terminal, f func(commands.Admin) error) error {
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

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	nethttp "net/http"
	"os"
	"sync"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/events/log"
	"reckon/http"
	"reckon/projections"
)

// offlineService is a service within the process, which listens nowhere. It keeps what it is asked
// in a directory that is removed at its end.
type offlineService struct {
	log       *log.Log
	transport nethttp.RoundTripper
	key       string // API key of its one account
}

// offlineAddress is the address of the service, which its transport alone knows.
const offlineAddress = "http://reckon"

// offline serves domain files while work runs.
func offline(t terminal, names []string, work func(offlineService) error) (err error) {
	var files []*domainfile.File
	for _, name := range names {
		f, err := domainfile.Read(name)
		if err != nil {
			return err
		}
		if _, report := f.Check(); !report.Valid {
			t.showReport(f, report)
			return fmt.Errorf("%s has the errors above", name)
		}
		files = append(files, f)
	}
	dir, err := os.MkdirTemp("", "reckon-offline-")
	if err != nil {
		return fmt.Errorf("make a directory: %w", err)
	}
	defer os.RemoveAll(dir)
	logger := slog.New(slog.NewTextHandler(t.err, &slog.HandlerOptions{Level: slog.LevelError}))
	l, err := log.Open(t, log.Options{Dir: dir, Logger: logger})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	views, err := projections.Open(t, l, dir, logger)
	if err != nil {
		return err
	}
	defer views.Close()
	admin := commands.Admin{Log: l}
	const account = "offline"
	if _, err := admin.CreateAccount(t, commands.CreateAccount{Name: account}); err != nil {
		return err
	}
	_, key, err := admin.CreateKey(t, account, commands.KeyTerms{Name: account})
	if err != nil {
		return err
	}
	for _, f := range files {
		if _, err := admin.Publish(t, commands.Publication{Account: account, Key: f.Key, Definition: f.Definition}); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if err := errors.Join(views.CaughtUp(t), views.Fresh(t)); err != nil {
		return err
	}
	service := commands.New(l, views, logger)
	working, stop := context.WithCancel(context.WithoutCancel(t))
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	running.Go(func() { service.Run(working) })
	server := http.New(logger, version())
	server.Log(http.LogOff)
	server.Open(views, service)
	return work(offlineService{l, server.Inside(), key})
}

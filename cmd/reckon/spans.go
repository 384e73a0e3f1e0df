package main

import (
	"context"
	"log/slog"

	"reckon/commands"
	"reckon/commands/traces"
)

// spans records what requests take, where the environment names a collector; ended sends the last
// of it.
func (c *serveCommand) spans(ctx context.Context, logger *slog.Logger) (spans commands.Spans, ended func(), err error) {
	provider, ended, err := traces.Open(ctx, version(), logger)
	if err != nil || provider == nil {
		return spans, ended, err
	}
	logger.Info("spans of requests are sent by OTLP")
	return commands.NewSpans(provider), ended, nil
}

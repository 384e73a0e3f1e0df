package admin

import (
	"context"
	"errors"
	"log/slog"
	nethttp "net/http"
	"time"

	"github.com/google/uuid"

	"reckon/http"
	"reckon/projections"
)

// read is what is read of views: of those of this process, or of the server that a log was joined
// through.
type read interface {
	Find(ctx context.Context, account uuid.UUID, search projections.Search, limit int, after *uuid.UUID) (projections.Page, error)
	AccountUsed(ctx context.Context, account uuid.UUID, since time.Time) (projections.AccountUsed, error)
}

// reading hands views to do that have all there was when the request came: those of the server, in
// the process of a command line those of the server that runs on the log, else views that are
// opened for this alone.
func (q *request) reading(ctx context.Context, do func(read) error) error {
	if views := q.views.Load(); views != nil {
		if err := views.Fresh(ctx); err != nil {
			return err
		}
		return do(views)
	}
	l := q.log.Load()
	switch {
	case !l.Local():
		return do(projections.RemoteOf(l))
	case q.own.Dir == "":
		return http.Failure(nethttp.StatusServiceUnavailable, "error_server_internal", "There is no server on this log, and no data directory to read from: name one with --data.")
	}
	views, err := projections.Open(ctx, l, q.own.Dir, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	err = views.CaughtUp(ctx)
	if err == nil {
		err = do(views)
	}
	return errors.Join(err, views.Close())
}

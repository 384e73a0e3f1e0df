package admin

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"

	"reckon/events/backup"
	"reckon/http"
	"reckon/projections"
)

func (q *request) nodes() (http.Answer, error) {
	all, err := q.source().All(q.ctx())
	return http.Answer{Body: all}, err
}

// backup answers with all that the log holds. It is cut off where it does not come to its end, and
// its own last line has a checksum.
func (q *request) backup() (http.Answer, error) {
	return http.Answer{
		Header: map[string]string{"Content-Type": "application/gzip", "Content-Disposition": `attachment; filename="reckon.gz"`},
		Stream: func(to io.Writer) error {
			b, err := backup.Write(q.ctx(), q.log.Load(), to, func(string, uint64, uint64) {})
			if err == nil && q.own.Dir != "" {
				err = backup.Remember(q.own.Dir, b)
			}
			return err
		},
	}, nil
}

// Rebuild names the projections to build anew; none is all.
type Rebuild struct {
	Projections []string `json:"projections"`
}

func (q *request) rebuild() (http.Answer, error) {
	var r Rebuild
	if err := q.object(&r); err != nil {
		return http.Answer{}, err
	}
	for _, name := range r.Projections {
		if !slices.Contains(projections.Names(), name) {
			return http.Answer{}, http.InvalidParam("projections", "must be some of "+strings.Join(projections.Names(), ", "))
		}
	}
	q.admin.Request = nil // nothing is recorded of it, so that it is done each time
	return lines(func(send func(string, any) error) error {
		var last projections.Progress
		tell := func(p projections.Progress) {
			last = p
			_ = send("progress", p)
		}
		err := q.withViews(func(v *projections.Views) error {
			return v.Rebuild(q.ctx(), r.Projections, tell)
		}, func(there projections.Remote) error {
			err := there.Rebuild(q.ctx(), r.Projections, tell)
			if errors.Is(err, context.Canceled) {
				err = errors.New("interrupted; the server goes on with the rebuild")
			}
			return err
		})
		if err != nil {
			return err
		}
		return send("rebuilt", last)
	}), nil
}

func (q *request) verify() (http.Answer, error) {
	return lines(func(send func(string, any) error) error {
		tell := func(p projections.Progress) { _ = send("progress", p) }
		report := func(d projections.Difference) { _ = send("difference", d) }
		var result projections.Verification
		err := q.withViews(func(v *projections.Views) (err error) {
			result, err = v.Verify(q.ctx(), tell, report)
			return err
		}, func(there projections.Remote) (err error) {
			result, err = there.Verify(q.ctx(), tell, report)
			return err
		})
		if err != nil {
			return err
		}
		return send("verification", result)
	}), nil
}

var errNoViews = errors.New("there are no views here: name the data directory of a server with --data")

// withViews runs here on this process's views, else there on those of the server of the log. A
// command line that has a log for itself opens them.
func (q *request) withViews(here func(*projections.Views) error, there func(projections.Remote) error) error {
	if views := q.views.Load(); views != nil {
		return here(views)
	}
	l := q.log.Load()
	if q.own.Dir == "" {
		return errNoViews
	}
	if !l.Local() {
		return there(projections.RemoteOf(l))
	}
	views, err := projections.Open(q.ctx(), l, q.own.Dir, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return errors.Join(here(views), views.Close())
}

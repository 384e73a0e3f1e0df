package log

import (
	"context"
	"time"
)

// Clock is what the server that leads EVENTS takes for now. leads says that it is the one of this
// process, so that it tells nothing about the clock here.
func (l *Log) Clock(ctx context.Context) (now time.Time, leads bool, err error) {
	info, err := l.State(ctx, EventsStream)
	if err != nil {
		return time.Time{}, false, err
	}
	switch b := l.backing.(type) {
	case *single, *grouped:
		leads = true
	case *cluster:
		leads = b.server != nil && info.Cluster != nil && info.Cluster.Leader == b.server.Name()
	}
	return info.TimeStamp, leads, nil
}

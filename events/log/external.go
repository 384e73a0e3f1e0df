package log

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// External is a NATS that runs by itself and keeps the log.
type External struct {
	URLs      []string // nats://host:port of its servers
	CredsFile string   // credentials; "" for none, or for those in the URLs
	CAFile    string   // authority of its certificates, PEM; "" for those that the machine knows
}

// ErrSettings says that a stream of an existing NATS has other settings than it must have.
var ErrSettings = errors.New("the stream has wrong settings")

const (
	// tickSubject is where the read index of an existing NATS is taken: the sequence of a message
	// that is appended behind all that was acknowledged before. Nothing reads these messages, and
	// they go by themselves.
	tickSubject = "evt.tick"
	tickLife    = time.Second // the least that NATS takes
)

// openExternal connects to an existing NATS and finds or makes the streams there. Where patient it
// waits for as long as nobody can be reached or nobody leads, else one try counts.
func (l *Log) openExternal(ctx context.Context, o Options, patient bool) error {
	told := ""
	for {
		err := l.whyNot(l.reachExternal(ctx, o, !patient))
		if err == nil {
			return nil
		}
		if l.conn != nil {
			l.conn.Close()
			l.conn = nil
		}
		if !patient || ctx.Err() != nil || !passing(err) {
			return err
		}
		if told != err.Error() {
			told = err.Error()
			l.logger.Warn("waiting for NATS", "error", err)
			if o.Waiting != nil {
				o.Waiting("it waits for NATS: " + told)
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(clusterRetry):
		}
	}
}

// passing tells whether an error may be gone at the next try.
func passing(err error) bool {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return api.Code >= 500 || api.ErrorCode == codeNoPeers
	}
	return !errors.Is(err, ErrSettings) && !errors.Is(err, nats.ErrAuthorization) && !errors.Is(err, nats.ErrPermissionViolation) &&
		!errors.Is(err, os.ErrNotExist)
}

// whyNot says of an error what is behind it, where NATS answers nothing rather than to refuse.
func (l *Log) whyNot(err error) error {
	if err == nil {
		return nil
	}
	if denied := l.denied(); denied != nil {
		return denied
	}
	if errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("JetStream is not enabled there or does not answer now: %w", err)
	}
	return err
}

// denied is nil unless the existing NATS has just refused what its user may not do. The one who
// asked hears nothing of that.
func (l *Log) denied() error {
	if l.conn == nil || !l.ticks {
		return nil
	}
	err := l.conn.LastError()
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return nil
	}
	return fmt.Errorf("the user of NATS may not do what Reckon needs (README.md lists the permissions): %w", err)
}

// reachExternal is one try. A log that is only visited takes the retention of commands as it is.
func (l *Log) reachExternal(ctx context.Context, o Options, visiting bool) (err error) {
	how := []nats.Option{nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond), nats.ReconnectBufSize(-1), nats.Timeout(3 * time.Second)}
	if o.External.CredsFile != "" {
		how = append(how, nats.UserCredentials(o.External.CredsFile))
	}
	if o.External.CAFile != "" {
		how = append(how, nats.RootCAs(o.External.CAFile))
	}
	where := make([]string, len(o.External.URLs))
	for i, u := range o.External.URLs {
		where[i] = Redacted(u)
	}
	if l.conn, err = connect(strings.Join(o.External.URLs, ","), credentials{}, l.logger, how...); err != nil {
		return fmt.Errorf("%w (at %s)", err, strings.Join(where, ", "))
	}
	if l.js, err = jetstream.New(l.conn, jetstream.WithDefaultTimeout(clusterTry)); err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	l.ticks = true
	if l.conn.ConnectedClusterName() != "" {
		l.replicas = clusterReplicas
	}
	retention := o.IdempotencyRetention
	if visiting {
		limited, cancel := context.WithTimeout(ctx, clusterTry)
		defer cancel()
		if retention, err = keptRetention(limited, l.js, retention); err != nil {
			return err
		}
	}
	for _, want := range l.externalStreams(retention) {
		if err := l.ensureExternal(ctx, want); err != nil {
			return err
		}
	}
	return nil
}

// Redacted is a URL without the password or the token in it.
func Redacted(text string) string {
	u, err := url.Parse(text)
	switch {
	case !strings.Contains(text, "@"):
		return text
	case err != nil:
		return "(not a URL)"
	}
	if _, named := u.User.Password(); u.User != nil && !named {
		u.User = url.User("xxxxx")
	}
	return u.Redacted()
}

// externalStreams are the streams as they must be on an existing NATS.
func (l *Log) externalStreams(retention time.Duration) []jetstream.StreamConfig {
	commands, events := commandsConfig(retention), eventsConfig()
	commands.Replicas, events.Replicas = max(1, l.replicas), max(1, l.replicas)
	events.AllowMsgTTL = true // for ticks
	return []jetstream.StreamConfig{commands, events}
}

// ensureExternal makes a stream, or checks the one that is there.
func (l *Log) ensureExternal(ctx context.Context, want jetstream.StreamConfig) error {
	ctx, cancel := context.WithTimeout(ctx, 2*clusterTry)
	defer cancel()
	s, err := l.js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = l.js.CreateStream(ctx, want)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			s, err = l.js.Stream(ctx, want.Name)
		}
	}
	if err != nil {
		return fmt.Errorf("open stream %s: %w", want.Name, err)
	}
	list := differences(s.CachedInfo().Config, want)
	if len(list) == 0 {
		return nil
	}
	wrong := make([]string, len(list))
	for i, d := range list {
		wrong[i] = d.String()
	}
	return fmt.Errorf("%w: stream %s: %s: change it with 'nats stream edit %s', or name a NATS without this stream, where it is made as it must be",
		ErrSettings, want.Name, strings.Join(wrong, "; "), want.Name)
}

// sayExternal says once what a server should know of its NATS.
func (l *Log) sayExternal() {
	l.logger.Warn("it cannot be seen from here whether NATS brings a message to the disk before it acknowledges it, which is not what it does by itself: set 'sync_interval: always' in its jetstream section, or what was answered last may be lost when the power fails",
		"server", l.conn.ConnectedServerName(), "cluster", l.conn.ConnectedClusterName(), "replicas", max(1, l.replicas))
	if most := l.conn.MaxPayload(); most < maxPayload {
		l.logger.Warn("NATS takes smaller messages than events can be: set max_payload", "found", most, "wanted", maxPayload)
	}
}

// visit opens the log of an existing NATS for a short time. With a data directory it also finds the
// views in there: they are this process's while it holds the directory, else those of the server
// that does.
func visit(ctx context.Context, o Options) (_ *Log, err error) {
	l := &Log{logger: o.logger(), dir: o.Dir, visits: true}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if o.Dir != "" {
		l.lock, err = lockDirectory(o.Dir)
		switch {
		case err == nil:
			if err := claimMode(o.Dir, o.mode()); err != nil {
				return nil, err
			}
		case errors.Is(err, ErrRunning):
			c, readErr := readCredentials(o.Dir)
			if readErr != nil {
				return nil, errors.Join(err, readErr)
			}
			l.views = c.Views
		default:
			return nil, err
		}
	}
	if err := l.openExternal(ctx, o, false); err != nil {
		return nil, err
	}
	return l, l.bind(ctx)
}

// tick appends a message that says nothing, again and again until one is acknowledged or ctx ends,
// and returns its sequence. It fails with ErrUnfinished.
func (l *Log) tick(ctx context.Context) (uint64, error) {
	for {
		sequence, err := l.publish(ctx, &nats.Msg{Subject: tickSubject, Header: nats.Header{jetstream.MsgTTLHeader: {tickLife.String()}}})
		if err == nil {
			l.saw(sequence)
			return sequence, nil
		}
		if denied := l.denied(); denied != nil {
			err = denied
		}
		if ctx.Err() != nil || l.conn.IsClosed() || errors.Is(err, ErrUnfinished) || errors.Is(err, nats.ErrPermissionViolation) {
			return 0, fmt.Errorf("ask for the newest event: %w", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(quorumPause):
		}
	}
}

// tickOnce appends a tick if that can be done now. Where the event that a reading waits for has
// gone, as ticks do, one behind it shows that.
func (l *Log) tickOnce(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	_, _ = l.tick(limited)
}

// newViewsID names the views of a process among those that are reached through the same NATS.
func newViewsID() string { return rand.Text() }

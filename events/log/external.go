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

// external is the backing of a log on an existing NATS.
type external struct {
	plain
	visits   bool   // for a command of administration, which is not to wait for ever
	replicas int    // of the streams where they have more than one, else 0
	views    string // see Log.ViewsID; "" is the server's id
	queue    queue
}

func (b *external) shared() bool { return true }

func (b *external) last(ctx context.Context) (uint64, error) {
	if b.visits {
		limited, cancel := context.WithTimeout(ctx, electionPatience)
		defer cancel()
		ctx = limited
	}
	return b.tick(ctx)
}

func (b *external) commands(ctx context.Context, finished func(context.Context, []byte) (bool, error)) (jetstream.Consumer, error) {
	if b.replicas == 0 {
		return b.plain.commands(ctx, finished)
	}
	return b.queue.find(ctx, finished)
}

func (b *external) viewsID() string {
	if b.views == "" {
		return b.plain.viewsID()
	}
	return b.views
}

func (b *external) ready() error {
	if !b.log.conn.IsConnected() {
		return errors.New("there is no connection to NATS")
	}
	return nil
}

func (b *external) broken() error {
	if b.log.conn.IsClosed() {
		return brokenError(fmt.Sprintf("the connection to NATS is closed: %v", b.log.conn.LastError()))
	}
	if err := b.denied(); err != nil {
		return brokenError(err.Error())
	}
	return nil
}

// open connects to an existing NATS and finds or makes the streams there. Where patient it
// waits for as long as nobody can be reached or nobody leads, else one try counts.
func (b *external) open(ctx context.Context, o Options, patient bool) error {
	l, told := b.log, ""
	for {
		err := b.whyNot(b.reach(ctx, o, !patient))
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
func (b *external) whyNot(err error) error {
	if err == nil {
		return nil
	}
	if denied := b.denied(); denied != nil {
		return denied
	}
	if errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("JetStream is not enabled there or does not answer now: %w", err)
	}
	return err
}

// denied is nil unless the existing NATS has just refused what its user may not do. The one who
// asked hears nothing of that.
func (b *external) denied() error {
	if b.log.conn == nil {
		return nil
	}
	err := b.log.conn.LastError()
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return nil
	}
	return fmt.Errorf("the user of NATS may not do what Reckon needs (cmd/reckon/CLUSTER.md lists the permissions): %w", err)
}

// reach is one try. A log that is only visited takes the retention of commands as it is.
func (b *external) reach(ctx context.Context, o Options, visiting bool) (err error) {
	l := b.log
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
	if l.conn.ConnectedClusterName() != "" {
		b.replicas, b.queue.replicas = clusterReplicas, clusterReplicas
	}
	retention := o.IdempotencyRetention
	if visiting {
		limited, cancel := context.WithTimeout(ctx, clusterTry)
		defer cancel()
		if retention, err = keptRetention(limited, l.js, retention); err != nil {
			return err
		}
	}
	for _, want := range b.streams(retention) {
		if err := b.ensure(ctx, want); err != nil {
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

// streams are the streams as they must be on an existing NATS.
func (b *external) streams(retention time.Duration) []jetstream.StreamConfig {
	commands, events := commandsConfig(retention), eventsConfig()
	commands.Replicas, events.Replicas = max(1, b.replicas), max(1, b.replicas)
	events.AllowMsgTTL = true // for ticks
	return []jetstream.StreamConfig{commands, events}
}

// ensure makes a stream, or checks the one that is there.
func (b *external) ensure(ctx context.Context, want jetstream.StreamConfig) error {
	ctx, cancel := context.WithTimeout(ctx, 2*clusterTry)
	defer cancel()
	s, err := b.log.js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = b.log.js.CreateStream(ctx, want)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			s, err = b.log.js.Stream(ctx, want.Name)
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

// say says once what a server should know of its NATS.
func (b *external) say() {
	l := b.log
	l.logger.Warn("it cannot be seen from here whether NATS brings a message to the disk before it acknowledges it, which is not what it does by itself: set 'sync_interval: always' in its jetstream section, or what was answered last may be lost when the power fails",
		"server", l.conn.ConnectedServerName(), "cluster", l.conn.ConnectedClusterName(), "replicas", max(1, b.replicas))
	if most := l.conn.MaxPayload(); most < MaxPayload {
		l.logger.Warn("NATS takes smaller messages than events can be: set max_payload", "found", most, "wanted", MaxPayload)
	}
}

// visit opens the log of an existing NATS for a short time. With a data directory it also finds the
// views in there: they are this process's while it holds the directory, else those of the server
// that does.
func visit(ctx context.Context, o Options) (_ *Log, err error) {
	l := newLog(o.Dir, nil, o.logger())
	b := newExternal(l)
	b.visits = true
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if o.Dir != "" {
		l.lock, err = Lock(o.Dir)
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
			b.views = c.Views
		default:
			return nil, err
		}
	}
	if err := b.open(ctx, o, false); err != nil {
		return nil, err
	}
	return l, l.bind(ctx)
}

// tick appends a message that says nothing, again and again until one is acknowledged or ctx ends,
// and returns its sequence. It fails with ErrUnfinished.
func (b *external) tick(ctx context.Context) (uint64, error) {
	for {
		sequence, err := b.log.publish(ctx, &nats.Msg{Subject: tickSubject, Header: nats.Header{jetstream.MsgTTLHeader: {tickLife.String()}}})
		if err == nil {
			return sequence, nil
		}
		if denied := b.denied(); denied != nil {
			err = denied
		}
		if ctx.Err() != nil || b.log.conn.IsClosed() || errors.Is(err, ErrUnfinished) || errors.Is(err, nats.ErrPermissionViolation) {
			return 0, fmt.Errorf("ask for the newest event: %w", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(quorumPause):
		}
	}
}

// nudge appends a tick if that can be done now. Where the event that a reading waits for has
// gone, as ticks do, one behind it shows that.
func (b *external) nudge(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	_, _ = b.log.Last(limited)
}

// newExternal makes an existing NATS the backing of a log.
func newExternal(l *Log) *external {
	b := &external{plain: plain{l}, queue: queue{log: l}}
	l.backing = b
	return b
}

// newViewsID names the views of a process among those that are reached through the same NATS.
func newViewsID() string { return rand.Text() }

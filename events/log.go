package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Errors of the log, matched with errors.Is.
var (
	// ErrConflict says that another message was first: the expected sequence is not the last of the subject.
	ErrConflict = errors.New("another message was first")
	// ErrInFlight says that a message to the same subject is under way on a cluster; its outcome is not known yet.
	ErrInFlight = errors.New("another message is under way")
	// ErrUnknown says that a publish was not answered: it may or may not be in the log.
	ErrUnknown = errors.New("the outcome of a publish is unknown")
	// ErrRunning says that another process holds the data directory and could not be reached.
	ErrRunning = errors.New("the data directory is in use")
	// ErrNotFound says that a subject holds no message.
	ErrNotFound = errors.New("no such message")
)

// Options of a log.
type Options struct {
	Dir                  string        // data directory
	IdempotencyRetention time.Duration // how long commands with a key are kept; 0 means 24 hours
	Logger               *slog.Logger
	Cluster              *Cluster          // makes the log's server a node of a cluster; nil for a single one
	External             *External         // keeps the log elsewhere; the data directory has the views only
	Waiting              func(what string) // is told what Open waits for, where that may take long; nil tells nobody
}

// Log is an open log: the streams COMMANDS and EVENTS, on a server of this process or reached through a running one.
// Its methods may be called at the same time.
type Log struct {
	conn   *nats.Conn
	js     jetstream.JetStream
	events jetstream.Stream
	logger *slog.Logger
	newest atomic.Uint64 // highest sequence of EVENTS that was seen in an answer

	quorum   *quorum // of a cluster, which confirms what its leader says; nil without
	replicas int     // of the streams where they have more than one, else 0
	ticks    bool    // the read index is an append: the log is on an existing NATS
	views    string  // see ViewsID; "" is the server's id
	workers  workers // the consumer of commands, where there are replicas

	// Of a server in this process; nil and empty when it runs in another one.
	server *server.Server
	reads  *nats.Conn // for single events, which are not to wait behind the tail
	lock   *os.File
	dir    string
	commit *committer // nil when the server itself syncs each message

	// Of a server in another process that commits in groups; else empty.
	asks  string        // the subject where it is asked to sync
	asked atomic.Uint64 // events up to this sequence are on disk, it said

	closing sync.Mutex
}

// Open locks the data directory and runs the log's server in this process, listening on loopback with credentials that
// it leaves in the directory (mode 0600) for Join. It fails with ErrRunning when another process holds the lock. It returns
// when the log is recovered.
func Open(ctx context.Context, o Options) (*Log, error) {
	lock, err := lockDirectory(o.Dir)
	if err != nil {
		return nil, err
	}
	return openLocked(ctx, o, lock, true)
}

// Join opens the log of a data directory whether or not a server runs on it: it reaches the running one on loopback, else it
// opens the directory as Open does (without a listener). While another process holds the directory and does not answer,
// being about to start or to stop, it tries again for 10 s, less if ctx ends; then it fails with ErrRunning. How long
// commands are kept it only says for a new log; an existing one goes on as it was opened last.
func Join(ctx context.Context, o Options) (*Log, error) {
	if o.External != nil {
		return visit(ctx, o)
	}
	if m, _, err := modeOf(o.Dir); err != nil || m.External {
		return nil, errors.Join(err, m.refuse(o.Dir))
	}
	patience, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		lock, err := lockDirectory(o.Dir)
		if err == nil {
			return openAlone(ctx, o, lock)
		}
		if !errors.Is(err, ErrRunning) {
			return nil, err
		}
		l, joinErr := joinRunning(patience, o)
		if joinErr == nil {
			return l, nil
		}
		select {
		case <-patience.Done():
			return nil, fmt.Errorf("%w, and its server cannot be reached: %w", err, joinErr)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// openAlone opens a directory whose lock this process holds, for a short time and without the others of a cluster: a node of one
// is not to be opened so.
func openAlone(ctx context.Context, o Options, lock *os.File) (*Log, error) {
	m, _, err := modeOf(o.Dir)
	if err == nil && m != (mode{}) {
		err = m.refuse(o.Dir)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return openLocked(ctx, o, lock, false)
}

// joinRunning connects to the server that left its credentials in the directory.
func joinRunning(ctx context.Context, o Options) (*Log, error) {
	c, err := readCredentials(o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s", credentialsPath(o.Dir))
	}
	if err != nil {
		return nil, err
	}
	l := &Log{logger: o.logger(), asks: c.Commit}
	if l.conn, err = connectOutside(c, l.logger); err != nil {
		return nil, err
	}
	if c.Cluster != "" {
		l.quorum, err = newQuorum(l.conn, c.Cluster)
	}
	if err == nil {
		err = l.bind(ctx)
	}
	if err != nil {
		l.conn.Close()
		return nil, err
	}
	return l, nil
}

// openLocked runs a server on a directory whose lock this process holds, and releases it when that fails.
func openLocked(ctx context.Context, o Options, lock *os.File, listen bool) (_ *Log, err error) {
	l := &Log{dir: o.Dir, lock: lock, logger: o.logger()}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if err := removeCredentials(o.Dir); err != nil {
		return nil, err
	}
	if err := claimMode(o.Dir, o.mode()); err != nil {
		return nil, err
	}
	c := newCredentials()
	grouped := o.Cluster == nil && o.External == nil && groupCommits(o.Dir)
	switch {
	case o.Cluster != nil:
		c.Cluster = o.Cluster.Name
		err = l.openCluster(ctx, o, c)
	case o.External != nil:
		l.views = newViewsID()
		c = credentials{Views: l.views}
		if err = l.openExternal(ctx, o, true); err == nil {
			l.sayExternal()
		}
	default:
		err = l.openSingle(ctx, o, c, listen, !grouped)
	}
	if err != nil {
		return nil, err
	}
	if l.events == nil {
		if err := l.bind(ctx); err != nil {
			return nil, err
		}
	}
	if grouped {
		if l.commit, err = startCommitter(ctx, l); err != nil {
			return nil, err
		}
		if err := l.listen(); err != nil {
			return nil, err
		}
		c.Commit = commitSubject(l.server)
	}
	if listen {
		if l.server != nil {
			c.URL = l.server.ClientURL()
		}
		if err := c.write(o.Dir); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// openSingle runs a server that has the log alone, and that syncs each message itself or leaves it to the group commit.
func (l *Log) openSingle(ctx context.Context, o Options, c credentials, listen, sync bool) (err error) {
	if l.server, err = startServer(ctx, o.Dir, c, listen, sync, l.logger); err != nil {
		return err
	}
	if err := l.connect(c); err != nil {
		return err
	}
	js, err := jetstream.New(l.conn)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	retention := o.IdempotencyRetention
	if !listen {
		if retention, err = keptRetention(ctx, js, retention); err != nil {
			return err
		}
	}
	return ensureStreams(ctx, js, retention)
}

// connect connects to the server of this process.
func (l *Log) connect(c credentials) (err error) {
	if l.conn, err = connectInside(l.server, c, l.logger); err != nil {
		return err
	}
	l.reads, err = connectInside(l.server, c, l.logger)
	return err
}

// bind finds the streams of the server that the log is connected to.
func (l *Log) bind(ctx context.Context) error {
	var err error
	if l.js, err = jetstream.New(l.conn, jetstream.WithDefaultTimeout(l.apiPatience())); err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	if l.events, err = l.js.Stream(ctx, eventsStream); err != nil {
		return fmt.Errorf("open stream %s: %w", eventsStream, err)
	}
	return nil
}

func (o Options) logger() *slog.Logger {
	if o.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Logger
}

// Close flushes and stops; the data directory is free afterwards. What is still under way fails. Closing again does nothing.
func (l *Log) Close() error {
	l.closing.Lock()
	defer l.closing.Unlock()
	var errs []error
	if l.lock != nil {
		errs = append(errs, removeCredentials(l.dir))
	}
	for _, conn := range []*nats.Conn{l.conn, l.reads} {
		if conn != nil {
			conn.Close()
		}
	}
	if l.commit != nil {
		l.commit.close()
	}
	if l.server != nil {
		if l.quorum != nil {
			stepDown(l.server)
		}
		l.server.Shutdown()
		l.server.WaitForShutdown()
	}
	if l.commit != nil {
		errs = append(errs, l.commit.distrust())
	}
	if l.lock != nil {
		errs = append(errs, l.lock.Close())
		l.lock = nil
	}
	return errors.Join(errs...)
}

// Local tells whether this process holds the data directory, so that the views in there are its own.
func (l *Log) Local() bool { return l.lock != nil }

// ViewsID names the views of the process that holds the data directory among all that are reached through the log's
// connection.
func (l *Log) ViewsID() string {
	if l.views != "" {
		return l.views
	}
	return l.conn.ConnectedServerId()
}

// JetStream is the client of the log's server, for the command consumer.
func (l *Log) JetStream() jetstream.JetStream { return l.js }

// Append adds an event whose subject's last sequence is expected (0: the subject is empty), and returns the event's own
// sequence, once it is on disk. It fails with ErrConflict, ErrInFlight or ErrUnknown. Without a deadline in ctx it waits for 5 s.
func (l *Log) Append(ctx context.Context, e Event, expected uint64) (uint64, error) {
	m, err := Encode(e)
	if err != nil {
		return 0, err
	}
	ack, err := l.publish(ctx, m, jetstream.WithExpectLastSequencePerSubject(expected))
	if err != nil {
		return 0, publishError("append event to "+m.Subject, err)
	}
	l.saw(ack.Sequence)
	if err := l.durable(ctx, ack.Sequence); err != nil {
		return 0, fmt.Errorf("append event to %s: %w: %w", m.Subject, ErrUnknown, err)
	}
	return ack.Sequence, nil
}

// Enqueue publishes a command to its subject, expecting that none is there, and returns once it is on disk. kept tells whether
// it has an idempotency key (kept for the retention) or goes after 10 minutes. It fails as Append does.
func (l *Log) Enqueue(ctx context.Context, s Subject, command []byte, kept bool) error {
	if !strings.HasPrefix(s.name, "cmd.") {
		return fmt.Errorf("enqueue command: %q is no command's subject", s)
	}
	opts := []jetstream.PublishOpt{jetstream.WithExpectLastSequencePerSubject(0)}
	if !kept {
		opts = append(opts, jetstream.WithMsgTTL(keylessLife))
	}
	ack, err := l.publish(ctx, &nats.Msg{Subject: s.name, Data: command}, opts...)
	if err != nil {
		return publishError("enqueue command at "+s.name, err)
	}
	if err := l.CommandDurable(ctx, ack.Sequence); err != nil {
		return fmt.Errorf("enqueue command at %s: %w: %w", s, ErrUnknown, err)
	}
	return nil
}

// API error codes that say that a publish lost a race.
const (
	codeWrongLastSequence = 10071
	codeStoreFailed       = 10077 // with the text below: a publisher without an expected sequence met a full subject
	codeSequenceInFlight  = 10164

	textSubjectFull = "maximum messages per subject exceeded"
)

// publishError names what became of a publish that was not acknowledged. Only a refusal is certain; where the server
// failed, or did not answer, the message may be in the log.
func publishError(what string, err error) error {
	var api *jetstream.APIError
	switch {
	case errors.As(err, &api):
		switch {
		case api.ErrorCode == codeWrongLastSequence, api.ErrorCode == codeStoreFailed && api.Description == textSubjectFull:
			return fmt.Errorf("%s: %w: %w", what, ErrConflict, err)
		case api.ErrorCode == codeSequenceInFlight:
			return fmt.Errorf("%s: %w: %w", what, ErrInFlight, err)
		case api.Code < 500:
			return fmt.Errorf("%s: %w", what, err)
		}
	case errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("%s: %w", what, err)
	}
	return fmt.Errorf("%s: %w: %w", what, ErrUnknown, err)
}

// Command reads the command at a subject, from the stream's leader, once it is on disk. It fails with ErrNotFound.
func (l *Log) Command(ctx context.Context, s Subject) ([]byte, error) {
	m, err := l.load(ctx, commandsStream, loadRequest{Last: s.name})
	if err != nil {
		return nil, fmt.Errorf("read command at %s: %w", s, err)
	}
	if err := l.CommandDurable(ctx, m.Sequence); err != nil {
		return nil, fmt.Errorf("read command at %s: %w", s, err)
	}
	return m.Data, nil
}

// Read returns the events of one subject after a sequence, oldest first, from the stream's leader, once they are on disk.
func (l *Log) Read(ctx context.Context, s Subject, after uint64) ([]Event, error) {
	var read []Event
	for {
		m, err := l.load(ctx, eventsStream, loadRequest{Sequence: after + 1, Next: s.name})
		if errors.Is(err, ErrNotFound) {
			if len(read) == 0 {
				return nil, nil
			}
			if err = l.durable(ctx, after); err == nil {
				return read, nil
			}
		}
		if err != nil {
			return nil, fmt.Errorf("read events of %s: %w", s, err)
		}
		e, err := decode(m)
		if err != nil {
			return nil, err
		}
		l.saw(e.Sequence)
		read, after = append(read, e), e.Sequence
	}
}

// loadRequest asks for the last message of a subject, or for the first of a subject from a sequence or a time on.
type loadRequest struct {
	Sequence uint64     `json:"seq,omitempty"`
	Next     string     `json:"next_by_subj,omitempty"`
	Last     string     `json:"last_by_subj,omitempty"`
	Start    *time.Time `json:"start_time,omitempty"`
}

// stored is a message as the server gives it.
type stored struct {
	Subject  string    `json:"subject"`
	Sequence uint64    `json:"seq"`
	Headers  []byte    `json:"hdrs"`
	Data     []byte    `json:"data"`
	Time     time.Time `json:"time"` // when the server took it in
}

// load reads one message, never from a replica: unlike a direct get, this request is answered by the stream's leader alone.
func (l *Log) load(ctx context.Context, stream string, r loadRequest) (stored, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return stored{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	answer, err := l.request(ctx, "$JS.API.STREAM.MSG.GET."+stream, body)
	if err != nil {
		return stored{}, err
	}
	var response struct {
		Error   *jetstream.APIError `json:"error"`
		Message *stored             `json:"message"`
	}
	if err := json.Unmarshal(answer.Data, &response); err != nil {
		return stored{}, err
	}
	switch {
	case response.Error != nil && response.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound:
		return stored{}, ErrNotFound
	case response.Error != nil:
		return stored{}, response.Error
	case response.Message == nil:
		return stored{}, errors.New("the server answered with no message")
	}
	return *response.Message, nil
}

// Accounts lists the accounts that have events of their own, by id.
func (l *Log) Accounts(ctx context.Context) ([]uuid.UUID, error) {
	accounts, err := l.subjects(ctx, "evt.*.account", 1)
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	return accounts, nil
}

// Domains lists the domains of an account, drafts too, by id.
func (l *Log) Domains(ctx context.Context, account uuid.UUID) ([]uuid.UUID, error) {
	domains, err := l.subjects(ctx, "evt."+account.String()+".domain.*", 3)
	if err != nil {
		return nil, fmt.Errorf("list domains of account %s: %w", account, err)
	}
	return domains, nil
}

// subjects returns the ids that stand in one part of the subjects that match a filter.
func (l *Log) subjects(ctx context.Context, filter string, part int) ([]uuid.UUID, error) {
	info, err := l.events.Info(ctx, jetstream.WithSubjectFilter(filter))
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, 0, len(info.State.Subjects))
	for name := range info.State.Subjects {
		if id, ok := parseID(strings.Split(name, ".")[part]); ok {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
	return ids, nil
}

// Last is the read index: the sequence of the newest event, asked from the stream's leader, or, where Known knows it, that of
// the newest that was acknowledged. On a cluster it goes on asking until a majority of the nodes confirms the answer or ctx ends.
// On an existing NATS it is the sequence of a message that is appended for it and goes after a second, so that what is behind
// the newest event may be nothing by and by.
func (l *Log) Last(ctx context.Context) (uint64, error) {
	switch {
	case l.commit != nil:
		sequence, ok := l.Known()
		if !ok {
			return 0, fmt.Errorf("ask for the newest event: %w", l.commit.failure)
		}
		return sequence, nil
	case l.asks != "":
		return l.ask(ctx, eventsStream)
	case l.quorum != nil:
		last, err := l.quorum.last(ctx)
		if err != nil {
			return 0, fmt.Errorf("ask for the newest event: %w", err)
		}
		l.saw(last)
		return last, nil
	}
	if l.ticks {
		return l.tick(ctx)
	}
	info, err := l.events.Info(ctx)
	if err != nil {
		return 0, fmt.Errorf("ask for the newest event: %w", err)
	}
	l.saw(info.State.LastSeq)
	return info.State.LastSeq, nil
}

// saw remembers that EVENTS holds a sequence, below which a tail must not stand still.
func (l *Log) saw(sequence uint64) { atLeast(&l.newest, sequence) }

// atLeast raises a number to another one unless it is higher.
func atLeast(n *atomic.Uint64, to uint64) {
	for {
		was := n.Load()
		if to <= was || n.CompareAndSwap(was, to) {
			return
		}
	}
}

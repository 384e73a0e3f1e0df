package log

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// MaxPayload bounds a message, in bytes: a message event holds its prompt several times over.
const MaxPayload = 4 << 20

// startServer runs the log's server on dir/log. Every write is on disk before it is acknowledged
// where it syncs, else it is written. A server that does not listen is reached in this process
// only; one that listens takes a free port of the loopback address.
func startServer(ctx context.Context, dir string, c credentials, listen, sync bool, logger *slog.Logger) (*server.Server, error) {
	return RunServer(ctx, &server.Options{
		ServerName: "log",
		Host:       "127.0.0.1",
		Port:       server.RANDOM_PORT,
		DontListen: !listen,
		Users:      c.users(),
		MaxPayload: MaxPayload,
		StoreDir:   filepath.Join(dir, "log"),
		SyncAlways: sync,
	}, logger)
}

// maxStore leaves the limit of a store to the disk.
const maxStore = math.MaxInt64 / 4

// RunServer runs a JetStream server in this process. Its warnings and errors go to logger under the
// server's name, and signals are left to the program. It returns when the streams are recovered,
// which takes as long as they need, or ctx ends.
func RunServer(ctx context.Context, o *server.Options, logger *slog.Logger) (*server.Server, error) {
	o.JetStream, o.JetStreamMaxStore = true, maxStore
	return runServer(ctx, o, logger)
}

// runServer is RunServer, with JetStream where the options say so.
func runServer(ctx context.Context, o *server.Options, logger *slog.Logger) (*server.Server, error) {
	o.NoSigs = true
	s, err := server.NewServer(o)
	if err != nil {
		return nil, fmt.Errorf("start server %s: %w", o.ServerName, err)
	}
	log := &serverLog{logger: logger.With("server", o.ServerName), fatal: make(chan error, 1)}
	s.SetLoggerV2(log, false, false, false)
	go s.Start()
	for !s.ReadyForConnections(100 * time.Millisecond) {
		select {
		case err = <-log.fatal:
		case <-ctx.Done():
			err = ctx.Err()
		default:
			continue
		}
		s.Shutdown()
		s.WaitForShutdown()
		return nil, fmt.Errorf("start server %s: %w", o.ServerName, err)
	}
	return s, nil
}

// connectInside connects to a server of this process, for as long as that runs. Nothing is kept for
// later while the connection is interrupted: such a publish fails at once.
func connectInside(s *server.Server, c credentials, logger *slog.Logger) (*nats.Conn, error) {
	if c.own != "" {
		c.User, c.Password = processName, c.own
	}
	return connectAs(s, c.User, c.Password, logger)
}

// connectAs is connectInside for a user.
func connectAs(s *server.Server, user, password string, logger *slog.Logger) (*nats.Conn, error) {
	return connect("", credentials{User: user, Password: password}, logger,
		nats.InProcessServer(s), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond), nats.ReconnectBufSize(-1))
}

// connectOutside connects to the server of another process. A server that restarts has other
// credentials and another port, so the connection ends with it.
func connectOutside(c credentials, logger *slog.Logger) (*nats.Conn, error) {
	return connect(c.URL, c, logger, nats.NoReconnect())
}

// answers is how many messages may wait for who reads a subscription; no request has more answers.
// There is room for all of them from the beginning.
const answers = 4096

func connect(url string, c credentials, logger *slog.Logger, how ...nats.Option) (*nats.Conn, error) {
	if c.User != "" {
		how = append(how, nats.UserInfo(c.User, c.Password), nats.CustomInboxPrefix(inboxPrefix))
	}
	conn, err := nats.Connect(url, append(how,
		nats.Name("reckon"),
		nats.SyncQueueLen(answers),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			logger.Warn("log connection", "error", err)
		}))...)
	if err != nil {
		return nil, fmt.Errorf("connect to the log: %w", err)
	}
	return conn, nil
}

// serverLog hands the server's warnings and errors to the service's own log, and keeps the error
// that ended its start.
type serverLog struct {
	logger *slog.Logger
	fatal  chan error
}

func (l *serverLog) Noticef(string, ...any) {}
func (l *serverLog) Debugf(string, ...any)  {}
func (l *serverLog) Tracef(string, ...any)  {}

// plainPassword warns of what is meant: the password is random, new at each start, and known to
// this directory alone.
const plainPassword = "Plaintext passwords detected, use nkeys or bcrypt"

func (l *serverLog) Warnf(format string, v ...any) {
	if format == plainPassword {
		return
	}
	l.logger.Warn("nats", "message", fmt.Sprintf(format, v...))
}

func (l *serverLog) Errorf(format string, v ...any) {
	l.logger.Error("nats", "message", fmt.Sprintf(format, v...))
}

func (l *serverLog) Fatalf(format string, v ...any) {
	err := fmt.Errorf(format, v...)
	l.logger.Error("nats", "message", err.Error())
	select {
	case l.fatal <- err:
	default:
	}
}

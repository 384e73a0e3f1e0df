package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
)

// benchTitle is the starter domain that benchPrompt asks.
const benchTitle = "Electricity bill"

// ownServer is this program in a process of its own, as a user runs it, on a directory of its own.
type ownServer struct {
	process *exec.Cmd
	data    string
	url     string
	secret  string
	domain  uuid.UUID

	heavy       string // key of the account that calculates heavily
	heavyDomain uuid.UUID
}

// startServer prepares an account with a key and domains in a directory and starts the service on it.
func startServer(t terminal, data string) (*ownServer, error) {
	s := &ownServer{data: data}
	if err := s.prepare(t); err != nil {
		return nil, err
	}
	out, err := s.begin()
	if err != nil {
		return nil, err
	}
	return s, s.awaitReady(t, out)
}

// prepare makes an account with a key and domains, whether or not the server runs.
func (s *ownServer) prepare(t terminal) error {
	err := directory{Data: s.data}.begin(t, func(a commands.Admin) error {
		d, err := prepareDev(t, a, s.data)
		if err != nil {
			return err
		}
		s.secret = d.secret
		for _, domain := range d.domains {
			if commands.Title(domain) == benchTitle {
				s.domain = domain.ID
			}
		}
		s.heavy, s.heavyDomain, err = prepareHeavy(t, a)
		return err
	})
	if err != nil {
		return fmt.Errorf("prepare a server: %w", err)
	}
	return nil
}

// begin starts the process with flags of its own. What it prints can be read from out.
func (s *ownServer) begin(flags ...string) (out io.Reader, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	output, err := os.Create(s.logFile())
	if err != nil {
		return nil, err
	}
	defer output.Close()
	// It is the name that it was called by that tells the program what it is.
	s.process = &exec.Cmd{
		Path: program, Args: append([]string{os.Args[0], "serve", "--data", s.data, "--listen", "127.0.0.1:0"}, flags...), Stderr: output,
		Env: slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "RECKON_") }),
	}
	if out, err = s.process.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := s.process.Start(); err != nil {
		return nil, fmt.Errorf("start a server: %w", err)
	}
	return out, nil
}

// awaitReady returns when the server has said where it is. One that fails or ctx interrupts has ended.
func (s *ownServer) awaitReady(ctx context.Context, out io.Reader) error {
	stop := context.AfterFunc(ctx, func() { _ = s.process.Process.Kill() })
	defer stop()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if m := readyWords.FindStringSubmatch(lines.Text()); m != nil {
			s.url = m[1]
			return nil
		}
	}
	_ = s.process.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("the server did not start: %s", s.lastWords())
}

// readyWords stand in the line that says where a server is.
var readyWords = regexp.MustCompile(`is ready on (http://\S+)`)

func (s *ownServer) logFile() string { return s.data + ".log" }

// lastWords are the last lines of the server's log.
func (s *ownServer) lastWords() string {
	data, err := os.ReadFile(s.logFile())
	if err != nil {
		return err.Error()
	}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	return string(bytes.Join(lines[max(len(lines)-3, 0):], []byte("\n")))
}

// stop ends the server and waits for it.
func (s *ownServer) stop() error {
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop the server: %w", err)
	}
	if err := s.process.Wait(); err != nil {
		return fmt.Errorf("the server ended badly: %w: %s", err, s.lastWords())
	}
	return nil
}

// prober appends events of an account of its own to the log of a running server.
type prober struct {
	log     *events.Log
	account uuid.UUID
	last    uint64 // sequence of its newest event
}

func joinServer(ctx context.Context, data string) (*prober, error) {
	log, err := events.Join(ctx, events.Options{Dir: data})
	if err != nil {
		return nil, err
	}
	p := &prober{log: log, account: uuid.New()}
	p.last, err = log.Append(ctx, p.event(&events.AccountCreated{AccountID: p.account, Name: "bench " + p.account.String(), TimeZone: "UTC", BodyVersion: 2}), 0)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return p, nil
}

func (p *prober) event(data any) events.Event {
	return events.Event{ID: uuid.New(), Time: time.Now().UTC().Truncate(time.Millisecond), Subject: events.AccountSubject(p.account), Data: data}
}

// append returns when the log has acknowledged an event.
func (p *prober) append(ctx context.Context) (err error) {
	p.last, err = p.log.Append(ctx, p.event(&events.AccountChanged{TimeZone: "UTC", BodyVersion: 2}), p.last)
	return err
}

// scratch makes a directory under another one, the system's for temporary files when that is "".
func scratch(under string) (dir string, remove func() error, err error) {
	dir, err = os.MkdirTemp(under, "reckon-bench-")
	if err != nil {
		return "", nil, fmt.Errorf("make a directory for the measurement: %w", err)
	}
	return dir, func() error { return os.RemoveAll(dir) }, nil
}

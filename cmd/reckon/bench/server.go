package bench

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
)

// ownServer is this program in a process of its own, as a user runs it, on a directory of its own.
type ownServer struct {
	process *exec.Cmd
	out     io.Reader
	data    string

	// What it prints when it is ready; secret and domain only where it makes an account.
	url    string
	secret string
	domain string // id of the domain that ownPrompt asks
}

// beginServer starts the process with flags of its own.
func beginServer(data string, flags ...string) (*ownServer, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	s := &ownServer{data: data}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, fmt.Errorf("make a server's directory: %w", err)
	}
	output, err := os.Create(s.logFile())
	if err != nil {
		return nil, err
	}
	defer output.Close()
	// It is the name that it was called by that tells the program what it is.
	s.process = &exec.Cmd{
		Path: program, Args: append([]string{os.Args[0], "serve", "--data", data, "--listen", "127.0.0.1:0"}, flags...), Stderr: output,
		Env: slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "RECKON_") }),
	}
	if s.out, err = s.process.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := s.process.Start(); err != nil {
		return nil, fmt.Errorf("start a server: %w", err)
	}
	return s, nil
}

// printed finds in a line that a server prints where it is, the domain that ownPrompt asks, or its
// key.
var printed = regexp.MustCompile(`is ready on (http://\S+)|^  (\S+)  Electricity bill$|^  (reckon_live_\w+)$`)

// awaitReady returns when the server has said where it is, and what it made. One that fails or ctx
// interrupts has ended.
func (s *ownServer) awaitReady(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = s.process.Process.Kill() })
	defer stop()
	dev := slices.Contains(s.process.Args, "--dev")
	for lines := bufio.NewScanner(s.out); lines.Scan(); {
		if m := printed.FindStringSubmatch(lines.Text()); m != nil {
			s.url, s.domain, s.secret = s.url+m[1], s.domain+m[2], s.secret+m[3]
		}
		if s.url != "" && (!dev || s.secret != "") {
			return nil
		}
	}
	_ = s.process.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("the server did not start: %s", s.lastWords())
}

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

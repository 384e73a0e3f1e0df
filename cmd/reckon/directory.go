package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"reckon/commands"
	"reckon/events"
	"reckon/events/backup"
	"reckon/events/log"
)

// directory is the flag of commands that work on a data directory, whether or not a server runs on
// it.
type directory struct {
	Data      string   `help:"Data directory (${default})." default:".reckon" placeholder:"DIR" type:"path"`
	NATSURL   []string `help:"Keep the log on an existing NATS with JetStream, instead of in the data directory." name:"nats-url" placeholder:"nats://HOST:PORT"`
	NATSCreds string   `help:"Credentials file for --nats-url." name:"nats-creds" placeholder:"FILE" type:"path"`
	NATSCA    string   `help:"Authority of the certificates at --nats-url, PEM." name:"nats-ca" placeholder:"FILE" type:"path"`
}

// flags are those that lead another command to where this one worked, as a shell reads them. A
// password in a URL is not among them.
func (d directory) flags() string {
	words := []string{"--data", quoted(d.Data)}
	if len(d.NATSURL) > 0 {
		var urls []string
		for _, address := range d.NATSURL {
			urls = append(urls, log.Redacted(address))
		}
		words = append(words, "--nats-url", quoted(strings.Join(urls, ",")))
	}
	if d.NATSCreds != "" {
		words = append(words, "--nats-creds", quoted(d.NATSCreds))
	}
	if d.NATSCA != "" {
		words = append(words, "--nats-ca", quoted(d.NATSCA))
	}
	return strings.Join(words, " ")
}

// external reads what the flags say of an existing NATS; nil without one.
func (d directory) external() (*log.External, error) {
	for _, flag := range [][2]string{{"--nats-creds", d.NATSCreds}, {"--nats-ca", d.NATSCA}} {
		name, file := flag[0], flag[1]
		switch {
		case file == "":
		case len(d.NATSURL) == 0:
			return nil, fmt.Errorf("%s is for an existing NATS: give --nats-url too, or leave it out", name)
		default:
			f, err := os.Open(file)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", name, err)
			}
			f.Close()
		}
	}
	if len(d.NATSURL) == 0 {
		return nil, nil
	}
	for _, address := range d.NATSURL {
		u, err := url.Parse(address)
		if err != nil || !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme) || u.Hostname() == "" {
			return nil, fmt.Errorf("--nats-url %q: give nats://HOST:PORT or tls://HOST:PORT of one or more servers, separated by commas", log.Redacted(address))
		}
	}
	return &log.External{URLs: d.NATSURL, CredsFile: d.NATSCreds, CAFile: d.NATSCA}, nil
}

// administers opens the log of the data directory, or of an existing NATS, for f. A directory that
// is not there is an error, since it may be misspelt.
func (d directory) administers(t terminal, f func(*log.Log) error) error {
	if len(d.NATSURL) > 0 {
		return d.begins(t, f)
	}
	if err := d.there(); err != nil {
		return err
	}
	return d.begins(t, f)
}

// there is nil for a directory that a Reckon has worked on, whose lock this user may take: each
// takes it first.
func (d directory) there() error {
	const out = "name the one of the server with --data, or make one with 'reckon account create'"
	if err := d.place(out); err != nil {
		return err
	}
	lock, err := os.Open(filepath.Join(d.Data, "lock"))
	switch {
	case err == nil:
		return lock.Close()
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the data directory %s may not be read: give the command as the user that the server runs as, such as with 'sudo -u reckon'", d.Data)
	case !isFolder(d.Data):
		return fmt.Errorf("there is no data directory %s: %s", d.Data, out)
	}
	return fmt.Errorf("%s is no data directory of Reckon: %s", d.Data, out)
}

// anotherPlace is the way out where there can be no data directory.
const anotherPlace = "name a directory with --data"

// place is nil where a data directory is or can be made, else an error with a way out.
func (d directory) place(out string) error {
	switch info, err := os.Stat(d.Data); {
	case d.Data == "":
		return errors.New("--data is empty: " + out)
	case err == nil && !info.IsDir():
		return fmt.Errorf("%s is a file and no data directory: %s", d.Data, out)
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(d.Data); err == nil {
			return fmt.Errorf("%s is a link to nothing: %s", d.Data, out)
		}
	}
	return nil
}

// begin is administer, for the commands that may make a directory.
func (d directory) begin(t terminal, f func(commands.Admin) error) error {
	return d.begins(t, func(l *log.Log) error { return f(commands.Admin{Log: l, By: shell()}) })
}

// begins is begin of the log itself.
func (d directory) begins(t terminal, f func(*log.Log) error) error {
	where := ""
	if len(d.NATSURL) == 0 {
		if err := d.place(anotherPlace); err != nil {
			return err
		}
		where = d.Data
	}
	return d.join(t, where, f)
}

// joins opens the log of the directory, which must be there, also where the log is on an existing
// NATS.
func (d directory) joins(t terminal, f func(*log.Log) error) error {
	if err := d.there(); err != nil {
		return err
	}
	return d.join(t, d.Data, f)
}

// shell is the actor of a command that is given on the log itself: whoever may do that may do all.
func shell() events.Actor {
	name := strconv.Itoa(os.Getuid())
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return events.Actor{How: events.ByShell, Name: name}
}

// join opens the log that the flags name for f, and the directory where that is not "".
func (d directory) join(t terminal, where string, f func(*log.Log) error) error {
	external, err := d.external()
	if err != nil {
		return err
	}
	l, err := log.Join(t, log.Options{Dir: where, External: external, Logger: errorLogger(t)})
	if err != nil {
		return err
	}
	return cmp.Or(explained(t, l, f(l)), l.Close())
}

// errorLogger is the log of a command that is no server: what goes wrong, on standard error.
func errorLogger(t terminal) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.err, &slog.HandlerOptions{Level: slog.LevelError}))
}

// restoreAgain is what to do about a log that has a part of a backup.
const restoreAgain = "give the 'reckon restore' of it again, which goes on where it was"

// explained says of a command that failed what is behind it where the nodes that share the log have
// no leader: most of what a command asks fails in a way of its own then.
func explained(t terminal, l *log.Log, err error) error {
	var code exit
	own := errors.As(err, &code) || errors.Is(err, backup.ErrFilled) || errors.Is(err, backup.ErrNotWhole) || errors.Is(err, log.ErrNoLeader)
	switch {
	case err == nil || own || l.Alone() || t.Err() != nil:
		return err
	case errors.Is(err, log.ErrUnfinished):
		return fmt.Errorf("%w: %s", err, restoreAgain)
	}
	ctx, cancel := context.WithTimeout(t, 2*time.Second)
	defer cancel()
	switch _, asked := l.Last(ctx); {
	case asked == nil || t.Err() != nil:
		return err
	case errors.Is(asked, log.ErrUnfinished):
		return fmt.Errorf("%w. %w: %s", err, asked, restoreAgain)
	}
	return fmt.Errorf("%w: %w", err, log.ErrNoLeader)
}

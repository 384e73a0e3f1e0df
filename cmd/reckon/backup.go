package main

import (
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"os"
	"path/filepath"

	"reckon/events/backup"
)

type backupCommand struct {
	installation
	File string `arg:"" help:"File to write. It must not exist. - is standard output." type:"path"`
	JSON bool   `help:"Print what the backup holds as JSON."`
}

func (*backupCommand) Help() string {
	return `The file holds all accounts, keys (as hashes), domains, conversations and requests under way, as of one moment. It is taken whether or not a server runs on the directory, and calculations go on meanwhile. Events that this program cannot decode are copied as they are, with a warning on standard error. The file appears under its name once it is whole and on disk; what is written to standard output ends with a checksum, and is whole when the exit status is 0. It holds what callers sent, so keep it as safe as the data directory.

Examples:
  reckon backup --data /var/lib/reckon /backup/reckon-$(date +%F).gz
  reckon backup monday.gz --json
  kubectl exec reckon-0 -- /reckon backup - > monday.gz`
}

// standard is the name of standard input or output where a file is to be named.
const standard = "-"

func (c *backupCommand) Run(t terminal) error {
	said := t
	if c.File == standard {
		if isTerminal(t.out) {
			return errors.New("standard output is a terminal: redirect it to a file, or name one")
		}
		said.out = unnoted(t.err)
	} else if err := c.writable(); err != nil {
		return err
	}
	var b backup.Summary
	err := c.ask(t, func(a administration) error {
		shown := newProgressLine(t, false, "")
		defer shown.end()
		write := func(to io.Writer) (err error) {
			b, err = a.backup(to, shown.step)
			return err
		}
		if c.File == standard {
			return write(raw(t.out))
		}
		return writeWhole(c.File, write)
	})
	if err != nil {
		return err
	}
	warnUndecodable(t, b)
	if c.JSON {
		return printJSON(said, b)
	}
	fmt.Fprintf(said.out, "%s holds %s and %s (%d not finished).\nRead it back with: reckon restore %s --data NEWDIR\n",
		fileName(c.File), count(int(b.Events), "event"), count(int(b.Commands), "request"), b.Unfinished, quoted(c.File))
	return nil
}

// backup writes a backup that is asked for, and reads it as it comes.
func (a administration) backup(to io.Writer, progress backup.Progress) (backup.Summary, error) {
	answer, err := a.request(nethttp.MethodGet, []string{"backup"}, nil, nil)
	if err != nil {
		return backup.Summary{}, err
	}
	defer answer.Body.Close()
	from := &failing{from: answer.Body}
	b, err := backup.Read(io.TeeReader(from, to), progress)
	if from.err != nil {
		err = a.unanswered(from.err)
	}
	return b, err
}

// failing remembers the error that reading failed with.
type failing struct {
	from io.Reader
	err  error
}

func (f *failing) Read(part []byte) (int, error) {
	n, err := f.from.Read(part)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}

// fileName is what a file is called in messages.
func fileName(file string) string {
	if file == standard {
		return "the backup"
	}
	return file
}

// writable looks whether the file can be made.
func (c *backupCommand) writable() error {
	if _, err := os.Stat(c.File); err == nil {
		return fmt.Errorf("%s exists already: name a new file, or remove that one", c.File)
	}
	if folder := filepath.Dir(c.File); !isFolder(folder) {
		return fmt.Errorf("there is no folder %s to write the backup to", folder)
	}
	return nil
}

// warnUndecodable says loudly that the log has events that cannot be decoded.
func warnUndecodable(t terminal, b backup.Summary) {
	if b.Undecodable == 0 {
		return
	}
	fmt.Fprintf(t.err, "WARNING: this Reckon cannot read %s of the log, and does not serve while they are there. The first: %s\nAll events are in the backup as they are stored.\n",
		count(int(b.Undecodable), "event"), b.FirstUndecodable)
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

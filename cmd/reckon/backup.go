package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"reckon/commands"
	"reckon/events/log"
)

type backupCommand struct {
	directory
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
	write, said := c.write, t
	if c.File == standard {
		if isTerminal(t.out) {
			return errors.New("standard output is a terminal: redirect it to a file, or name one")
		}
		said.out = t.err
		write = func(t terminal, a commands.Admin) (log.Backup, error) {
			shown := newProgressLine(t, false, "")
			defer shown.end()
			return a.Log.Backup(t, t.out, shown.step)
		}
	} else if err := c.writable(); err != nil {
		return err
	}
	var b log.Backup
	err := c.administer(t, func(a commands.Admin) (err error) {
		b, err = write(t, a)
		return err
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
func warnUndecodable(t terminal, b log.Backup) {
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

// write makes the file beside its place and moves it there when it is on disk.
func (c *backupCommand) write(t terminal, a commands.Admin) (log.Backup, error) {
	file, err := os.CreateTemp(filepath.Dir(c.File), "."+filepath.Base(c.File)+".*")
	if err != nil {
		return log.Backup{}, fmt.Errorf("write backup: %w", err)
	}
	defer os.Remove(file.Name())
	shown := newProgressLine(t, false, "")
	b, err := a.Log.Backup(t, file, shown.step)
	shown.end()
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = publish(file.Name(), c.File)
	}
	if err != nil {
		return b, fmt.Errorf("back up to %s: %w", c.File, err)
	}
	return b, nil
}

// publish gives a whole file its name, which no file may have, and syncs the folder.
func publish(whole, name string) error {
	// A link, unlike a renaming, never replaces a file that came meanwhile. Not every file system has
	// links.
	switch err := os.Link(whole, name); {
	case errors.Is(err, fs.ErrExist):
		return errors.New("a file of this name came meanwhile")
	case err != nil:
		if err := os.Rename(whole, name); err != nil {
			return err
		}
	}
	folder, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	err = folder.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil // some network file systems have no sync of folders
	}
	return errors.Join(err, folder.Close())
}

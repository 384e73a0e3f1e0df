package main

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	nethttp "net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
)

type accountExport struct {
	installation
	Name string `arg:"" help:"Name of the account."`
	Out  string `help:"Folder to write to, which is new or empty." required:"" placeholder:"DIR" type:"path"`
	JSON bool   `help:"Print the files as JSON."`
}

func (*accountExport) Help() string {
	return `Writes what the account has as files that a person can read: events.jsonl with its events, one a line, and domains/KEY.yaml with the newest version of each domain, domains/KEY.draft.yaml with its draft. Prompts, values and answers are among the events; erased conversations and hashes of keys are not. Only you can read the files.

Examples:
  reckon account export acme --out acme-export
  reckon account export acme --out acme-export --server https://reckon.example.com`
}

// exportedFile is a file of an export.
type exportedFile struct {
	Name  string `json:"name"` // from the folder on
	Bytes int64  `json:"bytes"`
}

func (c *accountExport) Run(t terminal) error {
	if err := emptyFolder(c.Out); err != nil {
		return fmt.Errorf("--out %w", err)
	}
	var files []exportedFile
	err := c.ask(t, func(a administration) error {
		answer, err := a.request(nethttp.MethodGet, []string{"accounts", c.Name, "export"}, nil, nil)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		files, err = a.unpack(answer.Body, c.Out)
		return err
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(t, files)
	}
	for _, f := range files {
		fmt.Fprintln(t.out, filepath.Join(c.Out, f.Name))
	}
	_, err = fmt.Fprintf(t.out, "Account %q is exported: %s.\n", c.Name, count(len(files), "file"))
	return err
}

// emptyFolder is nil for a folder that has nothing in it, or that can be made.
func emptyFolder(name string) error {
	entries, err := os.ReadDir(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil && !isFolder(name):
		return fmt.Errorf("%s is no folder: name a new one", name)
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty: name a new folder", name)
	}
	return nil
}

// unpack writes the files of a ZIP archive into a folder, which is made where it is not there. They
// appear under their names once all of them are whole.
func (a administration) unpack(from io.Reader, folder string) (list []exportedFile, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	making, err := os.MkdirTemp(folder, ".export-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = cmp.Or(err, os.RemoveAll(making)) }()
	archive, err := os.CreateTemp(making, "archive-*")
	if err != nil {
		return nil, err
	}
	defer archive.Close()
	read := &failing{from: from}
	size, err := io.Copy(archive, read)
	if read.err != nil {
		err = a.unanswered(read.err)
	}
	if err != nil {
		return nil, err
	}
	files, err := zip.NewReader(archive, size)
	if err != nil {
		return nil, fmt.Errorf("the answer of %s is no whole archive: give the command again (%w)", a.server, err)
	}
	whole := filepath.Join(making, "whole")
	if err := os.Mkdir(whole, 0o700); err != nil {
		return nil, err
	}
	if list, err = unpackInto(whole, files.File); err != nil {
		return nil, fmt.Errorf("unpack the answer of %s: %w", a.server, err)
	}
	entries, err := os.ReadDir(whole)
	for _, e := range entries {
		err = cmp.Or(err, os.Rename(filepath.Join(whole, e.Name()), filepath.Join(folder, e.Name())))
	}
	return list, err
}

// unpackInto writes files of an archive into a folder, and none beyond it.
func unpackInto(folder string, files []*zip.File) ([]exportedFile, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	list := []exportedFile{}
	for _, f := range files {
		if !fs.ValidPath(f.Name) || strings.Contains(f.Name, `\`) || !filepath.IsLocal(filepath.FromSlash(f.Name)) || !f.Mode().IsRegular() {
			return nil, fmt.Errorf("%q is no name of a file in a folder", f.Name)
		}
		n, err := unpackFile(root, f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		list = append(list, exportedFile{f.Name, n})
	}
	return list, nil
}

// unpackFile writes a file, which must not be there yet.
func unpackFile(root *os.Root, f *zip.File) (n int64, err error) {
	from, err := f.Open()
	if err != nil {
		return 0, err
	}
	defer from.Close()
	if err := root.MkdirAll(path.Dir(f.Name), 0o700); err != nil {
		return 0, err
	}
	to, err := root.OpenFile(f.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	n, err = io.Copy(to, from)
	return n, cmp.Or(err, to.Sync(), to.Close())
}

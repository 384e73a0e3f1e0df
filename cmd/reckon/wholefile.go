package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// writeWhole makes a file that only its owner may read. It appears under its name once it is whole
// and on disk, or not at all. A file that has the name is left alone, which is an error.
func writeWhole(name string, write func(io.Writer) error) error {
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err == nil {
		defer os.Remove(file.Name())
		err = cmp.Or(write(file), file.Sync(), file.Close())
	}
	if err == nil {
		err = publish(file.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
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
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) || runtime.GOOS == "windows" {
		err = nil // some network file systems and Windows have no sync of folders
	}
	return errors.Join(err, folder.Close())
}

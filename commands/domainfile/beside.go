package domainfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
)

// folder is the files of a directory and below it. What a symbolic link has outside of it is not
// among them.
type folder string

func (d folder) Open(name string) (fs.File, error) { return os.OpenInRoot(string(d), name) }

var errNoFolder = errors.New("a text that is sent by itself has no files beside it: publish the file with `reckon domain publish`, or write what it takes from other files into it")

// readBeside reads a file that this one names: relative to it, with forward slashes, within the
// folder of the file that is read.
func (f *File) readBeside(name string) (full string, data []byte, err error) {
	switch {
	case f.files == nil:
		return "", nil, errNoFolder
	case path.IsAbs(name):
		return "", nil, fmt.Errorf("%q is not relative to this file: name a file in its folder or below it", name)
	}
	full = path.Join(path.Dir(f.beside), name)
	if name == "" || !fs.ValidPath(full) || full == "." {
		return "", nil, fmt.Errorf("%q is not in the folder of the domain file or below it", name)
	}
	open, err := f.files.Open(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, fmt.Errorf("there is no file %s beside the domain file", full)
	case err != nil:
		return "", nil, fmt.Errorf("%s cannot be read: it is not in the folder of the domain file, or nobody may read it", full)
	}
	defer open.Close()
	info, err := open.Stat()
	if err == nil && !info.Mode().IsRegular() {
		return "", nil, fmt.Errorf("%s is not a file", full)
	}
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(open, MaxBytes+1))
	}
	switch {
	case err != nil:
		return "", nil, fmt.Errorf("%s cannot be read", full)
	case len(data) > MaxBytes:
		return "", nil, fmt.Errorf("%s: a file beside a domain file has at most %d MiB", full, MaxBytes>>20)
	}
	f.noteBeside(full)
	return full, data, nil
}

// noteBeside notes that the definition depends on a file.
func (f *File) noteBeside(full string) {
	if !slices.Contains(*f.named, full) {
		*f.named = append(*f.named, full)
	}
}

// Beside lists the files that the definition is made of besides this one, relative to its folder.
func (f *File) Beside() []string { return *f.named }

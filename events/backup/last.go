package backup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// lastName is the file of a data directory that says which backup was made of it last.
const lastName = "last-backup.json"

// Remember says in a data directory that a backup was made of it, whole as far as is known here:
// what becomes of the file is not.
func Remember(dir string, b Summary) error {
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, lastName)
	if err = os.WriteFile(path+".new", append(text, '\n'), 0o600); err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return fmt.Errorf("remember the backup: %w", err)
	}
	return nil
}

// Last is the backup that was made last of a data directory by a server on it or a command beside
// it; false where there is none that is known.
func Last(dir string) (b Summary, known bool, err error) {
	text, err := os.ReadFile(filepath.Join(dir, lastName))
	if errors.Is(err, fs.ErrNotExist) {
		return b, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	if err != nil {
		return b, false, fmt.Errorf("read when the last backup was made: %w", err)
	}
	return b, true, nil
}

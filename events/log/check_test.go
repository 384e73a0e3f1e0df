package log

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"reckon/events/log/logtest"
	"reckon/events/log/natsfile"
)

// A log with a record that is not whole is not opened, and nothing of it is changed.
func TestDamagedLogIsNotOpened(t *testing.T) {
	l := open(t, t.TempDir())
	var last uint64
	for range 3 {
		last = appended(t, l, logtest.Created("a"), 0)
	}
	dir := l.dir
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	block := filepath.Join(natsfile.MessagesOf(storePath(dir), EventsStream), "1.blk")
	whole, err := os.ReadFile(block)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text        []byte
		first, last uint64
	}{
		"a bit":                 {flipped(whole, len(whole)/2), 2, 2},
		"a bit of the last":     {flipped(whole, len(whole)-20), last, last},
		"the end is missing":    {whole[:len(whole)-len(whole)/3], last, last},
		"everything is missing": {nil, 1, last},
	} {
		if err := os.WriteFile(block, c.text, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), Options{Dir: dir})
		var damaged *DamagedError
		if !errors.As(err, &damaged) || !errors.Is(err, ErrDamaged) {
			t.Fatalf("%s: %v", name, err)
		}
		if d := damaged.Damage[0]; len(damaged.Damage) != 1 || d.First != c.first || d.Last != c.last || d.File != block {
			t.Errorf("%s: %v, want the events %d to %d", name, err, c.first, c.last)
		}
		if text, err := os.ReadFile(block); err != nil || string(text) != string(c.text) {
			t.Errorf("%s: the file was changed (%v)", name, err)
		}
	}
	if err := os.WriteFile(block, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
}

// flipped is a text with a bit that is another one.
func flipped(text []byte, at int) []byte {
	text = append([]byte(nil), text...)
	text[at] ^= 4
	return text
}

// What is whole of a damaged log can be read, and nothing can be written to it, here or by another process.
func TestDamagedLogIsRead(t *testing.T) {
	l := open(t, t.TempDir())
	first := logtest.Created("a")
	at := appended(t, l, first, 0)
	lost := appended(t, l, logtest.Created("b"), 0)
	newest := appended(t, l, logtest.Changed(first), at)
	dir := l.dir
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	block := filepath.Join(natsfile.MessagesOf(storePath(dir), EventsStream), "1.blk")
	text, err := os.ReadFile(block)
	if err == nil {
		err = os.WriteFile(block, flipped(text, len(text)/2), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	whole, err := OpenDamaged(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	if last, err := whole.Last(t.Context()); err != nil || last != newest || !errors.Is(whole.Damaged(), ErrDamaged) {
		t.Errorf("last is %d (%v), damage %v", last, err, whole.Damaged())
	}
	if list, err := whole.AtAll(t.Context(), []uint64{at, newest}); err != nil || list[1].Subject != first.Subject {
		t.Errorf("read %v (%v)", list, err)
	}
	if _, err := whole.AtAll(t.Context(), []uint64{lost}); !errors.Is(err, ErrNotFound) {
		t.Errorf("the event that is lost: %v", err)
	}
	_, err = whole.Append(t.Context(), logtest.Created("c"), 0)
	logtest.WantError(t, "append", err, ErrDamaged)
	other, err := Join(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.Append(t.Context(), logtest.Created("c"), 0); err == nil {
		t.Error("another process has appended an event")
	}
	if err := errors.Join(other.Close(), whole.Close()); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(block); err != nil || string(after) != string(flipped(text, len(text)/2)) {
		t.Errorf("the damaged file was changed (%v)", err)
	}
}

package backup

import (
	"io"
	"strings"
)

// Read reads a backup to its end and tells what it holds. It fails with ErrNotWhole.
func Read(from io.Reader, progress Progress) (Summary, error) {
	r, err := newReader(from)
	if err != nil {
		return Summary{}, err
	}
	b := Summary{CreatedAt: r.header.CreatedAt, LastEvent: r.header.Events}
	for {
		m, last, err := r.next()
		if err != nil {
			return b, err
		}
		if last != nil {
			b.Renumbered = false // not before it is restored
			return b, b.matches(last)
		}
		b.add(r.header, m)
		progress(strings.ToLower(m.Stream), m.Sequence, r.header.last(m.Stream))
	}
}

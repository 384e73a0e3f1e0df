package http

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// writer writes the JSON of the answers that are asked for most, without reflection. Its methods write one value each, literal
// what stands around them.
type writer struct{ out []byte }

func newWriter(room int) *writer { return &writer{make([]byte, 0, room)} }

// mostRoom is how much a writer may have to be used again.
const mostRoom = 64 << 10

// writers have room from answers that were sent.
var writers = sync.Pool{New: func() any { return newWriter(8 << 10) }}

// release leaves the writer to other answers. Nobody may have what it wrote any more.
func (w *writer) release() {
	if cap(w.out) <= mostRoom {
		w.out = w.out[:0]
		writers.Put(w)
	}
}

func (w *writer) literal(text string) { w.out = append(w.out, text...) }

func (w *writer) number(n int) { w.out = strconv.AppendInt(w.out, int64(n), 10) }

func (w *writer) truth(b bool) { w.out = strconv.AppendBool(w.out, b) }

// id writes an id in its text of 36 characters.
func (w *writer) id(id uuid.UUID) {
	w.literal(`"`)
	w.out = hex.AppendEncode(w.out, id[:4])
	for from := 4; from < 10; from += 2 {
		w.literal("-")
		w.out = hex.AppendEncode(w.out, id[from:from+2])
	}
	w.literal("-")
	w.out = hex.AppendEncode(w.out, id[10:])
	w.literal(`"`)
}

// stamp writes a time as RFC 3339 in UTC with milliseconds.
func (w *writer) stamp(t time.Time) {
	w.out = t.UTC().AppendFormat(w.out, `"2006-01-02T15:04:05.000Z"`)
}

// text writes a string. One that holds what encoding/json escapes as a number is left to it.
func (w *writer) text(s string) {
	begin := len(w.out)
	w.literal(`"`)
	plain := 0
	for i := 0; i < len(s); i++ {
		escaped := ""
		switch c := s[i]; {
		case c == '"':
			escaped = `\"`
		case c == '\\':
			escaped = `\\`
		case c == '\n':
			escaped = `\n`
		case c == '\t':
			escaped = `\t`
		case c < ' ':
			w.out = append(w.out[:begin], raw(s)...)
			return
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError || r == '\u2028' || r == '\u2029' {
				w.out = append(w.out[:begin], raw(s)...)
				return
			}
			i += size - 1
			continue
		default:
			continue
		}
		w.literal(s[plain:i])
		w.literal(escaped)
		plain = i + 1
	}
	w.literal(s[plain:])
	w.literal(`"`)
}

// optional writes a string, null for nil.
func (w *writer) optional(s *string) {
	if s == nil {
		w.literal("null")
		return
	}
	w.text(*s)
}

// raw writes JSON, null for nil.
func (w *writer) raw(text json.RawMessage) {
	if text == nil {
		w.literal("null")
		return
	}
	w.out = append(w.out, text...)
}

// comma separates an entry from the ones before it.
func (w *writer) comma(i int) {
	if i > 0 {
		w.literal(",")
	}
}

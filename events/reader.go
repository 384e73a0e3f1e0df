package events

import (
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/google/uuid"
)

// reader reads JSON from left to right. Its methods return false where it gives up.
type reader struct {
	body []byte
	text string // the same bytes
	at   int
}

func newReader(body []byte) reader {
	return reader{body: body, text: unsafe.String(unsafe.SliceData(body), len(body))}
}

// space skips white space and returns the byte that follows, 0 at the end.
func (r *reader) space() byte {
	for r.at < len(r.text) {
		c := r.text[r.at]
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
		r.at++
	}
	return 0
}

func (r *reader) end() bool { return r.space() == 0 && r.at == len(r.text) }

// word reads a word if it stands here.
func (r *reader) word(w string) bool {
	if !strings.HasPrefix(r.text[r.at:], w) {
		return false
	}
	r.at += len(w)
	return true
}

// value reads a value to where a zero value of the shape's type stands. The shape says what that memory is, which is what
// reflection would ask for anew at every member.
func (r *reader) value(s *shape, to unsafe.Pointer) bool {
	c := r.space()
	switch s.form {
	case formText:
		text, ok := r.string()
		*(*string)(to) = text
		return ok
	case formNumber:
		start := r.at
		if !r.number() {
			return false
		}
		n, err := strconv.Atoi(r.text[start:r.at])
		*(*int)(to) = n
		return err == nil
	case formLong:
		start := r.at
		if !r.number() {
			return false
		}
		n, err := strconv.ParseInt(r.text[start:r.at], 10, 64)
		*(*int64)(to) = n
		return err == nil
	case formCount:
		start := r.at
		if !r.number() {
			return false
		}
		n, err := strconv.ParseUint(r.text[start:r.at], 10, 64)
		*(*uint64)(to) = n
		return err == nil
	case formTruth:
		*(*bool)(to) = c == 't'
		return r.word("true") || r.word("false")
	case formID:
		return r.id((*uuid.UUID)(to))
	case formTime:
		start := r.at
		text, ok := r.string()
		if !ok || r.at-start != len(text)+2 {
			return false
		}
		return (*time.Time)(to).UnmarshalText(r.body[start+1:r.at-1]) == nil
	case formRaw:
		start := r.at
		if !r.skip(0) {
			return false
		}
		*(*json.RawMessage)(to) = r.body[start:r.at:r.at]
		return true
	case formPassed:
		return r.skip(0)
	case formPointer:
		if c == 'n' {
			return r.word("null")
		}
		elem := reflect.New(s.elem.typ).UnsafePointer()
		*(*unsafe.Pointer)(to) = elem
		return r.value(s.elem, elem)
	case formList:
		if c == 'n' {
			return r.word("null")
		}
		return r.list(s, to)
	case formObject:
		return r.object(s, to)
	}
	start := r.at
	return r.skip(0) && json.Unmarshal(r.body[start:r.at], reflect.NewAt(s.typ, to).Interface()) == nil
}

// list reads an array to where an empty slice stands.
func (r *reader) list(s *shape, to unsafe.Pointer) bool {
	if !r.word("[") {
		return false
	}
	v := reflect.NewAt(s.typ, to).Elem()
	if r.space() == ']' {
		r.at++
		v.Set(reflect.MakeSlice(s.typ, 0, 0))
		return true
	}
	room := 0
	for n := 0; ; n++ {
		if n == room {
			v.Grow(max(4, n))
			room = v.Cap()
		}
		v.SetLen(n + 1)
		if !r.value(s.elem, unsafe.Add(v.UnsafePointer(), uintptr(n)*s.elem.size)) {
			return false
		}
		switch r.space() {
		case ',':
			r.at++
		case ']':
			r.at++
			return true
		default:
			return false
		}
	}
}

// object reads an object. Its members mostly stand in the order of the fields.
func (r *reader) object(s *shape, to unsafe.Pointer) bool {
	if !r.word("{") {
		return false
	}
	if r.space() == '}' {
		r.at++
		return true
	}
	seen := uint64(0)
	for next := 0; ; next++ {
		if next >= len(s.fields) || !r.word(s.fields[next].quoted) {
			if next = r.member(s.fields); next < 0 {
				return false
			}
		}
		if seen&(1<<next) != 0 {
			return false
		}
		seen |= 1 << next
		f := &s.fields[next]
		if !r.value(f.shape, unsafe.Add(to, f.offset)) {
			return false
		}
		switch r.space() {
		case ',':
			r.at++
		case '}':
			r.at++
			return true
		default:
			return false
		}
	}
}

// member reads the name of any member and the colon, and returns the place of its field, -1 for none.
func (r *reader) member(fields []field) int {
	r.space()
	name, ok := r.string()
	if !ok || r.space() != ':' {
		return -1
	}
	r.at++
	return slices.IndexFunc(fields, func(f field) bool { return f.name == name })
}

// digits are the values of hexadecimal digits, 255 for other bytes.
type digits [256]byte

var (
	lowerDigits = digitsOf("0123456789abcdef")
	anyDigits   = digitsOf("0123456789abcdef", "0123456789ABCDEF")
)

func digitsOf(spellings ...string) *digits {
	var d digits
	for c := range d {
		d[c] = 255
	}
	for _, s := range spellings {
		for i := range len(s) {
			d[s[i]] = byte(i)
		}
	}
	return &d
}

// read reads an id in its text of 36 characters.
func (d *digits) read(text string, id *uuid.UUID) bool {
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return false
	}
	wrong := byte(0)
	at := 0
	for i := range id {
		switch i {
		case 4, 6, 8, 10:
			at++
		}
		high, low := d[text[at]], d[text[at+1]]
		id[i] = high<<4 | low
		wrong |= high | low
		at += 2
	}
	return wrong <= 15
}

func (r *reader) id(id *uuid.UUID) bool {
	const length = 36
	if len(r.text)-r.at < length+2 || r.text[r.at] != '"' || r.text[r.at+length+1] != '"' {
		return false
	}
	r.at += length + 2
	return anyDigits.read(r.text[r.at-length-1:r.at-1], id)
}

// Classes of bytes within a string.
const (
	bytePlain = iota
	byteQuote
	byteEscape
	byteControl
	byteWide // of a code point beyond ASCII
)

var byteClasses = func() (classes [256]byte) {
	for c := range classes {
		switch {
		case c == '"':
			classes[c] = byteQuote
		case c == '\\':
			classes[c] = byteEscape
		case c < ' ':
			classes[c] = byteControl
		case c >= utf8.RuneSelf:
			classes[c] = byteWide
		}
	}
	return classes
}()

// escapes are the characters behind a backslash that stand for one byte.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// string reads a string, and gives up at a code point that is written as a number.
func (r *reader) string() (string, bool) {
	if r.at == len(r.text) || r.text[r.at] != '"' {
		return "", false
	}
	start := r.at + 1
	wide, escaped := false, false
	for i := r.plain(start); i < len(r.text); i = r.plain(i + 1) {
		switch byteClasses[r.text[i]] {
		case byteQuote:
			r.at = i + 1
			text := r.text[start:i]
			if escaped {
				text = unescape(text)
			}
			return text, !wide || utf8.ValidString(text)
		case byteEscape:
			escaped = true
			i++
			if i == len(r.text) || escapes[r.text[i]] == 0 {
				return "", false
			}
		case byteControl:
			return "", false
		case byteWide:
			wide = true
		}
	}
	return "", false
}

// plain is the place of the first byte from i on that is not plain. It looks at eight bytes at a time: a byte of specials has
// its highest bit set where one is, and beyond the first perhaps elsewhere too.
func (r *reader) plain(i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(r.body); i += 8 {
		w := binary.LittleEndian.Uint64(r.body[i:])
		quote, escape := w^ones*'"', w^ones*'\\'
		specials := (w-ones*' ')&^w | (quote-ones)&^quote | (escape-ones)&^escape | w
		if specials &= highs; specials != 0 {
			return i + bits.TrailingZeros64(specials)/8
		}
	}
	for i < len(r.body) && byteClasses[r.body[i]] == bytePlain {
		i++
	}
	return i
}

func unescape(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		b.WriteByte(escapes[text[i+1]])
		text = text[i+2:]
	}
}

// number reads a number as JSON writes it.
func (r *reader) number() bool {
	r.word("-")
	start := r.at
	if !r.digits() || r.text[start] == '0' && r.at > start+1 {
		return false
	}
	if r.word(".") && !r.digits() {
		return false
	}
	if r.word("e") || r.word("E") {
		if !r.word("+") {
			r.word("-")
		}
		return r.digits()
	}
	return true
}

func (r *reader) digits() bool {
	start := r.at
	for r.at < len(r.text) && r.text[r.at] >= '0' && r.text[r.at] <= '9' {
		r.at++
	}
	return r.at > start
}

// skip passes over any value.
func (r *reader) skip(depth int) bool {
	if depth == maxDepth {
		return false
	}
	switch c := r.space(); c {
	case '"':
		return r.skipString()
	case 't':
		return r.word("true")
	case 'f':
		return r.word("false")
	case 'n':
		return r.word("null")
	case '{', '[':
		r.at++
		closing := c + 2 // } and ] stand two behind { and [
		if r.space() == closing {
			r.at++
			return true
		}
		for {
			if c == '{' {
				if r.space() != '"' || !r.skipString() || r.space() != ':' {
					return false
				}
				r.at++
			}
			if !r.skip(depth + 1) {
				return false
			}
			switch r.space() {
			case ',':
				r.at++
			case closing:
				r.at++
				return true
			default:
				return false
			}
		}
	}
	return r.number()
}

// skipString passes over a string, and gives up at a code point that is written as a number.
func (r *reader) skipString() bool {
	for i := r.plain(r.at + 1); i < len(r.text); i = r.plain(i + 1) {
		switch byteClasses[r.text[i]] {
		case byteQuote:
			r.at = i + 1
			return true
		case byteEscape:
			i++
			if i == len(r.text) || escapes[r.text[i]] == 0 {
				return false
			}
		case byteControl:
			return false
		}
	}
	return false
}

package language

import (
	"regexp"
)

// Writing is how numbers and times are written in a language; the zero Writing is that of English.
type Writing struct{ tables *tables }

// WritingIn is the writing in the language of a tag, in English for one that is not known.
func WritingIn(tag string) Writing { return Writing{tablesOf(tag)} }

// english tells whether values are written as formats render them.
func (w Writing) english() bool { return w.tables == nil || w.tables.point == point }

// Shown is a rendered value as people read it in the language.
func (w Writing) Shown(rendered string) string {
	if w.english() {
		return rendered
	}
	return w.tables.written(rendered)
}

// Field is a rendered value as people change it in the language: Read reads what is left as it is.
// Names in times are those of English, as the grammar of input has them.
func (w Writing) Field(rendered string) string {
	if _, timed := w.timed(rendered); timed {
		return rendered
	}
	return w.Shown(rendered)
}

func (w Writing) timed(rendered string) (string, bool) {
	if w.english() {
		return rendered, false
	}
	return w.tables.timed(rendered)
}

// marksIn are numbers that have marks in them.
var marksIn = regexp.MustCompile(`\d+(?:[.,]\d+)+`)

// Read is a value that people wrote in the language as the grammar of input has it: 1.234,5 km is
// 1234.5 km. What is no number in the language, such as a date, stays as it is.
func (w Writing) Read(written string) string {
	if w.english() {
		return written
	}
	return marksIn.ReplaceAllStringFunc(written, func(number string) string {
		d, ok := w.tables.parseDigits(number)
		if !ok {
			return number
		}
		return d.String()
	})
}

// Point is the mark before decimals.
func (w Writing) Point() string {
	if w.english() {
		return point
	}
	return w.tables.point
}

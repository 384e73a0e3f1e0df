package domainfile

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"reckon/engine"
)

// locate finds the place of an issue in the file; where its path is not there, the nearest thing
// around it. The message comes without the place in the text where the line and the column say it.
func (f *File) locate(issue engine.Issue) (line, column int, message string) {
	if owner := f.ownerAt(issue.Path); owner != nil {
		own := *owner
		own.places, own.owners = f.places, nil
		return own.locate(issue)
	}
	for at := issue.Path; ; {
		if n := f.places[at]; n != nil {
			if at != issue.Path || issue.Offset < 0 || n.Kind != yaml.ScalarNode {
				return n.Line, n.Column, issue.Message
			}
			line, column = f.within(n, issue.Offset)
			return line, column, strings.TrimPrefix(issue.Message, fmt.Sprintf("At character %d: ", issue.Offset))
		}
		i := strings.LastIndexAny(at, ".[")
		if i < 0 {
			if at == "" {
				return 1, 1, issue.Message
			}
			at = ""
			continue
		}
		at = at[:i]
	}
}

// Line is the text of a line of the file, counted from 1, "" for none.
func (f *File) Line(number int) string {
	if lines := f.cut(); number >= 1 && number <= len(lines) {
		return string(lines[number-1])
	}
	return ""
}

// cut are the lines of the file without their ends.
func (f *File) cut() [][]rune {
	if f.lines == nil {
		text := strings.TrimPrefix(string(f.data), "\ufeff")
		text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(text)
		for line := range strings.SplitSeq(text, "\n") {
			f.lines = append(f.lines, []rune(line))
		}
	}
	return f.lines
}

// within is the place of a code point of a scalar's value, in the style that the scalar is written
// in: behind escapes, and on the line of a block that it stands on. The end of the value has a
// place too.
func (f *File) within(n *yaml.Node, offset int) (line, column int) {
	c := cursor{lines: f.cut(), line: n.Line - 1, column: n.Column - 1}
	c.properties()
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		c.block([]rune(n.Value), offset)
	case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		c.column++ // behind the quote
		fallthrough
	default:
		c.flow(n.Style, offset)
	}
	return c.line + 1, c.column + 1
}

// cursor is a place in lines, both numbers from 0. Past the end of its line it stands at a break.
type cursor struct {
	lines        [][]rune
	line, column int
}

func (c *cursor) rest() []rune {
	if c.line < len(c.lines) && c.column < len(c.lines[c.line]) {
		return c.lines[c.line][c.column:]
	}
	return nil
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' }

// blanks counts the space and tabs at the beginning of a text.
func blanks(text []rune) int {
	if n := slices.IndexFunc(text, func(r rune) bool { return !isBlank(r) }); n >= 0 {
		return n
	}
	return len(text)
}

// properties steps over the tag and the anchor of a scalar.
func (c *cursor) properties() {
	for {
		text := c.rest()
		if len(text) == 0 || text[0] != '!' && text[0] != '&' {
			return
		}
		for ; len(text) > 0 && !isBlank(text[0]); text = c.rest() {
			c.column++
		}
		c.breaks()
	}
}

// breaks steps over blanks and the ends of lines, and counts these.
func (c *cursor) breaks() (count int) {
	for {
		c.column += blanks(c.rest())
		if len(c.rest()) > 0 || c.line+1 >= len(c.lines) {
			return count
		}
		c.line, c.column = c.line+1, 0
		count++
	}
}

// flow steps to a code point of a plain or quoted scalar.
func (c *cursor) flow(style yaml.Style, offset int) {
	for offset > 0 {
		text := c.rest()
		if blanks(text) == len(text) { // a line ends: one break is folded to a space
			end := *c
			switch count := c.breaks(); {
			case count == 0:
				return
			case max(count-1, 1) > offset:
				*c = end
				return
			default:
				offset -= max(count-1, 1)
			}
			continue
		}
		switch {
		case style&yaml.DoubleQuotedStyle != 0 && text[0] == '\\':
			c.column += escapeLength(text)
			if len(c.rest()) == 0 && len(text) == 1 { // the end of the line is escaped
				offset -= c.breaks() - 1
				continue
			}
		case style&yaml.SingleQuotedStyle != 0 && text[0] == '\'':
			c.column += 2
		default:
			c.column++
		}
		offset--
	}
}

// escapeLength is the length of the escape that a text begins with.
func escapeLength(text []rune) int {
	if len(text) < 2 {
		return len(text)
	}
	length := 2
	switch text[1] {
	case 'x':
		length = 4
	case 'u':
		length = 6
	case 'U':
		length = 10
	}
	return min(length, len(text))
}

// block steps to a code point of a literal or folded scalar, whose lines begin below its indicator.
func (c *cursor) block(value []rune, offset int) {
	first := c.line + 1
	for first < len(c.lines) && blanks(c.lines[first]) == len(c.lines[first]) {
		first++
	}
	if first == len(c.lines) {
		return
	}
	// The first line of the value that is not blank says how much of the indentation is its own.
	text := slices.IndexFunc(value, func(r rune) bool { return r != '\n' && !isBlank(r) })
	if text < 0 {
		return
	}
	own := text
	for own > 0 && value[own-1] != '\n' {
		own--
	}
	indent := max(blanks(c.lines[first])-(text-own), 0)
	at := 0
	for c.line++; c.line < len(c.lines); c.line++ {
		text := c.lines[c.line]
		text = text[min(indent, len(text)):]
		if len(text) > 0 {
			for at < len(value) && value[at] == '\n' {
				at++
			}
			if at < len(value) && value[at] == ' ' && text[0] != ' ' {
				at++ // the break before this line is folded to a space
			}
		}
		c.column = min(indent, len(c.lines[c.line])) + max(offset-at, 0)
		if offset <= at+len(text) || at+len(text) >= len(value)-trailingBreaks(value) {
			c.column = min(c.column, len(c.lines[c.line]))
			return
		}
		at += len(text)
	}
}

func trailingBreaks(value []rune) (n int) {
	for n < len(value) && value[len(value)-1-n] == '\n' {
		n++
	}
	return n
}

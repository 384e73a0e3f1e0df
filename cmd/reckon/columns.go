package main

import (
	"io"
	"math"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
	"golang.org/x/text/width"
)

// widthOf is how many columns a terminal has; no limit where it is none.
func widthOf(w io.Writer) int {
	if file, ok := raw(w).(*os.File); ok && isTerminalFile(file) {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return math.MaxInt
}

// columns is how many columns of a terminal a text takes: two for each wide character of East Asia
// and each emoji, none for what stands on the character before.
func columns(text string) (n int) {
	for _, r := range text {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	if r < utf8.RuneSelf {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
		return 2
	}
	return 1
}

// beginning is as much of a text as has room in so many columns.
func beginning(text string, room int) string {
	for i, r := range text {
		if room -= runeColumns(r); room < 0 {
			return text[:i]
		}
	}
	return text
}

// cutLine is a line as far as there is room for it.
func cutLine(text string, room int) string {
	if columns(text) <= room {
		return text
	}
	return beginning(text, max(0, room-1)) + "…"
}

// padded is a text within a line, with spaces up to so many columns.
func padded(text string, room int) string {
	text = inLine(text)
	return text + strings.Repeat(" ", max(0, room-columns(text)))
}

// wrapped breaks the lines of a text that have no room between words. What goes on stands below
// the text of the line: behind its indentation, or behind the gap that follows its first words.
func wrapped(text string, room int) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if gap := strings.Index(line[indent:], "  "); indent > 0 && gap > 0 {
			behind := indent + gap
			behind += len(line[behind:]) - len(strings.TrimLeft(line[behind:], " "))
			if columns(line[:behind]) <= room*3/5 {
				indent = columns(line[:behind])
			}
		}
		for columns(line) > room {
			at := strings.LastIndexByte(beginning(line, room+1), ' ')
			if at <= indent || strings.TrimSpace(line[:at]) == "" {
				break // a word that has no room by itself
			}
			lines = append(lines, strings.TrimRight(line[:at], " "))
			line = strings.Repeat(" ", indent) + strings.TrimLeft(line[at:], " ")
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// around is what has room of a line around a place in it, and the place there, all in columns.
func around(line string, column, length, room int) (part string, at int) {
	if columns(line) <= room {
		return line, column
	}
	if column+length < room {
		return cutLine(line, room), column
	}
	from := len(beginning(line, max(0, min(column-room/3, columns(line)-room+1))))
	return cutLine("…"+line[from:], room), column - columns(line[:from]) + 1
}

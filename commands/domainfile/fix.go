package domainfile

import (
	"regexp"
	"slices"
	"unicode"
)

// Fix is an edit that mends what a finding says, and what it is called.
type Fix struct {
	Label string
	Edit
}

// fixes are what messages say to write instead of something. Each is given the line, from 0 the
// place of the finding in it, and what its pattern found.
var fixes = []struct {
	says  *regexp.Regexp
	mends func(line []rune, at int, found []string) (from, to int, text string)
}{
	{regexp.MustCompile(`A unit stands in brackets: write (\S+) \[(.+)\]\.$`), func(line []rune, at int, found []string) (from, to int, text string) {
		number, unit := []rune(found[1]), []rune(found[2])
		for from = at; from > 0 && isBlank(line[from-1]); from-- {
		}
		if from -= len(number); from < 0 || !begins(line[from:], number) || !begins(line[at:], unit) {
			return 0, 0, ""
		}
		return from, at + len(unit), found[1] + " [" + found[2] + "]"
	}},
	{regexp.MustCompile(`Write (\S+) \* (\S+?)(?: to multiply)?\.$`), func(line []rune, at int, found []string) (from, to int, text string) {
		if !begins(line[at:], []rune(found[2])) {
			return 0, 0, ""
		}
		return at, at, "* "
	}},
	{regexp.MustCompile(`"([^"]+)".* Did you mean "([^"]+)"`), func(line []rune, at int, found []string) (from, to int, text string) {
		wrong := []rune(found[1])
		for from = at; from+len(wrong) <= len(line); from++ {
			to = from + len(wrong)
			alone := (from == 0 || !InWord(line[from-1])) && (to == len(line) || !InWord(line[to]))
			if alone && begins(line[from:], wrong) {
				return from, to, found[2]
			}
		}
		return 0, 0, ""
	}},
}

func begins(line, with []rune) bool {
	return len(line) >= len(with) && slices.Equal(line[:len(with)], with)
}

// Fix is how a finding of this file is mended where its message says so, false for others.
func (f *File) Fix(finding Finding) (Fix, bool) {
	line := []rune(f.Line(finding.Line))
	at := finding.Column - 1
	if finding.File != "" || at < 0 || at > len(line) {
		return Fix{}, false
	}
	for _, fix := range fixes {
		if found := fix.says.FindStringSubmatch(finding.Message); found != nil {
			if from, to, text := fix.mends(line, at, found); text != "" {
				return Fix{"Write " + string(text), Edit{finding.Line, from + 1, to + 1, text}}, true
			}
		}
	}
	return Fix{}, false
}

// WordEnd is the column behind the word, or the one character, that begins at a place.
func (f *File) WordEnd(line, column int) int {
	text, end := []rune(f.Line(line)), max(column, 1)
	for end-1 < len(text) && InWord(text[end-1]) {
		end++
	}
	if end == column {
		end++
	}
	return end
}

// InWord tells whether a character is of a name.
func InWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

package language

import (
	"strconv"
	"strings"
)

// pattern is a row of words to be met in a prompt, one after the other: alternatives stand between "|", a word or group that
// may be missing ends in "?", and {which} is an ordinal, a number or a word such as "last" that names a scenario.
type pattern []element

type element struct {
	words    []string
	optional bool
	which    bool
}

func newPattern(text string) pattern {
	var p pattern
	for _, f := range strings.Fields(text) {
		var e element
		f, e.optional = strings.CutSuffix(f, "?")
		if f == "{which}" {
			e.which = true
		} else {
			e.words = strings.Split(f, "|")
		}
		p = append(p, e)
	}
	return p
}

// match tries a pattern at a token. It returns how many tokens it takes, 0 where it does not fit, and what {which} stood for.
func (p pattern) match(tokens []token, used []bool, at int) (n int, which string) {
	i := at
	for _, e := range p {
		size, name := e.match(tokens, used, i)
		if size == 0 {
			if e.optional {
				continue
			}
			return 0, ""
		}
		if e.which {
			which = name
		}
		i += size
	}
	return i - at, which
}

func (e element) match(tokens []token, used []bool, at int) (int, string) {
	if at >= len(tokens) || used[at] {
		return 0, ""
	}
	word := tokens[at].fold
	if !e.which {
		for _, w := range e.words {
			if w == word {
				return 1, ""
			}
		}
		return 0, ""
	}
	n := 0
	if word == "#" && at+1 < len(tokens) {
		n++
		word = tokens[at+1].fold
	}
	if which, ok := ordinals[word]; ok {
		return n + 1, which
	}
	if k, err := strconv.Atoi(word); err == nil && k >= 0 && k < 1_000_000 {
		n++
		if at+n < len(tokens) && !tokens[at+n].spaced {
			switch tokens[at+n].fold {
			case "st", "nd", "rd", "th":
				n++
			case ".", "?", "!", ",", ":", ";", ")":
			default:
				return 0, ""
			}
		}
		return n, strconv.Itoa(k)
	}
	if digits := strings.TrimRight(word, "stndrh"); digits != word {
		if k, err := strconv.Atoi(digits); err == nil {
			return n + 1, strconv.Itoa(k)
		}
	}
	return 0, ""
}

// ordinals are the words that name a scenario.
var ordinals = map[string]string{
	"first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "sixth": "6", "seventh": "7", "eighth": "8", "ninth": "9", "tenth": "10",
	"eleventh": "11", "twelfth": "12",
	"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
	"original": "1", "initial": "1", "last": "last", "latest": "last", "newest": "last", "previous": "previous", "earlier": "previous", "prior": "previous",
	"current": "current", "present": "current",
}

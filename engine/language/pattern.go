package language

import (
	"strconv"
	"strings"
)

// pattern is a row of words to be met in a prompt, one after the other: alternatives stand between
// "|", a word or group that may be missing ends in "?", {which} is an ordinal, a number or a word
// such as "last" that names a scenario, and another name in braces is the class of words of that
// name.
type pattern []element

type element struct {
	words    []string
	optional bool
	which    bool
}

// whichElement is the element of a pattern that is no word.
const whichElement = "{which}"

func newPattern(text string) pattern {
	var p pattern
	for _, f := range strings.Fields(text) {
		var e element
		f, e.optional = strings.CutSuffix(f, "?")
		if f == whichElement {
			e.which = true
		} else {
			e.words = strings.Split(f, "|")
		}
		p = append(p, e)
	}
	return p
}

// match tries a pattern at a token. It returns how many tokens it takes, 0 where it does not fit,
// and what {which} stood for. used are the tokens that it may not take, nil for none.
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
	if at >= len(tokens) || used != nil && used[at] {
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
	if named := tokens[at+n].lex.row("ordinals"); named != nil {
		return n + 1, named[1]
	}
	if k, err := strconv.Atoi(word); err == nil && k >= 0 && k < 1_000_000 {
		n++
		if at+n < len(tokens) && !tokens[at+n].spaced {
			switch next := &tokens[at+n]; {
			case next.is("ordinal ending"):
				n++
			case !strings.Contains(".?!,:;)", next.fold):
				return 0, ""
			}
		}
		return n, strconv.Itoa(k)
	}
	return 0, ""
}

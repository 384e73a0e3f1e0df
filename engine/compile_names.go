package engine

import (
	"fmt"
	"slices"
	"strings"

	"reckon/engine/formula"
	"reckon/engine/syntax"
)

// fold is how titles are matched: case folded, space, hyphen and underscore equal.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' {
			return ' '
		}
		return r
	}, caseless(strings.Join(strings.Fields(s), " ")))
}

// caseless is the same for texts that differ in case only, letters of two lower cases such as σ and
// ς included.
func caseless(s string) string { return strings.ToLower(strings.ToUpper(s)) }

// reservedWords are the words that equations and prompts keep for themselves, constants aside.
var reservedWords = []string{"and", "or", "not", "calculate", "scenario"}

func isReserved(word string) bool {
	_, constant := formula.Constants[word]
	return constant || slices.Contains(reservedWords, word)
}

// names checks keys and titles.
func (c *compiler) names() {
	d := c.d
	folded, lower := map[string]int{}, map[string]int{}
	for i, v := range d.Definition.Variables {
		path := fmt.Sprintf("variables[%d].key", i)
		word := v.Key
		if strings.EqualFold(word, "calculate") || strings.EqualFold(word, "scenario") {
			word = strings.ToLower(word)
		}
		switch {
		case v.Key == "":
			c.fail(path, -1, "A variable needs a key.")
			continue
		case isReserved(word):
			c.fail(path, -1, "%q is a reserved word and cannot be a key.", v.Key)
		case len(v.Key) > 200:
			c.fail(path, -1, "A key has at most 200 characters.")
		case !syntax.IsName(v.Key):
			c.fail(path, badRune(v.Key), "%q cannot be a key: a key has letters, digits and underscores only and does not start with a digit.", v.Key)
		}
		if first, ok := lower[caseless(v.Key)]; ok {
			c.fail(path, -1, "The key %q is that of variable %q too; keys must differ in more than upper and lower case.",
				v.Key, d.Definition.Variables[first].Key)
			continue
		}
		lower[caseless(v.Key)] = i
		d.Positions[v.Key] = i
		if _, ok := folded[fold(v.Key)]; !ok {
			folded[fold(v.Key)] = i
		}
	}
	for i, v := range d.Definition.Variables {
		f := fold(v.Title)
		if f == "" {
			continue
		}
		if first, ok := folded[f]; ok && first != i {
			c.fail(fmt.Sprintf("variables[%d].title", i), -1, "The title %q clashes with variable %q: upper and lower case, space, hyphen and underscore do not tell names apart.",
				v.Title, d.Definition.Variables[first].Key)
			continue
		}
		folded[f] = i
	}
}

// lookAlikes warns of keys that only a program can tell apart.
func (c *compiler) lookAlikes() {
	seen := map[string]string{}
	for i, v := range c.d.Definition.Variables {
		form := plainForm(v.Key)
		if first, ok := seen[form]; !ok {
			seen[form] = v.Key
		} else if caseless(first) != caseless(v.Key) {
			c.warn(fmt.Sprintf("variables[%d].key", i), "The key %q looks like the key %q: %s.", v.Key, first, parting(first, v.Key))
		}
	}
}

// badRune is the position of the first character that no key may have.
func badRune(key string) int {
	position := 0
	for i, r := range key {
		if !syntax.IsName("a"+string(r)) || i == 0 && !syntax.IsName(string(r)) {
			return position
		}
		position++
	}
	return 0
}

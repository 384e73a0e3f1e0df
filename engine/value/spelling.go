package value

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"reckon/engine/units"
)

// DidYouMean is " Did you mean …?" with the candidate spelt most like a name, or nothing when none
// is near.
func DidYouMean(name string, candidates []string) string {
	best, least := "", 0
	for _, c := range candidates {
		if n, near := Misspelt(name, c); near && (best == "" || n < least) {
			best, least = c, n
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" Did you mean %q?", best)
}

// Misspelt tells whether a name may be a candidate spelt wrongly, and by how many letters, upper
// and lower case alike: one for every three of the name. A name of one or two letters has one too
// many, too few or other, but has a letter in common.
func Misspelt(name, candidate string) (letters int, near bool) {
	name, candidate = strings.ToLower(name), strings.ToLower(candidate)
	length := utf8.RuneCountInString(name)
	limit := max(length/3, 1)
	letters = units.EditDistance(name, candidate, limit)
	if letters > limit || candidate == "" {
		return letters, false
	}
	return letters, length >= 3 || letters == 0 || strings.ContainsAny(name, candidate)
}

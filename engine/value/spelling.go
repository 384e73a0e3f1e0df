package value

import (
	"fmt"
	"strings"

	"reckon/engine/units"
)

// DidYouMean is " Did you mean …?" with the candidate spelt most like a name, or nothing when none
// is near.
func DidYouMean(name string, candidates []string) string {
	// A typing mistake for every three letters; names of one or two letters have nothing near them but
	// their other case.
	best, least := "", len(name)/3+1
	for _, c := range candidates {
		if n := units.EditDistance(strings.ToLower(name), strings.ToLower(c), least-1); n < least {
			best, least = c, n
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" Did you mean %q?", best)
}

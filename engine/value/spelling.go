package value

import (
	"fmt"
	"strings"
)

// Hint is " Did you mean …?" with the candidate spelt most like a name, or nothing when none is near.
func Hint(name string, candidates []string) string {
	// A typing mistake for every three letters; names of one or two letters have nothing near them but their other case.
	best, least := "", len(name)/3+1
	for _, c := range candidates {
		if n := Distance(strings.ToLower(name), strings.ToLower(c)); n < least {
			best, least = c, n
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" Did you mean %q?", best)
}

// Distance counts the insertions, deletions, replacements and swaps of neighbours that turn a into b (optimal string
// alignment).
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 200 || len(y) > 200 {
		return 200
	}
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			change := 1
			if x[i-1] == y[j-1] {
				change = 0
			}
			n := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				n = min(n, rows[i-2][j-2]+1)
			}
			rows[i][j] = n
		}
	}
	return rows[len(x)][len(y)]
}

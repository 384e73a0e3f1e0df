package prompt

import (
	"math"
	"strconv"
	"strings"

	"reckon/engine"
)

// parseSelector reads new, current, last, N or "new from N" in any case. A number too large for any
// scenario is a number all the same: it names a scenario that does not exist.
func parseSelector(text string) (engine.Selector, bool) {
	words := strings.Fields(strings.ToLower(text))
	selector := engine.Selector{Text: strings.TrimSpace(text)}
	switch len(words) {
	case 1:
		switch words[0] {
		case "new":
			selector.Kind = engine.New
		case "current":
			selector.Kind = engine.Current
		case "last":
			selector.Kind = engine.Last
		default:
			selector.Kind = engine.Numbered
		}
	case 3:
		if words[0] != "new" || words[1] != "from" {
			return engine.Selector{}, false
		}
		selector.Kind = engine.NewFrom
	default:
		return engine.Selector{}, false
	}
	if selector.Kind == engine.Numbered || selector.Kind == engine.NewFrom {
		number, ok := parseIndex(words[len(words)-1])
		if !ok {
			return engine.Selector{}, false
		}
		selector.Number = number
	}
	return selector, true
}

// parseIndex reads ASCII digits alone.
func parseIndex(digits string) (int, bool) {
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	number, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		return math.MaxInt32, true
	}
	return int(number), true
}

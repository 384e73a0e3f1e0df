package prompt

import (
	"regexp"
	"strconv"
	"strings"

	"reckon/engine"
)

var selectorForm = regexp.MustCompile(`^(?:new|current|last|(new from )?([0-9]+))$`)

var namedSelectors = map[string]engine.SelectorKind{"new": engine.New, "current": engine.Current, "last": engine.Last}

// parseSelector reads new, current, last, N or "new from N" in any case. A number too large for any
// scenario is a number all the same: it names a scenario that does not exist.
func parseSelector(text string) (engine.Selector, bool) {
	form := strings.Join(strings.Fields(strings.ToLower(text)), " ")
	m := selectorForm.FindStringSubmatch(form)
	if m == nil {
		return engine.Selector{}, false
	}
	selector := engine.Selector{Kind: namedSelectors[form], Text: strings.TrimSpace(text)}
	if m[2] != "" {
		number, _ := strconv.ParseInt(m[2], 10, 32) // one out of range is the largest
		selector.Kind, selector.Number = engine.Numbered, int(number)
		if m[1] != "" {
			selector.Kind = engine.NewFrom
		}
	}
	return selector, true
}

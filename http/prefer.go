package http

import (
	"fmt"
	nethttp "net/http"
	"strconv"
	"strings"
	"time"
)

// maxWait is the longest that a caller may prefer to wait for an answer, in seconds.
const maxWait = 30

// preferredWait is how long a caller prefers to wait for the answer (RFC 7240, section 4.3), at
// most maxWait, and the preference that says so. Of several the first counts, and one that is not
// well formed counts for nothing. Without, it is proseWait, and nothing for a caller that prefers
// an answer at once (respond-async, section 4.1).
func preferredWait(header nethttp.Header) (patience time.Duration, preference string) {
	seconds, async := waitSeconds(header)
	switch {
	case seconds > 0:
		return time.Duration(seconds) * time.Second, fmt.Sprintf("wait=%d", seconds)
	case async:
		return 0, "respond-async"
	}
	return proseWait, ""
}

// waitSeconds is the preference wait, 0 for none, and whether there is respond-async.
func waitSeconds(header nethttp.Header) (seconds int, async bool) {
	list := preferences(header.Values("Prefer"))
	for _, preference := range list {
		name, _, _ := strings.Cut(preference, ";")
		async = async || strings.EqualFold(strings.TrimSpace(name), "respond-async")
	}
	for _, preference := range list {
		preference, _, _ = strings.Cut(preference, ";")
		name, value, _ := strings.Cut(preference, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "wait") {
			continue
		}
		value = strings.TrimSpace(value)
		if len(value) > 1 && value[0] == '"' && value[len(value)-1] == '"' {
			value = value[1 : len(value)-1]
		}
		if strings.Trim(value, "0123456789") != "" || strings.Trim(value, "0") == "" {
			return 0, async
		}
		if seconds, err := strconv.Atoi(value); err == nil {
			return min(seconds, maxWait), async
		}
		return maxWait, async // more digits than a number has room for
	}
	return 0, async
}

// preferences are the members of a list header, split at the commas that are not quoted.
func preferences(values []string) []string {
	quoted, escaped := false, false
	return strings.FieldsFunc(strings.Join(values, ","), func(r rune) bool {
		switch {
		case escaped:
			escaped = false
		case quoted && r == '\\':
			escaped = true
		case r == '"':
			quoted = !quoted
		}
		return r == ',' && !quoted
	})
}

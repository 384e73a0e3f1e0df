package http

import (
	nethttp "net/http"
	"strconv"
	"strings"
)

// maxWait is the longest that a caller may prefer to wait for an answer, in seconds.
const maxWait = 30

// preferredWait is how many seconds a caller prefers to wait for the answer (RFC 7240, section
// 4.3), at most maxWait. It is 0 where no preference says so; of several the first counts, and one
// that is not well formed counts for nothing.
func preferredWait(header nethttp.Header) int {
	for _, preference := range preferences(header.Values("Prefer")) {
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
			return 0
		}
		if seconds, err := strconv.Atoi(value); err == nil {
			return min(seconds, maxWait)
		}
		return maxWait // more digits than a number has room for
	}
	return 0
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

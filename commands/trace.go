package commands

import (
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Trace is where a request stands in a trace of its caller, as W3C Trace Context writes it: both
// members are as they are passed on. The zero value is of a request without a trace.
type Trace struct {
	Parent string `json:"traceparent,omitempty"` // 00-<trace>-<span>-<flags>
	State  string `json:"tracestate,omitempty"`  // at most maxTracestate bytes; "" without a Parent
}

const (
	maxTraceparent       = 256 // bytes that are looked at; of the version that is known it has 55
	maxTracestate        = 512 // bytes that are passed on, which the specification asks for
	maxTracestateMembers = 32
	maxTracestatePart    = 256 // bytes of a key, and of a value
	knownTraceFlags      = 3   // sampled and random
)

var (
	traceparent      = regexp.MustCompile(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$`)
	tracestateMember = regexp.MustCompile(`^([a-z0-9][-_*/a-z0-9]*(?:@[a-z0-9][-_*/a-z0-9]*)?)=([ -+\--<>-~]*[!-+\--<>-~])$`)
)

// ParseTrace reads the values of the header fields traceparent and tracestate. A traceparent that
// is not one, or of which there are several, is as none. A tracestate that is not one, or is longer
// than is passed on, is as none, and the traceparent stands alone. Of a later version that is known
// which version 00 has.
func ParseTrace(parents, states []string) Trace {
	if len(parents) != 1 || len(parents[0]) > maxTraceparent {
		return Trace{}
	}
	m := traceparent.FindStringSubmatch(parents[0])
	switch {
	case m == nil, m[1] == "ff", m[1] == "00" && m[5] != "",
		strings.Trim(m[2], "0") == "", strings.Trim(m[3], "0") == "":
		return Trace{}
	}
	flags, _ := strconv.ParseUint(m[4], 16, 8)
	return Trace{Parent: fmt.Sprintf("00-%s-%s-%02x", m[2], m[3], flags&knownTraceFlags), State: parseTracestate(states)}
}

// parseTracestate joins the lists of all fields to one without white space and empty members, ""
// where that is none or too long.
func parseTracestate(states []string) string {
	var members, keys []string
	length := 0
	for _, list := range states {
		for member := range strings.SplitSeq(list, ",") {
			if member = strings.Trim(member, " \t"); member == "" {
				continue
			}
			m := tracestateMember.FindStringSubmatch(member)
			if m == nil || len(m[1]) > maxTracestatePart || len(m[2]) > maxTracestatePart || slices.Contains(keys, m[1]) {
				return ""
			}
			members, keys = append(members, member), append(keys, m[1])
			if length += len(member) + len(","); length > maxTracestate+len(",") || len(members) > maxTracestateMembers {
				return ""
			}
		}
	}
	return strings.Join(members, ",")
}

// ID is the id of the trace, 32 digits of hex, and "" for none.
func (t Trace) ID() string {
	if t.Parent == "" {
		return ""
	}
	return t.Parent[3:35]
}

// traced is the logger of a command: its lines name the trace that the command is part of.
func (s *Service) traced(c Calculate) *slog.Logger {
	if id := c.Trace.ID(); id != "" {
		return s.logger.With("trace_id", id)
	}
	return s.logger
}

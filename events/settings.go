package events

import (
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// setting is a property of a stream that the service relies on.
type setting struct {
	name  string
	value func(jetstream.StreamConfig) string
}

// settings are what is compared of a stream. The names are those of the NATS API.
var settings = []setting{
	{"subjects", func(c jetstream.StreamConfig) string { return strings.Join(c.Subjects, ", ") }},
	{"storage", func(c jetstream.StreamConfig) string { return strings.ToLower(c.Storage.String()) }},
	{"retention", func(c jetstream.StreamConfig) string { return strings.ToLower(c.Retention.String()) }},
	{"discard", func(c jetstream.StreamConfig) string { return strings.ToLower(c.Discard.String()) }},
	{"discard_new_per_subject", func(c jetstream.StreamConfig) string { return fmt.Sprint(c.DiscardNewPerSubject) }},
	{"max_msgs_per_subject", func(c jetstream.StreamConfig) string { return limit(c.MaxMsgsPerSubject) }},
	{"max_msgs", func(c jetstream.StreamConfig) string { return limit(c.MaxMsgs) }},
	{"max_bytes", func(c jetstream.StreamConfig) string { return limit(c.MaxBytes) }},
	{"max_age", func(c jetstream.StreamConfig) string { return age(c.MaxAge) }},
	{"deny_delete", func(c jetstream.StreamConfig) string { return fmt.Sprint(c.DenyDelete) }},
	{"deny_purge", func(c jetstream.StreamConfig) string { return fmt.Sprint(c.DenyPurge) }},
	{"allow_rollup_hdrs", func(c jetstream.StreamConfig) string { return fmt.Sprint(c.AllowRollup) }},
	{"allow_direct", func(c jetstream.StreamConfig) string { return fmt.Sprint(c.AllowDirect) }},
	{"allow_msg_ttl", func(c jetstream.StreamConfig) string { return fmt.Sprint(c.AllowMsgTTL) }},
	{"num_replicas", func(c jetstream.StreamConfig) string { return fmt.Sprint(max(1, c.Replicas)) }},
}

// limit is a number for which the server knows two ways to say that there is none.
func limit(n int64) string {
	if n <= 0 {
		return "none"
	}
	return fmt.Sprint(n)
}

func age(d time.Duration) string {
	if d <= 0 {
		return "none"
	}
	return d.String()
}

// difference is a setting of a stream that is not as it is wanted.
type difference struct{ setting, found, wanted string }

func (d difference) String() string {
	return fmt.Sprintf("%s is %s and must be %s", d.setting, d.found, d.wanted)
}

// differences lists what is not as it is wanted.
func differences(have, want jetstream.StreamConfig) (list []difference) {
	for _, s := range settings {
		if found, wanted := s.value(have), s.value(want); found != wanted {
			list = append(list, difference{s.name, found, wanted})
		}
	}
	return list
}

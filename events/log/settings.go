package log

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
	more  func(have, want jetstream.StreamConfig) bool // tells of another value that it serves too; nil for none
}

// settings are what is compared of a stream. The names are those of the NATS API.
var settings = []setting{
	{"subjects", func(c jetstream.StreamConfig) string { return strings.Join(c.Subjects, ", ") }, nil},
	{"storage", func(c jetstream.StreamConfig) string { return strings.ToLower(c.Storage.String()) }, nil},
	{"retention", func(c jetstream.StreamConfig) string { return strings.ToLower(c.Retention.String()) }, nil},
	{"discard", func(c jetstream.StreamConfig) string {
		return strings.TrimPrefix(strings.ToLower(c.Discard.String()), "discard")
	}, nil},
	{"discard_new_per_subject", func(c jetstream.StreamConfig) string { return fmt.Sprint(c.DiscardNewPerSubject) }, nil},
	{"max_msgs_per_subject", func(c jetstream.StreamConfig) string { return limit(c.MaxMsgsPerSubject) }, nil},
	{"max_msgs", func(c jetstream.StreamConfig) string { return limit(c.MaxMsgs) }, nil},
	{"max_bytes", func(c jetstream.StreamConfig) string { return limit(c.MaxBytes) }, nil},
	{"max_msg_size", func(c jetstream.StreamConfig) string { return limit(int64(c.MaxMsgSize)) },
		func(have, _ jetstream.StreamConfig) bool { return have.MaxMsgSize >= MaxPayload }},
	{"max_consumers", func(c jetstream.StreamConfig) string { return limit(int64(c.MaxConsumers)) }, nil},
	{"consumer_limits.inactive_threshold", func(c jetstream.StreamConfig) string { return age(c.ConsumerLimits.InactiveThreshold) }, nil},
	{"consumer_limits.max_ack_pending", func(c jetstream.StreamConfig) string { return limit(int64(c.ConsumerLimits.MaxAckPending)) }, nil},
	{"max_age", func(c jetstream.StreamConfig) string { return age(c.MaxAge) }, longer},
	{"deny_delete", func(c jetstream.StreamConfig) string { return fmt.Sprint(c.DenyDelete) },
		func(have, _ jetstream.StreamConfig) bool { return have.DenyDelete }}, // of an earlier version
	{"deny_purge", func(c jetstream.StreamConfig) string { return fmt.Sprint(c.DenyPurge) },
		func(have, _ jetstream.StreamConfig) bool { return have.DenyPurge }},
	{"allow_rollup_hdrs", func(c jetstream.StreamConfig) string { return fmt.Sprint(c.AllowRollup) }, nil},
	{"allow_direct", func(c jetstream.StreamConfig) string { return fmt.Sprint(c.AllowDirect) }, nil},
	{"allow_msg_ttl", func(c jetstream.StreamConfig) string { return fmt.Sprint(c.AllowMsgTTL) }, nil},
	{"no_ack", func(c jetstream.StreamConfig) string { return fmt.Sprint(c.NoAck) }, nil},
	{"sealed", func(c jetstream.StreamConfig) string { return fmt.Sprint(c.Sealed) }, nil},
	{"persist_mode", func(c jetstream.StreamConfig) string { return strings.ToLower(c.PersistMode.String()) }, nil},
	{"subject_transform", func(c jetstream.StreamConfig) string { return present(c.SubjectTransform != nil) }, nil},
	{"mirror", func(c jetstream.StreamConfig) string { return present(c.Mirror != nil) }, nil},
	{"sources", func(c jetstream.StreamConfig) string { return present(len(c.Sources) > 0) }, nil},
	{"num_replicas", func(c jetstream.StreamConfig) string { return fmt.Sprint(max(1, c.Replicas)) },
		func(have, want jetstream.StreamConfig) bool { return have.Replicas > want.Replicas }},
}

// longer tells of commands that are kept for longer than they must be.
func longer(have, want jetstream.StreamConfig) bool {
	return want.MaxAge > 0 && (have.MaxAge <= 0 || have.MaxAge > want.MaxAge)
}

// limit is a number for which the server knows two ways to say that there is none.
func limit(n int64) string {
	if n <= 0 {
		return "none"
	}
	return fmt.Sprint(n)
}

// present is a setting that is there or not.
func present(there bool) string {
	if there {
		return "set"
	}
	return "none"
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
		if found, wanted := s.value(have), s.value(want); found != wanted && (s.more == nil || !s.more(have, want)) {
			list = append(list, difference{s.name, found, wanted})
		}
	}
	return list
}

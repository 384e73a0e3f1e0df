package events

import (
	"bytes"
	"strings"

	"github.com/google/uuid"
)

// ConversationErased says that a conversation is to be forgotten: from here on nobody sees it, and
// what was said in it is overwritten on every node. It stands on the account's subject and holds
// nothing of what it forgets. A conversation may be erased again, by another event that names what
// came to it later.
type ConversationErased struct {
	Administered
	ConversationID uuid.UUID `json:"conversation_id"`
	Reason         string    `json:"reason,omitempty"`
	Events         []Run     `json:"events,omitempty"` // sequences of the events that it overwrites, in order
}

// Run is a run of sequences.
type Run struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

// Runs are the runs that sequences make, which must rise.
func Runs(sequences []uint64) (runs []Run) {
	for _, sequence := range sequences {
		if n := len(runs); n > 0 && runs[n-1].Last+1 == sequence {
			runs[n-1].Last = sequence
			continue
		}
		runs = append(runs, Run{sequence, sequence})
	}
	return runs
}

// erasedName is the wire name of a ConversationErased in the headers of a message.
var erasedName = []byte(HeaderType + ": reckon.conversation.erased.")

// ErasedBy are the sequences that a message of EVENTS, as it is stored, says are erased; none for
// any other message, and for one that cannot be read.
func ErasedBy(subject string, headers, data []byte) []Run {
	if !strings.HasSuffix(subject, accountSuffix) || !bytes.Contains(headers, erasedName) {
		return nil
	}
	e, err := DecodeText(Subject{subject}, 0, headers, data, false)
	erased, is := e.Data.(*ConversationErased)
	if err != nil || !is {
		return nil
	}
	return erased.Events
}

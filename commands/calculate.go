package commands

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/engine/prompt"
	"reckon/engine/value"
	"reckon/events"
	"reckon/projections"
)

// calculateType is the wire name of Calculate with its prompt.
const calculateType = "reckon.calculate.v1"

// Calculate asks for one calculation. Intake fills it with all that deciding needs, so that every
// node and every replay decides alike.
type Calculate struct {
	Type           string    `json:"type"`
	AccountID      uuid.UUID `json:"account_id"`
	KeyID          uuid.UUID `json:"key_id"`
	IdempotencyKey *string   `json:"idempotency_key"`
	Fingerprint    string    `json:"fingerprint"` // hex SHA-256 of the canonical body
	ConversationID uuid.UUID `json:"conversation_id"`
	Opens          bool      `json:"opens_conversation,omitempty"` // the conversation begins with this message
	MessageID      uuid.UUID `json:"message_id"`
	DomainID       uuid.UUID `json:"domain_id"`
	DomainVersion  int       `json:"domain_version"`
	InputFormat    string    `json:"input_format"` // as resolved
	Prompt         string    `json:"prompt"`
	Source         string    `json:"source,omitempty"`   // as Request has it
	Apart          bool      `json:"-"`                  // the prompt is stored apart: in COMMANDS it is empty, and read when it is needed
	ReceivedAt     time.Time `json:"received_at"`        // milliseconds
	Now            time.Time `json:"now"`                // seconds
	TimeZone       string    `json:"time_zone"`          // IANA name
	Language       string    `json:"language,omitempty"` // tag, "" for that of the domain
	Trace                    // of the request that was first

	sequence uint64 // in COMMANDS; 0 for not known
	rest     func() // of engine.Env
	begun    func() // is called when work on it begins; nil where nobody asks

	unasked error     // why the model was not asked; nil where it was, or there is none
	decided *decision // kept while the command is tried again; nil where nothing is kept
}

// decision is the final event that a command was given on a conversation as it stood. It is good
// until the conversation goes on: a long calculation is not run again since its event could not be
// written in time.
type decision struct {
	at    uint64 // the sequence of the conversation
	event *events.Event
}

// encodeCalculate writes a command as COMMANDS has it.
func encodeCalculate(c Calculate) json.RawMessage {
	c.Type = calculateType
	if c.Apart {
		c.Type, c.Prompt = events.ApartCommand, ""
	}
	return Encode(c)
}

func decodeCalculate(data []byte) (c Calculate, err error) {
	if err := events.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("decode command: %w", err)
	}
	if c.Trace.Parent != "" {
		c.Trace = ParseTrace([]string{c.Trace.Parent}, []string{c.Trace.State})
	}
	switch c.Type {
	case calculateType:
	case events.ApartCommand:
		c.Apart = true
	case events.ErasedCommand:
		return c, ErrErased
	default:
		return c, fmt.Errorf("decode command: unknown type %q", c.Type)
	}
	return c, nil
}

// outlives tells whether a command is needed when it has an event, so that it must be on disk
// before that: a key that is sent again finds the message by it, and a message that is in progress
// is finished by it. Others are looked for by nobody then.
func (c Calculate) outlives() bool {
	return c.IdempotencyKey != nil || c.InputFormat == prompt.NaturalLanguage
}

func (c Calculate) env() value.Env {
	zone, ok := Zone(c.TimeZone)
	if !ok {
		zone = time.UTC
	}
	return value.Env{Now: c.Now, Zone: zone, Rest: c.rest}
}

// Encode writes JSON as events hold it. It is given only values that always encode, and panics
// otherwise.
func Encode(v any) json.RawMessage {
	text, err := events.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", v, err))
	}
	return text
}

// zones keeps zones that were loaded. There are about 600 names; one file may be reached by others.
var zones = projections.NewCache[string, *time.Location](1_000)

// Zone finds an IANA zone by name. Names that mean the machine's own settings are none.
func Zone(name string) (*time.Location, bool) {
	switch name {
	case "", "Local", "localtime", "posixrules", "Factory":
		return nil, false
	}
	if zone, ok := zones.Get(name); ok {
		return zone, true
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, false
	}
	zones.Put(strings.Clone(name), zone, 1)
	return zone, true
}

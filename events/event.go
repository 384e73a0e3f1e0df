// Package events is the vocabulary of the service's history: the types of everything that can have
// happened, with their wire names, the subjects they stand at, and how they are written.
package events

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// Event is one entry of the log. Data is one of the pointer types of the table in table.go.
type Event struct {
	ID       uuid.UUID // CloudEvents id
	Time     time.Time // UTC, cut to milliseconds
	Subject  Subject
	Sequence uint64 // in EVENTS; 0 until appended
	Data     any
	Request  string // what tells the request of administration from others that brought it about; "" for none
	Size     int    // of its data before it is compressed, with its prompt, in bytes; 0 until that is known

	// Where it stands in a trace, as the headers of W3C Trace Context write it: "" for nowhere, and of
	// an event that was read.
	Traceparent, Tracestate string

	// Of an event that Skim read, whose Data may be less than the whole: its wire name and body.
	name string
	body []byte
}

// Whole is the event with all its data. It fails with a *DecodeError, where what Skim passed over
// is not of its type.
func (e Event) Whole() (Event, error) {
	if e.body == nil {
		return e, nil
	}
	data, err := decodeData(e.name, e.body)
	if err != nil {
		return e, &DecodeError{e.Sequence, e.Subject.name, e.name, reason(err)}
	}
	brief := e.Message()
	e.Data, e.name, e.body = data, "", nil
	if m := e.Message(); m != nil && m.Apart {
		m.Prompt = brief.Prompt
	}
	return e, nil
}

// Lacks tells whether the prompt of a message event stands apart and was not read yet.
func (e Event) Lacks() bool {
	m := e.Message()
	return m != nil && m.Apart && m.Prompt == ""
}

// Weight is about what an event that was read takes in memory, in bytes.
func (e Event) Weight() int { return 2048 + e.Size }

// Message is the request that a message event is about, nil for other events.
func (e Event) Message() *Message {
	switch data := e.Data.(type) {
	case *MessageStarted:
		return &data.Message
	case *MessageInterpreted:
		return &data.Message
	case *MessageCompleted:
		return &data.Message
	case *MessageFailed:
		return &data.Message
	}
	return nil
}

// PromptAt is where the prompt of a message event stands that is stored apart.
func (e Event) PromptAt() Subject {
	return PromptSubject(e.Subject.Account(), e.Message().ConversationID, e.Message().MessageID)
}

// AccountCreated opens an account on its own subject.
type AccountCreated struct {
	Administered
	AccountID   uuid.UUID `json:"account_id"`
	Name        string    `json:"name"`
	TimeZone    string    `json:"time_zone"`
	BodyVersion int       `json:"body_version"`
	Language    string    `json:"language,omitempty"` // tag, as a Message has it
}

// AccountChanged replaces the settings of an account. Its title, its language, what operators allow
// and for how long it keeps conversations stay as they are where they are nil.
type AccountChanged struct {
	Administered
	TimeZone    string  `json:"time_zone"`
	BodyVersion int     `json:"body_version"`
	Limits      Limits  `json:"limits,omitzero"`
	Title       *string `json:"title,omitempty"`          // what people see in place of its name, "" for nothing else
	Language    *string `json:"language,omitempty"`       // tag, as a Message has it
	Ceiling     *Limits `json:"ceiling,omitempty"`        // that operators set: no limit is above it
	Retention   *int    `json:"retention_days,omitempty"` // days that conversations are kept without activity, 0 for ever
}

// Limits are how many requests of a kind an account may make in a second, and how much it may
// calculate in a month of UTC; 0 is without a limit.
type Limits struct {
	Calculations  int `json:"calculations,omitzero"` // in all formats
	Reads         int `json:"reads,omitzero"`
	Prose         int `json:"prose,omitzero"`          // calculations in natural language
	MonthMessages int `json:"month_messages,omitzero"` // that are answered
	MonthBytes    int `json:"month_bytes,omitzero"`    // that are stored of them
}

// KeyCreated gives an account an API key. Only the SHA-256 of the whole key string is kept, in hex,
// and its last four characters, by which a person knows it again.
type KeyCreated struct {
	Administered
	KeyID     uuid.UUID  `json:"key_id"`
	Hash      string     `json:"hash"`
	Hint      string     `json:"hint,omitempty"`
	Name      string     `json:"name,omitempty"`
	Scopes    []string   `json:"scopes,omitempty"` // what it may do: calculate, read, domain:<id>; none for everything
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
}

// KeyRotated replaces the secret of a key; the one before is invalid from here on, or from the end
// of the overlap on.
type KeyRotated struct {
	Administered
	KeyID        uuid.UUID  `json:"key_id"`
	Hash         string     `json:"hash"`
	Hint         string     `json:"hint,omitempty"`
	OverlapUntil *time.Time `json:"overlap_until,omitempty"`
}

// KeyRevoked ends a key for ever.
type KeyRevoked struct {
	Administered
	KeyID uuid.UUID `json:"key_id"`
}

// DomainDrafted keeps a definition that is not visible through the API.
type DomainDrafted struct {
	Administered
	DomainID   uuid.UUID  `json:"domain_id"`
	Key        string     `json:"key"` // dm_ and hex, for ever
	Definition Definition `json:"definition"`
	Comment    string     `json:"comment,omitempty"` // of the author
	Source     string     `json:"source,omitempty"`  // what the author wrote, of which the definition was made
}

// DomainPublished makes a definition the newest version of its domain. Versions count from 1.
type DomainPublished struct {
	Administered
	DomainID   uuid.UUID  `json:"domain_id"`
	Key        string     `json:"key"`
	Version    int        `json:"version"`
	Definition Definition `json:"definition"`
	Comment    string     `json:"comment,omitempty"` // of the author
	Source     string     `json:"source,omitempty"`  // what the author wrote, of which the definition was made
}

// DomainRetired takes a domain out of lists and out of use. Its conversations stay readable.
type DomainRetired struct {
	Administered
	DomainID uuid.UUID `json:"domain_id"`
}

// DomainRestored takes a retired domain into use again, as it was.
type DomainRestored struct {
	Administered
	DomainID uuid.UUID `json:"domain_id"`
}

// Definition is a domain as its author wrote it, with ids.
type Definition struct {
	Title       string       `json:"title"`
	Description string       `json:"description"`
	Language    string       `json:"language,omitempty"` // tag of the language of its titles; English where it is absent
	Units       []string     `json:"units,omitempty"`
	StrictRoots bool         `json:"strict_roots,omitempty"`
	Variables   []Variable   `json:"variables"`
	Activities  []Activity   `json:"activities"`
	Constraints []Constraint `json:"constraints,omitempty"`
	Tests       []Test       `json:"tests,omitempty"`
	Examples    []string     `json:"examples,omitempty"`
	Sources     []Source     `json:"sources,omitempty"`
}

// Variable of a definition. Values are text, as JSON: a string, an array of strings or an array of
// arrays of strings.
type Variable struct {
	ID              uuid.UUID       `json:"id"`
	Key             string          `json:"key"`
	Title           string          `json:"title"`
	Description     string          `json:"description"`
	Unit            string          `json:"unit,omitempty"`
	Kind            string          `json:"kind"`
	Format          string          `json:"format,omitempty"`
	DefaultValue    json.RawMessage `json:"default_value"`
	Aliases         []string        `json:"aliases,omitempty"`
	Min             string          `json:"min,omitempty"`
	Max             string          `json:"max,omitempty"`
	Integer         bool            `json:"integer,omitempty"`
	Choices         []Choice        `json:"choices,omitempty"`
	Hidden          bool            `json:"hidden,omitempty"`
	Group           string          `json:"group,omitempty"` // title of the part of a form that it stands in
	DisplayMetadata json.RawMessage `json:"display_metadata,omitempty"`
}

// Choice is a value that a variable may have, a number as text, what people call it, and what they
// may say as well.
type Choice struct {
	Label   string   `json:"label"`
	Value   string   `json:"value"`
	Aliases []string `json:"aliases,omitempty"`
}

// Constraint is a condition that all values of a scenario together meet, such as order <= stock,
// and what people are told where they do not.
type Constraint struct {
	Condition string `json:"condition"`
	Message   string `json:"message"`
}

// Source is where a definition has figures or formulas from.
type Source struct {
	Title   string `json:"title"`
	URL     string `json:"url,omitempty"` // of http or https
	Licence string `json:"licence,omitempty"`
}

// Activity of a definition. State is active or disabled. References are the variables of its
// equation, in domain order.
type Activity struct {
	ID          uuid.UUID   `json:"id"`
	Title       string      `json:"title"`
	Description string      `json:"description"`
	Equation    string      `json:"equation"`
	Calculable  []string    `json:"calculable,omitempty"` // as authored; absent means all that can be
	State       string      `json:"state"`
	References  []Reference `json:"variable_refs"`
}

// Reference says whether an activity can be solved for a variable.
type Reference struct {
	VariableID uuid.UUID `json:"variable_id"`
	Calculable bool      `json:"calculable"`
}

// Test is a prompt with what it must be answered with: values by variable key, or the codes of
// errors.
type Test struct {
	Prompt      string                     `json:"prompt"`
	Expect      map[string]json.RawMessage `json:"expect"` // empty where errors are expected
	Errors      []string                   `json:"errors,omitempty"`
	After       []Turn                     `json:"after,omitempty"` // the conversation that the prompt goes on with
	InputFormat string                     `json:"input_format,omitempty"`
	Now         *time.Time                 `json:"now,omitempty"`       // the clock's where it is absent
	TimeZone    string                     `json:"time_zone,omitempty"` // IANA name; UTC where it is absent
}

// Turn is what came before the prompt of a test: a prompt, or what another domain was asked. What
// it does not state is that of the test.
type Turn struct {
	Prompt      string     `json:"prompt,omitempty"`
	InputFormat string     `json:"input_format,omitempty"` // told by the prompt where it is absent, also that of a test
	Now         *time.Time `json:"now,omitempty"`
	TimeZone    string     `json:"time_zone,omitempty"`
	OtherDomain int        `json:"other_domain,omitempty"` // in place of a prompt: the scenario of another domain that is then in focus
}

// Message is what every message event says of the request it answers.
type Message struct {
	ConversationID uuid.UUID `json:"conversation_id"`
	MessageID      uuid.UUID `json:"message_id"`
	KeyID          uuid.UUID `json:"key_id"`
	IdempotencyKey *string   `json:"idempotency_key"` // as the caller sent it
	Source         string    `json:"source"`          // api or chat
	InputFormat    string    `json:"input_format"`    // as resolved
	Prompt         string    `json:"prompt"`
	Apart          bool      `json:"-"` // the prompt is stored as a PromptStored, and not with the event
	Domain         DomainRef `json:"domain"`
	ReceivedAt     time.Time `json:"received_at"`        // when the command was taken in, milliseconds
	Now            time.Time `json:"now"`                // cut to seconds
	TimeZone       string    `json:"time_zone"`          // IANA name that decides today and now
	Language       string    `json:"language,omitempty"` // tag of the language of prose, "" for that of the domain
	Engine         string    `json:"engine"`             // version of the engine that decided
}

// PromptStored keeps a long prompt, once, at a PromptSubject. It comes before the command and all
// events of its message. One without these is of a request that was never answered.
type PromptStored struct {
	ConversationID uuid.UUID `json:"conversation_id"`
	MessageID      uuid.UUID `json:"message_id"`
	Prompt         string    `json:"prompt"`
}

// LongPrompt is from how many bytes on a prompt is stored apart.
const LongPrompt = 4 << 10

// DomainRef names the version of a domain that answered, with what a summary of it shows.
type DomainRef struct {
	ID          uuid.UUID `json:"id"`
	Key         string    `json:"key"`
	Version     int       `json:"version"`
	Title       string    `json:"title"`
	Description string    `json:"description"`
}

// MessageStarted says that a request in natural language is being worked on. From here on its
// message is in progress.
type MessageStarted struct {
	Message
}

// MessageInterpreted keeps what a language model made of a request in natural language, so that no
// model is asked again when another worker takes over. The message is still in progress.
type MessageInterpreted struct {
	Message
	Parsed   json.RawMessage `json:"parsed_json"` // in the JSON prompt's shape
	Proposer string          `json:"proposer"`    // which model it was
}

// MessageCompleted is a calculation (or fetch) that succeeded.
type MessageCompleted struct {
	Message
	Parsed          json.RawMessage `json:"parsed_json"`      // what the request stated, in the JSON prompt's shape
	StructuredText  *string         `json:"structured_text"`  // null unless the input format is structured
	NaturalLanguage *string         `json:"natural_language"` // null unless the input format is natural_language
	Results         Results         `json:"results"`
	Targets         []Target        `json:"targets"`              // what was asked in the scenario, oldest first
	Also            int             `json:"also,omitempty"`       // how many of them in front of the last one this request asked for with it, the first of them last
	Everything      bool            `json:"everything,omitempty"` // the request asked for all that follows
	Cleared         []string        `json:"cleared,omitempty"`    // keys stated to have no value
}

// Target is a variable that was asked for in a scenario.
type Target struct {
	Key  string `json:"key"`
	Unit string `json:"unit,omitempty"`
}

// MessageFailed is a calculation that ended in errors, which are an answer like any other. It moves
// no scenario.
type MessageFailed struct {
	Message
	Errors  json.RawMessage   `json:"errors"`
	Pending json.RawMessage   `json:"pending,omitempty"` // after calculation.missing_inputs: what the next request is read as if it stated too, in the JSON prompt's shape; after a doubt, what was pending before it
	Choices []json.RawMessage `json:"choices,omitempty"` // the readings that a doubt offers, in its order, in the JSON prompt's shape
	Crashed bool              `json:"crashed,omitempty"` // a failure of the service, not of the request
}

// Awaits reports whether the next request may go on from it.
func (m *MessageFailed) Awaits() bool {
	return len(m.Pending) > 0 && string(m.Pending) != "null" || len(m.Choices) > 0
}

// Results is the results object of schemas/openapi.yaml in body version 2.
type Results struct {
	Action     string           `json:"action"` // new, extend, discard, fetch
	Scenario   ScenarioRef      `json:"scenario"`
	Activities []ResultActivity `json:"activities"`
	Variables  []ResultVariable `json:"variables"`
	Calculated *uuid.UUID       `json:"calculated"`
}

// Target is the key of what a result was asked for, "" for a fetch.
func (r Results) Target() string {
	for _, v := range r.Variables {
		if r.Calculated != nil && v.ID == *r.Calculated {
			return v.Key
		}
	}
	return ""
}

// Value is the value of a variable in a result, nil where it has none.
func (r Results) Value(key string) json.RawMessage {
	for _, v := range r.Variables {
		if v.Key == key {
			return v.Value
		}
	}
	return nil
}

// ScenarioRef says which scenario a result was based on and which it belongs to.
type ScenarioRef struct {
	Original int `json:"original"`
	Current  int `json:"current"`
}

// ResultActivity is an activity that explains a result.
type ResultActivity struct {
	ID          uuid.UUID                `json:"id"`
	Title       string                   `json:"title"`
	Description string                   `json:"description"`
	Equation    string                   `json:"equation"`
	State       string                   `json:"state"`
	Variables   []ResultActivityVariable `json:"variables"`
}

// ResultActivityVariable is a variable of a ResultActivity.
type ResultActivityVariable struct {
	ID         uuid.UUID `json:"id"`
	Calculable bool      `json:"calculable"`
}

// ResultVariable is one value of a result. Value, Display and Scale are JSON as the engine wrote
// them.
type ResultVariable struct {
	ID                uuid.UUID       `json:"id"`
	Key               string          `json:"key"`
	Title             string          `json:"title"`
	Description       string          `json:"description"`
	Source            string          `json:"source"`
	Historical        bool            `json:"historical"`
	Value             json.RawMessage `json:"value"`
	Display           json.RawMessage `json:"display"`
	Scale             json.RawMessage `json:"scale,omitempty"`
	ScaleUnit         string          `json:"scale_unit,omitempty"`
	ScaleIncompatible bool            `json:"scale_incompatible,omitempty"`
	ScaleTypes        []string        `json:"scale_types,omitempty"`
}

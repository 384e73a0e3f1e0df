package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"reckon/engine"
	"reckon/engine/language"
	"reckon/engine/prompt"
	"reckon/events"
	"reckon/projections"
)

// calculateType is the wire name of Calculate.
const calculateType = "reckon.calculate.v1"

// maxResult is the most that the results of one message may weigh in an event, so that no document of a view reaches the
// sizes that a store refuses.
const maxResult = 448 << 10

// Calculate asks for one calculation. Intake fills it with all that deciding needs, so that every node and every replay
// decides alike.
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
	ReceivedAt     time.Time `json:"received_at"` // milliseconds
	Now            time.Time `json:"now"`         // seconds
	TimeZone       string    `json:"time_zone"`   // IANA name

	sequence uint64 // in COMMANDS; 0 for not known
	rest     func() // of engine.Env
}

var (
	calculateJSON = events.JSONOf[Calculate]()
	parsedJSON    = events.JSONOf[prompt.Parsed]()
	resultsJSON   = events.JSONOf[events.Results]()
)

// decodeCalculate reads a command. Its texts lie within the data, which must not be changed afterwards.
func decodeCalculate(data []byte) (Calculate, error) {
	c, err := calculateJSON.Decode(data)
	if err != nil {
		return *c, fmt.Errorf("decode command: %w", err)
	}
	if c.Type != calculateType {
		return *c, fmt.Errorf("decode command: unknown type %q", c.Type)
	}
	return *c, nil
}

// outlives tells whether a command is needed when it has an event, so that it must be on disk before that: a key that is sent again finds
// the message by it, and a message that is in progress is finished by it. Others are looked for by nobody then.
func (c Calculate) outlives() bool {
	return c.IdempotencyKey != nil || c.InputFormat == prompt.NaturalLanguage
}

func (c Calculate) env() engine.Env {
	zone, ok := Zone(c.TimeZone)
	if !ok {
		zone = time.UTC
	}
	return engine.Env{Now: c.Now, Zone: zone, Rest: c.rest}
}

// reading is the prompt of a command, read with the words of its domain.
type reading struct {
	request engine.Request
	errors  []engine.Error
}

// refer is what a prompt may refer to. pending is the message whose inputs are pending, nil for none. scenario gives the
// message that a scenario stands at and origin the scenario that one branched off from; both are asked only for scenarios
// that there are.
func refer(c Calculate, d *Domain, head projections.Conversation, pending *projections.Message, scenario func(int) *projections.Message, origin func(int) int) language.Conversation {
	there := func(index int) bool { return index >= 1 && index <= head.Last }
	r := language.Conversation{
		Current: head.Current, Last: head.Last, Focus: head.Focus[c.DomainID],
		Scenario: func(index int) *engine.Scenario {
			if !there(index) {
				return nil
			}
			m := scenario(index)
			if m == nil || m.Domain.ID != c.DomainID {
				return nil
			}
			return d.scenario(m)
		},
		Origin: func(index int) int {
			if !there(index) {
				return 0
			}
			return origin(index)
		},
	}
	if pending != nil && pending.Failed != nil && pending.Domain.ID == c.DomainID {
		if earlier, errs := prompt.ParseJSON(d.compiled, string(pending.Failed.Pending), c.env()); len(errs) == 0 {
			r.Pending = &earlier
		}
	}
	return r
}

// read reads the prompt. What a model made of it, in the shape of a JSON prompt, stands for prose where there is that. A
// request without a selector is read as if it stated too what is pending.
func read(c Calculate, d *Domain, refers language.Conversation, interpreted json.RawMessage) reading {
	var r reading
	switch {
	case c.InputFormat == prompt.Structured:
		r.request, r.errors = prompt.ParseStructured(d.compiled, c.Prompt, c.env())
	case c.InputFormat == prompt.JSON:
		r.request, r.errors = prompt.ParseJSON(d.compiled, c.Prompt, c.env())
	case interpreted != nil:
		r.request, r.errors = prompt.ParseJSON(d.compiled, string(interpreted), c.env())
	default:
		r.request, _, r.errors = d.Vocabulary().Interpret(c.Prompt, refers, c.env())
	}
	if len(r.errors) == 0 && refers.Pending != nil && r.request.Selector.Kind == engine.Unselected {
		r.request = join(*refers.Pending, r.request)
	}
	return r
}

// join is a request without a selector read as if it stated too what an earlier one did, on the scenario that the earlier one
// asked for; what it restates wins.
func join(earlier, request engine.Request) engine.Request {
	restated := map[int]bool{}
	for _, in := range request.Inputs {
		restated[in.Variable] = true
	}
	var inputs []engine.Given
	for _, in := range earlier.Inputs {
		if !restated[in.Variable] {
			inputs = append(inputs, in)
		}
	}
	inputs = append(inputs, request.Inputs...)
	target := request.Target
	if t := earlier.Target; target == nil && t != nil && (t.Unit != nil || !restated[t.Variable]) {
		target = t
	}
	return engine.Request{Inputs: inputs, Target: target, Selector: earlier.Selector}
}

// base is the index of the scenario that the request builds on, 0 for a new one. Numbered scenarios of another domain
// are found only when their message is read: see ownScenario.
func (r reading) base(c Calculate, head projections.Conversation) (int, *engine.Error) {
	s := r.request.Selector
	index := 0
	switch s.Kind {
	case engine.Unselected:
		index = head.Focus[c.DomainID]
	case engine.Current:
		index = head.Current
	case engine.Last:
		index = head.Last
	case engine.Numbered, engine.NewFrom:
		if s.Number < 1 || s.Number > head.Last {
			err := engine.Problem("scenario.not_found", s.Name())
			return 0, &err
		}
		index = s.Number
	}
	return index, nil
}

// View is what deciding sees of a conversation.
type View struct {
	Head projections.Conversation
	Base *projections.Message // the message that the base scenario stands at, nil for a new scenario
}

// decide turns a command into its one final event. It is pure: the same command, domain and view give the same event. The
// event's time is the caller's to set.
func decide(c Calculate, d *Domain, r reading, v View) events.Event {
	if len(r.errors) > 0 {
		return fail(c, d, r.errors, nil)
	}
	var base *engine.Scenario
	if v.Base != nil {
		if v.Base.Domain.ID != c.DomainID {
			return fail(c, d, []engine.Error{engine.Problem("scenario.domain_mismatch", r.request.Selector.Name())}, nil)
		}
		base = d.scenario(v.Base)
	}
	result, errs := d.compiled.Calculate(base, v.Head.Last, r.request, c.env())
	if len(errs) > 0 {
		var pending json.RawMessage
		for _, e := range errs {
			if e.Code == "calculation.missing_inputs" {
				pending = d.stated(r.request)
			}
		}
		return fail(c, d, errs, pending)
	}
	if v.Head.Last >= maxScenarios && result.Current > v.Head.Last {
		return fail(c, d, []engine.Error{engine.Problem("input.limit_exceeded", "scenarios", fmt.Sprint(maxScenarios))}, nil)
	}
	return complete(c, d, r.request, result)
}

// maxScenarios is how many scenarios a conversation may have.
const maxScenarios = 10_000

func fail(c Calculate, d *Domain, errs []engine.Error, pending json.RawMessage) events.Event {
	if len(errs) > 20 {
		errs = errs[:20]
	}
	return event(c, final, &events.MessageFailed{Message: message(c, d), Errors: encode(errs), Pending: pending})
}

// crash is the final event of a command that the service failed to calculate.
func crash(c Calculate, d *Domain) events.Event {
	errs := []engine.Error{engine.Problem("internal.error", c.MessageID.String())}
	return event(c, final, &events.MessageFailed{Message: message(c, d), Errors: encode(errs), Crashed: true})
}

func complete(c Calculate, d *Domain, req engine.Request, res engine.Result) events.Event {
	data := &events.MessageCompleted{
		Message: message(c, d),
		Parsed:  encodeAs(parsedJSON, prompt.Normal(d.compiled, req, res)),
		Targets: make([]events.Target, 0, len(res.Targets)),
		Results: d.results(res),
	}
	switch c.InputFormat {
	case prompt.Structured:
		text := prompt.Text(d.compiled, res)
		data.StructuredText = &text
	case prompt.NaturalLanguage:
		text := language.Answer(d.compiled, res)
		data.NaturalLanguage = &text
	}
	for _, t := range res.Targets {
		target := events.Target{Key: d.Definition.Variables[t.Variable].Key}
		if t.Unit != nil {
			target.Unit = unitName(t.Unit)
		}
		data.Targets = append(data.Targets, target)
	}
	for _, i := range res.Cleared {
		data.Cleared = append(data.Cleared, d.Definition.Variables[i].Key)
	}
	if heavy(data.Results) {
		limit := fmt.Sprintf("%d KiB of results", maxResult>>10)
		return fail(c, d, []engine.Error{engine.Problem("calculation.limit_exceeded", limit)}, nil)
	}
	return event(c, final, data)
}

// heavy tells whether results weigh more than maxResult. They are written out only where they may.
func heavy(r events.Results) bool {
	const names, escaped = 512, 6 // bytes of an entry's member names and ids; what one byte of text becomes at most
	most := names
	for _, a := range r.Activities {
		most += names + names*len(a.Variables) + escaped*(len(a.Title)+len(a.Description)+len(a.Equation)+len(a.State))
	}
	for _, v := range r.Variables {
		most += names + len(v.Value) + len(v.Display) + len(v.Scale)
		most += escaped * (len(v.Key) + len(v.Title) + len(v.Description) + len(v.Source) + len(v.ScaleUnit))
		for _, t := range v.ScaleTypes {
			most += names + escaped*len(t)
		}
	}
	return most > maxResult && len(encodeAs(resultsJSON, r)) > maxResult
}

// Places of an event in the life of a message. A message has one event at each place at most, and its id is made of both.
const (
	started     = "started"
	interpreted = "interpreted"
	final       = "final"
)

func event(c Calculate, place string, data any) events.Event {
	return events.Event{
		ID:      uuid.NewSHA1(c.MessageID, []byte(place)),
		Subject: events.ConversationSubject(c.AccountID, c.ConversationID),
		Data:    data,
	}
}

func message(c Calculate, d *Domain) events.Message {
	m := events.Message{
		ConversationID: c.ConversationID, MessageID: c.MessageID, KeyID: c.KeyID, IdempotencyKey: c.IdempotencyKey,
		Source: "api", InputFormat: c.InputFormat, Prompt: c.Prompt,
		Domain:     events.DomainRef{ID: c.DomainID, Version: c.DomainVersion},
		ReceivedAt: c.ReceivedAt, Now: c.Now, TimeZone: c.TimeZone, Engine: engine.Version,
	}
	if d != nil {
		m.Domain = d.ref()
	}
	return m
}

// encodeAs is encode of a type whose JSON is known beforehand.
func encodeAs[T any](as events.JSON[T], v T) json.RawMessage {
	text, err := as.Encode(&v)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", v, err))
	}
	return text
}

// encode writes JSON as events hold it. It is given only values that always encode.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("encode %T: %v", v, err))
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// Zone finds an IANA zone by name. Names that mean the machine's own settings are none.
func Zone(name string) (*time.Location, bool) {
	switch name {
	case "", "Local", "localtime", "posixrules", "Factory":
		return nil, false
	}
	zone, err := time.LoadLocation(name)
	return zone, err == nil
}

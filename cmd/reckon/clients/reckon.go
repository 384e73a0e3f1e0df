// Package reckon asks a Reckon service for calculations.
//
// It is one file that needs Go 1.23 and nothing but the standard library: copy it into a program
// and give it the package name that fits there.
//
//	client := reckon.New("https://reckon.example.com", os.Getenv("RECKON_KEY"))
//	answer, err := client.Calculate(ctx, reckon.Question{
//		Domain: domain,
//		Prompt: "How long for 150 miles at 60 mph?",
//	})
//	if err != nil {
//		return err // whose text is a sentence for people, such as "Unknown variable …"
//	}
//	fmt.Println(answer.Target().Shown()) // 2.5 h
//
//	again, err := client.Calculate(ctx, reckon.Question{
//		Domain: domain, Conversation: answer.ConversationID,
//		Inputs: map[string]any{"speed": "75 mi/h"}, Calculate: []reckon.Target{{Key: "time", Unit: "min"}},
//	})
//
//	for event, err := range client.Events(ctx, reckon.Follow{Conversation: answer.ConversationID}) {
//		… // as it happens
//	}
//
// A call is sent again when it may have been lost or there was no room for it, with the same
// Idempotency-Key, so that nothing is calculated twice. Cancel its context to end it early.
package reckon

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Client asks one service with one API key. Its methods may be called by several goroutines at
// once; its fields are set before that.
type Client struct {
	URL     string        // of the service, such as https://reckon.example.com
	Key     string        // an API key, reckon_live_…
	HTTP    *http.Client  // nil for one that follows no redirect, which would be given the key
	Timeout time.Duration // of a call with all its attempts; 0 is a minute
	Retries int           // attempts after the first one; 0 is 4, a negative number none
}

// New is a client of a service with an API key.
func New(url, key string) *Client { return &Client{URL: url, Key: key} }

// Question is what to calculate: a Prompt, or Inputs with what to Calculate from them.
type Question struct {
	Domain string // id of a published domain
	// Prompt is prose, structured text ("distance: 150 mi\ncalculate: time"), or JSON as a text.
	Prompt string
	// Inputs are values by the keys of variables: a string with the unit in it ("150 mi"), a
	// []string or a [][]string for a table, "" to clear a value that is carried.
	Inputs map[string]any
	// Calculate is what is asked for; none is the last question of the conversation again.
	Calculate []Target
	// Scenario goes with Inputs and Calculate: "new", "current", "last", a number, "new from 2". ""
	// goes on where the conversation stands.
	Scenario string

	Conversation string // id of the conversation to go on with; "" is a new one
	Format       string // natural_language, structured or json; "" lets the service see for itself
	TimeZone     string // IANA zone that decides what today and now mean; "" is the account's
	Language     string // of a prompt in prose and its answer: "en", "de"; "" is the account's, or the domain's
	// IdempotencyKey names the question: the same key and question are answered alike and calculated
	// once, for 24 hours. "" takes a random one.
	IdempotencyKey string
	// NoWait answers at once: prose may then be StatusInProgress. Wait waits for its result.
	NoWait bool
}

// Target is a variable to calculate, and the unit to answer in, "" for the one that fits.
type Target struct{ Key, Unit string }

// The statuses of a message.
const (
	StatusCompleted  = "completed"
	StatusInProgress = "in_progress"
	StatusError      = "error"
)

// Message is a question and its answer.
type Message struct {
	ConversationID  string          `json:"conversation_id"`
	MessageID       string          `json:"message_id"`
	IdempotencyKey  *string         `json:"idempotency_key"`
	Status          string          `json:"status"`
	Source          string          `json:"source"`           // api or chat
	InputFormat     string          `json:"input_format"`     // natural_language, structured or json
	NaturalLanguage string          `json:"natural_language"` // the answer to prose, in words
	ParsedJSON      json.RawMessage `json:"parsed_json"`      // what prose or JSON said; it can be asked again
	StructuredText  *string         `json:"structured_text"`  // the answer to structured text; it can be asked again
	Domain          *Domain         `json:"domain"`
	CreatedAt       time.Time       `json:"created_at"`
	UpdatedAt       time.Time       `json:"updated_at"`
	Results         *Results        `json:"results"` // of a completed message
	Errors          []Problem       `json:"errors"`  // of a message that is an error
	Version         int             `json:"version"`

	Raw json.RawMessage `json:"-"` // all of it as it was sent, of an answer of Calculate
}

// Target is the variable that was asked for, the first of several; nil where there is none.
func (m *Message) Target() *Variable {
	if m.Results == nil || m.Results.Calculated == nil {
		return nil
	}
	i := slices.IndexFunc(m.Results.Variables, func(v Variable) bool { return v.ID == *m.Results.Calculated })
	if i < 0 {
		return nil
	}
	return &m.Results.Variables[i]
}

// Variable is the value of a variable by its key; nil where the answer has none.
func (m *Message) Variable(key string) *Variable {
	if m.Results == nil {
		return nil
	}
	i := slices.IndexFunc(m.Results.Variables, func(v Variable) bool { return v.Key == key })
	if i < 0 {
		return nil
	}
	return &m.Results.Variables[i]
}

// Results are the values of a scenario, what was asked for first.
type Results struct {
	Action   string `json:"action"` // new, extend, discard (a what-if), fetch
	Scenario struct {
		Original int `json:"original"` // 0 where the question has started a scenario of its own
		Current  int `json:"current"`
	} `json:"scenario"`
	Activities []Activity `json:"activities"`
	Variables  []Variable `json:"variables"`
	Calculated *string    `json:"calculated"` // id of the variable asked for
}

// Activity is an equation that explains values.
type Activity struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Equation    string `json:"equation"`
	State       string `json:"state"` // active or disabled
	Variables   []struct {
		ID         string `json:"id"`
		Calculable bool   `json:"calculable"`
	} `json:"variables"`
}

// Variable is a value of a result, and where it comes from.
type Variable struct {
	ID          string  `json:"id"`
	Key         string  `json:"key"`
	Title       string  `json:"title"`
	Description string  `json:"description"`
	Source      string  `json:"source"`     // user_input, calculated, default_value
	Historical  bool    `json:"historical"` // carried from another scenario
	Value       Value   `json:"value"`      // exact; it can be given as an input
	Display     Display `json:"display"`
	// Of a chart whose cells have several units: its cells as numbers of one, or why there is none.
	Scale             json.RawMessage `json:"scale"`
	ScaleUnit         string          `json:"scale_unit"`
	ScaleIncompatible bool            `json:"scale_incompatible"`
	ScaleTypes        []string        `json:"scale_types"`
}

// Shown is the value as people read it.
func (v *Variable) Shown() Value { return Show(v.Value, v.Display) }

// Value is a text with a number and its unit (Rank 0), a column of them (1), or rows of them (2).
type Value struct {
	Rank  int
	Cells [][]string // rows; each of one cell where Rank is 1
}

// Scalar is the text of a value that is no table, "" of one that is.
func (v Value) Scalar() string {
	if v.Rank > 0 || len(v.Cells) == 0 || len(v.Cells[0]) == 0 {
		return ""
	}
	return v.Cells[0][0]
}

// String is the text of the value, and of a table that of its cells, row by row.
func (v Value) String() string {
	rows := make([]string, len(v.Cells))
	for i, row := range v.Cells {
		rows[i] = strings.Join(row, ", ")
	}
	return strings.Join(rows, "\n")
}

// UnmarshalJSON reads a string, an array of strings, or an array of arrays of strings.
func (v *Value) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*v = Value{0, [][]string{{text}}}
		return nil
	}
	var column []string
	if json.Unmarshal(data, &column) == nil {
		*v = Value{1, make([][]string, len(column))}
		for i, cell := range column {
			v.Cells[i] = []string{cell}
		}
		return nil
	}
	*v = Value{Rank: 2}
	return json.Unmarshal(data, &v.Cells)
}

// MarshalJSON writes what UnmarshalJSON reads.
func (v Value) MarshalJSON() ([]byte, error) {
	switch v.Rank {
	case 0:
		return json.Marshal(v.Scalar())
	case 1:
		column := make([]string, len(v.Cells))
		for i, row := range v.Cells {
			column[i] = strings.Join(row, "")
		}
		return json.Marshal(column)
	}
	return json.Marshal(v.Cells)
}

// Display says how a value is shown: as a number, a table or a chart.
type Display struct {
	DataType string  `json:"data_type"` // number, table, bar_chart, pie_chart
	Kind     string  `json:"kind"`      // number, no_separator, percent, duration, date, datetime, time
	Format   *string `json:"format"`    // decimals_2, date_med, duration_hms, …; nil is that of the kind
	// Of a table.
	StartRowIndex int      `json:"start_row_index"`
	Columns       []Series `json:"columns"`
	Rows          Names    `json:"rows"`
	// Of a bar chart.
	SeriesBy string `json:"series_by"` // columns or rows
	Stacked  bool   `json:"stacked"`
	XAxis    struct {
		Title string `json:"title"`
	} `json:"x_axis"`
	Labels struct {
		Source           string `json:"source"` // index or first_series
		StartSeriesIndex int    `json:"start_series_index"`
	} `json:"labels"`
	Series []Series `json:"series"`
	// Of a pie chart.
	Slices Names `json:"slices"`
}

// Series is a column of a table or a series of a bar chart.
type Series struct {
	Name   string  `json:"name"`
	Kind   string  `json:"kind"`
	Format *string `json:"format"`
}

// Names are those of rows or slices.
type Names struct {
	Names []string `json:"names"`
}

// Domain is what can be asked.
type Domain struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

// DomainVariable is a variable of a domain.
type DomainVariable struct {
	ID           string  `json:"id"`
	Key          string  `json:"key"`
	Title        string  `json:"title"`
	Description  string  `json:"description"`
	DefaultValue Value   `json:"default_value"` // "" where there is none
	Kind         string  `json:"kind"`
	Format       *string `json:"format"`
}

// ConversationItem is a conversation as a list has it.
type ConversationItem struct {
	ID             string    `json:"id"`
	Title          *string   `json:"title"`
	Notes          *string   `json:"notes"`
	DomainID       *string   `json:"domain_id"`
	LastActivityAt time.Time `json:"last_activity_at"`
}

// Conversation is a conversation with its messages, the oldest first.
type Conversation struct {
	ConversationID       string    `json:"conversation_id"`
	Title                *string   `json:"title"`
	Notes                *string   `json:"notes"`
	Domain               *Domain   `json:"domain"`
	CurrentScenarioIndex *int      `json:"current_scenario_index"`
	LastScenarioIndex    *int      `json:"last_scenario_index"`
	LastActivityAt       time.Time `json:"last_activity_at"`
	Messages             []Message `json:"messages"`
	NextCursor           *string   `json:"next_cursor"` // to the messages before, where a part was asked for
}

// Scenario is the context of a scenario: all values that it has.
type Scenario struct {
	ID         int        `json:"id"` // its index
	Domains    []Domain   `json:"domains"`
	Activities []Activity `json:"activities"`
	Variables  []Variable `json:"variables"`
}

// Problem is one reason why there is no answer.
type Problem struct {
	Code    string   `json:"code"`    // input.unknown_variable, calculation.missing_inputs, …
	Message string   `json:"message"` // a template: Text fills it
	Args    []string `json:"args"`
	Offset  *int     `json:"offset"` // of input.syntax_error: the place in Args[0], in characters
	// Missing are alternatives: the values of any one of them, all together, make the answer
	// possible.
	Missing []struct {
		Variables []struct {
			ID    string `json:"id"`
			Key   string `json:"key"`
			Title string `json:"title"`
		} `json:"variables"`
	} `json:"missing"`
}

var placeholder = regexp.MustCompile(`%arg(\d+)%`)

// Text is the sentence of a problem: its message with the arguments in their places, filled in one
// pass. A place without an argument stays as it is.
func (p Problem) Text() string {
	return placeholder.ReplaceAllStringFunc(p.Message, func(place string) string {
		i, err := strconv.Atoi(place[len("%arg") : len(place)-1])
		switch {
		case err != nil || i >= len(p.Args):
			return place
		case p.Code == "input.incompatible_units" && p.Args[i] == "1":
			return "no unit"
		}
		return p.Args[i]
	})
}

// CalculationError is an answer that has no result. Its text has a sentence for each problem.
type CalculationError struct{ Message Message }

func (e *CalculationError) Error() string {
	texts := make([]string, len(e.Message.Errors))
	for i, p := range e.Message.Errors {
		texts[i] = p.Text()
	}
	return strings.Join(texts, " ")
}

// Has tells whether a problem of the code is among the reasons.
func (e *CalculationError) Has(code string) bool {
	return slices.ContainsFunc(e.Message.Errors, func(p Problem) bool { return p.Code == code })
}

// RequestError is a request that the service refused, or failed to answer.
type RequestError struct {
	Status     int           // of HTTP
	Code       string        // error_unauthorized, error_not_found, …; "" where it is not the service that answered
	Text       string        // a sentence
	RequestID  string        // to find the request in the logs of the service
	RetryAfter time.Duration // when to ask again; 0 where nothing is said
}

func (e *RequestError) Error() string { return e.Text }

// UnansweredError is a request that has no answer: the service was not reached, or the time was
// over. What was asked may still be calculated: ask again with the IdempotencyKey for its answer.
type UnansweredError struct {
	IdempotencyKey string // of a calculation, else ""
	Err            error
}

func (e *UnansweredError) Error() string {
	switch {
	case errors.Is(e.Err, context.Canceled):
		return "The request was cancelled."
	case errors.Is(e.Err, context.DeadlineExceeded):
		return "The service has not answered in time."
	}
	return "The service does not answer: " + e.Err.Error()
}

func (e *UnansweredError) Unwrap() error { return e.Err }

// Calculate asks a question and waits for the answer, also of prose. An answer without a result is
// a *CalculationError; other errors are *RequestError and *UnansweredError.
func (c *Client) Calculate(ctx context.Context, q Question) (*Message, error) {
	body, err := q.body()
	if err != nil {
		return nil, err
	}
	ctx, cancel := c.within(ctx)
	defer cancel()
	key := q.IdempotencyKey
	if key == "" {
		key = newKey()
	}
	headers := map[string]string{"Idempotency-Key": key, "Content-Type": "application/json", "Prefer": "wait=10"}
	if q.NoWait {
		headers["Prefer"] = "respond-async"
	}
	for {
		a, err := c.send(ctx, http.MethodPost, "/v1/calculate", headers, body)
		if unanswered := (*UnansweredError)(nil); errors.As(err, &unanswered) {
			unanswered.IdempotencyKey = key
		}
		if err != nil {
			return nil, err
		}
		m := &Message{Raw: a.body}
		if err := a.read(m); err != nil {
			return nil, err
		}
		switch {
		case m.Status == StatusError:
			return nil, &CalculationError{*m}
		case m.Status != StatusInProgress || q.NoWait:
			return m, nil
		}
		if err := sleep(ctx, max(a.retryAfter, time.Second)); err != nil {
			return nil, &UnansweredError{key, err}
		}
	}
}

// body is the request of a question.
func (q Question) body() ([]byte, error) {
	all := map[string]any{"domain_id": q.Domain, "prompt": q.Prompt}
	for name, text := range map[string]string{"conversation_id": q.Conversation, "input_format": q.Format, "time_zone": q.TimeZone, "language": q.Language} {
		if text != "" {
			all[name] = text
		}
	}
	if q.Prompt == "" {
		type input struct {
			Key   string `json:"key"`
			Value any    `json:"value"`
		}
		type target struct {
			Key  string  `json:"key"`
			Unit *string `json:"unit"`
		}
		prompt := struct {
			Inputs    []input  `json:"inputs"`
			Calculate []target `json:"calculate,omitempty"`
			Scenario  string   `json:"scenario,omitempty"`
		}{Inputs: []input{}, Scenario: q.Scenario}
		for key, value := range q.Inputs {
			prompt.Inputs = append(prompt.Inputs, input{key, value})
		}
		slices.SortFunc(prompt.Inputs, func(a, b input) int { return strings.Compare(a.Key, b.Key) })
		for _, t := range q.Calculate {
			one := target{Key: t.Key}
			if t.Unit != "" {
				one.Unit = &t.Unit
			}
			prompt.Calculate = append(prompt.Calculate, one)
		}
		text, err := json.Marshal(prompt)
		if err != nil {
			return nil, fmt.Errorf("write the inputs: %w", err)
		}
		all["prompt"], all["input_format"] = string(text), "json"
	} else if q.Inputs != nil || q.Calculate != nil || q.Scenario != "" {
		return nil, errors.New("a question has a Prompt, or Inputs, Calculate and Scenario, not both")
	}
	return json.Marshal(all)
}

// Wait waits until a message is no longer in progress. It looks again after 50 ms, and ever later,
// up to each second.
func (c *Client) Wait(ctx context.Context, conversation, message string) (*Message, error) {
	ctx, cancel := c.within(ctx)
	defer cancel()
	for again := 50 * time.Millisecond; ; again = min(2*again, time.Second) {
		for m, err := range c.Messages(ctx, conversation) {
			switch {
			case err != nil:
				return nil, err
			case m.MessageID != message:
				continue
			case m.Status == StatusError:
				return nil, &CalculationError{m}
			case m.Status != StatusInProgress:
				return &m, nil
			}
			break
		}
		if err := sleep(ctx, again); err != nil {
			return nil, &UnansweredError{Err: err}
		}
	}
}

// Follow says which events Events has.
type Follow struct {
	// Conversation is the id of one, which begins with its newest message; "" are all of the account,
	// from now on.
	Conversation string
	After        string // id of the event to go on behind
	// Silence is after how long without a word a connection counts as lost; 0 is half a minute. The
	// service is silent for 15 seconds at most.
	Silence time.Duration
}

// Event is what becomes of a conversation.
type Event struct {
	ID             string // Events goes on behind it with this as After
	Type           string // message.started, message.completed, message.failed, conversation.described or .erased
	ConversationID string
	Message        *Message        // of message.…
	Title, Notes   *string         // of conversation.described
	Data           json.RawMessage // all of it as it was sent
}

// Events follows what becomes of a conversation, or of all: each event once, in order. A connection
// that is lost is made again and goes on behind the last event; of what happened meanwhile there is
// the newest state of each message. It ends when the conversation is erased, and with an error when
// the service refuses it or is away for the client's Timeout. To end it early leave the loop, or
// cancel the context, which is an *UnansweredError.
func (c *Client) Events(ctx context.Context, f Follow) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		path := "/v1/events"
		if f.Conversation != "" {
			path = conversationPath(f.Conversation) + "/events"
		}
		s := stream{client: c, path: path, follow: f, id: f.After, yield: yield}
		trying, stop := c.within(ctx)
		defer func() { stop() }()
		for attempt := 0; ; attempt++ {
			failed := s.connect(ctx, trying)
			pause := time.Duration(0)
			var refused *RequestError
			switch {
			case failed == nil:
				return
			case ctx.Err() != nil:
				yield(Event{}, &UnansweredError{Err: context.Cause(ctx)})
				return
			case errors.As(failed, &refused):
				if pause = refused.RetryAfter; !slices.Contains(passing, refused.Status) {
					yield(Event{}, failed)
					return
				}
			case errors.As(failed, new(*UnansweredError)):
			default:
				yield(Event{}, failed)
				return
			}
			if s.heard {
				s.heard, attempt = false, 0
				stop()
				trying, stop = c.within(ctx)
			}
			pause = max(pause, s.retry, backoff(attempt))
			if deadline, _ := trying.Deadline(); time.Now().Add(pause).After(deadline) {
				yield(Event{}, failed)
				return
			}
			if err := sleep(ctx, pause); err != nil {
				yield(Event{}, &UnansweredError{Err: err})
				return
			}
		}
	}
}

// stream reads server-sent events, as the HTML standard has them, over one connection after the
// other.
type stream struct {
	client *Client
	path   string
	follow Follow
	yield  func(Event, error) bool
	id     string        // of the last event
	retry  time.Duration // after which the service wants it back
	heard  bool          // whether it has said anything
}

// connect reads the events of one connection. It returns nil when there is to be no other one.
func (s *stream) connect(ctx, trying context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := s.follow.Silence
	if silence <= 0 {
		silence = attemptTimeout
	}
	deadline, _ := trying.Deadline()
	timer := time.AfterFunc(min(time.Until(deadline), attemptTimeout), func() { cancel(context.DeadlineExceeded) })
	defer timer.Stop()
	headers := map[string]string{"Accept": "text/event-stream"}
	if s.id != "" {
		headers["Last-Event-ID"] = s.id
	}
	response, err := s.client.request(ctx, http.MethodGet, s.path, headers, nil)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = &UnansweredError{Err: cause}
		}
		return err
	}
	defer response.Body.Close()
	switch kind, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";"); {
	case response.StatusCode == http.StatusNoContent:
		return nil
	case response.StatusCode >= 300:
		a, err := readAnswer(response)
		if err != nil {
			return &UnansweredError{Err: err}
		}
		return a.refusal()
	case !strings.EqualFold(strings.TrimSpace(kind), "text/event-stream"):
		return stranger(response.StatusCode, response.Header.Get("X-Request-Id"))
	}
	over, err := s.read(reading(func(p []byte) (int, error) {
		timer.Reset(silence)
		n, err := response.Body.Read(p)
		timer.Stop()
		s.heard = s.heard || n > 0
		return n, err
	}))
	switch cause := context.Cause(ctx); {
	case over:
		return nil
	case errors.Is(err, errNoEvent) || errors.Is(err, bufio.ErrTooLong):
		return stranger(response.StatusCode, response.Header.Get("X-Request-Id"))
	case cause != nil:
		err = cause
	case err == nil:
		err = errors.New("it has ended the stream")
	}
	return &UnansweredError{Err: err}
}

type reading func([]byte) (int, error)

func (r reading) Read(p []byte) (int, error) { return r(p) }

var errNoEvent = errors.New("no event of the service")

// read tells the events of a connection. over says that there are to be no more. What is cut off at
// the end counts for nothing, its id neither.
func (s *stream) read(from io.Reader) (over bool, err error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxEvent)
	lines.Split(splitLines())
	var id, kind string
	var data []byte
	var hasID, hasData bool
	for first := true; lines.Scan(); first = false {
		line := lines.Bytes()
		if first {
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		if len(line) > 0 {
			name, value, _ := bytes.Cut(line, []byte(":"))
			value = bytes.TrimPrefix(value, []byte(" "))
			switch string(name) {
			case "data":
				if hasData {
					data = append(data, '\n')
				}
				hasData, data = true, append(data, value...)
				if len(data) > maxEvent {
					return false, errNoEvent
				}
			case "event":
				kind = string(value)
			case "id": // what no header can carry leads nowhere
				if len(value) == 0 || wordForm.Match(value) {
					id, hasID = string(value), true
				}
			case "retry":
				if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
					s.retry = min(time.Duration(ms)*time.Millisecond, attemptTimeout)
				}
			}
			continue
		}
		repeated := hasID && id != "" && id == s.id
		if hasID {
			s.id = id
		}
		if hasData && !repeated {
			e, err := eventOf(s.id, kind, data)
			if err != nil {
				return false, err
			}
			if !s.yield(e, nil) || e.Type == "conversation.erased" && s.follow.Conversation != "" {
				return true, nil
			}
		}
		id, kind, data, hasID, hasData = "", "", nil, false, false
	}
	return false, lines.Err()
}

func eventOf(id, kind string, data []byte) (Event, error) {
	var said *struct {
		ConversationID string  `json:"conversation_id"`
		Title          *string `json:"title"`
		Notes          *string `json:"notes"`
	}
	if json.Unmarshal(data, &said) != nil || said == nil {
		return Event{}, errNoEvent
	}
	e := Event{ID: id, Type: kind, ConversationID: said.ConversationID, Title: said.Title, Notes: said.Notes, Data: data}
	if e.Type == "" {
		e.Type = "message"
	}
	if strings.HasPrefix(e.Type, "message.") {
		e.Message = &Message{Raw: data}
		if json.Unmarshal(data, e.Message) != nil {
			return Event{}, errNoEvent
		}
	}
	return e, nil
}

// splitLines finds lines that end in CR, LF or both. One that ends in CR is there before what comes
// behind it is known, and one without an end is none.
func splitLines() bufio.SplitFunc {
	afterCR := false
	return func(data []byte, _ bool) (advance int, line []byte, err error) {
		from := 0
		if afterCR && len(data) > 0 && data[0] == '\n' {
			from = 1
		}
		i := bytes.IndexAny(data[from:], "\r\n")
		afterCR = i >= 0 && data[from+i] == '\r' || len(data) == 0 && afterCR
		if i < 0 {
			return from, nil, nil
		}
		return from + i + 1, data[from : from+i : from+i], nil
	}
}

// Conversations lists the conversations of the account, most recently active first, page by page.
// An error ends it.
func (c *Client) Conversations(ctx context.Context) iter.Seq2[ConversationItem, error] {
	return func(yield func(ConversationItem, error) bool) {
		query := url.Values{"limit": {"100"}}
		for {
			var page struct {
				Conversations []ConversationItem `json:"conversations"`
				NextCursor    *string            `json:"next_cursor"`
			}
			if err := c.Get(ctx, "/v1/conversations", query, &page); err != nil {
				yield(ConversationItem{}, err)
				return
			}
			for _, item := range page.Conversations {
				if !yield(item, nil) {
					return
				}
			}
			if page.NextCursor == nil {
				return
			}
			query.Set("starting_after", *page.NextCursor)
		}
	}
}

// Messages lists the messages of a conversation, newest first, page by page. An error ends it.
func (c *Client) Messages(ctx context.Context, conversation string) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		query := url.Values{"limit": {"100"}}
		for {
			var page Conversation
			if err := c.Get(ctx, conversationPath(conversation), query, &page); err != nil {
				yield(Message{}, err)
				return
			}
			for _, m := range slices.Backward(page.Messages) {
				m.ConversationID = page.ConversationID
				if !yield(m, nil) {
					return
				}
			}
			if page.NextCursor == nil {
				return
			}
			query.Set("starting_after", *page.NextCursor)
		}
	}
}

// Conversation reads a conversation with all its messages.
func (c *Client) Conversation(ctx context.Context, id string) (*Conversation, error) {
	found := &Conversation{}
	if err := c.Get(ctx, conversationPath(id), nil, found); err != nil {
		return nil, err
	}
	for i := range found.Messages {
		found.Messages[i].ConversationID = found.ConversationID
	}
	return found, nil
}

// Scenarios reads all scenarios of a conversation, by their indexes.
func (c *Client) Scenarios(ctx context.Context, conversation string) ([]Scenario, error) {
	var found struct {
		Scenarios []Scenario `json:"scenarios"`
	}
	err := c.Get(ctx, conversationPath(conversation)+"/context", nil, &found)
	return found.Scenarios, err
}

// Scenario reads the scenario of an index.
func (c *Client) Scenario(ctx context.Context, conversation string, index int) (*Scenario, error) {
	var found struct {
		Scenario Scenario `json:"scenario"`
	}
	if err := c.Get(ctx, conversationPath(conversation)+"/context/"+strconv.Itoa(index), nil, &found); err != nil {
		return nil, err
	}
	return &found.Scenario, nil
}

// Explanation says how the values of a message came about, in lines of text.
func (c *Client) Explanation(ctx context.Context, conversation, message string) (string, error) {
	var text string
	err := c.Get(ctx, conversationPath(conversation)+"/messages/"+url.PathEscape(message)+"/explanation", url.Values{"format": {"text"}}, &text)
	return text, err
}

// Domains lists the published domains.
func (c *Client) Domains(ctx context.Context) ([]Domain, error) {
	var found struct {
		Domains []Domain `json:"domains"`
	}
	err := c.Get(ctx, "/v1/domains", nil, &found)
	return found.Domains, err
}

// Variables lists the variables of a domain.
func (c *Client) Variables(ctx context.Context, domain string) ([]DomainVariable, error) {
	var found struct {
		Variables []DomainVariable `json:"variables"`
	}
	err := c.Get(ctx, "/v1/domains/"+url.PathEscape(domain)+"/variables", nil, &found)
	return found.Variables, err
}

// Get reads what else there is (compare, sweep, sensitivity, …), by its path and parameters, into a
// pointer: to a string as it is sent, to anything else as JSON.
func (c *Client) Get(ctx context.Context, path string, query url.Values, into any) error {
	ctx, cancel := c.within(ctx)
	defer cancel()
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	a, err := c.send(ctx, http.MethodGet, path, nil, nil)
	if err != nil {
		return err
	}
	if text, ok := into.(*string); ok {
		*text = string(a.body)
		return nil
	}
	return a.read(into)
}

func conversationPath(id string) string { return "/v1/conversations/" + url.PathEscape(id) }

// answer is what came back for a request.
type answer struct {
	status     int
	requestID  string
	retryAfter time.Duration
	body       []byte
}

func (a *answer) read(into any) error {
	if err := json.Unmarshal(a.body, into); err != nil {
		return stranger(a.status, a.requestID)
	}
	return nil
}

func stranger(status int, requestID string) *RequestError {
	return &RequestError{Status: status, RequestID: requestID, Text: "What answers at this address is not a Reckon service."}
}

// Limits of a request: an attempt may take so long, and its answer or an event have so many bytes.
const (
	attemptTimeout = 30 * time.Second
	maxAnswer      = 256 << 20
	maxEvent       = 16 << 20
)

// passing are the statuses of what passes by itself.
var passing = []int{408, 429, 502, 503, 504}

// within bounds a call with all its attempts.
func (c *Client) within(ctx context.Context) (context.Context, context.CancelFunc) {
	timeout := c.Timeout
	if timeout == 0 {
		timeout = time.Minute
	}
	return context.WithTimeout(ctx, timeout)
}

// send asks until there is an answer. It asks again where that is safe and may help: all that this
// client sends reads, or has an Idempotency-Key.
func (c *Client) send(ctx context.Context, method, path string, headers map[string]string, body []byte) (*answer, error) {
	retries := c.Retries
	if retries == 0 {
		retries = 4
	}
	for attempt := 0; ; attempt++ {
		a, err := c.attempt(ctx, method, path, headers, body)
		var failed error
		pause := time.Duration(0)
		switch {
		case errors.As(err, new(*UnansweredError)):
			failed = err
		case err != nil:
			return nil, err
		case a.status < 300:
			return a, nil
		default:
			failed = a.refusal()
			if pause = a.retryAfter; !slices.Contains(passing, a.status) {
				return nil, failed
			}
		}
		if pause == 0 {
			pause = backoff(attempt)
		}
		deadline, _ := ctx.Deadline()
		if attempt >= retries || ctx.Err() != nil || time.Now().Add(pause).After(deadline) {
			return nil, failed
		}
		if sleep(ctx, pause) != nil {
			return nil, failed
		}
	}
}

// backoff is half a second, then twice as long each time, and up to half of it less.
func backoff(attempt int) time.Duration {
	return time.Duration(float64(500*time.Millisecond) * math.Pow(2, float64(min(attempt, 4))) * (0.5 + mathrand.Float64()/2))
}

var wordForm = regexp.MustCompile(`^[!-~]+$`)

// direct follows no redirect.
var direct = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func (c *Client) attempt(ctx context.Context, method, path string, headers map[string]string, body []byte) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	response, err := c.request(ctx, method, path, headers, body)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	a, err := readAnswer(response)
	if err != nil {
		return nil, &UnansweredError{Err: err}
	}
	return a, nil
}

// request sends a request. What has no answer is an *UnansweredError, another error one of the
// caller.
func (c *Client) request(ctx context.Context, method, path string, headers map[string]string, body []byte) (*http.Response, error) {
	if u, err := url.Parse(c.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q is no address of a service: give one such as https://reckon.example.com", c.URL)
	}
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.URL, "/")+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.Key)
	r.Header.Set("Body-Version", "2")
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	for _, value := range []string{c.Key, cmp.Or(headers["Idempotency-Key"], "-"), cmp.Or(headers["Last-Event-ID"], "-")} {
		if !wordForm.MatchString(value) {
			return nil, errors.New("an API key, an Idempotency-Key and the id of an event have visible ASCII characters alone")
		}
	}
	client := c.HTTP
	if client == nil {
		client = direct
	}
	response, err := client.Do(r)
	if err != nil {
		if failed := (*url.Error)(nil); errors.As(err, &failed) {
			err = failed.Err
		}
		return nil, &UnansweredError{Err: err}
	}
	return response, nil
}

func readAnswer(response *http.Response) (*answer, error) {
	a := &answer{status: response.StatusCode, requestID: response.Header.Get("X-Request-Id")}
	if seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 31); err == nil {
		a.retryAfter = time.Duration(seconds) * time.Second
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err == nil && len(body) > maxAnswer {
		err = errors.New("the answer is too long")
	}
	a.body = body
	return a, err
}

func (a *answer) refusal() *RequestError {
	var said struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	e := &RequestError{Status: a.status, RequestID: a.requestID, RetryAfter: a.retryAfter}
	if json.Unmarshal(a.body, &said) == nil {
		e.Code, e.Text = said.Error.Code, said.Error.Message
	}
	if e.Text == "" {
		e.Text = fmt.Sprintf("The service answered %d.", a.status)
	}
	return e
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// newKey is a random name for a request.
func newKey() string {
	var random [16]byte
	rand.Read(random[:]) // which never fails
	return fmt.Sprintf("%x", random)
}

// Show is a value as people read it, cell by cell: "1234.5 USD" with decimals_2 is "1,234.50 USD",
// "9000 s" with duration_hm "2:30". The texts are English and know no locale and no zone. What
// cannot be read stands as it is.
func Show(v Value, d Display) Value {
	shown := Value{v.Rank, make([][]string, len(v.Cells))}
	series := append(slices.Clone(d.Columns), d.Series...)
	for i, row := range v.Cells {
		shown.Cells[i] = make([]string, len(row))
		for j, cell := range row {
			kind, format := d.Kind, d.Format
			at := j
			if d.SeriesBy == "rows" {
				at = i
			}
			if at < len(series) {
				kind, format = series[at].Kind, series[at].Format
			}
			name := ""
			if format != nil {
				name = *format
			}
			shown.Cells[i][j] = ShowScalar(cell, kind, name)
		}
	}
	return shown
}

var (
	numberForm     = regexp.MustCompile(`^-?\d+(\.\d+)?(e[+-]?\d{1,7})?$`)
	defaultFormats = map[string]string{
		"": "decimals_float", "number": "decimals_float", "no_separator": "decimals_float", "percent": "decimals_float",
		"duration": "duration_hms", "date": "date_med", "datetime": "datetime_med", "time": "time_simple",
	}
)

// ShowScalar is one value as people read it, by its kind and format; "" is the default of either.
func ShowScalar(value, kind, format string) string {
	number, unit, _ := strings.Cut(value, " ")
	if len(number) > 1000 || !numberForm.MatchString(number) {
		return value // an empty cell, today, now, and what a later service may send
	}
	if format == "" {
		format = defaultFormats[kind]
	}
	timed := kind == "duration" || kind == "date" || kind == "datetime" || kind == "time"
	own := unit == "" || timed && unit == "s"
	d := readDigits(number)
	switch {
	case kind == "percent" && own:
		d.point += 2
		return d.normal().show(format, true) + "%"
	case kind == "duration" && own:
		if text := d.duration(format); text != "" {
			return text
		}
	case timed && own:
		if text := d.moment(kind, format); text != "" {
			return text
		}
	}
	if timed || kind == "percent" {
		format = "decimals_float"
	}
	text := d.show(format, kind != "no_separator")
	if unit != "" {
		text += " " + unit
	}
	return text
}

// digits is a decimal number: 0.DIGITS × 10^point, without zeros at either end. Zero has none, and
// no sign.
type digits struct {
	negative bool
	digits   string
	point    int
}

func readDigits(text string) digits {
	text, negative := strings.CutPrefix(text, "-")
	mantissa, exponent, _ := strings.Cut(text, "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	power, _ := strconv.Atoi(exponent) // "" is 0
	return digits{negative, whole + fraction, power + len(whole)}.normal()
}

func (d digits) normal() digits {
	rest := strings.TrimLeft(d.digits, "0")
	d.point -= len(d.digits) - len(rest)
	if d.digits = strings.TrimRight(rest, "0"); d.digits == "" {
		return digits{}
	}
	return d
}

// rounded has so many decimals at most. Ties go away from zero.
func (d digits) rounded(decimals int) digits {
	keep := d.point + decimals
	switch {
	case keep >= len(d.digits):
		return d
	case keep < 0:
		return digits{}
	}
	up := d.digits[keep] >= '5'
	d.digits = d.digits[:keep]
	if !up {
		return d.normal()
	}
	rest := strings.TrimRight(d.digits, "9")
	if rest == "" {
		return digits{d.negative, "1", d.point + 1}
	}
	d.digits = rest[:len(rest)-1] + string(rest[len(rest)-1]+1)
	return d
}

// divided is the quotient by a small number, with 40 digits more than there are.
func (d digits) divided(by int) digits {
	quotient, rest := make([]byte, len(d.digits)+40), 0
	for i := range quotient {
		rest *= 10
		if i < len(d.digits) {
			rest += int(d.digits[i] - '0')
		}
		quotient[i] = byte('0' + rest/by)
		rest %= by
	}
	d.digits = string(quotient)
	return d.normal()
}

// whole is the integer part without the sign, of numbers below 1e18.
func (d digits) whole() int {
	if d.point <= 0 {
		return 0
	}
	text := d.digits + strings.Repeat("0", max(0, d.point-len(d.digits)))
	n, _ := strconv.Atoi(text[:d.point])
	return n
}

// show writes a number in one of the formats decimals_….
func (d digits) show(format string, grouped bool) string {
	decimals, err := strconv.Atoi(strings.TrimPrefix(format, "decimals_"))
	if err != nil {
		return d.free(15, 0, grouped)
	}
	if r := d.rounded(decimals); r.point <= 21 {
		return r.plain(decimals, grouped)
	}
	return d.scientific(decimals, decimals)
}

// free writes so many significant digits or decimals at most, whichever reaches further, and no
// zeros at the end. Very large and very small numbers have an exponent.
func (d digits) free(significant, decimals int, grouped bool) string {
	r := d.rounded(max(decimals, significant-d.point))
	if r.digits != "" && (r.point > 21 || r.point < -5) {
		return d.scientific(max(decimals, significant-1), 0)
	}
	return r.plain(0, grouped)
}

func (d digits) scientific(most, least int) string {
	exponent := d.point - 1
	d.point = 1
	if d = d.rounded(most); d.point > 1 {
		exponent++
		d.point = 1
	}
	return d.plain(least, false) + "e" + strconv.Itoa(exponent)
}

func (d digits) plain(decimals int, grouped bool) string {
	whole, fraction := "0", strings.Repeat("0", max(0, -d.point))+d.digits
	if d.point > 0 {
		all := d.digits + strings.Repeat("0", max(0, d.point-len(d.digits)))
		whole, fraction = all[:d.point], all[d.point:]
	}
	if grouped {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + "," + whole[i:]
		}
	}
	if d.negative {
		whole = "-" + whole
	}
	if fraction += strings.Repeat("0", max(0, decimals-len(fraction))); fraction != "" {
		whole += "." + fraction
	}
	return whole
}

// maxSeconds bounds dates and spans, as the Date of JavaScript is bounded.
const maxSeconds = 8_640_000_000_000

// duration writes a span of seconds, "" for one that is too long for the format.
func (d digits) duration(format string) string {
	for word, seconds := range map[string]int{"day": 86400, "hour": 3600, "minute": 60, "second": 1} {
		if format == "duration_"+word+"s" {
			return d.divided(seconds).counted(word)
		}
	}
	span := d
	span.negative = false
	if span.point > 13 || span.milliseconds() > maxSeconds*1000 {
		return ""
	}
	s := span.rounded(0).whole()
	text, some := "", s != 0
	switch format {
	case "duration_hm":
		minutes := (span.whole() + 30) / 60
		text, some = fmt.Sprintf("%d:%02d", minutes/60, minutes%60), minutes != 0
	case "duration_ms":
		text = fmt.Sprintf("%d:%02d", s/60, s%60)
	case "duration_dhms":
		text = fmt.Sprintf("%d:%02d:%02d:%02d", s/86400, s/3600%24, s/60%60, s%60)
	case "duration_human":
		text, some = span.human(), span.digits != ""
	case "duration_iso":
		thousandths := span.rounded(3)
		text, some = thousandths.iso(), thousandths.digits != ""
	default:
		text = fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	if d.negative && some {
		text = "-" + text
	}
	return text
}

// milliseconds is the millisecond without sign that a number of seconds lies in.
func (d digits) milliseconds() int {
	d.point += 3
	return d.whole()
}

// counted writes "1 hour", "2.5 hours".
func (d digits) counted(word string) string {
	number := d.free(3, 3, true)
	if number != "1" && number != "-1" {
		word += "s"
	}
	return number + " " + word
}

func (d digits) human() string {
	if d.rounded(3).whole() < 60 {
		return d.counted("second")
	}
	s := d.rounded(0).whole()
	var parts []string
	for i, n := range []int{s / 86400, s / 3600 % 24, s / 60 % 60, s % 60} {
		if n != 0 {
			parts = append(parts, readDigits(strconv.Itoa(n)).counted([]string{"day", "hour", "minute", "second"}[i]))
		}
	}
	return strings.Join(parts, ", ")
}

func (d digits) iso() string {
	s := d.whole()
	seconds := strconv.Itoa(s % 60)
	if _, fraction, found := strings.Cut(d.plain(0, false), "."); found {
		seconds += "." + fraction
	}
	day, clock := "", ""
	if s >= 86400 {
		day = fmt.Sprintf("%dD", s/86400)
	}
	if h := s / 3600 % 24; h != 0 {
		clock += fmt.Sprintf("%dH", h)
	}
	if m := s / 60 % 60; m != 0 {
		clock += fmt.Sprintf("%dM", m)
	}
	if seconds != "0" || d.digits == "" {
		clock += seconds + "S"
	}
	if clock != "" {
		clock = "T" + clock
	}
	return "P" + day + clock
}

// layouts are those of package time, with the year as 2006 alone.
var layouts = map[string]string{
	"date_short": "1/2/2006", "date_med": "Jan 2, 2006", "date_med_with_weekday": "Mon, Jan 2, 2006",
	"date_full": "January 2, 2006", "date_huge": "Monday, January 2, 2006", "date_iso": "2006-01-02",
	"datetime_short": "1/2/2006, 3:04 PM", "datetime_short_with_seconds": "1/2/2006, 3:04:05 PM",
	"datetime_med": "Jan 2, 2006, 3:04 PM", "datetime_med_with_seconds": "Jan 2, 2006, 3:04:05 PM",
	"datetime_full": "January 2, 2006 at 3:04 PM", "datetime_full_with_seconds": "January 2, 2006 at 3:04:05 PM",
	"datetime_huge": "Monday, January 2, 2006 at 3:04 PM", "datetime_iso": "2006-01-02T15:04:05",
	"time_simple": "3:04 PM", "time_with_seconds": "3:04:05 PM",
	"time_24_simple": "15:04", "time_24_with_seconds": "15:04:05",
}

// moment writes a date, a date with a clock time, or a clock time, "" for one that there is not.
func (d digits) moment(kind, format string) string {
	layout := layouts[format]
	if layout == "" || d.point > 13 {
		return ""
	}
	ms := d.milliseconds()
	if d.negative {
		ms = -ms
		if d.point+3 < len(d.digits) { // rounded down
			ms--
		}
	}
	if ms < -maxSeconds*1000 || ms > maxSeconds*1000 {
		return ""
	}
	t := time.UnixMilli(int64(ms)).UTC()
	if kind == "time" {
		const day = 86_400_000
		days := (ms - (ms%day+day)%day) / day
		text := t.Format(layout)
		if days != 0 {
			note := readDigits(strconv.Itoa(days)).counted("day")
			text += " (" + strings.Repeat("+", min(1, max(0, days))) + note + ")"
		}
		return text
	}
	year, n := strconv.Itoa(t.Year()), t.Year()
	switch iso := strings.HasSuffix(format, "_iso"); {
	case iso && (n < 0 || n > 9999):
		year = fmt.Sprintf("%+07d", n)
	case iso:
		year = fmt.Sprintf("%04d", n)
	case n < 1:
		year = strconv.Itoa(1-n) + " BC"
	}
	if format == "datetime_iso" && t.Nanosecond() != 0 {
		layout += ".000"
	}
	before, after, _ := strings.Cut(layout, "2006")
	if before != "" {
		before = t.Format(before)
	}
	return before + year + t.Format(after)
}

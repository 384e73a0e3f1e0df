package events

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Headers of an event's message: CloudEvents 1.0 in binary mode, so that the body is the data
// alone. The NATS binding says the type of the body in an attribute of its own; Content-Type says
// it to whoever knows nothing of CloudEvents.
const (
	headerSpec        = "ce-specversion"
	HeaderID          = "ce-id"
	headerSource      = "ce-source"
	HeaderType        = "ce-type" // the wire name
	HeaderTime        = "ce-time"
	headerSubject     = "ce-subject"
	headerRequest     = "ce-request" // an extension of ours; absent where an event has no Request
	headerDataContent = "ce-datacontenttype"
	headerContent     = "Content-Type"

	// Of the extension for distributed tracing, where the event is part of a trace.
	headerTraceparent = "ce-traceparent"
	headerTracestate  = "ce-tracestate"
)

// timeLayout is RFC 3339 with milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// Encode makes the headers and the body of the message that carries an event. Its id, time and
// subject must be set.
func Encode(e Event) (header map[string][]string, body []byte, err error) {
	if e.ID == uuid.Nil || e.Time.IsZero() || !strings.HasPrefix(e.Subject.name, "evt.") {
		return nil, nil, fmt.Errorf("encode event for %q: id, time and an event's subject must be set", e.Subject)
	}
	name, body, err := encodeData(e.Data)
	if err != nil {
		return nil, nil, err
	}
	var short bool
	if _, prompt := e.Data.(*PromptStored); prompt {
		body, short = compressPrompt(body), true
	} else {
		body, short, err = Compress(body)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("encode event for %q: %w", e.Subject, err)
	}
	own := [...]string{e.ID.String(), name, e.Time.UTC().Format(timeLayout), e.Subject.name}
	header = make(map[string][]string, 9) // one more is what an append expects
	if e.Request != "" {
		header[headerRequest] = []string{e.Request}
	}
	header[headerSpec] = specVersion
	header[HeaderID] = own[0:1:1]
	header[headerSource] = source
	header[HeaderType] = own[1:2:2]
	header[HeaderTime] = own[2:3:3]
	header[headerSubject] = own[3:4:4]
	header[headerDataContent] = contentType
	header[headerContent] = contentType
	if short {
		header[headerEncoding] = []string{compressed}
	}
	if e.Traceparent != "" {
		header[headerTraceparent] = []string{e.Traceparent}
	}
	if e.Tracestate != "" {
		header[headerTracestate] = []string{e.Tracestate}
	}
	return header, body, nil
}

// Values that all headers share. They are never changed.
var (
	specVersion = []string{"1.0"}
	source      = []string{"reckon"}
	contentType = []string{"application/json"}
)

// DecodeError says that an event of a known type is not whole, or is of a version that is not
// known. Reason names the place and not what stands there, since that may be private.
type DecodeError struct {
	Sequence uint64
	Subject  string
	Type     string // wire name
	Reason   string
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("decode event %d of type %s on %s: %s", e.Sequence, e.Type, e.Subject, e.Reason)
}

// Decode reads an event from the headers and the body of its message; brief leaves out of the data
// what a fold of history does not look at, until the event is made Whole. A message whose type is
// in the table in no version is an event with nil Data and whatever of its headers can be read; any
// other message that is not whole is a *DecodeError. A brief event keeps the body.
func Decode(s Subject, sequence uint64, header map[string][]string, body []byte, brief bool) (Event, error) {
	first := func(name string) string {
		if values := header[name]; len(values) > 0 {
			return values[0]
		}
		return ""
	}
	return decode(s, sequence, first(HeaderType), first(HeaderID), first(HeaderTime), first(headerRequest), body, brief)
}

// DecodeText is Decode where the headers are as they are sent: a line each, behind a line of the
// protocol.
func DecodeText(s Subject, sequence uint64, headers, body []byte, brief bool) (Event, error) {
	var name, id, at, request string
	for line := range bytes.SplitSeq(headers, []byte("\r\n")) {
		key, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimLeft(value, " \t")
		switch {
		case name == "" && string(key) == HeaderType:
			name = string(value)
		case id == "" && string(key) == HeaderID:
			id = string(value)
		case at == "" && string(key) == HeaderTime:
			at = string(value)
		case request == "" && string(key) == headerRequest:
			request = string(value)
		}
	}
	return decode(s, sequence, name, id, at, request, body, brief)
}

func decode(s Subject, sequence uint64, name, idText, timeText, request string, body []byte, brief bool) (Event, error) {
	e := Event{Subject: s, Sequence: sequence, Request: request}
	id, idErr := uuid.Parse(idText)
	at, timeErr := time.Parse(time.RFC3339, timeText)
	if idErr == nil {
		e.ID = id
	}
	if timeErr == nil {
		e.Time = at.UTC().Truncate(time.Millisecond)
	}
	body, expandErr := Expand(body)
	e.Size = len(body)
	if expandErr != nil {
		return e, &DecodeError{sequence, s.name, name, "it cannot be expanded"}
	}
	options := asStored
	if brief {
		options = skimmed
	}
	data, err := decodeKind(table, name, body, options)
	switch {
	case err != nil:
		return e, &DecodeError{sequence, s.name, name, reason(err)}
	case data == nil:
		return e, nil
	case idErr != nil || timeErr != nil:
		return e, &DecodeError{sequence, s.name, name, "its headers " + HeaderID + " and " + HeaderTime + " are no id and time"}
	}
	e.Data = data
	if brief {
		e.name, e.body = name, body
	}
	return e, nil
}

package events

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
)

// Headers of an event's message: CloudEvents 1.0 in binary mode, so that the body is the data alone. The NATS binding says
// the type of the body in an attribute of its own; Content-Type says it to whoever knows nothing of CloudEvents.
const (
	headerSpec        = "ce-specversion"
	headerID          = "ce-id"
	headerSource      = "ce-source"
	headerType        = "ce-type"
	headerTime        = "ce-time"
	headerSubject     = "ce-subject"
	headerDataContent = "ce-datacontenttype"
	headerContent     = "Content-Type"
)

// timeLayout is RFC 3339 with milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// encode makes the message that carries an event.
func encode(e Event) (*nats.Msg, error) {
	if e.ID == uuid.Nil || e.Time.IsZero() || !strings.HasPrefix(e.Subject.name, "evt.") {
		return nil, fmt.Errorf("encode event for %q: id, time and an event's subject must be set", e.Subject)
	}
	name, body, err := encodeData(e.Data)
	if err != nil {
		return nil, err
	}
	return &nats.Msg{Subject: e.Subject.name, Data: body, Header: nats.Header{
		headerSpec:        {"1.0"},
		headerID:          {e.ID.String()},
		headerSource:      {"reckon"},
		headerType:        {name},
		headerTime:        {e.Time.UTC().Format(timeLayout)},
		headerSubject:     {e.Subject.name},
		headerDataContent: {"application/json"},
		headerContent:     {"application/json"},
	}}, nil
}

// decode reads a stored message. A message whose type is not in the table is an event with nil Data and whatever of its
// headers can be read; any other message that is not whole is an error that names its sequence and type.
func decode(m stored) (Event, error) {
	e := Event{Subject: Subject{m.Subject}, Sequence: m.Sequence}
	header, err := nats.DecodeHeadersMsg(m.Headers)
	if err != nil && len(m.Headers) > 0 {
		return e, fmt.Errorf("decode event %d: read headers: %w", m.Sequence, err)
	}
	return e, e.fill(header, m.Data)
}

// fill reads the event's attributes and data.
func (e *Event) fill(header nats.Header, body []byte) error {
	name := header.Get(headerType)
	id, idErr := uuid.Parse(header.Get(headerID))
	at, timeErr := time.Parse(time.RFC3339, header.Get(headerTime))
	if idErr == nil {
		e.ID = id
	}
	if timeErr == nil {
		e.Time = at.UTC().Truncate(time.Millisecond)
	}
	data, err := decodeData(name, body)
	if err != nil {
		return fmt.Errorf("decode event %d of type %s: %w", e.Sequence, name, err)
	}
	if data == nil {
		return nil
	}
	if err := errors.Join(idErr, timeErr); err != nil {
		return fmt.Errorf("decode event %d of type %s: read headers: %w", e.Sequence, name, err)
	}
	e.Data = data
	return nil
}

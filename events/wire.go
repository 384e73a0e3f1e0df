package events

import (
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

// Encode makes the message that carries an event. Its id, time and subject must be set.
func Encode(e Event) (*nats.Msg, error) {
	if e.ID == uuid.Nil || e.Time.IsZero() || !strings.HasPrefix(e.Subject.name, "evt.") {
		return nil, fmt.Errorf("encode event for %q: id, time and an event's subject must be set", e.Subject)
	}
	name, body, err := encodeData(e.Data)
	if err != nil {
		return nil, err
	}
	own := [...]string{e.ID.String(), name, e.Time.UTC().Format(timeLayout), e.Subject.name}
	header := make(nats.Header, 9) // one more is what an append expects
	header[headerSpec] = specVersion
	header[headerID] = own[0:1:1]
	header[headerSource] = source
	header[headerType] = own[1:2:2]
	header[headerTime] = own[2:3:3]
	header[headerSubject] = own[3:4:4]
	header[headerDataContent] = contentType
	header[headerContent] = contentType
	return &nats.Msg{Subject: e.Subject.name, Data: body, Header: header}, nil
}

// Values that all headers share. They are never changed.
var (
	specVersion = []string{"1.0"}
	source      = []string{"reckon"}
	contentType = []string{"application/json"}
)

// DecodeError says that an event of a known type is not whole, or is of a version that is not known. Reason names the place and
// not what stands there, since that may be private.
type DecodeError struct {
	Sequence uint64
	Subject  string
	Type     string // wire name
	Reason   string
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("decode event %d of type %s on %s: %s", e.Sequence, e.Type, e.Subject, e.Reason)
}

// decode reads a stored message. A message whose type is in the table in no version is an event with nil Data and whatever of its
// headers can be read; any other message that is not whole is a *DecodeError.
func decode(m stored) (Event, error) {
	e := Event{Subject: Subject{m.Subject}, Sequence: m.Sequence}
	header, err := nats.DecodeHeadersMsg(m.Headers)
	if err != nil && len(m.Headers) > 0 {
		return e, &DecodeError{m.Sequence, m.Subject, "", "its headers cannot be read"}
	}
	return e, e.fill(header, m.Data, false)
}

// fill reads the event's attributes and data, for Skim without what Skim passes over.
func (e *Event) fill(header nats.Header, body []byte, skim bool) error {
	return e.take(header.Get(headerType), header.Get(headerID), header.Get(headerTime), body, skim)
}

// take is fill with the attributes as they stand in the headers: the wire name, the id and the time.
func (e *Event) take(name, idText, timeText string, body []byte, skim bool) error {
	id, idErr := uuid.Parse(idText)
	at, timeErr := time.Parse(time.RFC3339, timeText)
	if idErr == nil {
		e.ID = id
	}
	if timeErr == nil {
		e.Time = at.UTC().Truncate(time.Millisecond)
	}
	options := asStored
	if skim {
		options = skimmed
	}
	data, err := decodeKind(table, name, body, options)
	if err != nil {
		return &DecodeError{e.Sequence, e.Subject.name, name, reason(err)}
	}
	if data == nil {
		return nil
	}
	if idErr != nil || timeErr != nil {
		return &DecodeError{e.Sequence, e.Subject.name, name, "its headers " + headerID + " and " + headerTime + " are no id and time"}
	}
	e.Data = data
	if skim {
		e.name, e.body = name, body
	}
	return nil
}

package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// table gives every event type its wire name. A name and the shape behind it never change: a new shape is a new name.
var table = []struct {
	name string
	data reflect.Type
}{
	{"reckon.account.created.v1", reflect.TypeFor[AccountCreated]()},
	{"reckon.account.changed.v1", reflect.TypeFor[AccountChanged]()},
	{"reckon.key.created.v1", reflect.TypeFor[KeyCreated]()},
	{"reckon.key.rotated.v1", reflect.TypeFor[KeyRotated]()},
	{"reckon.key.revoked.v1", reflect.TypeFor[KeyRevoked]()},
	{"reckon.domain.drafted.v1", reflect.TypeFor[DomainDrafted]()},
	{"reckon.domain.published.v1", reflect.TypeFor[DomainPublished]()},
	{"reckon.message.completed.v1", reflect.TypeFor[MessageCompleted]()},
	{"reckon.message.failed.v1", reflect.TypeFor[MessageFailed]()},
}

// encodeData returns the wire name and the JSON of an event's data, which must be a non-nil pointer to a type of the table.
func encodeData(data any) (name string, body []byte, err error) {
	v := reflect.ValueOf(data)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return "", nil, fmt.Errorf("encode event: %T is not a pointer to event data", data)
	}
	for _, t := range table {
		if t.data == v.Type().Elem() {
			body, err := marshal(data)
			if err != nil {
				return "", nil, fmt.Errorf("encode event of type %s: %w", t.name, err)
			}
			return t.name, body, nil
		}
	}
	return "", nil, fmt.Errorf("encode event: %T has no wire name", data)
}

// decodeData returns the data behind a wire name, nil for a name that is not in the table. Unknown members are ignored.
func decodeData(name string, body []byte) (any, error) {
	for _, t := range table {
		if t.name == name {
			data := reflect.New(t.data).Interface()
			if err := json.Unmarshal(body, data); err != nil {
				return nil, err
			}
			return data, nil
		}
	}
	return nil, nil
}

// marshal writes JSON as it is: equations hold < and >, which encoding/json would escape for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

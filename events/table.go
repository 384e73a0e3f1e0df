package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// kind is a wire name with the type behind it. An old kind is decoded and raised, step by step, to a type that events hold
// today; it is written no more.
type kind struct {
	name  string
	data  *shape
	raise func(old any) any // of an old kind: from a pointer to its type to a pointer to that of a newer one
	brief *shape            // of a kind most of which a fold does not look at: data without that
}

// table gives every event type its wire name. A name and the shape behind it never change: a new shape is a new name, and
// the type of the old one stays, with a function beside it that raises it.
var table = []kind{
	{"reckon.account.created.v1", of[AccountCreated](), nil, nil},
	{"reckon.account.changed.v1", of[AccountChanged](), nil, nil},
	{"reckon.key.created.v1", of[KeyCreated](), nil, nil},
	{"reckon.key.rotated.v1", of[KeyRotated](), nil, nil},
	{"reckon.key.revoked.v1", of[KeyRevoked](), nil, nil},
	{"reckon.domain.drafted.v1", of[DomainDrafted](), nil, nil},
	{"reckon.domain.published.v1", of[DomainPublished](), nil, nil},
	{"reckon.message.started.v1", of[MessageStarted](), nil, nil},
	{"reckon.message.interpreted.v1", of[MessageInterpreted](), nil, nil},
	{"reckon.message.completed.v1", of[MessageCompleted](), nil, of[MessageCompleted]().without("results.activities", "results.variables")},
	{"reckon.message.failed.v1", of[MessageFailed](), nil, nil},
}

// Types are the types that the data of events is of today, each under every wire name that leads to it.
func Types() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, k := range table {
		types[k.name] = reflect.TypeOf(raise(table, reflect.New(k.data.typ).Interface())).Elem()
	}
	return types
}

// encodeData returns the wire name and the JSON of an event's data, which must be a non-nil pointer to a type of the table.
func encodeData(data any) (name string, body []byte, err error) {
	v := reflect.ValueOf(data)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return "", nil, fmt.Errorf("encode event: %T is not a pointer to event data", data)
	}
	for _, t := range table {
		if t.data.typ == v.Type().Elem() && t.raise == nil {
			body, err := t.data.encode(v.UnsafePointer())
			if err != nil {
				return "", nil, fmt.Errorf("encode event of type %s: %w", t.name, err)
			}
			return t.name, body, nil
		}
	}
	return "", nil, fmt.Errorf("encode event: %T has no wire name", data)
}

// errNewer says that a type is in the table, but not this version of it.
var errNewer = errors.New("a newer Reckon wrote it: upgrade this node")

// decodeData returns the data behind a wire name, nil for a type that is in the table in no version. It fails with errNewer
// for one that is there in other versions only: passing over it would leave out a part of what happened to something that is
// shown. Unknown members are ignored.
func decodeData(name string, body []byte) (any, error) { return decodeKind(table, name, body, false) }

func decodeKind(table []kind, name string, body []byte, brief bool) (any, error) {
	for i := range table {
		if table[i].name != name {
			continue
		}
		shape := table[i].data
		if brief && table[i].brief != nil {
			shape = table[i].brief
		}
		data, err := shape.decode(body)
		if err != nil {
			return nil, err
		}
		return raise(table, data), nil
	}
	if typ, ok := unversioned(name); ok {
		for i := range table {
			if known, _ := unversioned(table[i].name); known == typ {
				return nil, errNewer
			}
		}
	}
	return nil, nil
}

// unversioned is a wire name without its version, and whether it has one.
func unversioned(name string) (typ string, ok bool) {
	at := strings.LastIndex(name, ".v")
	if at < 0 || at+2 == len(name) || strings.Trim(name[at+2:], "0123456789") != "" {
		return name, false
	}
	return name[:at], true
}

// raise makes data of a type of today from data of any type of the table.
func raise(table []kind, data any) any {
	typ := reflect.TypeOf(data).Elem()
	for i := range table {
		if table[i].data.typ == typ && table[i].raise != nil {
			return raise(table, table[i].raise(data))
		}
	}
	return data
}

func of[T any]() *shape { return shapeOf(reflect.TypeFor[T]()) }

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

package events

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
)

// kind is a wire name with the type behind it. An old kind is decoded and raised, step by step, to
// a type that events hold today; it is written no more.
type kind struct {
	name  string
	data  reflect.Type
	raise func(old any) any // of an old kind: from a pointer to its type to a pointer to that of a newer one
	apart bool              // of a message: its prompt is stored apart
}

// table gives every event type its wire name. A name and the JSON behind it never change: a new
// form is a new name, and the type of the old one stays, with a function beside it that raises it.
var table = []kind{
	{name: "reckon.account.created.v1", data: of[AccountCreated]()},
	{name: "reckon.account.changed.v1", data: of[AccountChanged]()},
	{name: "reckon.account.suspended.v1", data: of[AccountSuspended]()},
	{name: "reckon.account.resumed.v1", data: of[AccountResumed]()},
	{name: "reckon.key.created.v1", data: of[KeyCreated]()},
	{name: "reckon.key.rotated.v1", data: of[KeyRotated]()},
	{name: "reckon.key.revoked.v1", data: of[KeyRevoked]()},
	{name: "reckon.member.joined.v1", data: of[MemberJoined]()},
	{name: "reckon.member.changed.v1", data: of[MemberChanged]()},
	{name: "reckon.member.removed.v1", data: of[MemberRemoved]()},
	{name: "reckon.webhook.created.v1", data: of[WebhookCreated]()},
	{name: "reckon.webhook.changed.v1", data: of[WebhookChanged]()},
	{name: "reckon.webhook.disabled.v1", data: of[WebhookDisabled]()},
	{name: "reckon.webhook.enabled.v1", data: of[WebhookEnabled]()},
	{name: "reckon.webhook.rolled.v1", data: of[WebhookRolled]()},
	{name: "reckon.webhook.deleted.v1", data: of[WebhookDeleted]()},
	{name: "reckon.conversation.erased.v1", data: of[ConversationErased]()},
	{name: "reckon.user.created.v1", data: of[UserCreated]()},
	{name: "reckon.user.disabled.v1", data: of[UserDisabled]()},
	{name: "reckon.user.enabled.v1", data: of[UserEnabled]()},
	{name: "reckon.operator.added.v1", data: of[OperatorAdded]()},
	{name: "reckon.operator.removed.v1", data: of[OperatorRemoved]()},
	{name: "reckon.token.created.v1", data: of[TokenCreated]()},
	{name: "reckon.token.revoked.v1", data: of[TokenRevoked]()},
	{name: "reckon.token.used.v1", data: of[TokenUsed]()},
	{name: "reckon.request.answered.v1", data: of[RequestAnswered]()},
	{name: "reckon.link.issued.v1", data: of[LinkIssued]()},
	{name: "reckon.password.set.v1", data: of[PasswordSet]()},
	{name: "reckon.session.started.v1", data: of[SessionStarted]()},
	{name: "reckon.session.moved.v1", data: of[SessionMoved]()},
	{name: "reckon.session.ended.v1", data: of[SessionEnded]()},
	{name: "reckon.identity.linked.v1", data: of[IdentityLinked]()},
	{name: "reckon.passkey.added.v1", data: of[PasskeyAdded]()},
	{name: "reckon.passkey.removed.v1", data: of[PasskeyRemoved]()},
	{name: "reckon.domain.drafted.v1", data: of[DomainDrafted]()},
	{name: "reckon.draft.discarded.v1", data: of[DraftDiscarded]()},
	{name: "reckon.domain.published.v1", data: of[DomainPublished]()},
	{name: "reckon.domain.retired.v1", data: of[DomainRetired]()},
	{name: "reckon.domain.restored.v1", data: of[DomainRestored]()},
	{name: "reckon.conversation.described.v1", data: of[ConversationDescribed]()},
	{name: "reckon.message.started.v1", data: of[MessageStarted]()},
	{name: "reckon.message.interpreted.v1", data: of[MessageInterpreted]()},
	{name: "reckon.message.completed.v1", data: of[MessageCompleted]()},
	{name: "reckon.message.failed.v1", data: of[MessageFailed]()},
	{name: "reckon.prompt.stored.v1", data: of[PromptStored]()},
	{name: "reckon.message.started.v2", data: of[MessageStarted](), apart: true},
	{name: "reckon.message.interpreted.v2", data: of[MessageInterpreted](), apart: true},
	{name: "reckon.message.completed.v2", data: of[MessageCompleted](), apart: true},
	{name: "reckon.message.failed.v2", data: of[MessageFailed](), apart: true},
}

// Types are the types that the data of events is of today, each under every wire name that leads to
// it.
func Types() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, k := range table {
		types[k.name] = reflect.TypeOf(raise(table, reflect.New(k.data).Interface())).Elem()
	}
	return types
}

// Name is the wire name under which data of an event is written, "" for data of no event.
func Name(data any) string {
	for _, k := range table {
		if reflect.PointerTo(k.data) == reflect.TypeOf(data) && k.raise == nil {
			return k.name
		}
	}
	return ""
}

// encodeData returns the wire name and the JSON of an event's data, which must be a non-nil pointer
// to a type of the table.
func encodeData(data any) (name string, body []byte, err error) {
	v := reflect.ValueOf(data)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return "", nil, fmt.Errorf("encode event: %T is not a pointer to event data", data)
	}
	apart := false
	if m := (Event{Data: data}).Message(); m != nil && m.Apart {
		apart = true
		bare := reflect.New(v.Type().Elem())
		bare.Elem().Set(v.Elem())
		data = bare.Interface()
		Event{Data: data}.Message().Prompt = ""
	}
	for _, t := range table {
		if t.data == v.Type().Elem() && t.raise == nil && t.apart == apart {
			body, err := Marshal(data)
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

// decodeData returns the data behind a wire name, nil for a type that is in the table in no
// version. It fails with errNewer for one that is there in other versions only: passing over it
// would leave out a part of what happened to something that is shown. Unknown members are ignored.
func decodeData(name string, body []byte) (any, error) {
	return decodeKind(table, name, body, asStored)
}

func decodeKind(table []kind, name string, body []byte, options json.Options) (any, error) {
	for i := range table {
		if table[i].name != name {
			continue
		}
		data := reflect.New(table[i].data).Interface()
		if err := json.Unmarshal(body, data, options); err != nil {
			return nil, err
		}
		data = raise(table, data)
		if table[i].apart {
			Event{Data: data}.Message().Apart = true
		}
		return data, nil
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
		if table[i].data == typ && table[i].raise != nil {
			return raise(table, table[i].raise(data))
		}
	}
	return data
}

func of[T any]() reflect.Type { return reflect.TypeFor[T]() }

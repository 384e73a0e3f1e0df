package events

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"github.com/google/uuid"
)

// asStored is the form of all JSON that is kept. It is encoding/json's without escaping for HTML,
// since equations hold < and >. Replay compares bytes, so it never changes: what is empty is left
// out by the rules of encoding/json, nil slices and maps are null, raw JSON keeps its escapes,
// bytes that are not UTF-8 become U+FFFD. The names of members are matched exactly.
var asStored = json.JoinOptions(
	json.Deterministic(true),
	json.FormatNilMapAsNull(true),
	json.FormatNilSliceAsNull(true),
	jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true),
	jsontext.EscapeForJS(true),
	jsontext.PreserveRawStrings(true),
	jsonv1.OmitEmptyWithLegacySemantics(true),
	json.WithMarshalers(PlainIDs),
)

// PlainIDs writes ids as their text. Without it a text is made for each, and checked.
var PlainIDs = json.MarshalToFunc(func(e *jsontext.Encoder, id uuid.UUID) error {
	text := append(e.AvailableBuffer(), '"')
	for i, b := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			text = append(text, '-')
		}
		text = hex.AppendEncode(text, []byte{b})
	}
	return e.WriteValue(append(text, '"'))
})

// skimmed reads JSON without the activities and variables of results, which stay nil.
var skimmed = json.JoinOptions(asStored, json.WithUnmarshalers(json.JoinUnmarshalers(
	passOver[[]ResultActivity](), passOver[[]ResultVariable](),
)))

func passOver[T any]() *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(d *jsontext.Decoder, _ *T) error { return d.SkipValue() })
}

// Marshal writes JSON as events, commands and read models are kept: one line, always the same
// bytes for the same value.
func Marshal(v any) ([]byte, error) { return json.Marshal(v, asStored) }

// Unmarshal reads what Marshal wrote into the value behind a pointer. Unknown members are ignored.
func Unmarshal(text []byte, v any) error { return json.Unmarshal(text, v, asStored) }

// reason says what is wrong with a body without repeating any of it.
func reason(err error) string {
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.Is(err, errNewer):
		return err.Error()
	case errors.As(err, &syntax):
		return fmt.Sprintf("it is not JSON at byte %d", syntax.ByteOffset)
	case errors.As(err, &semantic):
		return fmt.Sprintf("the member %s at byte %d is not of the type %s", semantic.JSONPointer, semantic.ByteOffset, semantic.GoType)
	}
	return "it cannot be read"
}

package events

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
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
)

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

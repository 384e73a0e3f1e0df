package http

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// TestWriterWritesAsEncodingJSON writes one value of each kind.
func TestWriterWritesAsEncodingJSON(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.RuneFrom([]rune("a\"\\\b\n\t\x00<>&é\u2028\ufffd\U0001f600")), 0, 12, -1),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	rapid.Check(t, func(r *rapid.T) {
		v := struct {
			Text   string
			None   *string
			ID     uuid.UUID
			Number int
			Truth  bool
			Raw    json.RawMessage
			Time   string
		}{
			Text: text.Draw(r, "text"), ID: uuid.UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(r, "id")),
			Number: rapid.Int().Draw(r, "number"), Truth: rapid.Bool().Draw(r, "truth"),
		}
		at := time.Unix(rapid.Int64Range(0, 1<<35).Draw(r, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(r, "nanoseconds"))
		v.Time = at.UTC().Format("2006-01-02T15:04:05.000Z")
		w := newWriter(0)
		w.literal(`{"Text":`)
		w.text(v.Text)
		w.literal(`,"None":`)
		w.optional(nil)
		w.literal(`,"ID":`)
		w.id(v.ID)
		w.literal(`,"Number":`)
		w.number(v.Number)
		w.literal(`,"Truth":`)
		w.truth(v.Truth)
		w.literal(`,"Raw":`)
		w.raw(nil)
		w.literal(`,"Time":`)
		w.stamp(at)
		w.literal("}")
		if want := raw(v); string(w.out) != string(want) {
			t.Errorf("%s, want %s", w.out, want)
		}
	})
}

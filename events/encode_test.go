package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// Every fixture is written as encoding/json writes it.
func TestWriterWritesFixtures(t *testing.T) {
	for _, k := range table {
		data, err := k.data.decode(fixtures(t)[k.name])
		if err != nil {
			t.Fatal(err)
		}
		sameAsMarshal(t, k.data, data)
	}
}

// sameAsMarshal writes what a pointer leads to.
func sameAsMarshal(t interface{ Errorf(string, ...any) }, s *shape, data any) {
	want, err := marshal(data)
	w := writer{}
	w.value(s, reflect.ValueOf(data).UnsafePointer())
	if (err == nil) != (w.err == nil) || err == nil && !bytes.Equal(w.out, want) {
		t.Errorf("wrote %v\n%s\nwant %v\n%s", w.err, w.out, err, want)
	}
}

// writable has a field of each form, with and without omitempty.
type writable struct {
	Text    string          `json:"text"`
	Texts   []string        `json:"texts,omitempty"`
	Number  int             `json:"number"`
	Long    int64           `json:"long"`
	Longer  int64           `json:"longer,omitempty"`
	Count   uint64          `json:"count"`
	Counted uint64          `json:"counted,omitempty"`
	Truth   bool            `json:"truth,omitempty"`
	ID      uuid.UUID       `json:"id"`
	IDs     []uuid.UUID     `json:"ids"`
	Time    time.Time       `json:"time"`
	Raw     json.RawMessage `json:"raw"`
	Some    json.RawMessage `json:"some,omitempty"`
	Pointer *int            `json:"pointer"`
	Left    *string         `json:"left,omitempty"`
	Map     map[string]int  `json:"map,omitempty"`
	Float   float64         `json:"float,omitempty"`
	Itself  spoken          `json:"itself"`
	Sealed  sealed          `json:"sealed"`
	inner
	hidden int // which is not written
}

// spoken writes itself, with spaces, or fails where it is empty.
type spoken string

func (s spoken) MarshalJSON() ([]byte, error) {
	if s == "" {
		return nil, errors.New("nothing to say")
	}
	return fmt.Appendf(nil, "[ %q,\n1 ]", string(s)), nil
}

// sealed writes itself, from what nobody else sees.
type sealed struct{ text string }

func (s sealed) MarshalText() ([]byte, error) { return []byte(s.text), nil }

type inner struct {
	Inside string `json:"inside,omitempty"`
	Of     []struct {
		Place int `json:"place,omitempty"`
	} `json:"of"`
}

func TestWriterWritesAsEncodingJSON(t *testing.T) {
	if s := of[writable](); s.form != formObject || len(s.fields) != reflect.TypeFor[writable]().NumField()+len(of[inner]().fields)-2 {
		t.Errorf("the type is written as %+v, not by its exported fields", s)
	}
	text := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.RuneFrom([]rune("a\"\\\b\f\n\r\t\x00\x1f<>&é\u2028\u2029\U0001f600")), 0, 12, -1),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	raws := rapid.SampledFrom([]json.RawMessage{nil, json.RawMessage("null"), json.RawMessage(`{"a":[1,"<"]}`), json.RawMessage("0"),
		json.RawMessage(" { \"a \\\" b\\\\\" :\t[ 1 ,\n\"\u2028 \\u0041\"\r] } "), json.RawMessage(`{"a"`), {}})
	rapid.Check(t, func(r *rapid.T) {
		number := rapid.Int().Draw(r, "number")
		words := text.Draw(r, "words")
		v := writable{
			Text: words, Texts: rapid.SliceOfN(text, 0, 2).Draw(r, "texts"), Number: number, Truth: rapid.Bool().Draw(r, "truth"),
			ID: uuid.UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(r, "id")), Raw: raws.Draw(r, "raw"), Some: raws.Draw(r, "some"),
			Time: time.Unix(rapid.Int64Range(-1<<38, 1<<38).Draw(r, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(r, "nanoseconds")).UTC(),
			Long: rapid.Int64().Draw(r, "long"), Longer: rapid.SampledFrom([]int64{0, math.MinInt64}).Draw(r, "longer"),
			Count: rapid.Uint64().Draw(r, "count"), Counted: rapid.SampledFrom([]uint64{0, math.MaxUint64}).Draw(r, "counted"),
			Sealed: sealed{words}, hidden: number,
			Itself: rapid.SampledFrom([]spoken{"", "a", "<"}).Draw(r, "itself"),
			inner:  inner{Inside: text.Draw(r, "inside")}, Float: rapid.SampledFrom([]float64{0, 1.5}).Draw(r, "float"),
		}
		if rapid.Bool().Draw(r, "more") {
			v.IDs, v.Pointer, v.Left, v.Map = []uuid.UUID{v.ID, {}}, &number, &words, map[string]int{words: 1}
			v.Of = append(v.Of, struct {
				Place int `json:"place,omitempty"`
			}{number})
			v.Time = v.Time.In(time.FixedZone("", rapid.IntRange(-50_000, 50_000).Draw(r, "zone")))
		}
		sameAsMarshal(r, shapeOf(reflect.TypeFor[writable]()), &v)
	})
}

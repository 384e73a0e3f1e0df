package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// sameAsEncodingJSON writes what a pointer leads to, and reads what was written. In two places
// another text of the same meaning is written: bytes that are not UTF-8 become U+FFFD and not its
// escape, and U+2028 is escaped in raw JSON too. Neither can come into an event: bodies are UTF-8,
// and raw JSON is made by Marshal.
func sameAsEncodingJSON(t interface{ Errorf(string, ...any) }, data any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	failure := e.Encode(data)
	same := strings.NewReplacer(`\ufffd`, "\ufffd", "\u2028", `\u2028`)
	want := []byte(same.Replace(strings.TrimSuffix(b.String(), "\n")))
	got, err := Marshal(data)
	if (failure == nil) != (err == nil) || err == nil && !bytes.Equal(got, want) {
		t.Errorf("wrote %v\n%s\nwant %v\n%s", err, got, failure, want)
	}
	if err == nil {
		readAsEncodingJSON(t, reflect.TypeOf(data).Elem(), got)
	}
}

// readAsEncodingJSON reads a body that encoding/json takes or refuses.
func readAsEncodingJSON(t interface{ Errorf(string, ...any) }, typ reflect.Type, body []byte) {
	got, want := reflect.New(typ), reflect.New(typ)
	err, failure := Unmarshal(body, got.Interface()), json.Unmarshal(body, want.Interface())
	if (err == nil) != (failure == nil) || err == nil && !reflect.DeepEqual(got.Interface(), want.Interface()) {
		t.Errorf("read\n%s\nas %v\n%+v\nwant %v\n%+v", body, err, got.Elem(), failure, want.Elem())
	}
}

// Events are written as encoding/json writes them, whatever stands in them. What an event says is
// compared byte by byte with what was written by any release.
func TestEventsAreWrittenAsEncodingJSON(t *testing.T) {
	for _, k := range table {
		t.Run(k.name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				v := reflect.New(k.data)
				fill(r, v.Elem())
				sameAsEncodingJSON(r, v.Interface())
			})
		})
	}
}

// fill gives a value of a type that events have something in each place, or nothing.
func fill(r *rapid.T, v reflect.Value) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(rapid.Int64Range(-1<<36, 1<<37).Draw(r, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(r, "nanoseconds")).UTC()))
		return
	case uuid.UUID:
		v.Set(reflect.ValueOf(uuid.UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(r, "id"))))
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf(raws.Draw(r, "raw")))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(texts.Draw(r, "text"))
	case reflect.Int:
		v.SetInt(int64(rapid.Int().Draw(r, "number")))
	case reflect.Uint8:
		v.SetUint(uint64(rapid.Byte().Draw(r, "byte")))
	case reflect.Uint32:
		v.SetUint(uint64(rapid.Uint32().Draw(r, "count")))
	case reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(r, "count"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(r, "truth"))
	case reflect.Pointer:
		if rapid.Bool().Draw(r, "there") {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem())
		}
	case reflect.Slice:
		for n := rapid.IntRange(-1, 2).Draw(r, "length"); v.Len() < n || n == 0 && v.IsNil(); {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				fill(r, v.Index(i))
			}
		}
	case reflect.Map:
		for range rapid.IntRange(0, 3).Draw(r, "length") {
			if v.IsNil() {
				v.Set(reflect.MakeMap(v.Type()))
			}
			name, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(r, name)
			fill(r, value)
			v.SetMapIndex(name, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(r, v.Field(i))
		}
	default:
		r.Fatalf("a member is of the type %s", v.Type())
	}
}

var (
	texts = rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.RuneFrom([]rune("a\"\\\b\f\n\r\t\x00\x1f<>&é\u2028\u2029\U0001f600")), 0, 12, -1),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	raws = rapid.SampledFrom([]json.RawMessage{nil, json.RawMessage("null"), json.RawMessage(`{"a":[1,"<"]}`), json.RawMessage("0"), json.RawMessage(`""`), json.RawMessage("[]"),
		json.RawMessage(`{"b":1.0,"a":-0,"c":1E+2,"a":"\u003c\/"}`), json.RawMessage(" { \"a \\\" b\\\\\" :\t[ 1 ,\n\"\u2028 \\u0041\"\r] } "), json.RawMessage(`{"a"`), {}})
)

// writable has a field of each kind, with and without omitempty.
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

func TestMarshalWritesAsEncodingJSON(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		number := rapid.Int().Draw(r, "number")
		words := texts.Draw(r, "words")
		v := writable{
			Text: words, Texts: rapid.SliceOfN(texts, 0, 2).Draw(r, "texts"), Number: number, Truth: rapid.Bool().Draw(r, "truth"),
			ID: uuid.UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(r, "id")), Raw: raws.Draw(r, "raw"), Some: raws.Draw(r, "some"),
			Time: time.Unix(rapid.Int64Range(-1<<38, 1<<38).Draw(r, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(r, "nanoseconds")).UTC(),
			Long: rapid.Int64().Draw(r, "long"), Longer: rapid.SampledFrom([]int64{0, math.MinInt64}).Draw(r, "longer"),
			Count: rapid.Uint64().Draw(r, "count"), Counted: rapid.SampledFrom([]uint64{0, math.MaxUint64}).Draw(r, "counted"),
			Sealed: sealed{words}, hidden: number,
			Itself: rapid.SampledFrom([]spoken{"", "a", "<"}).Draw(r, "itself"),
			inner:  inner{Inside: texts.Draw(r, "inside")}, Float: rapid.SampledFrom([]float64{0, 1.5}).Draw(r, "float"),
		}
		if rapid.Bool().Draw(r, "more") {
			v.IDs, v.Pointer, v.Left, v.Map = []uuid.UUID{v.ID, {}}, &number, &words, map[string]int{words: 1}
			v.Of = append(v.Of, struct {
				Place int `json:"place,omitempty"`
			}{number})
			v.Time = v.Time.In(time.FixedZone("", rapid.IntRange(-50_000, 50_000).Draw(r, "zone")))
		}
		sameAsEncodingJSON(r, &v)
	})
}

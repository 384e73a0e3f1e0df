package http

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func TestCanonicalObject(t *testing.T) {
	for _, c := range []struct{ name, text, want, err string }{
		{"empty", `{}`, `{}`, ""},
		{"white space and order", " {\n\t\"b\" : [ 1 , 2 ] ,\r\"a\":{\"d\":1,\"c\":2}} ", `{"a":{"c":2,"d":1},"b":[1,2]}`, ""},
		{"null members go, null elements stay", `{"a":null,"b":{"c":null},"d":[null]}`, `{"b":{},"d":[null]}`, ""},
		{"numbers keep their text", `{"a":1.0,"b":1,"c":-0,"d":1E+2,"e":12345678901234567890}`, `{"a":1.0,"b":1,"c":-0,"d":1E+2,"e":12345678901234567890}`, ""},
		{"strings are escaped in one way", `{"a":"\u0041\/\"\\\n\u000a\u00e9é\ud83d\ude00😀<"}`, "{\"a\":\"A/\\\"\\\\\\u000a\\u000aéé😀😀<\"}", ""},
		{"words", `{"a":true,"b":false}`, `{"a":true,"b":false}`, ""},

		{"nothing", ``, "", "it must be an object"},
		{"array", `[]`, "", "it must be an object"},
		{"byte order mark", "\ufeff{}", "", "it must be an object"},
		{"trailing data", `{} {}`, "", "there is more behind its end, at byte 3"},
		{"duplicate", `{"a":1,"b":2,"a":3}`, "", `the object at byte 0 has two members with the name "a"`},
		{"duplicate by escape", `{"a":1,"\u0061":3}`, "", `the object at byte 0 has two members with the name "a"`},
		{"duplicate null", `{"x":{"a":null,"a":3}}`, "", `the object at byte 5 has two members with the name "a"`},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", "", "the text is not valid UTF-8"},
		{"surrogate alone", `{"a":"\ud800"}`, "", "an escape sequence is half a surrogate pair, at byte 6"},
		{"surrogate before a character", `{"a":"\ud800\u0041"}`, "", "an escape sequence is half a surrogate pair, at byte 6"},
		{"surrogates in the wrong order", `{"a":"\ude00\ud83d"}`, "", "an escape sequence is half a surrogate pair, at byte 6"},
		{"surrogate in a name", `{"\udc00":1}`, "", "an escape sequence is half a surrogate pair, at byte 2"},
		{"short escape", `{"a":"\u12"}`, "", "an escape sequence is not valid, at byte 6"},
		{"unknown escape", `{"a":"\x"}`, "", "an escape sequence is not valid, at byte 6"},
		{"control character", "{\"a\":\"\n\"}", "", "a string holds a control character that is not escaped, at byte 6"},
		{"open string", `{"a":"b`, "", "a string does not end, at byte 7"},
		{"open object", `{"a":1`, "", "a comma or the end of the object is expected, at byte 6"},
		{"open array", `{"a":[1`, "", "a comma or the end of the array is expected, at byte 7"},
		{"trailing comma in object", `{"a":1,}`, "", "the name of a member is expected, at byte 7"},
		{"trailing comma in array", `{"a":[1,]}`, "", "a value is expected, at byte 8"},
		{"no colon", `{"a" 1}`, "", "a colon is expected, at byte 5"},
		{"bare name", `{a:1}`, "", "the name of a member is expected, at byte 1"},
		{"leading zero", `{"a":01}`, "", "a comma or the end of the object is expected, at byte 6"},
		{"point without digits", `{"a":1.}`, "", "a digit is expected, at byte 7"},
		{"exponent without digits", `{"a":1e+}`, "", "a digit is expected, at byte 8"},
		{"sign alone", `{"a":-}`, "", "a digit is expected, at byte 6"},
		{"plus sign", `{"a":+1}`, "", "a value is expected, at byte 5"},
		{"unknown word", `{"a":nul}`, "", "a value is expected, at byte 8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := canonicalText([]byte(c.text))
			if c.err != "" {
				if err == nil || err.Error() != c.err {
					t.Fatalf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil || string(got) != c.want {
				t.Fatalf("%s, %v, want %s", got, err, c.want)
			}
		})
	}
}

func TestCanonicalObjectDepth(t *testing.T) {
	nested := func(levels int) []byte {
		return []byte(`{"a":` + strings.Repeat("[", levels-1) + strings.Repeat("]", levels-1) + "}")
	}
	if _, err := canonicalText(nested(64)); err != nil {
		t.Errorf("64 levels: %v", err)
	}
	if _, err := canonicalText(nested(65)); err == nil || !strings.Contains(err.Error(), "deeper than 64") {
		t.Errorf("65 levels: %v", err)
	}
	if _, err := canonicalText([]byte(`{"a":` + strings.Repeat(`[`, 1_000_000))); err == nil {
		t.Error("a million levels are taken")
	}
}

func TestFingerprint(t *testing.T) {
	of := func(text string) string {
		canonical, err := canonicalText([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return fingerprint(canonical)
	}
	base := of(`{"domain_id":"x","prompt":"a","extra":{"n":1.0}}`)
	if len(base) != 64 {
		t.Errorf("fingerprint %q is not the hex of 32 bytes", base)
	}
	for _, same := range []string{
		`{ "prompt": "\u0061", "domain_id": "x", "conversation_id": null, "extra": {"m": null, "n": 1.0} }`,
		"{\"extra\":{\"n\":1.0},\n\"domain_id\":\"x\",\"prompt\":\"a\"}",
	} {
		if of(same) != base {
			t.Errorf("%s has another fingerprint", same)
		}
	}
	for _, other := range []string{
		`{"domain_id":"x","prompt":"b","extra":{"n":1.0}}`,
		`{"domain_id":"x","prompt":"a"}`,
		`{"domain_id":"x","prompt":"a","extra":{"n":1}}`,
		`{"domain_id":"x","prompt":"a","extra":{"n":1.0},"time_zone":""}`,
	} {
		if of(other) == base {
			t.Errorf("%s has the same fingerprint", other)
		}
	}
}

// An idempotency key that was posted once is posted again with the same body, also after the
// program was replaced.
func TestFingerprintsStay(t *testing.T) {
	text, err := os.ReadFile("testdata/fingerprints.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		want, quoted, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		body, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatal(err)
		}
		canonical, err := canonicalText([]byte(body))
		if got := fingerprint(canonical); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", body, got, err, want)
		}
	}
}

// canonicalText is the canonical form of an object.
func canonicalText(text []byte) ([]byte, error) {
	o, err := canonicalObject(text, func() {})
	return o.text, err
}

// FuzzCanonicalObject holds the strict reader against encoding/json, which takes more: what the
// strict one takes means the same to both but for null members, and its canonical form is its own
// canonical form.
func FuzzCanonicalObject(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":1,"b":[true,false,null,"x"]}`, `{"a":"\ud83d\ude00\u0000"}`, `{"a":-1.5e+10}`, `{"a":{"b":{"c":null}}}`,
		`{"a":1,"a":2}`, `{"a":"\ud800"}`, "{\"\xff\":1}", `{"":""}`, `{"a":[[[[]]]]}`, `[1]`, `{"a":0x1}`, `{"a":1}x`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		canonical, err := canonicalText(text)
		if err != nil {
			if len(err.Error()) > 1000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		if !json.Valid(text) {
			t.Fatalf("%q is taken and is not JSON", text)
		}
		again, err := canonicalText(canonical)
		if err != nil || !bytes.Equal(again, canonical) {
			t.Fatalf("the canonical form %s becomes %s, %v", canonical, again, err)
		}
		if given, kept := decode(t, text), decode(t, canonical); !reflect.DeepEqual(withoutNull(given), kept) {
			t.Fatalf("%q means %v, its canonical form %v", text, given, kept)
		}
	})
}

func decode(t *testing.T, text []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("decode %q: %v", text, err)
	}
	return v
}

// withoutNull is a decoded value without the null members of its objects.
func withoutNull(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if value == nil {
				delete(v, name)
			} else {
				v[name] = withoutNull(value)
			}
		}
	case []any:
		for i := range v {
			v[i] = withoutNull(v[i])
		}
	}
	return v
}

package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// fixtures are the compact bodies of all fixtures, by wire name.
func fixtures(t testing.TB) map[string][]byte {
	t.Helper()
	bodies := map[string][]byte{}
	for _, k := range table {
		text, err := os.ReadFile(filepath.Join("testdata", k.name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var body bytes.Buffer
		if err := json.Compact(&body, text); err != nil {
			t.Fatal(err)
		}
		bodies[k.name] = body.Bytes()
	}
	return bodies
}

// sameAsJSON fails when the reader takes a body otherwise than encoding/json does. It tells whether the reader took it.
func sameAsJSON(t *testing.T, s *shape, body []byte) bool {
	t.Helper()
	got, want := reflect.New(s.typ), reflect.New(s.typ)
	r := newReader(body)
	if !r.value(s, got.UnsafePointer()) || !r.end() {
		return false
	}
	if err := json.Unmarshal(body, want.Interface()); err != nil {
		t.Errorf("took what encoding/json refuses with %v:\n%s", err, body)
	} else if !reflect.DeepEqual(got.Interface(), want.Interface()) {
		t.Errorf("took\n%s\nas\n%+v\nwant\n%+v", body, got.Elem(), want.Elem())
	}
	return true
}

// Every fixture is read without encoding/json, and so is none that is cut off anywhere.
func TestReaderTakesFixtures(t *testing.T) {
	bodies := fixtures(t)
	for _, k := range table {
		body := bodies[k.name]
		if !sameAsJSON(t, k.data, body) {
			t.Errorf("%s is left to encoding/json", k.name)
		}
		for end := range body {
			if sameAsJSON(t, k.data, body[:end]) {
				t.Errorf("%s is taken when cut at byte %d", k.name, end)
			}
		}
	}
}

func TestReaderReadsNumbers(t *testing.T) {
	type numbers struct {
		Number int    `json:"number"`
		Long   int64  `json:"long"`
		Count  uint64 `json:"count"`
	}
	for text, taken := range map[string]bool{
		"0": true, "7": true, "9223372036854775807": true,
		"-0": false, "-1": false, "18446744073709551615": false, "18446744073709551616": false, "1.5": false, "1e3": false, "01": false, "": false,
	} {
		body := fmt.Appendf(nil, `{"number":%[1]s,"long":%[1]s,"count":%[1]s}`, text)
		if sameAsJSON(t, of[numbers](), body) != taken {
			t.Errorf("%s: taken is %v, want %v", body, !taken, taken)
		}
	}
	for _, body := range []string{`{"long":-9223372036854775808}`, `{"count":18446744073709551615}`} {
		if !sameAsJSON(t, of[numbers](), []byte(body)) {
			t.Errorf("%s is left to encoding/json", body)
		}
	}
}

// Whatever bytes stand in a fixture, the reader takes it as encoding/json does or leaves it alone.
func FuzzReader(f *testing.F) {
	for i, k := range table {
		f.Add(uint8(i), fixtures(f)[k.name])
	}
	f.Add(uint8(0), []byte(`{"name":"\ud83d\ude00 é \u2028","body_version":-0,"account_id":null}`))
	f.Add(uint8(9), []byte(` {"parsed_json":[1e5,{"a":"\n"},null,-0.5E-3] ,"errors":"x","targets":[],"targets":[]}`))
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		sameAsJSON(t, table[int(which)%len(table)].data, body)
	})
}

type (
	coinV1 struct {
		Value string `json:"value"`
	}
	coinV2 struct {
		Amount string `json:"amount"`
	}
	coin struct {
		Amount   string `json:"amount"`
		Currency string `json:"currency"`
	}
)

// An old event is raised step by step to the type of today.
func TestOldKindsAreRaised(t *testing.T) {
	kinds := []kind{
		{"coin.v1", of[coinV1](), func(old any) any { return &coinV2{Amount: old.(*coinV1).Value} }, nil},
		{"coin.v2", of[coinV2](), func(old any) any { return &coin{Amount: old.(*coinV2).Amount, Currency: "EUR"} }, nil},
		{"coin.v3", of[coin](), nil, nil},
	}
	for name, body := range map[string]string{"coin.v1": `{"value":"3"}`, "coin.v2": `{"amount":"3"}`, "coin.v3": `{"amount":"3","currency":"EUR"}`} {
		data, err := decodeKind(kinds, name, []byte(body), false)
		if err != nil || !reflect.DeepEqual(data, &coin{"3", "EUR"}) {
			t.Errorf("%s is %+v (%v)", name, data, err)
		}
	}
	for _, name := range []string{"coin.v4", "coin.v0", "coin.v10"} {
		if data, err := decodeKind(kinds, name, []byte(`{}`), false); data != nil || !errors.Is(err, errNewer) {
			t.Errorf("%s is %+v (%v)", name, data, err)
		}
	}
	for _, name := range []string{"", "coin", "coin.v", "coin.x4", "coins.v1", "coin.v1.note", ".v1"} {
		if data, err := decodeKind(kinds, name, []byte(`{}`), false); data != nil || err != nil {
			t.Errorf("%s, an unknown kind, is %+v (%v)", name, data, err)
		}
	}
}

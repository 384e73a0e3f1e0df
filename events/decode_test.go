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

// Every fixture is read as encoding/json reads it, and so is what is cut off anywhere.
func TestFixturesAreReadAsByEncodingJSON(t *testing.T) {
	bodies := fixtures(t)
	for _, k := range table {
		body := bodies[k.name]
		for end := range len(body) + 1 {
			readAsEncodingJSON(t, k.data, body[:end])
		}
	}
}

func TestNumbersAreReadAsByEncodingJSON(t *testing.T) {
	type numbers struct {
		Number int    `json:"number"`
		Long   int64  `json:"long"`
		Count  uint64 `json:"count"`
	}
	for _, text := range []string{"0", "7", "9223372036854775807", "-0", "-1", "18446744073709551615", "18446744073709551616", "1.5", "1e3", "01", ""} {
		for _, name := range []string{"number", "long", "count"} {
			readAsEncodingJSON(t, reflect.TypeFor[numbers](), fmt.Appendf(nil, `{"%s":%s}`, name, text))
		}
	}
}

// Whatever bytes stand in a fixture, an event that encoding/json takes is taken as that takes it.
// Names of members that differ in capitals alone are one to encoding/json; members that come twice
// it merges.
func FuzzUnmarshal(f *testing.F) {
	for i, k := range table {
		f.Add(uint8(i), fixtures(f)[k.name])
	}
	f.Add(uint8(0), []byte(`{"name":"\ud83d\ude00 é \u2028","body_version":-0,"account_id":null}`))
	f.Add(uint8(9), []byte(` {"parsed_json":[1e5,{"a":"\n"},null,-0.5E-3] ,"errors":"x","targets":[]}`))
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		typ := table[int(which)%len(table)].data
		got := reflect.New(typ)
		if Unmarshal(body, got.Interface()) != nil {
			return
		}
		if !json.Valid(body) {
			t.Fatalf("took what is not JSON: %q", body)
		}
		once, err := Marshal(got.Interface())
		if err != nil {
			return // a time or raw JSON that encoding/json does not write either
		}
		again := reflect.New(typ)
		if err := Unmarshal(once, again.Interface()); err != nil {
			t.Fatalf("does not take %q, which it wrote: %v", once, err)
		}
		if twice, err := Marshal(again.Interface()); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("wrote %q, then %q (%v)", once, twice, err)
		}
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
		{name: "coin.v1", data: of[coinV1](), raise: func(old any) any { return &coinV2{Amount: old.(*coinV1).Value} }},
		{name: "coin.v2", data: of[coinV2](), raise: func(old any) any { return &coin{Amount: old.(*coinV2).Amount, Currency: "EUR"} }},
		{name: "coin.v3", data: of[coin]()},
	}
	for name, body := range map[string]string{"coin.v1": `{"value":"3"}`, "coin.v2": `{"amount":"3"}`, "coin.v3": `{"amount":"3","currency":"EUR"}`} {
		data, err := decodeKind(kinds, name, []byte(body), asStored)
		if err != nil || !reflect.DeepEqual(data, &coin{"3", "EUR"}) {
			t.Errorf("%s is %+v (%v)", name, data, err)
		}
	}
	for _, name := range []string{"coin.v4", "coin.v0", "coin.v10"} {
		if data, err := decodeKind(kinds, name, []byte(`{}`), asStored); data != nil || !errors.Is(err, errNewer) {
			t.Errorf("%s is %+v (%v)", name, data, err)
		}
	}
	for _, name := range []string{"", "coin", "coin.v", "coin.x4", "coins.v1", "coin.v1.note", ".v1"} {
		if data, err := decodeKind(kinds, name, []byte(`{}`), asStored); data != nil || err != nil {
			t.Errorf("%s, an unknown kind, is %+v (%v)", name, data, err)
		}
	}
}

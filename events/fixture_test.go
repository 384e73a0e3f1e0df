package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestFixtures decodes testdata, which holds an event of every wire name there ever was, and encodes it again without loss. Members
// that a type has got later are in testdata/added.
func TestFixtures(t *testing.T) {
	for _, entry := range table {
		t.Run(entry.name, func(t *testing.T) {
			var values []json.RawMessage
			for _, dir := range []string{"testdata", "testdata/added"} {
				fixture, err := os.ReadFile(filepath.Join(dir, entry.name+".json"))
				if errors.Is(err, fs.ErrNotExist) && dir != "testdata" {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				values = append(values, fixture)
				data, err := decodeData(entry.name, fixture)
				if err != nil {
					t.Fatal(err)
				}
				name, body, err := encodeData(data)
				if err != nil {
					t.Fatal(err)
				}
				if name != entry.name {
					t.Errorf("encoded as %s", name)
				}
				var want bytes.Buffer
				if err := json.Compact(&want, fixture); err != nil {
					t.Fatal(err)
				}
				if got := string(body); got != want.String() {
					t.Errorf("encoded as\n%s\nwant\n%s", got, want.String())
				}
			}
			checkFull(t, entry.name, entry.data, values...)
		})
	}
}

func TestEveryFixtureHasAnEvent(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(table) {
		t.Errorf("testdata holds %d events, the table %d", len(files), len(table))
	}
	added, err := filepath.Glob("testdata/added/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, added...) {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if data, err := decodeData(name, []byte("{}")); err != nil || data == nil {
			t.Errorf("%s is of no event type (%v)", file, err)
		}
	}
}

// checkFull reports members of a type that its fixture does not hold anywhere.
func checkFull(t *testing.T, path string, typ reflect.Type, values ...json.RawMessage) {
	switch {
	case typ.Kind() == reflect.Pointer:
		checkFull(t, path, typ.Elem(), values...)
	case typ.Kind() == reflect.Slice && typ.Elem().Kind() == reflect.Struct:
		var elements []json.RawMessage
		for _, v := range values {
			var list []json.RawMessage
			if err := json.Unmarshal(v, &list); err != nil {
				t.Fatal(err)
			}
			elements = append(elements, list...)
		}
		checkFull(t, path+"[]", typ.Elem(), elements...)
	case typ.Kind() == reflect.Struct && typ != reflect.TypeFor[time.Time]():
		members := map[string][]json.RawMessage{}
		for _, v := range values {
			var object map[string]json.RawMessage
			if err := json.Unmarshal(v, &object); err != nil {
				t.Fatal(err)
			}
			for name, member := range object {
				members[name] = append(members[name], member)
			}
		}
		for _, field := range reflect.VisibleFields(typ) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			switch {
			case name == "-", field.Anonymous || len(field.Index) > 1 && name == "":
			case name == "":
				t.Errorf("%s: %s has no JSON name", path, field.Name)
			case len(members[name]) == 0:
				t.Errorf("%s.%s is in no fixture", path, name)
			default:
				checkFull(t, path+"."+name, field.Type, members[name]...)
			}
		}
	}
}

package domainfile

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// Formatting is even, keeps what the file says and every comment, and changes nothing the second time.
func TestFormatted(t *testing.T) {
	for text, want := range map[string]string{
		"title:   A   # why\n\n\n# of all\nvariables:\n- key: a   # first\n  unit: m\n\n# second\n- {key: b,   unit: s}\nactivities:\n    - equation: |\n          a = 2 [m/s]\n            * b\n# the end\n": "title: A # why\n\n# of all\nvariables:\n  - key: a # first\n    unit: m\n\n  # second\n  - {key: b, unit: s}\nactivities:\n  - equation: |\n      a = 2 [m/s]\n        * b\n# the end\n",
		"{\"title\":\"A\",\"variables\":[]}":                  "{\n  \"title\": \"A\",\n  \"variables\": []\n}\n",
		"title: A\r\nvariables:\r\n- {key: a}\r\n":            "title: A\r\nvariables:\r\n  - {key: a}\r\n",
		"title: 'A'\ndescription: \"B\"\nunits: [ widget ]\n": "title: 'A'\ndescription: \"B\"\nunits: [widget]\n",
	} {
		after, err := Parse("a.yaml", []byte(text)).Formatted()
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if string(after.Bytes()) != want {
			t.Errorf("%q is formatted as\n%s\nwant\n%s", text, after.Bytes(), want)
		}
	}
	if _, err := Parse("a.yaml", []byte("title: [")).Formatted(); err == nil {
		t.Error("a file with errors is formatted")
	}
	for _, name := range domainFiles(t) {
		f, err := Read(name)
		if err != nil {
			t.Fatal(err)
		}
		once, err := f.Formatted()
		if errors.Is(err, ErrUnformatted) {
			t.Errorf("%s cannot be formatted", name)
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		if was, is := strings.Count(string(f.Bytes()), "#"), strings.Count(string(once.Bytes()), "#"); was != is {
			t.Errorf("%s: %d comments of %d", name, is, was)
		}
		if twice, err := once.Formatted(); err != nil || !bytes.Equal(twice.Bytes(), once.Bytes()) {
			t.Errorf("%s changes when it is formatted again: %v", name, err)
		}
	}
}

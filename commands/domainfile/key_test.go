package domainfile

import (
	"strings"
	"testing"
)

// A key is one more line, or one more member, and the rest of the file stays as it is.
func TestWithKey(t *testing.T) {
	const rest = "variables: [{key: a}, {key: b}]\nactivities: [{equation: a = 2*b}]\n"
	for name, c := range map[string]struct{ text, want string }{
		"YAML":          {"title: Twice # as ever\n\n# What is doubled.\n" + rest, "title: Twice # as ever\nkey: dm_0123456789abcdef01234567\n\n# What is doubled.\n" + rest},
		"title last":    {rest + "title: Twice", rest + "title: Twice\nkey: dm_0123456789abcdef01234567\n"},
		"long title":    {"title: >-\n  Twice\n  the size\ndescription: >-\n  Two\n" + rest, "title: >-\n  Twice\n  the size\nkey: dm_0123456789abcdef01234567\ndescription: >-\n  Two\n" + rest},
		"CRLF":          {"title: Twice\r\n" + strings.ReplaceAll(rest, "\n", "\r\n"), "title: Twice\r\nkey: dm_0123456789abcdef01234567\r\n" + strings.ReplaceAll(rest, "\n", "\r\n")},
		"a document":    {"---\ntitle: Twice\n" + rest, "---\ntitle: Twice\nkey: dm_0123456789abcdef01234567\n" + rest},
		"JSON":          {`{"title": "Twice", "variables": [{"key": "a"}, {"key": "b"}], "activities": [{"equation": "a = 2*b"}]}`, `{"key": "dm_0123456789abcdef01234567", "title": "Twice", "variables": [{"key": "a"}, {"key": "b"}], "activities": [{"equation": "a = 2*b"}]}`},
		"JSON in lines": {"{\n  \"title\": \"{Twice}\",\n  \"variables\": [{\"key\": \"a\"}]\n}\n", "{\n  \"key\": \"dm_0123456789abcdef01234567\",\n  \"title\": \"{Twice}\",\n  \"variables\": [{\"key\": \"a\"}]\n}\n"},
		"brackets":      {"# {a}\n{title: Twice, variables: [{key: a}]}\n", ""},
		"an empty key":  {"title: Twice\nkey:\n" + rest, ""},
		"no title":      {rest, ""},
		"no YAML":       {"title: [", ""},
	} {
		f := Parse("twice.yaml", []byte(c.text))
		after, err := f.WithKey("dm_0123456789abcdef01234567")
		switch {
		case (err == nil) != (c.want != ""):
			t.Errorf("%s: %v", name, err)
		case err == nil && string(after.Bytes()) != c.want:
			t.Errorf("%s is\n%s\nwant\n%s", name, after.Bytes(), c.want)
		case string(f.Bytes()) != c.text:
			t.Errorf("%s was changed", name)
		}
	}
}

package commands

import (
	"strings"
	"testing"
)

// The name of a new account neither steers a terminal nor looks like another one by the order of its
// letters.
func TestAccountNames(t *testing.T) {
	t.Parallel()
	admin := Admin{Log: startLog(t).log}
	for name, refusal := range map[string]string{
		"Größe & Söhne":          "",
		"日本":                     "",
		"שלום":                   "", // letters that run from right to left
		strings.Repeat("ü", 100): "",
		strings.Repeat("ü", 101): "1 to 100 characters",
		"":                       "1 to 100 characters",
		" acme":                  "1 to 100 characters",
		"ac\x1b[2Jme":            "control characters",
		"ac\nme":                 "control characters",
		"ac\u009bme":             "control characters",
		"\u202eemca":             "the order of letters",
		"ac\u2066me\u2069":       "the order of letters",
		"acme\u200f":             "the order of letters",
		"ac\xffme":               "UTF-8",
	} {
		_, err := admin.CreateAccount(t.Context(), CreateAccount{Name: name})
		switch {
		case (err == nil) != (refusal == ""):
			t.Errorf("%q: %v", name, err)
		case err != nil && !strings.Contains(err.Error(), refusal):
			t.Errorf("%q: %v, which does not name %s", name, err, refusal)
		case err != nil && strings.ContainsAny(err.Error(), "\x1b\n\u009b\u202e\u2066\u200f"):
			t.Errorf("%q: the refusal shows what it refuses: %q", name, err)
		}
	}
}

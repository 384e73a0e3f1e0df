package commands

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"reckon/engine"
	"reckon/events"
)

// TestPublishTooLarge publishes a domain of more text than an event holds: it is told what to do,
// and what stood there before stays.
func TestPublishTooLarge(t *testing.T) {
	c := startLog(t)
	admin, def := Admin{Log: c.log}, trip(t).Definition
	text := make([]byte, 2999) // random, so that compressing it does not help
	for i := range 1600 {
		_, _ = rand.Read(text)
		def.Variables = append(def.Variables, events.Variable{
			Key: fmt.Sprint("extra", i), Title: fmt.Sprint("Extra ", i), Description: base64.StdEncoding.EncodeToString(text),
		})
	}
	_, err := admin.Publish(t.Context(), Publication{Account: "acme", Definition: def})
	if refused := (*RefusedError)(nil); !errors.As(err, &refused) || !strings.Contains(err.Error(), "shorten its texts or divide it") {
		t.Fatal(err)
	}
	domains, err := admin.Domains(t.Context(), c.account.ID)
	if err != nil || len(domains) != 1 || domains[0].Version != 1 {
		t.Error(domains, err)
	}
}

// TestStoredVersionsKeepTheirUnits declares a counting unit of a name that the unit table has: a
// version that was published with it is compiled, a new one is refused.
func TestStoredVersionsKeepTheirUnits(t *testing.T) {
	def := events.Definition{
		Title: "Counting", Description: "What is counted.", Units: []string{"skot"},
		Variables:  []events.Variable{{Key: "made", Title: "Made", Unit: "skot"}, {Key: "double", Title: "Double"}},
		Activities: []events.Activity{{Title: "Twice", Equation: "double = 2 * made"}},
	}
	if d, issues := Compile(fileID(def), "counting", 1, identified(fileID(def), def)); d == nil {
		t.Error(issues)
	}
	const want = `The counting unit "skot" is already the unit skot: take another name.`
	for _, check := range []func(events.Definition) (*Domain, []engine.Issue){CompileFile, CheckFile} {
		if d, issues := check(def); d != nil || len(issues) == 0 || issues[0].Path != "units[0]" || issues[0].Message != want {
			t.Error(d != nil, issues)
		}
	}
}

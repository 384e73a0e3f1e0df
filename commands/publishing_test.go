package commands

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"reckon/events"
	"reckon/events/log"
)

// TestPublishTooLarge publishes a domain of more text than an event holds: it is told what to do,
// and what stood there before stays.
func TestPublishTooLarge(t *testing.T) {
	c := startLog(t)
	admin, def := Admin{Log: c.log}, trip(t).Definition
	for i := range 1200 {
		def.Variables = append(def.Variables, events.Variable{Key: fmt.Sprint("extra", i), Title: fmt.Sprint("Extra ", i), Description: strings.Repeat("long ", 799)})
	}
	_, err := admin.Publish(t.Context(), Publication{Account: "acme", Definition: def})
	if !errors.Is(err, log.ErrTooLarge) || !strings.Contains(err.Error(), "shorten its texts or divide it") {
		t.Fatal(err)
	}
	domains, err := admin.Domains(t.Context(), c.account.ID)
	if err != nil || len(domains) != 1 || domains[0].Version != 1 {
		t.Error(domains, err)
	}
}

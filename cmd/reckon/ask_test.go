package main

import (
	"bytes"
	"errors"
	nethttp "net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	clients "reckon/cmd/reckon/clients"
)

// deaf loses as many answers as it is told; the service has given them.
type deaf struct {
	nethttp.RoundTripper
	times int
}

func (d *deaf) RoundTrip(r *nethttp.Request) (*nethttp.Response, error) {
	response, err := d.RoundTripper.RoundTrip(r)
	if d.times > 0 && r.Method == nethttp.MethodPost && err == nil {
		d.times--
		response.Body.Close()
		return nil, errors.New("the line is dead")
	}
	return response, err
}

// A question whose answer is lost is kept, and asked again under its key.
func TestChatGoesOnWhenTheServiceWasAway(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "journey.yaml")
	if err := os.WriteFile(file, []byte(clientDomain), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, said bytes.Buffer
	to := terminal{Context: t.Context(), in: strings.NewReader(""), out: visible{&out}, err: visible{&said}}
	err := offline(to, []string{file}, func(s offlineService) error {
		client := clients.New(offlineAddress, s.key)
		client.HTTP, client.Retries = &nethttp.Client{Transport: &deaf{s.transport, 2}}, -1
		domains, err := client.Domains(t.Context())
		if err != nil {
			return err
		}
		c := &chat{t: to, client: client, domain: domains[0], drawn: map[string]string{}}
		for i, want := range []struct{ line, out, said string }{
			{"how long for 150 miles at 60 mph?", "", "the line is dead\nNothing is lost: an empty line asks the same again.\n"},
			{"", "", "Nothing is lost"},
			{"", "time = 2.50 h\n", ""},
			{"", "", ""},
			{"and at 75?", "time = 2.00 h\n", ""},
		} {
			out.Reset()
			said.Reset()
			if err := c.say(want.line); err != nil {
				return err
			}
			if !strings.Contains(out.String(), want.out) || !strings.Contains(said.String(), want.said) || want.said == "" && said.Len() > 0 || want.out == "" && out.Len() > 0 {
				t.Errorf("line %d:\n%s%s", i, out.String(), said.String())
			}
		}
		kept, err := client.Conversation(t.Context(), c.conversation)
		if err == nil && len(kept.Messages) != 2 {
			t.Errorf("there are %d messages", len(kept.Messages))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	nethttp "net/http"
	"os"
	"path/filepath"
	"testing"

	"reckon/commands/domainfile"
)

// months is how many equations the domain of largeDomain has: all that a domain may have.
const months = 9_998 / slowdown

// largeDomain writes a domain file of the length that is allowed. Its descriptions are random, so
// that compressing them brings little.
func largeDomain(t *testing.T) (file string) {
	t.Helper()
	var variables, activities bytes.Buffer
	random := rand.New(rand.NewPCG(1, 2))
	fmt.Fprintln(&variables, "title: Balance\ndescription: By month.\nvariables:\n- {key: b_0, title: First}\n- {key: rate, title: Rate}")
	fmt.Fprintln(&activities, "activities:")
	for m := 1; m <= months; m++ {
		fmt.Fprintf(&activities, "- {title: Month %d, equation: b_%d = b_%d * (1 + rate)}\n", m, m, m-1)
	}
	for m := 1; m <= months; m++ {
		line := fmt.Sprintf("- {key: b_%d, title: Balance %d, description: %q}\n", m, m, "")
		text := make([]byte, ((domainfile.MaxBytes-variables.Len()-activities.Len())/(months-m+1)-len(line))*3/4)
		for i := range text {
			text[i] = byte(random.Uint32())
		}
		fmt.Fprintf(&variables, "- {key: b_%d, title: Balance %d, description: %q}\n", m, m, base64.RawStdEncoding.EncodeToString(text))
	}
	data := append(variables.Bytes(), activities.Bytes()...)
	if len(data) > domainfile.MaxBytes || len(data) < domainfile.MaxBytes*99/100 {
		t.Fatalf("the file has %d bytes", len(data))
	}
	file = filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// largeResult is the result of a calculation through all of a large domain, whose answer has
// several MiB. It is asked for again where the answer is to do so.
func largeResult(t *testing.T, url, secret, key, domain string) string {
	t.Helper()
	body := fmt.Appendf(nil, `{"domain_id": %q, "prompt": "b_0: 100\nrate: 0\ncalculate: b_%d"}`, domain, months)
	var a answer
	var err error
	await(t, "an answer of the large domain", patienceReady, func() bool {
		a, err = request(&caller, "POST", url+"/v1/calculate", secret, key, body)
		return err != nil || !a.refuses()
	})
	if err != nil || a.status != nethttp.StatusOK {
		t.Fatalf("the large domain at %s: %d %.300s %v", url, a.status, a.body, err)
	}
	var m messageBody
	if err := json.Unmarshal(a.body, &m); err != nil || m.Results == nil || len(m.Results.Variables) != months+2 {
		t.Fatalf("the large domain at %s: %.300s %v", url, a.body, err)
	}
	return string(a.body)
}

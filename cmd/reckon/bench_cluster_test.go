package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestBenchComparesNodes runs the program with tiny numbers and looks at the shape of what it prints for programs.
func TestBenchComparesNodes(t *testing.T) {
	program, err := exec.LookPath("reckon")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "bench", "--nodes", "3", "--json", "--callers", "1,4", "--seconds", "0.09", "--scratch", t.TempDir())
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var r nodesReport
	d := json.NewDecoder(bytes.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	var seen []string
	for _, row := range r.Rows {
		seen = append(seen, fmt.Sprintf("%d %s", row.Callers, row.Work))
		if len(row.Rounds) != rounds || row.Refused != nil || row.P50 == 0 {
			t.Errorf("%d %s: %d rounds, refused %v, median %v", row.Callers, row.Work, len(row.Rounds), row.Refused, row.P50)
		}
		if _, ok := row.Ratios["of_one"]; ok != strings.HasPrefix(row.Work, "three_") {
			t.Errorf("%d %s: ratios %v", row.Callers, row.Work, row.Ratios)
		}
	}
	slices.Sort(seen)
	want := []string{
		"1 one_node", "1 one_publishes", "1 three_nodes", "1 three_publishes", "4 one_node", "4 one_publishes", "4 three_nodes", "4 three_publishes",
	}
	if !slices.Equal(seen, want) {
		t.Errorf("the report has %q", seen)
	}
}

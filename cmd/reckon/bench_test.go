package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"

	"reckon/cmd/reckon/bench"
)

// TestBenchMeasuresEverything runs the program with tiny numbers and looks at the shape of what it prints for programs.
func TestBenchMeasuresEverything(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("reckon")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		flags []string
		want  []string
		ofOne []string // works that are compared with those of one node
		check func(t *testing.T, r bench.Report)
	}{
		{
			name: "service", flags: []string{"--callers", "1,64", "--messages", "2"},
			want: []string{
				"1 bucket", "1 context", "1 detail", "1 json_fresh", "1 list", "1 log_publishes", "1 long_detail", "1 structured_fresh", "1 structured_long", "1 synced_publishes",
				"64 bucket", "64 context", "64 detail", "64 json_fresh", "64 list", "64 log_publishes", "64 structured_fresh", "64 structured_long", "64 synced_publishes",
			},
			check: func(t *testing.T, r bench.Report) {
				if r.Server != "own" || r.Messages != 2 || r.Lag.From != "append" || r.Lag.Probes == 0 || len(r.Fairness) != 2 {
					t.Errorf("the report is of something else: %+v", r)
				}
			},
		},
		{
			name: "nodes", flags: []string{"--callers", "1,4", "--nodes", "3"},
			want: []string{
				"1 one_node", "1 one_publishes", "1 three_nodes", "1 three_publishes", "4 one_node", "4 one_publishes", "4 three_nodes", "4 three_publishes",
			},
			ofOne: []string{"three_nodes", "three_publishes"},
			check: func(*testing.T, bench.Report) {},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(program, append([]string{"bench", "--json", "--seconds", "0.09", "--scratch", t.TempDir()}, c.flags...)...)
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			var r bench.Report
			d := json.NewDecoder(bytes.NewReader(out))
			d.DisallowUnknownFields()
			if err := d.Decode(&r); err != nil {
				t.Fatalf("%v in %s", err, out)
			}
			c.check(t, r)
			var seen []string
			for _, row := range r.Rows {
				seen = append(seen, fmt.Sprintf("%d %s", row.Callers, row.Work))
				if len(row.Rounds) != 3 || row.Refused != nil || row.P50 == 0 || row.P50 > row.P99 || row.P99 > row.P999 {
					t.Errorf("%d %s: %d rounds, refused %v, median %v, 99 of 100 within %v", row.Callers, row.Work, len(row.Rounds), row.Refused, row.P50, row.P99)
				}
				if _, ok := row.Ratios["of_one"]; ok != slices.Contains(c.ofOne, row.Work) {
					t.Errorf("%d %s: ratios %v", row.Callers, row.Work, row.Ratios)
				}
			}
			slices.Sort(seen)
			if r.Seconds != 0.09 || !slices.Equal(seen, c.want) {
				t.Errorf("the report of %v s has %q", r.Seconds, seen)
			}
		})
	}
}

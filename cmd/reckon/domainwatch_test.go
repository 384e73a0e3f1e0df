package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file is checked when the watch begins and at each save, also of an editor that saves by
// renaming, and the watch ends when it is interrupted.
func TestWatch(t *testing.T) {
	name := filepath.Join(t.TempDir(), "trip.yaml")
	save := func(to, text string) {
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	save(name, "title: A\ndescription: B\n")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, write := io.Pipe()
	ended := make(chan int)
	go func() {
		ended <- run(terminal{Context: ctx, out: write, err: write}, []string{"domain", "watch", name})
	}()
	lines := bufio.NewScanner(out)
	until := func(want string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), want) {
				return
			}
		}
		t.Fatalf("it never says %q", want)
	}
	until("ok, 0 tests")
	save(name, "title: [\n")
	until("This is not YAML")
	until("errors")
	save(name+"~", "title: A\ndescription: B\nvariables: [{key: a, unit: m}]\nactivities: [{equation: a = 3 m}]\n")
	if err := os.Rename(name+"~", name); err != nil {
		t.Fatal(err)
	}
	until("write 3 [m]")
	until("errors")
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	until("there is no domain file")
	save(name, "title: A\ndescription: B\n")
	until("ok, 0 tests")
	// A file that is used is watched from then on, and one that it uses.
	folder := filepath.Join(filepath.Dir(name), "cards")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	save(filepath.Join(folder, "rates.csv"), "From,Price [EUR]\n0,4\n")
	save(filepath.Join(folder, "rates.yaml"), "variables: [{key: rates, table: {file: rates.csv}}]\n")
	save(name, "title: A\ndescription: B\nuse: [cards/rates.yaml]\nvariables: [{key: a, unit: EUR}]\nactivities: [{equation: 'a = cell(rates, 1, \"Price\")'}]\ntests: [{prompt: 'calculate: a', expect: {a: 4 EUR}}]\n")
	until("ok, 1 test")
	save(filepath.Join(folder, "rates.csv"), "From,Price [EUR]\n0,5\n")
	until("Expected 4 EUR, but it is 5 EUR")
	until("errors")
	save(filepath.Join(folder, "rates.yaml"), "variables: [{key: rates, table: {file: rate.csv}}]\n")
	until("there is no file cards/rate.csv beside the domain file")
	save(filepath.Join(folder, "rates.yaml"), "variables: [{key: rates, table: {file: rates.csv}}]\n")
	until("Expected 4 EUR, but it is 5 EUR")
	go io.Copy(io.Discard, out)
	stop()
	if code := <-ended; code != 0 {
		t.Errorf("it ends with status %d", code)
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Lines that are not messages are answered, and what comes behind them is too, also when the input has ended by then.
func TestAssistantWithBrokenFrames(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "journey.yaml")
	if err := os.WriteFile(file, []byte(clientDomain), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("reckon", "mcp", file)
	cmd.Stdin = strings.NewReader(strings.Join([]string{
		`{broken`, ``, `null`, `7`, `[]`, `{"jsonrpc": "1.0", "id": 8, "method": "ping"}`, "\xff\xfe", "{\"jsonrpc\": \"2.0\",\r",
		`"` + strings.Repeat("long", 2<<20) + `"`,
		`{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}`,
		`{"jsonrpc": "2.0", "method": "notifications/initialized"}`,
		`{"jsonrpc": "2.0", "id": "two", "method": "tools/list"}`,
		`{"jsonrpc": "2.0", "id": 3, "method": "nothing"}`,
		`{"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "calculate", "arguments": {"inputs": 7}}}`,
		`{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "calculate", "arguments": {"domain": "Journey", "inputs": {"distance": "150 mi", "speed": "60 mi/h"}, "calculate": "time"}}}`,
	}, "\n"))
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.Bytes())
	}
	var got []string
	for line := range strings.Lines(string(out)) {
		var m struct {
			ID    any
			Error struct{ Code int }
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		got = append(got, fmt.Sprint(m.ID, " ", m.Error.Code))
		if m.ID == 5.0 && !strings.Contains(line, "2.5 h") {
			t.Error(line)
		}
	}
	slices.Sort(got)
	want := []string{
		"1 0", "3 -32601", "4 0", "5 0", "8 -32600", "<nil> -32600", "<nil> -32600", "<nil> -32600", "<nil> -32600", "<nil> -32700", "<nil> -32700", "<nil> -32700", "two 0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\n%s", got, out)
	}
}

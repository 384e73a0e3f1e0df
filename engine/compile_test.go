package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCompile runs testdata/compile: domains, and what Compile finds behind "=>".
func TestCompile(t *testing.T) {
	files, err := filepath.Glob("testdata/compile/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for _, section := range strings.Split(strings.TrimSpace(string(data)), "\n\n") {
			var source []string
			def := Definition{Title: "Example", Description: "An example."}
			for _, line := range strings.Split(section, "\n") {
				if strings.HasPrefix(line, "=>") {
					continue
				}
				source = append(source, line)
				if line == "" || strings.HasPrefix(line, "#") {
					continue
				}
				if err := declare(&def, line); err != nil {
					t.Fatalf("%s: %v", file, err)
				}
			}
			_, issues := Compile(def)
			for _, i := range issues {
				level := "error"
				if i.Warning {
					level = "warning"
				}
				source = append(source, strings.TrimSpace(fmt.Sprintf("=> %s %s @%d %s", level, i.Path, i.Offset, i.Message)))
			}
			if len(issues) == 0 {
				source = append(source, "=> fine")
			}
			out.WriteString(strings.Join(source, "\n") + "\n\n")
		}
		got := strings.TrimSpace(out.String()) + "\n"
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if got != string(data) {
			t.Errorf("%s: got\n%s", file, got)
		}
	}
}

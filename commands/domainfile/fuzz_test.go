package domainfile

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzCheck reads and checks what is nearly a domain file: every finding has a place in the file, and
// exactly what has one that is an error is no domain.
func FuzzCheck(f *testing.F) {
	for _, pattern := range []string{"../../cmd/reckon/starter/*/*.yaml", "../../cmd/reckon/testdata/domains/*.yaml", "testdata/*.yaml"} {
		names, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > MaxBytes {
			return
		}
		file := Parse("fuzzed.yaml", data)
		domain, report := file.Check()
		wrong := false
		for _, finding := range report.Findings {
			wrong = wrong || !finding.Warning
			if finding.Line < 1 || finding.Column < 1 || finding.Message == "" {
				t.Errorf("a finding without a place or words: %+v", finding)
			}
		}
		if wrong == report.Valid || (domain == nil) != wrong {
			t.Errorf("valid %t with findings %+v", report.Valid, report.Findings)
		}
	})
}

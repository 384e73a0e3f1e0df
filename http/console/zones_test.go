package console

import (
	"archive/zip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reckon/commands"
)

// The zones that pages offer are those that Go's copy of the tz database has; -update writes them.
func TestZones(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	all, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	var want []string
	for _, f := range all.File {
		if !strings.HasSuffix(f.Name, "/") && f.Name != "Factory" { // which stands for none that was chosen
			want = append(want, f.Name)
		}
	}
	slices.Sort(want)
	if *update {
		if err := os.WriteFile("zones.txt", []byte(strings.Join(want, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !slices.Equal(zones, want) {
		t.Errorf("zones.txt has %d zones, the tz database of this Go %d: write them with -update", len(zones), len(want))
	}
	for _, name := range zones {
		if _, ok := commands.Zone(name); !ok {
			t.Errorf("%s is not taken", name)
		}
	}
}

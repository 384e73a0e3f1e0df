package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"reckon/engine"
)

// release is the version of the program, as CHANGELOG.md counts.
const release = "0.1.0"

// version is the release, with the commit where the build knows it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return release + "+" + s.Value[:12]
		}
	}
	return release
}

type versionCommand struct {
	JSON bool `help:"Print JSON."`
}

func (c *versionCommand) Run(t terminal) error {
	v := struct {
		Version string `json:"version"`
		Engine  string `json:"engine"`
		Zones   string `json:"zones"`
		Go      string `json:"go"`
	}{version(), engine.Version, zones(), runtime.Version()}
	if c.JSON {
		return printJSON(t, v)
	}
	_, err := fmt.Fprintf(t.out, "reckon %s (engine %s, zones %s, %s)\n", v.Version, v.Engine, v.Zones, v.Go)
	return err
}

// zoneFolders are where time.LoadLocation looks for the rules of time zones, in this order, before
// it takes those that are in the program.
var zoneFolders = []string{"/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/usr/lib/locale/TZ", "/etc/zoneinfo"}

// zones says which rules of time zones this program uses: their version, where they tell it, and
// where they come from.
func zones() string {
	if own := os.Getenv("ZONEINFO"); own != "" {
		return zonesIn(own)
	}
	for _, folder := range zoneFolders {
		if _, err := os.Stat(filepath.Join(folder, "Europe", "Berlin")); err == nil {
			return zonesIn(folder)
		}
	}
	return "of " + runtime.Version()
}

func zonesIn(folder string) string {
	for _, name := range []string{"tzdata.zi", "+VERSION"} {
		if f, err := os.Open(filepath.Join(folder, name)); err == nil {
			line, err := bufio.NewReader(io.LimitReader(f, 100)).ReadString('\n')
			f.Close()
			if version := strings.TrimSpace(strings.TrimPrefix(line, "# version ")); err == nil && version != "" {
				return version + " of " + folder
			}
		}
	}
	return "of " + folder
}

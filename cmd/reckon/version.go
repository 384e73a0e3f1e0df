package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

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
		Go      string `json:"go"`
	}{version(), engine.Version, runtime.Version()}
	if c.JSON {
		return printJSON(t, v)
	}
	_, err := fmt.Fprintf(t.out, "reckon %s (engine %s, %s)\n", v.Version, v.Engine, v.Go)
	return err
}

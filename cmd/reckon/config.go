package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v4"
)

// loadConfig reads flags from a YAML mapping of flag names to values. A flag that the command line
// or its environment variable gives is left alone; a name that no command has as a flag is an
// error.
func loadConfig(r io.Reader) (kong.Resolver, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	values := map[string]any{}
	if err := yaml.Unmarshal(data, &values); err != nil {
		return nil, fmt.Errorf("configuration must be a YAML mapping of flag names to values: %w", err)
	}
	return config(values), nil
}

type config map[string]any

// Validate refuses names that no command has as a flag.
func (c config) Validate(app *kong.Application) error {
	known := map[string]bool{}
	_ = kong.Visit(app, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			known[flag.Name] = true
		}
		return next(nil)
	})
	for name := range c {
		if !known[strings.ReplaceAll(name, "_", "-")] {
			return fmt.Errorf("configuration: there is no flag %q", name)
		}
	}
	return nil
}

// Resolve finds the value of a flag.
func (c config) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil
		}
	}
	for _, name := range []string{flag.Name, strings.ReplaceAll(flag.Name, "-", "_")} {
		if value, ok := c[name]; ok {
			return value, nil
		}
	}
	return nil, nil
}

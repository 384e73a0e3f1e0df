package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/events"
)

//go:embed templates/new.yaml
var newTemplate string

type domainNew struct {
	File     string `arg:"" help:"The file to write, YAML. It must not be there yet."`
	From     string `help:"Copy a starter domain: ${starters}." placeholder:"STARTER"`
	Template bool   `help:"Write the template, where the terminal would be asked."`
}

func (*domainNew) Help() string {
	return "On a terminal it asks for a title, variables and equations, and says at once what is wrong with each. Elsewhere, and with --template, it writes a small domain with comments, to change.\n\nExamples:\n  reckon domain new trip.yaml\n  reckon domain new mine.yaml --from loan"
}

func (c *domainNew) Run(t terminal) error {
	if _, err := os.Lstat(c.File); err == nil {
		return fmt.Errorf("%s is there already: name a file that is not", c.File)
	}
	text := []byte(newTemplate)
	var err error
	var beside []string
	switch {
	case c.From != "":
		text, beside, err = c.copyStarter()
	case !c.Template && isTerminalReader(t.in):
		text, err = (&interview{t: t, lines: bufio.NewScanner(t.in)}).hold()
	}
	if err != nil {
		return err
	}
	if err := writeDomain(c.File, text); err != nil {
		return err
	}
	also := ""
	if len(beside) > 0 {
		also = ", and beside it " + strings.Join(beside, ", ")
	}
	fmt.Fprintf(t.out, "%s is written%s. Check it with: reckon domain check %s\n", c.File, also, quoted(c.File))
	return nil
}

// copyStarter writes the files beside a starter domain, those that are there already excepted where
// they are the same, and returns its text and what they are called.
func (c *domainNew) copyStarter() (text []byte, written []string, err error) {
	f, folder, err := starterDomain(c.From)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range f.Beside() {
		data, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", name, err)
		}
		to := filepath.Join(filepath.Dir(c.File), filepath.FromSlash(name))
		there, err := os.ReadFile(to)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if err := writeDomain(to, data); err != nil {
				return nil, nil, err
			}
			written = append(written, to)
		case err != nil || !bytes.Equal(there, data):
			return nil, nil, fmt.Errorf("%s is there already, and %s takes its figures from a file of that name: copy it into another folder", to, c.From)
		}
	}
	return f.Bytes(), written, nil
}

// writeDomain writes a domain file that is not there yet.
func writeDomain(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("write the domain file: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// interview asks for a domain in a terminal.
type interview struct {
	t     terminal
	lines *bufio.Scanner
	def   events.Definition
}

// errEnded says that the input ended before the interview.
var errEnded = errors.New("nothing is written: the input ended")

// ask returns a line of the person, without the space around it.
func (v *interview) ask(format string, args ...any) (string, error) {
	fmt.Fprintf(v.t.out, format, args...)
	if !v.lines.Scan() {
		fmt.Fprintln(v.t.out)
		if err := v.lines.Err(); err != nil {
			return "", fmt.Errorf("read the answer: %w", err)
		}
		return "", errEnded
	}
	return strings.TrimSpace(v.lines.Text()), nil
}

// hold asks until the domain is whole, and returns its file.
func (v *interview) hold() ([]byte, error) {
	var err error
	for v.def.Title == "" {
		if v.def.Title, err = v.ask("Title of the domain: "); err != nil {
			return nil, err
		}
	}
	if v.def.Description, err = v.ask("What is it for, in a sentence: "); err != nil {
		return nil, err
	}
	fmt.Fprintln(v.t.out, "Variables, one a line: a key and a unit, such as `speed km/h`, or a key alone. An empty line ends them.")
	if err := v.several("variable", v.variable); err != nil {
		return nil, err
	}
	fmt.Fprintln(v.t.out, "Equations, one a line, such as `time = distance / speed`. An empty line ends them.")
	if err := v.several("equation", v.equation); err != nil {
		return nil, err
	}
	return domainfile.Text("", v.def)
}

// several takes lines until an empty one. What is wrong with one is said, and it is asked again.
func (v *interview) several(what string, take func(string) events.Definition) error {
	for {
		line, err := v.ask("%s: ", what)
		if err != nil || line == "" {
			return err
		}
		next := take(line)
		f := domainfile.File{Name: "", Definition: next}
		_, report := f.Compile()
		i := slices.IndexFunc(report.Findings, func(f domainfile.Finding) bool { return !f.Warning })
		if i >= 0 {
			fmt.Fprintln(v.t.out, "  "+report.Findings[i].Message)
			continue
		}
		v.def = next
	}
}

func (v *interview) variable(line string) events.Definition {
	next := v.def
	key, unit, _ := strings.Cut(line, " ")
	next.Variables = append(slices.Clip(next.Variables), events.Variable{Key: key, Title: key, Unit: strings.TrimSpace(unit), Kind: "number", DefaultValue: commands.Encode("")})
	return next
}

func (v *interview) equation(line string) events.Definition {
	next := v.def
	next.Activities = append(slices.Clip(next.Activities), events.Activity{Title: line, Equation: line, State: "active"})
	return next
}

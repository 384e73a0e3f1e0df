package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"reckon/commands"
	"reckon/engine/language"
	"reckon/engine/value"
)

type evaluateCommand struct {
	Files    []string `arg:"" name:"file" help:"Prompt files, YAML: a domain file, and dialogues with what each prompt means." type:"existingfile"`
	Verbose  bool     `short:"v" help:"Print the trace of every turn that was not answered right."`
	Alone    bool     `help:"Judge each turn after what should have been answered before it, so that one mistake counts once."`
	Tag      string   `help:"Only turns with this tag." placeholder:"TAG"`
	JSON     bool     `name:"json" help:"Print figures as JSON."`
	MaxWrong float64  `help:"Fail when more than this share of turns, in percent, are wrong guesses (${default})." default:"100" placeholder:"PERCENT"`
	MinRight float64  `help:"Fail when fewer than this share of turns, in percent, are right (${default})." default:"0" placeholder:"PERCENT"`
}

// promptFile is a file of dialogues over one domain.
type promptFile struct {
	Domain        string         `yaml:"domain"`
	Now           time.Time      `yaml:"now"`
	TimeZone      string         `yaml:"time_zone"`
	Conversations []promptDialog `yaml:"conversations"`
}

type promptDialog struct {
	Tags  []string     `yaml:"tags"`
	Turns []promptTurn `yaml:"turns"`
}

type promptTurn struct {
	language.Turn `yaml:",inline"`
	Refuse        stringOrList `yaml:"refuse"`
}

// stringOrList is one string, or several.
type stringOrList []string

func (l *stringOrList) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*l = []string{node.Value}
		return nil
	}
	return node.Decode((*[]string)(l))
}

// tally counts verdicts.
type tally struct {
	Turns         int `json:"turns"`
	Right         int `json:"right"`
	Wrong         int `json:"wrong_guesses"`
	OverRefused   int `json:"over_refusals"`
	MustRefuse    int `json:"must_refuse"`
	Refused       int `json:"refused"`
	Conversations int `json:"conversations,omitempty"`
	AllRight      int `json:"conversations_right,omitempty"`
}

func (*evaluateCommand) Help() string {
	return `Holds every dialogue of the files with the offline interpreter, each prompt after the answer to the one before, and
counts turns right, wrong guesses (answered, and wrong) and over-refusals, by tag.

Examples:
  reckon evaluate trips.prompts.yaml
  reckon evaluate --verbose --tag follow-up *.prompts.yaml
  reckon evaluate --max-wrong 3 --min-right 90 *.prompts.yaml`
}

func (c *evaluateCommand) Run(t terminal) error {
	total, tags := tally{}, map[string]*tally{}
	started := time.Now()
	for _, path := range c.Files {
		if err := c.evaluate(t, path, &total, tags); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if total.Turns == 0 {
		return errors.New("the files have no turns")
	}
	perTurn := time.Since(started) / time.Duration(total.Turns)
	if c.JSON {
		if err := printJSON(t, map[string]any{"total": total, "tags": tags, "microseconds_per_turn": perTurn.Microseconds()}); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(t.out, "%-14s %6s %7s %7s %7s   %s\n", "", "turns", "right", "wrong", "over-", "refused of those that must be")
		for _, name := range slices.Sorted(maps.Keys(tags)) {
			tags[name].print(t, name)
		}
		total.print(t, "all")
		fmt.Fprintf(t.out, "conversations exactly right: %d of %d (%.1f%%); %s a turn\n",
			total.AllRight, total.Conversations, share(total.AllRight, total.Conversations), perTurn.Round(time.Microsecond))
	}
	if wrong := share(total.Wrong, total.Turns); wrong > c.MaxWrong {
		return fmt.Errorf("%.1f%% of the turns are wrong guesses, more than %g%%", wrong, c.MaxWrong)
	}
	if right := share(total.Right, total.Turns); right < c.MinRight {
		return fmt.Errorf("%.1f%% of the turns are right, fewer than %g%%", right, c.MinRight)
	}
	return nil
}

func share(part, whole int) float64 { return 100 * float64(part) / float64(max(whole, 1)) }

func (c *tally) print(t terminal, name string) {
	fmt.Fprintf(t.out, "%-14s %6d %6.1f%% %6.1f%% %6.1f%%", name, c.Turns, share(c.Right, c.Turns), share(c.Wrong, c.Turns), share(c.OverRefused, c.Turns))
	if c.MustRefuse > 0 {
		fmt.Fprintf(t.out, "   %.1f%% of %d", share(c.Refused, c.MustRefuse), c.MustRefuse)
	}
	fmt.Fprintln(t.out)
}

func (c *tally) count(o language.Outcome, mustRefuse bool) {
	c.Turns++
	switch o.Verdict {
	case language.Right:
		c.Right++
	case language.WrongGuess:
		c.Wrong++
	case language.OverRefusal:
		c.OverRefused++
	}
	if mustRefuse {
		c.MustRefuse++
		if o.Verdict == language.Right {
			c.Refused++
		}
	}
}

func (c *evaluateCommand) evaluate(t terminal, path string, total *tally, tags map[string]*tally) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var file promptFile
	if err := yaml.Load(data, &file, yaml.WithKnownFields()); err != nil {
		return err
	}
	domain, err := compiledDomain(t, filepath.Join(filepath.Dir(path), file.Domain))
	if err != nil {
		return err
	}
	zone, ok := commands.Zone(file.TimeZone)
	if !ok {
		zone = time.UTC
	}
	env := value.Env{Now: file.Now.UTC(), Zone: zone}
	vocabulary := domain.Vocabulary()
	for _, dialog := range file.Conversations {
		d := language.Dialogue{Tags: dialog.Tags}
		for _, turn := range dialog.Turns {
			turn.Turn.Refuse = turn.Refuse
			d.Turns = append(d.Turns, turn.Turn)
		}
		right := true
		for i, o := range vocabulary.Evaluate(d, c.Alone, env) {
			if c.Tag != "" && !slices.Contains(o.Tags, c.Tag) {
				continue
			}
			right = right && o.Verdict == language.Right
			must := d.Turns[i].Refuse != nil
			total.count(o, must)
			for _, tag := range o.Tags {
				if tags[tag] == nil {
					tags[tag] = &tally{}
				}
				tags[tag].count(o, must)
			}
			if o.Verdict != language.Right && !c.JSON {
				fmt.Fprintf(t.out, "%s: %s: %s\n  want %s\n  got  %s\n", filepath.Base(path), o.Verdict, o.Prompt, o.Want, o.Got)
				if c.Verbose {
					fmt.Fprintf(t.out, "    %s\n", strings.ReplaceAll(strings.TrimSpace(o.Trace.String()), "\n", "\n    "))
				}
			}
		}
		total.Conversations++
		if right {
			total.AllRight++
		}
	}
	return nil
}

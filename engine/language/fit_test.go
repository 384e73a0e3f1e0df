package language

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/value"
)

var (
	passes = flag.Int("passes", 0, "how often TestFit goes over the weights when it runs with -update")
	more   = flag.String("more", "", "prompt files, as a pattern, that TestFit also fits with -passes and checks")
)

// wrongCosts is how many refusals a wrong guess costs as much as.
const wrongCosts = 3

// trained is a domain with its dialogues, as prompt files have them.
type trained struct {
	domain    *engine.Domain
	env       value.Env
	dialogues []Dialogue
}

// loadChoices reads choices, which have a number or a value and aliases each.
func loadChoices(t *testing.T, node *yaml.Node) (list []value.Choice) {
	t.Helper()
	if node.Kind == yaml.SequenceNode {
		for i, one := range node.Content {
			list = append(list, value.Choice{Label: one.Value, Value: decimal.Int(int64(i + 1))})
		}
		return list
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		var one struct {
			Value   string
			Aliases []string
		}
		if of := node.Content[i+1]; of.Kind == yaml.ScalarNode {
			one.Value = of.Value
		} else if err := of.Decode(&one); err != nil {
			t.Fatal(err)
		}
		n, err := decimal.Parse(strings.TrimSpace(one.Value))
		if err != nil {
			t.Fatalf("%s: %v", node.Content[i].Value, err)
		}
		list = append(list, value.Choice{Label: node.Content[i].Value, Value: n, Aliases: one.Aliases})
	}
	return list
}

// loadTrained reads a prompt file and the domain that it is about.
func loadTrained(t *testing.T, path string) trained {
	t.Helper()
	load := func(path string, to any) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(data, to); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	var prompts struct {
		Domain        string
		Now           time.Time
		TimeZone      string `yaml:"time_zone"`
		Conversations []struct {
			Turns []struct {
				Prompt, Calculate, Unit, Scenario, Error string
				Inputs                                   map[string]string
				Refuse                                   yaml.Node
			}
		}
	}
	load(path, &prompts)
	var file struct {
		Title, Description, Language string
		Units                        []string
		Variables                    []struct {
			Key, Title, Description, Unit, Kind, Format, Min, Max string
			Default                                               string `yaml:"default_value"`
			Aliases                                               []string
			Choices                                               yaml.Node
		}
		Activities []struct {
			Title, Description, Equation string
			Calculable                   []string
		}
	}
	load(filepath.Join(filepath.Dir(path), prompts.Domain), &file)
	def := engine.Definition{Title: file.Title, Description: file.Description, Language: file.Language, Units: file.Units}
	for _, v := range file.Variables {
		def.Variables = append(def.Variables, value.Variable{
			Key: v.Key, Title: v.Title, Description: v.Description, Unit: v.Unit, Kind: v.Kind, Format: v.Format,
			Min: v.Min, Max: v.Max, Default: value.Scalar(v.Default), Aliases: v.Aliases, Choices: loadChoices(t, &v.Choices),
		})
	}
	for _, a := range file.Activities {
		def.Activities = append(def.Activities, engine.Activity{Title: a.Title, Description: a.Description, Equation: a.Equation, Calculable: a.Calculable})
	}
	domain, issues := engine.Compile(def)
	if domain == nil {
		t.Fatalf("%s: %v", prompts.Domain, issues)
	}
	zone, err := time.LoadLocation(prompts.TimeZone)
	if err != nil {
		t.Fatal(err)
	}
	set := trained{domain: domain, env: value.Env{Now: prompts.Now.UTC(), Zone: zone}}
	for _, conversation := range prompts.Conversations {
		var d Dialogue
		for _, turn := range conversation.Turns {
			one := Turn{Prompt: turn.Prompt, Inputs: turn.Inputs, Calculate: turn.Calculate, Unit: turn.Unit, Scenario: turn.Scenario, Error: turn.Error}
			switch turn.Refuse.Kind {
			case yaml.ScalarNode:
				one.Refuse = []string{turn.Refuse.Value}
			case yaml.SequenceNode:
				for _, code := range turn.Refuse.Content {
					one.Refuse = append(one.Refuse, code.Value)
				}
			}
			d.Turns = append(d.Turns, one)
		}
		set.dialogues = append(set.dialogues, d)
	}
	return set
}

// score is how the turns of some domains are answered, each after what should have been answered
// before it.
type score struct{ turns, right, wrong, refused int }

func (s score) loss() int { return s.refused + wrongCosts*s.wrong }

func (s score) String() string {
	return fmt.Sprintf("%d turns, %d right, %d wrong guesses, %d over-refusals, loss %d", s.turns, s.right, s.wrong, s.refused, s.loss())
}

// measure scores weights, the domains side by side.
func measure(w *weights, sets []trained) score {
	scores := make([]score, len(sets))
	var group sync.WaitGroup
	for i, set := range sets {
		group.Go(func() {
			v := newVocabulary(set.domain, w)
			for _, d := range set.dialogues {
				for _, o := range v.Evaluate(d, true, set.env) {
					scores[i].turns++
					switch o.Verdict {
					case Right:
						scores[i].right++
					case WrongGuess:
						scores[i].wrong++
					case OverRefusal:
						scores[i].refused++
					}
				}
			}
		})
	}
	group.Wait()
	var sum score
	for _, s := range scores {
		sum = score{sum.turns + s.turns, sum.right + s.right, sum.wrong + s.wrong, sum.refused + s.refused}
	}
	return sum
}

// fitSteps are what a weight is multiplied by to see whether it gets better.
var fitSteps = []float64{0.8, 1.25, 0.95, 1.05}

// TestFit holds that the weights score as testdata/fit.txt records, on the half of the domains that
// they are fitted on and on the other half. With -update it writes that anew, and with -passes as
// well it fits the weights first, with -more on those prompt files, too: coordinate descent, where a
// step stays that lowers the loss on the one half. They are written to weights.go only if the loss
// is lower on that half and not higher on the other one.
func TestFit(t *testing.T) {
	paths, err := filepath.Glob("../../cmd/reckon/testdata/prose/*.prompts.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no prompt files: %v", err)
	}
	slices.Sort(paths)
	var halves [2][]trained
	for i, path := range paths {
		halves[i%2] = append(halves[i%2], loadTrained(t, path))
	}
	best := *committed()
	if *update && *passes > 0 {
		wide := [2][]trained{slices.Clone(halves[0]), slices.Clone(halves[1])}
		files, err := filepath.Glob(*more)
		if err != nil {
			t.Fatal(err)
		}
		for i, path := range files {
			wide[i%2] = append(wide[i%2], loadTrained(t, path))
		}
		fitted, held := measure(&best, wide[0]), measure(&best, wide[1])
		t.Logf("fitted: %v; held: %v", fitted, held)
		if tried := descend(t, best, wide[0], fitted); !reflect.DeepEqual(tried, best) {
			one, other := measure(tried.ready(), wide[0]), measure(&tried, wide[1])
			t.Logf("fitted: %v, before %v; held: %v, before %v", one, fitted, other, held)
			if one.loss() < fitted.loss() && other.loss() <= held.loss() {
				best = tried
				writeWeights(t, &best)
			}
		}
	}
	fitted, held := measure(&best, halves[0]), measure(&best, halves[1])
	const file = "testdata/fit.txt"
	record := fmt.Sprintf("fitted: %v\nheld: %v\n", fitted, held)
	if *update {
		if err := os.WriteFile(file, []byte(record), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(data) != record {
		t.Errorf("%s says\n%sand the weights score\n%srun the test with -update and look at the diff", file, data, record)
	}
}

// descend goes over the weights, one after the other, and keeps each step that lowers the loss.
func descend(t *testing.T, best weights, sets []trained, from score) weights {
	least := from.loss()
	for range *passes {
		for i := range reflect.TypeFor[weights]().NumField() {
			field := reflect.TypeFor[weights]().Field(i)
			if !field.IsExported() {
				continue
			}
			for _, step := range fitSteps {
				tried := best
				value := reflect.ValueOf(&tried).Elem().Field(i)
				old := value.Float()
				next, _ := strconv.ParseFloat(strconv.FormatFloat(old*step, 'g', 3, 64), 64)
				value.SetFloat(next)
				if s := measure(tried.ready(), sets); s.loss() < least {
					t.Logf("%s %g -> %g: %v", field.Name, old, next, s)
					best, least = tried, s.loss()
				}
			}
		}
	}
	return best
}

// writeWeights puts the values of weights into the tags of weights.go.
func writeWeights(t *testing.T, w *weights) {
	const file = "weights.go"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for i := range reflect.TypeFor[weights]().NumField() {
		if field := reflect.TypeFor[weights]().Field(i); field.IsExported() {
			value := strconv.FormatFloat(reflect.ValueOf(w).Elem().Field(i).Float(), 'g', -1, 64)
			text = regexp.MustCompile(`(\n\t`+field.Name+` +float64 +`+"`"+`is:")[^"]*`).ReplaceAllString(text, "${1}"+value)
		}
	}
	source, err := format.Source([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, source, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestWeightsAreWrittenBack holds that every weight is found in weights.go, with its value.
func TestWeightsAreWrittenBack(t *testing.T) {
	data, err := os.ReadFile("weights.go")
	if err != nil {
		t.Fatal(err)
	}
	all := reflect.TypeFor[weights]()
	for i := range all.NumField() {
		if name := all.Field(i).Name; all.Field(i).IsExported() && !regexp.MustCompile(`\n\t`+name+` +float64 +`+"`"+`is:"-?[0-9.]+"`).Match(data) {
			t.Errorf("%s is not found", name)
		}
	}
	if fields := strings.Count(string(data), "`is:\""); fields != all.NumField()-1 {
		t.Errorf("weights.go has %d tags, the weights are %d", fields, all.NumField()-1)
	}
}

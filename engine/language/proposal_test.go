package language

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"reckon/engine"
	"reckon/engine/input"
)

// propose reads the lines of a proposal in testdata/proposals.txt.
func propose(t *testing.T, lines []string) Proposal {
	t.Helper()
	var p Proposal
	for _, line := range lines {
		f := strings.Split(line, "|")
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		switch {
		case f[0] == "asks" && len(f) == 3:
			p.Target, p.TargetWords = f[1], f[2]
		case f[0] == "in" && len(f) == 2:
			p.Unit = f[1]
		case f[0] == "scenario" && len(f) == 3:
			p.Scenario, p.ScenarioWords = f[1], f[2]
		case f[0] == "doubt" && len(f) == 2:
			p.Doubt = f[1]
		case len(f) == 4:
			p.Inputs = append(p.Inputs, ProposedInput{Variable: f[0], Words: f[1], Change: f[2], Value: f[3]})
		default:
			t.Fatalf("%q is no line of a proposal", line)
		}
	}
	return p
}

// TestProposals checks the proposals of testdata/proposals.txt, about the domain of trip. A case
// has the earlier prompts of its conversation, each behind "<", the prompt behind ">", the lines of
// the proposal, and the request or the complaints.
func TestProposals(t *testing.T) {
	const file = "testdata/proposals.txt"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	v := trip(t)
	var got strings.Builder
	for i, block := range strings.Split(strings.TrimSpace(string(data)), "\n\n") {
		if i > 0 {
			got.WriteString("\n")
		}
		h := holding{vocabulary: v, env: tripEnv, origin: map[int]int{}, scenarios: map[int]*engine.Scenario{}}
		prompt := ""
		var proposal []string
		for line := range strings.SplitSeq(block, "\n") {
			switch line[0] {
			case '=', '!':
				continue
			case '#':
			case '<':
				if o := h.turn(Turn{Prompt: strings.TrimSpace(line[1:])}); o.Trace.Doubt != "" {
					t.Errorf("%s: %s", line, o.Trace.Doubt)
				}
			case '>':
				prompt = strings.TrimSpace(line[1:])
			default:
				proposal = append(proposal, line)
			}
			got.WriteString(line + "\n")
		}
		r, complaints := v.Check(prompt, propose(t, proposal), h.conversation(), tripEnv)
		for _, c := range complaints {
			got.WriteString("! " + c + "\n")
		}
		if len(complaints) == 0 {
			var parts []string
			for _, in := range r.Inputs {
				parts = append(parts, fmt.Sprintf("%s: %s", v.domain.Variables[in.Variable].Key, in.Normal.Cells[0][0]))
			}
			for _, t := range r.Targets {
				asked := v.domain.Variables[t.Variable].Key
				if t.Unit != nil {
					asked += " in " + t.Unit.Symbol()
				}
				parts = append(parts, "calculate: "+asked)
			}
			if selector := r.Selector.String(); selector != "" {
				parts = append(parts, "scenario: "+selector)
			}
			got.WriteString("= " + strings.Join(parts, ", ") + "\n")
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got.String() != string(data) {
		t.Errorf("%s is not what was found, which is\n%s\nrun the test with -update and look at the diff", file, got.String())
	}
}

// TestProposalOfAScenarioOfAnotherDomain holds that a scenario that the conversation has, but this
// domain has not, is none.
func TestProposalOfAScenarioOfAnotherDomain(t *testing.T) {
	c := empty()
	c.Last, c.Current = 3, 3
	p := Proposal{Scenario: "2", ScenarioWords: "that other trip"}
	if _, complaints := trip(t).Check("that other trip", p, c, tripEnv); len(complaints) != 1 || !strings.Contains(complaints[0], `"2"`) {
		t.Errorf("the complaints are %q", complaints)
	}
}

// FuzzProposals holds what is true of every proposal that passes: variables stand once, values are
// read back as the same, and each is one that the scanner reads in the prompt or a change makes.
func FuzzProposals(f *testing.F) {
	v := trip(f)
	for _, seed := range [][6]string{
		{"how long for 150 miles at 60 mph?", "150 miles", "150 mi", "60 mph", "how long", ""},
		{"10 mph faster", "10 mph faster", "10 mi/h", "", "", "1"},
		{"double the distance", "double", "2", "half", "cost", "new from 1"},
		{"½ of ¾", "½", "0.5", "¾", "¾ ¾", "last"},
		{"a percentage of it in", "a", "", "in", "a percentage", "current"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4], seed[5])
	}
	f.Fuzz(func(t *testing.T, prompt, words, value, others, asking, scenario string) {
		h := holding{vocabulary: v, env: tripEnv, origin: map[int]int{}, scenarios: map[int]*engine.Scenario{}}
		h.turn(Turn{Prompt: "how long for 150 miles at 60 mph?"})
		for _, change := range ProposedChanges {
			r, complaints := v.Check(prompt, Proposal{
				Inputs: []ProposedInput{{"distance", words, change, value}, {"speed", others, "set", value}},
				Target: "time", TargetWords: asking, Unit: asking, Scenario: scenario, ScenarioWords: others,
			}, h.conversation(), tripEnv)
			if len(complaints) > 0 {
				continue
			}
			if len(r.Inputs) != 2 || r.Inputs[0].Variable == r.Inputs[1].Variable {
				t.Fatalf("%q: the inputs are %v", prompt, r.Inputs)
			}
			for _, in := range r.Inputs {
				value, _, errs := input.ParseValue(&v.domain.Scope, in.Variable, in.Normal, tripEnv)
				if len(errs) > 0 || !value.Equal(in.Value) {
					t.Fatalf("%q: %v is not read back", prompt, in.Normal)
				}
			}
			if len(scan(tokenize(prompt), v.domain.Units(), v.currency, tripEnv.Today())) == 0 && change == "set" {
				t.Fatalf("%q has no amount, but %v passes", prompt, r.Inputs)
			}
		}
	})
}

package language

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/input"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Dialogue is a conversation with what each of its prompts means.
type Dialogue struct {
	Tags  []string
	Turns []Turn
}

// Turn is a prompt and what it means. Refuse lists the error codes of which one is expected; the
// others are of no account then. Any other code is a refusal too, but for missing inputs, which are
// one only where they are expected: a prompt with no sense can be read as a question for too much.
type Turn struct {
	Prompt    string
	Tags      []string
	Inputs    map[string]string // by variable key, in the grammar of structured text
	Calculate string            // key of the target, of several with ", " between them; "" for a fetch, or for facts alone
	Unit      string            // that the target is asked in, the first of several
	Scenario  string            // the selector as resolved
	Error     string            // code of the error that the calculation ends with, "" for none
	Refuse    []string          `yaml:"-"` // a file of turns may name just one
}

// Outcome is what became of a turn.
type Outcome struct {
	Verdict Verdict
	Tags    []string
	Prompt  string
	Want    string
	Got     string
	Trace   *Trace
}

// Verdict tells how a turn was answered.
type Verdict string

// The verdicts. A wrong guess is an answer to something that was not asked, or to what should have
// been refused.
const (
	Right       Verdict = "right"
	WrongGuess  Verdict = "wrong guess"
	OverRefusal Verdict = "over-refusal"
)

// Evaluate holds a dialogue and judges every turn: each prompt after the answer to the one before,
// as a caller would meet it, or, where turns are to be judged alone, after what should have been
// answered.
func (v *Vocabulary) Evaluate(dialogue Dialogue, alone bool, env value.Env) []Outcome {
	var outcomes []Outcome
	h := holding{vocabulary: v, env: env, origin: map[int]int{}, scenarios: map[int]*engine.Scenario{}}
	for _, turn := range dialogue.Turns {
		before := h.clone()
		o := h.turn(turn)
		if alone && o.Verdict != Right {
			h = before
			if turn.Refuse == nil {
				h.mean(turn)
			}
		}
		o.Tags = append(slices.Clone(dialogue.Tags), turn.Tags...)
		outcomes = append(outcomes, o)
	}
	return outcomes
}

// holding is a conversation being held in memory.
type holding struct {
	vocabulary    *Vocabulary
	env           value.Env
	current, last int
	scenarios     map[int]*engine.Scenario
	origin        map[int]int
	pending       *engine.Request
	choices       []engine.Request
}

func (h *holding) clone() holding {
	c := *h
	c.scenarios, c.origin = maps.Clone(h.scenarios), maps.Clone(h.origin)
	return c
}

// mean takes a turn for what it means.
func (h *holding) mean(turn Turn) {
	d := h.vocabulary.domain
	r := engine.Request{}
	number := strings.TrimPrefix(turn.Scenario, newFrom)
	switch index, err := strconv.Atoi(number); {
	case err != nil:
		r.Selector.Kind = engine.New
	case number != turn.Scenario:
		r.Selector = engine.Selector{Kind: engine.NewFrom, Number: index}
	case index != h.current:
		r.Selector = engine.Selector{Kind: engine.Numbered, Number: index}
	}
	if h.pending != nil {
		r.Selector = engine.Selector{}
	}
	r.Inputs, _ = h.inputs(turn)
	if r.Targets = h.targets(turn); r.Targets != nil {
		if turn.Unit != "" {
			r.Targets[0].Unit, _ = input.ParseUnit(&d.Scope, r.Targets[0].Variable, turn.Unit)
		}
	} else if len(r.Inputs) > 0 {
		r.Targets = noted(&d.Scope, r.Inputs)
	} else if r.Selector.Kind == engine.Unselected && h.current > 0 {
		r.Selector = engine.Selector{Kind: engine.Numbered, Number: h.current}
	}
	h.answer(r)
}

// targets are what a turn asks for, nil where that is nothing.
func (h *holding) targets(turn Turn) (list []engine.Target) {
	for _, key := range strings.Split(turn.Calculate, ", ") {
		if i := h.vocabulary.domain.Index(key); i >= 0 {
			list = append(list, engine.Target{Variable: i})
		}
	}
	return list
}

// conversation is what the next prompt may refer to.
func (h *holding) conversation() Conversation {
	return Conversation{
		Current: h.current, Last: h.last, Focus: h.current, Pending: h.pending, Choices: h.choices,
		Scenario: func(i int) *engine.Scenario { return h.scenarios[i] },
		Origin:   func(i int) int { return h.origin[i] },
	}
}

func (h *holding) turn(turn Turn) Outcome {
	o := Outcome{Prompt: turn.Prompt}
	request, trace, errs := h.vocabulary.Interpret(turn.Prompt, h.conversation(), h.env)
	o.Trace = trace
	var got, code string
	if len(errs) > 0 {
		code, got, h.choices = errs[0].Code, errs[0].Code+": "+errs[0].Filled(), trace.Choices
		if trace.Pending != nil {
			h.pending = trace.Pending
		}
	} else {
		got, code = h.answer(request)
	}
	refused := len(errs) > 0
	if turn.Refuse != nil {
		o.Want, o.Got, o.Verdict = "refusal "+strings.Join(turn.Refuse, " or "), got, WrongGuess
		if code != "" && (code != missingInputs || slices.Contains(turn.Refuse, code)) {
			o.Verdict = Right
		}
		return o
	}
	o.Want, o.Got = h.wanted(turn), got
	switch {
	case o.Want == got:
		o.Verdict = Right
	case refused || code != "" && code != turn.Error:
		o.Verdict = OverRefusal
	default:
		o.Verdict = WrongGuess
	}
	return o
}

// answer calculates a request and keeps what the conversation becomes. It returns what was
// understood, and the code of the error.
func (h *holding) answer(request engine.Request) (got, code string) {
	d := h.vocabulary.domain
	stated := request
	if h.pending != nil && request.Selector.Kind == engine.Unselected {
		request = request.Joined(*h.pending)
	}
	base := h.scenarios[h.conversation().selected(request.Selector)]
	result, errs := d.Each(base, h.last, request, h.env)
	if len(errs) > 0 {
		code = errs[0].Code
		if code == missingInputs || code == forwardsOnly {
			h.pending = &request
		}
		selector := newScenario
		if base != nil {
			selector = fmt.Sprint(base.Index)
		}
		return h.describe(stated.Inputs, request.Targets, selector) + " " + code, code
	}
	h.pending, h.choices = nil, nil
	if result.Action != fetched {
		if h.scenarios[result.Current] == nil {
			h.origin[result.Current] = result.Original
		}
		h.scenarios[result.Current] = result.Scenario()
	}
	h.current, h.last = result.Current, max(h.last, result.Current)
	var targets []engine.Target
	if result.Calculated >= 0 && !OnlyNotes(d, stated) {
		targets = append([]engine.Target{{Variable: result.Calculated, Unit: result.Unit}}, result.Also...)
	}
	return h.describe(stated.Inputs, targets, result.Selector.String()), ""
}

// inputs are the values that a turn gives; problem is one that cannot be read, "" for none.
func (h *holding) inputs(turn Turn) (inputs []engine.Given, problem string) {
	for key, text := range turn.Inputs {
		i := h.vocabulary.domain.Index(key)
		if i < 0 {
			problem = "unknown variable " + key
		} else if in, errs := h.vocabulary.given(i, text, h.env); len(errs) > 0 {
			problem = "unreadable value " + text
		} else {
			inputs = append(inputs, in)
		}
	}
	return inputs, problem
}

// wanted describes what a turn means.
func (h *holding) wanted(turn Turn) string {
	inputs, problem := h.inputs(turn)
	if problem != "" {
		return problem
	}
	targets := h.targets(turn)
	if turn.Unit != "" && targets != nil {
		targets[0].Unit, _ = h.vocabulary.domain.Units().Parse(turn.Unit)
	}
	want := h.describe(inputs, targets, turn.Scenario)
	if turn.Error != "" {
		want += " " + turn.Error
	}
	return want
}

// describe writes inputs in domain order in coherent units, the targets with their units, unless
// these are the ones they have anyway, and the selector.
func (h *holding) describe(inputs []engine.Given, targets []engine.Target, selector string) string {
	d := h.vocabulary.domain
	var b strings.Builder
	sorted := slices.Clone(inputs)
	slices.SortFunc(sorted, func(a, b engine.Given) int { return a.Variable - b.Variable })
	for _, in := range sorted {
		def, texts := &d.Variables[in.Variable], []string{}
		for q := range in.Value.Quantities() {
			if t := &h.vocabulary.terms[in.Variable]; t.unit != nil && q.Unit != nil {
				q, _ = inUnit(q, t.unit)
			}
			texts = append(texts, cmp.Or(def.Label(q.Number), q.String()))
		}
		fmt.Fprintf(&b, "%s=%s ", def.Key, strings.Join(texts, "|"))
	}
	if len(targets) == 0 {
		b.WriteString("-> fetch")
	}
	for i, target := range targets {
		b.WriteString([]string{"-> ", ", "}[min(i, 1)] + d.Variables[target.Variable].Key)
		if asked := target.Unit; asked != nil && !sameUnit(asked, h.vocabulary.terms[target.Variable].unit) {
			size := units.Quantity{Number: decimal.Int(1), Unit: asked}.SI(decimal.NewContext(1000))
			fmt.Fprintf(&b, " in %s of %s", size.Shown(), asked.Dimension().Name())
		}
	}
	return b.String() + " @" + selector
}

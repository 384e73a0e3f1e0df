package language

import (
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
// others are of no account then.
type Turn struct {
	Prompt    string
	Tags      []string
	Inputs    map[string]string // by variable key, in the grammar of structured text
	Calculate string            // key of the target, "" for a fetch
	Unit      string            // that the target is asked in
	Scenario  string            // the selector as resolved
	Error     string            // code of the error that the calculation ends with, "" for none
	Refuse    []string
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
	for key, text := range turn.Inputs {
		if i := d.Index(key); i >= 0 {
			if value, normal, errs := input.ParseValue(&d.Scope, i, value.Scalar(text), h.env); len(errs) == 0 {
				r.Inputs = append(r.Inputs, engine.Given{Variable: i, Value: value, Normal: normal})
			}
		}
	}
	if i := d.Index(turn.Calculate); i >= 0 {
		r.Target = &engine.Target{Variable: i}
		if turn.Unit != "" {
			r.Target.Unit, _ = input.ParseUnit(&d.Scope, i, turn.Unit)
		}
	} else if r.Selector.Kind == engine.Unselected && h.current > 0 {
		r.Selector = engine.Selector{Kind: engine.Numbered, Number: h.current}
	}
	h.answer(r)
}

// conversation is what the next prompt may refer to.
func (h *holding) conversation() Conversation {
	return Conversation{
		Current: h.current, Last: h.last, Focus: h.current, Pending: h.pending,
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
		code, got = errs[0].Code, errs[0].Code+": "+errs[0].Filled()
	} else {
		got, code = h.answer(request)
	}
	refused := len(errs) > 0
	if turn.Refuse != nil {
		o.Want, o.Got, o.Verdict = "refusal "+strings.Join(turn.Refuse, " or "), got, WrongGuess
		if code != "" && code != missingInputs {
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
		request = joined(*h.pending, request)
	}
	var base *engine.Scenario
	switch request.Selector.Kind {
	case engine.Unselected, engine.Current:
		base = h.scenarios[h.current]
	case engine.Last:
		base = h.scenarios[h.last]
	case engine.Numbered, engine.NewFrom:
		base = h.scenarios[request.Selector.Number]
	}
	result, errs := d.Calculate(base, h.last, request, h.env)
	if len(errs) > 0 {
		code = errs[0].Code
		if code == missingInputs {
			h.pending = &request
		}
		selector := newScenario
		if base != nil {
			selector = fmt.Sprint(base.Index)
		}
		var unit string
		key := ""
		if request.Target != nil {
			key = d.Variables[request.Target.Variable].Key
			if request.Target.Unit != nil {
				unit = request.Target.Unit.Symbol()
			}
		}
		return h.describe(stated.Inputs, key, unit, selector) + " " + code, code
	}
	h.pending = nil
	if result.Action != fetched {
		s := &engine.Scenario{Index: result.Current, Cleared: result.Cleared, Targets: result.Targets}
		for _, v := range result.Values {
			s.Values = append(s.Values, v.ScenarioValue)
		}
		if h.scenarios[result.Current] == nil {
			h.origin[result.Current] = result.Original
		}
		h.scenarios[result.Current] = s
	}
	h.current, h.last = result.Current, max(h.last, result.Current)
	key, unit := "", ""
	if result.Calculated >= 0 {
		key = d.Variables[result.Calculated].Key
		if result.Unit != nil {
			unit = result.Unit.Symbol()
		}
	}
	return h.describe(stated.Inputs, key, unit, result.Selector.String()), ""
}

// joined is a request that is read as if it stated too what waits.
func joined(pending, request engine.Request) engine.Request {
	inputs := slices.DeleteFunc(slices.Clone(pending.Inputs), func(in engine.Given) bool {
		return slices.ContainsFunc(request.Inputs, func(o engine.Given) bool { return o.Variable == in.Variable })
	})
	if request.Target == nil {
		request.Target = pending.Target
	}
	return engine.Request{Inputs: append(inputs, request.Inputs...), Target: request.Target, Selector: pending.Selector}
}

// wanted describes what a turn means.
func (h *holding) wanted(turn Turn) string {
	d := h.vocabulary.domain
	var inputs []engine.Given
	for key, text := range turn.Inputs {
		i := d.Index(key)
		if i < 0 {
			return "unknown variable " + key
		}
		value, _, errs := input.ParseValue(&d.Scope, i, value.Scalar(text), h.env)
		if len(errs) > 0 {
			return "unreadable value " + text
		}
		inputs = append(inputs, engine.Given{Variable: i, Value: value})
	}
	unit := ""
	if turn.Unit != "" {
		if u, err := d.Units().Parse(turn.Unit); err == nil {
			unit = u.Symbol()
		}
	}
	want := h.describe(inputs, turn.Calculate, unit, turn.Scenario)
	if turn.Error != "" {
		want += " " + turn.Error
	}
	return want
}

// describe writes inputs in domain order in coherent units, the target with its unit, unless that
// is the one it has anyway, and the selector.
func (h *holding) describe(inputs []engine.Given, key, unit, selector string) string {
	d := h.vocabulary.domain
	var b strings.Builder
	sorted := slices.Clone(inputs)
	slices.SortFunc(sorted, func(a, b engine.Given) int { return a.Variable - b.Variable })
	for _, in := range sorted {
		text := in.Value.Text().Cells
		shown := "none"
		if in.Value.Rank == 0 && !in.Cleared {
			q := in.Value.Quantity()
			if t := &h.vocabulary.terms[in.Variable]; t.unit != nil && q.Unit != nil {
				if value, _, errs := input.ParseValue(&d.Scope, in.Variable, value.Scalar(q.String()), h.env); len(errs) == 0 {
					q = value.Quantity()
				}
				if r, ok := inUnit(q, t.unit); ok {
					q = r
				}
			}
			shown = q.String()
		} else if len(text) > 0 {
			shown = fmt.Sprint(text)
		}
		fmt.Fprintf(&b, "%s=%s ", d.Variables[in.Variable].Key, shown)
	}
	if key == "" {
		fmt.Fprintf(&b, "-> fetch")
	} else {
		fmt.Fprintf(&b, "-> %s", key)
	}
	if i := d.Index(key); i >= 0 && unit != "" {
		if asked, err := d.Units().Parse(unit); err == nil && !sameUnit(asked, h.vocabulary.terms[i].unit) {
			one, _ := decimal.Parse("1")
			size := units.Quantity{Number: one, Unit: asked}.SI(decimal.NewContext(1000))
			fmt.Fprintf(&b, " in %s of %s", size.Shown(), asked.Dimension().Name())
		}
	}
	fmt.Fprintf(&b, " @%s", selector)
	return b.String()
}

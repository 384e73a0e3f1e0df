package commands

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"reckon/engine"
	"reckon/engine/syntax"
	"reckon/engine/value"
	"reckon/projections"
)

// Explanation is how the values of a kept scenario come about. Of a message that is failed, or in
// progress, it has no steps; Errors are those of the message, or say why it cannot be explained.
type Explanation struct {
	ConversationID uuid.UUID       `json:"conversation_id"`
	MessageID      uuid.UUID       `json:"message_id"`
	Status         string          `json:"status"`
	Scenario       *int            `json:"scenario"` // its index, null for none
	Domain         ExplainedDomain `json:"domain"`
	Prompt         string          `json:"prompt"`
	engine.Explanation
	Errors []value.Error `json:"errors"`
}

// ExplainedDomain is the version of a domain whose equations were analysed; 0 stands for a file.
type ExplainedDomain struct {
	ID      uuid.UUID `json:"id"`
	Title   string    `json:"title"`
	Version int       `json:"version"`
}

func (d *Domain) explained() ExplainedDomain {
	return ExplainedDomain{d.ID, d.Definition.Title, d.Version}
}

// Explain explains a scenario.
func (k Kept) Explain() Explanation {
	e := Explanation{
		ConversationID: k.Asked.ConversationID, MessageID: k.Asked.MessageID, Status: k.Asked.Status,
		Domain: k.Domain.explained(), Prompt: k.Asked.Prompt, Errors: []value.Error{},
		Explanation: engine.Explanation{
			Targets: []string{}, Given: []engine.ExplainedValue{}, Steps: []engine.ExplainedStep{}, Checks: []engine.ExplainedCheck{}, Functions: []engine.ExplainedFunction{}, Unlike: []engine.ExplainedValue{},
		},
	}
	switch {
	case k.Asked.Failed != nil:
		e.Errors = ErrorsOf(k.Asked.Failed)
	case k.Scenario != nil:
		e.Scenario = &k.Scenario.Index
		found, errs := k.Domain.compiled.Explain(k.Scenario, k.Stated, k.Env)
		if several := k.Domain.compiled.SeveralOf(k.Scenario); several != nil {
			errs = []value.Error{*k.Domain.compiled.OneOf(several)}
		}
		if len(errs) > 0 {
			e.Errors = errs
		} else {
			e.Explanation = found
		}
	}
	return e
}

// title is what stands above an explanation.
func (e *Explanation) title() string {
	if len(e.Targets) == 0 {
		return e.Domain.Title
	}
	return e.Domain.Title + ": " + strings.Join(e.Targets, ", ")
}

// Text is the explanation for people.
func (e *Explanation) Text() string { return e.title() + "\n\n" + e.nothing() + e.Explanation.Text() }

// SVG draws the explanation: values with their origin, equations with the numbers put in, what was
// found by them, from left to right, or in a column where that is wider than most pixels, unless
// that is 0. It is a whole document.
func (e *Explanation) SVG(most int) string {
	var boxes []box
	at := map[string]int{}
	add := func(is box) int {
		boxes = append(boxes, is)
		return len(boxes) - 1
	}
	for _, v := range e.Given {
		if !v.Hidden {
			at[v.Key] = add(box{text: v.Title + " " + explainedText(v), note: string(v.Origin), title: v.Key, dashed: v.Origin == engine.OriginDefault})
		}
	}
	for _, step := range e.Steps {
		var from, equations []int
		for _, v := range step.Inputs {
			if i, known := at[v.Key]; known {
				from = append(from, i)
			}
		}
		for _, eq := range step.Equations {
			written, numbers := eq.Equation.String(), eq.Numbers.String()
			if step.Solved != nil && step.Numbers != nil {
				written, numbers = step.Solved.String(), step.Numbers.String()
			}
			equations = append(equations, add(box{text: syntax.OneLine(written), note: syntax.OneLine(numbers), title: eq.Title + ": " + syntax.OneLine(written), equation: true, from: from}))
		}
		for _, v := range step.Found {
			at[v.Key] = add(box{text: v.Title + " " + explainedText(v), title: v.Key, output: slices.Contains(e.Targets, v.Key), from: equations})
		}
	}
	return drawing(e.title(), boxes, most)
}

// explainedText is a value in a line, as people read it.
func explainedText(v engine.ExplainedValue) string {
	switch {
	case v.Shown != "":
		return v.Shown
	case v.Rows > 0:
		return fmt.Sprintf("%d × %d", v.Rows, max(v.Columns, 1))
	}
	return v.Value.Scalar()
}

// TeX is the explanation as a document for LaTeX, MathML as a math element.
func (e *Explanation) TeX() string    { return e.Explanation.TeX(e.title() + e.because()) }
func (e *Explanation) MathML() string { return e.Explanation.MathML(e.title() + e.because()) }

func (e *Explanation) because() string {
	if why := strings.TrimSpace(e.nothing()); why != "" {
		return ". " + why
	}
	return ""
}

// nothing says why there is nothing to explain, "" where there is.
func (e *Explanation) nothing() string {
	var b strings.Builder
	switch {
	case e.Status == projections.InProgress:
		b.WriteString("There is nothing to explain yet: the message is in progress.\n")
	case e.Status == projections.Failed:
		b.WriteString("There are no values to explain: the message ended in an error.\n")
	case len(e.Errors) > 0:
		b.WriteString("This cannot be explained.\n")
	}
	for _, err := range e.Errors {
		fmt.Fprintf(&b, "%s\n", err.Filled())
		for _, set := range err.Missing {
			var keys []string
			for _, v := range set.Variables {
				keys = append(keys, v.Key)
			}
			fmt.Fprintf(&b, "Give %s.\n", strings.Join(keys, " and "))
		}
	}
	return b.String()
}

package console

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/engine/decimal"
	"reckon/engine/format"
	"reckon/engine/language"
	"reckon/engine/units"
	"reckon/engine/value"
	"reckon/http"
	"reckon/projections"
)

// whatIfShown is what the page of a what-if shows: fields for all that a scenario rests on, and
// the answer with what stands in them, of which nothing is kept.
type whatIfShown struct {
	ID       uuid.UUID
	Title    string
	Domain   uuid.UUID
	Scenario int
	Fields   []sliderShown
	Targets  []choiceShown // titles, and keys in the place of prompts
	Target   string
	Overs    []choiceShown // inputs that the answer can be drawn over
	Over     string
	Answer   *messageShown
	Was      *valueShown // the target in the scenario as it is, nil where that is another one
	Changed  bool        // any field has another value
	Sweep    *chartShown
	Table    *tableShown
	Once     uuid.UUID
	Language string // tag of what its numbers are written in, "" for English
	Point    string // the mark before decimals then
}

// sliderShown is a field for an input, with a slider where it is a number.
type sliderShown struct {
	Key, Title, Description string
	Origin                  string
	Value, Was              string
	Choices                 []string
	Slides                  bool
	Least, Most, Step, At   string // numbers of the slider, in Unit
	Unit                    string
}

// sweepSteps is how many values a chart over an input has.
const sweepSteps = 41

// whatIf answers what a scenario would be with other values. Nothing is kept of it.
func (c *Console) whatIf(v *visit) (http.Answer, error) {
	head, err := c.head(v)
	if err != nil {
		return http.Answer{}, err
	}
	ctx, query := v.x.Request().Context(), v.x.Request().URL.Query()
	index, err := strconv.Atoi(query.Get("scenario"))
	if err != nil {
		index = head.Current
	}
	if index < 1 || index > head.Last {
		return http.Answer{}, http.NotFound("There is no such scenario in this conversation.")
	}
	m, found, err := c.views.Scenario(ctx, v.account.ID, head.ID, index)
	if err != nil || !found || m.Completed == nil {
		return http.Answer{}, errors.Join(err, http.NotFound("There is no such scenario in this conversation."))
	}
	r := c.reader(v)
	base, d := r.message(m), r.domain(m.Domain)
	s := whatIfShown{ID: head.ID, Title: titleOf(head), Domain: m.Domain.ID, Scenario: index, Target: query.Get("target"), Over: query.Get("over"), Once: once()}
	s.Language, s.Point = base.Language, base.writing.Point()
	was := ""
	if base.Target != nil {
		was = base.Target.Key
		if s.Target == "" {
			s.Target = was
		}
	}
	inputs := base.Inputs
	if s.Target != was && base.Target != nil { // what was sought is given then
		inputs = append([]valueShown{*base.Target}, inputs...)
	}
	for _, in := range inputs {
		if in.Key == s.Target || in.Table != nil {
			continue
		}
		f := sliderOf(d, in)
		f.Value, f.Was = base.writing.Field(f.Value), base.writing.Field(f.Was)
		if text := query.Get(givenField + in.Key); text != "" {
			f.Value = text
		}
		if in.Key == was { // it is stated for the first time
			f.Was = ""
		}
		f.move(base.writing)
		s.Changed = s.Changed || f.Value != f.Was
		s.Fields = append(s.Fields, f)
		if f.Slides {
			s.Overs = append(s.Overs, choiceShown{f.Title, f.Key})
		}
	}
	if len(s.Overs) > 0 && !query.Has("over") {
		s.Over = s.Overs[0].Prompt
	}
	s.Targets = targetsOf(d, s.Target)
	answer, swept, err := c.rehearse(ctx, v, head, m, s)
	if err != nil {
		return http.Answer{}, inWords(err)
	}
	shown := r.message(answer)
	s.Answer = &shown
	v.unlikely(d, answer, s)
	if base.Target != nil && shown.Target != nil && base.Target.Key == shown.Target.Key && base.Target.Text != shown.Target.Text {
		s.Was = base.Target
	}
	if swept != nil && swept.Chart != nil {
		var drawing valueShown
		text := swept.Chart.Value
		raw, err := json.Marshal(text)
		if err != nil {
			return http.Answer{}, err
		}
		read := text
		if rendered, err := format.RenderText(text, swept.Chart.Display); err == nil {
			read = rendered
		}
		drawing.draw(drawn{swept.Target.Title, raw, swept.Chart.Display, swept.Chart.Scale, swept.Chart.ScaleUnit, swept.Chart.ScaleTypes, base.writing}, text, read)
		s.Sweep, s.Table = drawing.Chart, drawing.Table
	}
	return c.page("whatif", v, 0, s)
}

// unlikely notes what is wrong with the fields of a what-if, at those that an error names or has
// the text of.
func (v *visit) unlikely(d *commands.Domain, answer projections.Message, s whatIfShown) {
	if answer.Failed == nil {
		return
	}
	w := language.WritingIn(s.Language)
	for _, e := range commands.ErrorsOf(answer.Failed) {
		var fields []string
		for _, f := range s.Fields {
			text := w.Read(f.Value)
			if slices.ContainsFunc(e.Args, func(arg string) bool {
				return arg == f.Key || f.Value != f.Was && arg != "" && strings.Contains(text, arg)
			}) {
				fields = append(fields, "f-"+f.Key)
			}
		}
		v.fault(entitled(d, e).Filled(), fields...)
	}
}

// rehearse calculates with the fields as they are.
func (c *Console) rehearse(ctx context.Context, v *visit, head projections.Conversation, m projections.Message, s whatIfShown) (answer projections.Message, swept *commands.Sweep, err error) {
	w := language.WritingIn(s.Language)
	q := statement{Inputs: []stated{}, Scenario: strconv.Itoa(s.Scenario)}
	for _, f := range s.Fields {
		if f.Value != f.Was {
			q.Inputs = append(q.Inputs, stated{f.Key, value.Scalar(w.Read(f.Value))})
		}
	}
	if s.Target != "" {
		q.Calculate = &statementTarget{Key: s.Target}
	}
	text, err := json.Marshal(q)
	if err != nil {
		return answer, nil, err
	}
	prose, err := v.x.Calculates(v.account)
	if err != nil {
		return answer, nil, err
	}
	request := commands.Request{
		Account: v.account, Domain: m.Domain.ID, Conversation: &head.ID, Format: "json", Prompt: string(text), Source: commands.SourceChat, AllowProse: prose, Language: s.Language,
	}
	answer, err = c.service.Rehearse(ctx, request, func(k commands.Kept) {
		for _, f := range s.Fields {
			if f.Slides && f.Key == s.Over {
				over := commands.SweepOver(k, "", []commands.Range{{Name: f.Key, From: f.Least + " " + f.Unit, To: f.Most + " " + f.Unit, Steps: sweepSteps}})
				swept = &over
			}
		}
	})
	return answer, swept, err
}

// sliderOf is a field for a value of an input.
func sliderOf(d *commands.Domain, in valueShown) sliderShown {
	f := sliderShown{Key: in.Key, Title: in.Title, Description: in.Description, Origin: in.Origin}
	if d == nil {
		f.Was = in.Exact
		f.Value = f.Was
		return f
	}
	i := slices.IndexFunc(d.Definition.Variables, func(v projections.Variable) bool { return v.Key == in.Key })
	if i < 0 {
		return f
	}
	v := d.Definition.Variables[i]
	for _, choice := range v.Choices {
		f.Choices = append(f.Choices, choice.Label)
	}
	number, unit := numberOf(in.Exact)
	text := in.Exact
	switch v.Kind {
	case "percent":
		if unit == "" {
			number, unit = number*100, "%"
			text = numberText(number) + " %"
		}
	case "", "number", "no_separator":
	default:
		text, number = in.Field, math.NaN()
	}
	if len(f.Choices) > 0 {
		text, number = in.Field, math.NaN()
	}
	f.Was, f.Value, f.Unit = text, text, unit
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return f
	}
	least, most := bound(v.Min, unit), bound(v.Max, unit)
	size := math.Abs(number)
	if size == 0 {
		size = 1
	}
	if math.IsNaN(least) {
		if least = 0; number < 0 {
			least = 2 * number
		}
	}
	if math.IsNaN(most) || most > 1e3*size+1e3 {
		if most = 2 * size; number < 0 {
			most = 0
		}
	}
	if most <= least {
		return f
	}
	step := niceStep((most - least) / 200)
	if v.Integer {
		step = math.Max(1, math.Round(step))
	}
	f.Slides, f.Least, f.Most, f.Step = true, numberText(least), numberText(most), numberText(step)
	return f
}

// move puts the slider where the value is, and as far as it has to reach for that.
func (f *sliderShown) move(w language.Writing) {
	text := w.Read(f.Value)
	number, unit := numberOf(text)
	if strings.HasSuffix(text, "%") && unit == "" {
		number, _ = numberOf(strings.TrimSuffix(text, "%"))
		unit = "%"
	}
	if f.Slides = f.Slides && unit == f.Unit && !math.IsNaN(number); f.Slides {
		f.At = numberText(number)
	}
}

// numberText writes a number of a slider with 12 digits at most.
func numberText(x float64) string {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64)
	if err != nil {
		y = x
	}
	return strconv.FormatFloat(y, 'f', -1, 64)
}

// bound is a declared bound in a unit, NaN for none.
func bound(text, unit string) float64 {
	number, own, _ := strings.Cut(text, " ")
	n, err := decimal.Parse(number)
	if err != nil {
		return math.NaN()
	}
	from, err := units.Standard().Parse(own)
	to, other := units.Standard().Parse(unit)
	if err == nil && other == nil {
		if q, err := units.Convert(decimal.NewContext(10_000), units.Quantity{Number: n, Unit: from}, to); err == nil {
			x, _ := numberOf(q.Number.String())
			return x
		}
	}
	if own != unit {
		return math.NaN()
	}
	x, _ := numberOf(number)
	return x
}

// targetsOf are the variables that an equation can be solved for.
func targetsOf(d *commands.Domain, chosen string) (list []choiceShown) {
	if d == nil {
		return nil
	}
	solved := map[string]bool{chosen: true}
	o := d.Outline()
	for _, e := range o.Equations {
		for _, key := range e.SolvesFor {
			solved[key] = solved[key] || e.Active
		}
	}
	maps.DeleteFunc(solved, func(_ string, yes bool) bool { return !yes })
	for _, v := range o.Variables {
		if solved[v.Key] && !v.Hidden {
			list = append(list, choiceShown{v.Title, v.Key})
		}
	}
	return list
}

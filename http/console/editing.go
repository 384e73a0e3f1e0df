package console

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	nethttp "net/http"
	"strings"
	"time"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/engine/language"
	"reckon/engine/value"
	"reckon/http"
	"reckon/projections"
)

// editing is what the script of the editor asks about the text as it stands.
type editing struct {
	Text string `json:"text"`
}

// maxEditing is how long the text is at most as JSON.
const maxEditing = 2*commands.MaxSource + 4<<10

// asks reads what the editor asks, waits for a slot, and gives the file. A question that the editor
// has dropped for a newer one leaves the queue.
func (c *Console) asks(v *visit, q any, text *string) (f *domainfile.File, release func(), err error) {
	body, err := v.x.Body(maxEditing, http.JSON)
	if err == nil {
		_, err = http.Object(body, q)
	}
	if err == nil && len(*text) > commands.MaxSource {
		err = errTooLong
	}
	if err == nil {
		err = c.editors.Acquire(v.x.Request().Context(), v.account.ID)
	}
	if err != nil {
		return nil, nil, err
	}
	return domainfile.Parse(fileName, []byte(*text)), func() { c.editors.Release(v.account.ID) }, nil
}

// found is what is found in a text.
type found struct {
	Findings []findingShown `json:"findings"`
	Ran      bool           `json:"ran"` // the tests were run
	Tests    []testShown    `json:"tests,omitempty"`
	Graph    *graphShown    `json:"graph,omitempty"` // nil for a text with errors, and for many variables
}

// graphShown is what is made of what, drawn and in lines.
type graphShown struct {
	Drawing template.HTML `json:"drawing"`
	Lines   string        `json:"lines"`
}

// maxDrawn is how many variables a domain has at most that is drawn beside its text.
const maxDrawn = 150

// Widths of drawings, in pixels: of the two of a graph a page shows the one that it has room for.
const (
	wideDrawing   = 800
	narrowDrawing = 284
)

// graphs are a graph for wide and for narrow pages, by what draws it, which escapes what it is made
// of.
func graphs(svg func(most int) string) template.HTML {
	return template.HTML(`<div class="drawn-wide">` + svg(wideDrawing) + `</div><div class="drawn-narrow">` + svg(narrowDrawing) + `</div>`)
}

// graphOf draws a domain that is not too large for that.
func graphOf(d *commands.Domain) *graphShown {
	if d == nil || len(d.Definition.Variables) > maxDrawn {
		return nil
	}
	o := d.Outline()
	return &graphShown{graphs(o.SVG), o.Text()}
}

// testShown is a test of a text with what became of it.
type testShown struct {
	Line   int      `json:"line"`
	Column int      `json:"column"`
	Prompt string   `json:"prompt"`
	Why    []string `json:"why,omitempty"` // nil where it passes
}

// check finds what is wrong with a text, without running its tests.
func (c *Console) check(v *visit) (http.Answer, error) {
	var q editing
	f, release, err := c.asks(v, &q, &q.Text)
	if err != nil {
		return http.Answer{}, err
	}
	defer release()
	d, report := f.Compile()
	return http.Answer{Body: found{Findings: findingsOf(f, report), Graph: graphOf(d)}}, nil
}

// test runs the tests of a text that has no errors.
func (c *Console) test(v *visit) (http.Answer, error) {
	var q editing
	f, release, err := c.asks(v, &q, &q.Text)
	if err != nil {
		return http.Answer{}, err
	}
	defer release()
	d, report := f.Compile()
	if d == nil {
		return http.Answer{Body: found{Findings: findingsOf(f, report)}}, nil
	}
	_, report = f.Check()
	return http.Answer{Body: found{Findings: findingsOf(f, report), Ran: true, Tests: testsOf(f, report)}}, nil
}

// testsOf are the tests of a file as a check with them found them.
func testsOf(f *domainfile.File, report domainfile.Report) []testShown {
	list := []testShown{}
	for i, t := range f.Definition.Tests {
		at := fmt.Sprintf("tests[%d]", i)
		shown := testShown{Prompt: strings.TrimSpace(t.Prompt)}
		shown.Line, shown.Column, _ = f.Place(at)
		for _, finding := range report.Findings {
			if !finding.Warning && (finding.Path == at || strings.HasPrefix(finding.Path, at+".")) {
				shown.Why = append(shown.Why, finding.Message)
			}
		}
		list = append(list, shown)
	}
	return list
}

// draftShown is what became of a text that was saved.
type draftShown struct {
	Seen     uint64         `json:"seen"`
	State    string         `json:"state,omitempty"`
	Title    string         `json:"title,omitempty"`
	Theirs   *string        `json:"theirs,omitempty"` // what is kept, where it was changed meanwhile
	Wrong    string         `json:"wrong,omitempty"`
	Findings []findingShown `json:"findings,omitempty"`
}

// putDraft keeps a text as the draft of a domain that stands as If-Match says.
func (c *Console) putDraft(v *visit) (http.Answer, error) {
	d, err := c.kept(v)
	if err != nil {
		return http.Answer{}, err
	}
	var q editing
	f, release, err := c.asks(v, &q, &q.Text)
	if err != nil {
		return http.Answer{}, err
	}
	defer release()
	ctx := v.x.Request().Context()
	matching, given := v.x.Matches("If-Match", tagOf(d.Sequence))
	if !given {
		return http.Answer{}, http.Failure(nethttp.StatusPreconditionRequired, "error_precondition_required", "Say with If-Match at which state of the domain the text was begun.")
	}
	if !matching {
		return c.conflict(ctx, v)
	}
	done, err := c.keep(ctx, v, d, q.Text, d.Sequence)
	switch refused := (*commands.RefusedError)(nil); {
	case errors.Is(err, commands.ErrSeen):
		return c.conflict(ctx, v)
	case isInvalid(err):
		_, report := f.Check()
		return http.Answer{Status: nethttp.StatusUnprocessableEntity, Body: draftShown{Seen: d.Sequence, Wrong: notKept, Findings: findingsOf(f, report)}}, nil
	case errors.Is(err, commands.ErrRetired), errors.Is(err, errOther), errors.As(err, &refused):
		return http.Answer{Status: nethttp.StatusUnprocessableEntity, Body: draftShown{Seen: d.Sequence, Wrong: sentence(err)}}, nil
	case err != nil:
		return http.Answer{}, err
	}
	if d, err = c.kept(v); err != nil {
		return http.Answer{}, err
	}
	s := shownOf(d)
	return http.Answer{Body: draftShown{Seen: done.Sequence, State: s.State, Title: s.Title}}, nil
}

// notKept says why a text is not saved.
const notKept = "It is not saved: a draft has no errors, and its tests pass."

// conflict shows what is kept of a domain that was changed since the editor saw it.
func (c *Console) conflict(ctx context.Context, v *visit) (http.Answer, error) {
	d, err := c.kept(v)
	if err != nil {
		return http.Answer{}, err
	}
	theirs, err := c.written(ctx, v, d)
	return http.Answer{Status: nethttp.StatusPreconditionFailed, Body: draftShown{Seen: d.Sequence, Theirs: &theirs}}, err
}

func tagOf(sequence uint64) string { return fmt.Sprintf("\"%d\"", sequence) }

// pointing is what the editor asks about a place of the text.
type pointing struct {
	editing
	Line   int `json:"line"`
	Column int `json:"column"`
}

// complete lists what may stand at a place.
func (c *Console) complete(v *visit) (http.Answer, error) {
	var q pointing
	f, release, err := c.asks(v, &q, &q.Text)
	if err != nil {
		return http.Answer{}, err
	}
	defer release()
	_, from, _ := f.WordAt(q.Line, q.Column)
	return http.Answer{Body: struct {
		From        int                     `json:"from"` // column
		Completions []domainfile.Completion `json:"completions"`
	}{from, f.Complete(q.Line, q.Column, nil)}}, nil
}

// explain tells what stands at a place.
func (c *Console) explain(v *visit) (http.Answer, error) {
	var q pointing
	f, release, err := c.asks(v, &q, &q.Text)
	if err != nil {
		return http.Answer{}, err
	}
	defer release()
	text, from, to := f.Explain(q.Line, q.Column, nil)
	return http.Answer{Body: struct {
		Text string `json:"text"`
		From int    `json:"from"` // columns
		To   int    `json:"to"`
	}{text, from, to}}, nil
}

// table makes a table of a domain file from cells that were copied from a spreadsheet.
func (c *Console) table(v *visit) (http.Answer, error) {
	var q struct {
		Cells  string `json:"cells"`
		Indent int    `json:"indent"`
	}
	_, release, err := c.asks(v, &q, &q.Cells)
	if err != nil {
		return http.Answer{}, err
	}
	defer release()
	return http.Answer{Body: struct {
		Table string `json:"table"` // "" where the text is none
	}{domainfile.Pasted(q.Cells, min(max(q.Indent, 0), 80))}}, nil
}

// maxTurns is how many prompts of a conversation with a text are tried.
const maxTurns = 10

// turnShown is a prompt that was tried: how it was read, and what came of it.
type turnShown struct {
	Pieces []readPiece `json:"pieces"`
	Answer string      `json:"answer,omitempty"`
	Wrong  string      `json:"wrong,omitempty"` // why there is no answer
}

// readPiece is a part of a prompt with what it was taken for.
type readPiece struct {
	Text  string        `json:"text"`
	Part  language.Part `json:"part,omitempty"`
	Means string        `json:"means,omitempty"`
}

// try reads prompts, the turns of a conversation, with the domain of a text.
func (c *Console) try(v *visit) (http.Answer, error) {
	var q struct {
		editing
		Prompts []string `json:"prompts"`
	}
	f, release, err := c.asks(v, &q, &q.Text)
	if err != nil {
		return http.Answer{}, err
	}
	defer release()
	if len(q.Prompts) > maxTurns {
		return http.Answer{}, http.InvalidParam("prompts", fmt.Sprintf("must be at most %d", maxTurns))
	}
	answer := struct {
		Wrong bool        `json:"wrong"` // the text has errors
		Turns []turnShown `json:"turns"`
	}{Turns: []turnShown{}}
	d, _ := f.Compile()
	if answer.Wrong = d == nil; answer.Wrong {
		return http.Answer{Body: answer}, nil
	}
	var dialogue language.Dialogue
	for _, text := range q.Prompts {
		dialogue.Turns = append(dialogue.Turns, language.Turn{Prompt: text})
	}
	now, run := time.Now(), d.DryRun()
	run.Language = v.account.Language
	env := value.Env{Now: now.UTC().Truncate(time.Second), Zone: zoneOf(v.account)}
	for i, o := range d.Vocabulary().In(run.Language).Evaluate(dialogue, false, env) {
		m, err := run.Say(q.Prompts[i], "natural_language", v.account.TimeZone, now)
		if err != nil {
			return http.Answer{}, inWords(err)
		}
		turn := turnShown{Pieces: piecesOf(q.Prompts[i], o.Trace.Spans())}
		if m.Failed != nil {
			if turn.Answer, _ = language.Replied(commands.ErrorsOf(m.Failed)); turn.Answer != "" {
				answer.Turns = append(answer.Turns, turn)
				continue
			}
			for _, problem := range problems(d, m, m.Prompt) {
				turn.Wrong = strings.TrimSpace(turn.Wrong + " " + problem.Text)
			}
		} else if m.Completed != nil {
			turn.Answer = answerOf(d, m.Completed.Results, language.WritingIn(languageOf(d, m)))
		}
		answer.Turns = append(answer.Turns, turn)
	}
	return http.Answer{Body: answer}, nil
}

// answerOf is the value that was asked for, as people read it.
func answerOf(d *commands.Domain, r projections.Results, w language.Writing) string {
	for _, variable := range r.Variables {
		if r.Calculated != nil && variable.ID == *r.Calculated {
			shown := valueOf(d, variable, w)
			if shown.Table != nil {
				return shown.Title + ": a table"
			}
			return shown.Title + ": " + shown.Text
		}
	}
	return "The scenario is shown again."
}

// piecesOf cuts a prompt where another part of it begins.
func piecesOf(prompt string, spans []language.Span) []readPiece {
	list, at := []readPiece{}, 0
	for _, s := range spans {
		if s.From > at {
			list = append(list, readPiece{Text: prompt[at:s.From]})
		}
		means := s.Variable
		if s.Value != "" {
			means += " = " + s.Value
		}
		list = append(list, readPiece{prompt[s.From:s.To], s.Part, means})
		at = s.To
	}
	if at < len(prompt) {
		list = append(list, readPiece{Text: prompt[at:]})
	}
	return list
}

package console

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/engine/language"
	"reckon/projections"
)

// messageShown is a question with its answer.
type messageShown struct {
	ID           uuid.UUID
	Conversation uuid.UUID
	Domain       uuid.UUID
	Number       int
	At           time.Time
	Zone         *time.Location
	Status       string
	Source       string
	Lang         string // tag of the language of the question and of what is said, "" for the page's
	Question     questionShown
	Scenario     int // that the answer belongs to, 0 for none
	From         int // that it builds on, 0 for none
	Action       string
	Target       *valueShown
	Also         []valueShown // what else was asked for with it
	Inputs       []valueShown // what the values rest on
	Between      []valueShown // what else was calculated
	Equations    []projections.ResultActivity
	Said         string // the answer in words, where it is more than the values; "" for none
	Problems     []problemShown
	Last         bool // of its conversation
	Newest       bool // of its scenario: what it rests on can be changed in place
	Elsewhere    []snippet
	Once         uuid.UUID
	Language     string // tag of what its numbers are written in, "" for English
	writing      language.Writing
}

// questionShown is a question as its author wrote it, or the values that a form has sent.
type questionShown struct {
	Text  string
	Lines bool // it is lines, of which each counts
	Parts []questionPart
}

// questionPart is a part of the question that a form made.
type questionPart struct{ Name, Value string }

// readers make what pages show of messages, with the versions of domains that they are of.
type reader struct {
	c       *Console
	ctx     context.Context
	account projections.Account
	zone    *time.Location
	domains map[projections.DomainRef]*commands.Domain
}

func (c *Console) reader(v *visit) *reader {
	return &reader{c, v.x.Request().Context(), v.account, zoneOf(v.account), map[projections.DomainRef]*commands.Domain{}}
}

// zoneOf is where times are shown.
func zoneOf(account projections.Account) *time.Location {
	if zone, ok := commands.Zone(account.TimeZone); ok {
		return zone
	}
	return time.UTC
}

// domain is the version that a message is of, nil where it does not compile any more.
func (r *reader) domain(ref projections.DomainRef) *commands.Domain {
	d, known := r.domains[ref]
	if !known {
		d, _ = r.c.service.Domain(r.ctx, r.account.ID, ref.ID, ref.Version) // without, values are shown plainer
		r.domains[ref] = d
	}
	return d
}

// message is a message as pages show it.
func (r *reader) message(m projections.Message) messageShown {
	d := r.domain(m.Domain)
	s := messageShown{
		ID: m.MessageID, Conversation: m.ConversationID, Domain: m.Domain.ID, Number: m.Number, At: m.ReceivedAt, Zone: r.zone,
		Status: m.Status, Source: m.Source, Question: questionOf(d, m), Once: once(), Language: languageOf(d, m),
	}
	s.writing = language.WritingIn(s.Language)
	if m.InputFormat == "natural_language" {
		s.Lang = s.Language
	}
	if m.Failed != nil {
		if said, replied := language.Replied(commands.ErrorsOf(m.Failed)); replied {
			s.Said = said
			return s
		}
		s.Problems = problems(d, m, m.Prompt)
	}
	if m.Completed == nil {
		return s
	}
	res := m.Completed.Results
	s.Action, s.Scenario, s.From, s.Equations = res.Action, res.Scenario.Current, res.Scenario.Original, res.Activities
	asked := map[string]bool{}
	targets := m.Completed.Targets
	for i := range targets {
		if i >= len(targets)-1-m.Completed.Also {
			asked[targets[i].Key] = true
		}
	}
	hidden := hiddenOf(d)
	for _, variable := range res.Variables {
		if hidden[variable.Key] {
			continue
		}
		shown := valueOf(d, variable, s.writing)
		switch {
		case res.Calculated != nil && variable.ID == *res.Calculated:
			s.Target = &shown
		case asked[variable.Key]:
			s.Also = append(s.Also, shown)
		case shown.Origin == calculated:
			s.Between = append(s.Between, shown)
		default:
			s.Inputs = append(s.Inputs, shown)
		}
	}
	for _, in := range s.Inputs {
		if s.Target != nil {
			s.Target.Table.per(in)
		}
		for _, list := range [][]valueShown{s.Also, s.Between} {
			for _, shown := range list {
				shown.Table.per(in)
			}
		}
	}
	if text := m.Completed.NaturalLanguage; text != nil && (s.Target == nil || s.Target.Origin == given || language.Compares(*text)) {
		s.Said = *text
	}
	return s
}

// languageOf is the tag of the language of a message: that of its request or of its account then,
// or else that of its domain.
func languageOf(d *commands.Domain, m projections.Message) string {
	if m.Language == "" && d != nil {
		return d.Definition.Language
	}
	return m.Language
}

// hiddenOf are the keys of variables that nobody is shown.
func hiddenOf(d *commands.Domain) map[string]bool {
	list := map[string]bool{}
	if d != nil {
		for _, v := range d.Definition.Variables {
			list[v.Key] = v.Hidden
		}
	}
	return list
}

// questionOf is what was asked. What a form has sent is JSON, which is shown by the titles of
// variables.
func questionOf(d *commands.Domain, m projections.Message) questionShown {
	var s statement
	if m.InputFormat != "json" || json.Unmarshal([]byte(m.Prompt), &s) != nil {
		text := strings.TrimSpace(m.Prompt)
		return questionShown{Text: text, Lines: m.InputFormat != "natural_language"}
	}
	titles := map[string]string{}
	if d != nil {
		for _, v := range d.Definition.Variables {
			titles[v.Key] = v.Title
		}
	}
	title := func(key string) string {
		if t := titles[key]; t != "" {
			return t
		}
		return key
	}
	var q questionShown
	w := language.WritingIn(languageOf(d, m))
	for _, in := range s.Inputs {
		text := w.Field(in.Value.Scalar())
		if in.Value.Rank > 0 {
			text = count(len(in.Value.Cells), "row", "rows")
		}
		q.Parts = append(q.Parts, questionPart{title(in.Key), text})
	}
	if c := s.Calculate; c != nil {
		name := title(c.Key)
		if c.Unit != nil && *c.Unit != "" {
			name += " in " + *c.Unit
		}
		q.Parts = append(q.Parts, questionPart{name, "?"})
	}
	if len(q.Parts) == 0 && s.Scenario != "" {
		q.Parts = append(q.Parts, questionPart{"Scenario", s.Scenario})
	}
	if len(q.Parts) == 0 {
		q.Text, q.Lines = m.Prompt, true
	}
	return q
}

// Line is the question in one line.
func (q questionShown) Line() string {
	if q.Parts == nil {
		return strings.Join(strings.Fields(q.Text), " ")
	}
	var parts []string
	for _, p := range q.Parts {
		if p.Value == "?" {
			parts = append(parts, p.Name+"?")
		} else {
			parts = append(parts, p.Name+" "+p.Value)
		}
	}
	return strings.Join(parts, ", ")
}

// Clock is the moment of a message in the account's zone, Stamp the same for programs.
func (m messageShown) Clock() string { return moment(m.At, m.Zone) }
func (m messageShown) Stamp() string { return m.At.UTC().Format(time.RFC3339) }

// moment is a moment as pages show it.
func moment(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("2 Jan 2006, 15:04")
}

// scenarioShown is a scenario in the tree of those that came from one another.
type scenarioShown struct {
	Index    int
	Focus    bool
	What     string // what is stated in it, or what was asked
	Title    string // of its target
	Text     string // the value of that
	Message  uuid.UUID
	Here     bool // its message is on the page
	Children []*scenarioShown
}

// How many of the newest scenarios a page shows.
const (
	besideMessages = 30
	toCompare      = 100
)

// scenarios are the trees of a conversation's scenarios: the first one, that in focus, and the
// newest.
func (r *reader) scenarios(head projections.Conversation, newest int) (roots []*scenarioShown, err error) {
	var indexes []int
	first := max(1, head.Last-newest+1)
	for _, index := range []int{1, head.Current} {
		if 0 < index && index < first && !slices.Contains(indexes, index) {
			indexes = append(indexes, index)
		}
	}
	for index := first; index <= head.Last; index++ {
		indexes = append(indexes, index)
	}
	all, messages := map[int]*scenarioShown{}, map[int]*messageShown{}
	for _, index := range indexes {
		m, _, err := r.c.views.Scenario(r.ctx, head.AccountID, head.ID, index)
		if err != nil {
			return nil, err
		}
		s := &scenarioShown{Index: index, Focus: index == head.Current, Message: m.MessageID}
		all[index] = s
		origin, err := r.c.views.Origin(r.ctx, head.AccountID, head.ID, index)
		if err != nil {
			return nil, err
		}
		if m.Completed != nil {
			shown := r.message(m)
			messages[index] = &shown
			s.What = short(what(&shown, messages[origin]), 80)
			if shown.Target != nil {
				s.Title, s.Text = shown.Target.Title, shown.Target.Text
				if shown.Target.Table != nil {
					s.Text = shown.Target.Size()
				}
			}
		}
		if from := all[origin]; from != nil {
			from.Children = append(from.Children, s)
		} else {
			roots = append(roots, s)
		}
	}
	return roots, nil
}

// what tells a scenario from the one that it came from, or else what it rests on that was not
// assumed.
func what(shown, from *messageShown) string {
	var parts []string
	for _, v := range shown.Inputs {
		if v.Origin == assumed && from == nil {
			continue
		}
		if from != nil && slices.ContainsFunc(from.Inputs, func(o valueShown) bool { return o.Key == v.Key && o.Text == v.Text && o.Table == nil }) {
			continue
		}
		text := v.Text
		if v.Table != nil {
			text = v.Size()
		}
		parts = append(parts, v.Title+" "+text)
	}
	if len(parts) == 0 {
		return shown.Question.Line()
	}
	return strings.Join(parts, ", ")
}

// Name is what a scenario is called.
func (s *scenarioShown) Name() string { return "Scenario " + strconv.Itoa(s.Index) }

// Assumes tells whether a value is not as anybody gave it.
func (m messageShown) Assumes() bool {
	return slices.ContainsFunc(m.Inputs, func(v valueShown) bool { return v.Origin == assumed })
}

// Steps says how the target was come to.
func (m messageShown) Steps() string {
	return "By " + count(len(m.Equations), "equation", "equations") + ", over " + count(len(m.Between), "value", "values")
}

// Mends tells whether the question has to be written in another way.
func (m messageShown) Mends() bool {
	return len(m.Problems) > 0 && !slices.ContainsFunc(m.Problems, func(p problemShown) bool { return p.Missing != nil })
}

package history

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/input"
	"reckon/engine/units"
	"reckon/engine/value"
	"reckon/events"
)

// Comparison asks what a definition would change for the messages of an account that its domain has
// answered.
type Comparison struct {
	commands.Publication
	Since time.Time // only messages answered since then; zero for all
}

// Compared counts what a comparison has come to.
type Compared struct {
	DomainID uuid.UUID      `json:"domain_id"`
	Title    string         `json:"title"`
	Version  int            `json:"version"` // the newest published one, which the definition is compared with; 0 for none
	Messages int            `json:"messages"`
	Same     int            `json:"same"`
	Effects  map[Effect]int `json:"effects"`
	Read     uint64         `json:"-"` // events read
	Total    uint64         `json:"-"` // events to be read
}

// Shifted is how many answers would be others.
func (c Compared) Shifted() int {
	n := 0
	for _, count := range c.Effects {
		n += count
	}
	return n
}

// Effect says how an answer would be another one.
type Effect string

// Effects, in the order in which they matter.
const (
	Changes        Effect = "changes"         // another value
	Fails          Effect = "fails"           // an error in place of values
	Succeeds       Effect = "succeeds"        // values in place of an error
	FailsOtherwise Effect = "fails_otherwise" // an error with another code
)

// Shift is an answer that would be another one.
type Shift struct {
	ConversationID uuid.UUID     `json:"conversation_id"`
	MessageID      uuid.UUID     `json:"message_id"`
	Time           time.Time     `json:"time"` // of the recorded answer
	Prompt         string        `json:"prompt"`
	Effect         Effect        `json:"effect"`
	Target         string        `json:"target,omitempty"` // key of what was asked for
	Values         []ValueChange `json:"values,omitempty"` // what was asked for first; it alone where one of the answers is an error
	WasErrors      []value.Error `json:"was_errors,omitempty"`
	IsErrors       []value.Error `json:"is_errors,omitempty"`
}

// ValueChange is a value of a result that is another one, or is there no more, or was not there;
// nil where there is none.
type ValueChange struct {
	Key      string          `json:"key"`
	Was      json.RawMessage `json:"was"`
	Is       json.RawMessage `json:"is"`
	Relative *float64        `json:"relative,omitempty"` // (is - was) / |was|; of tables that of the cell that changes most; nil where there is none

	WasShown string `json:"was_shown"` // as people read them
	IsShown  string `json:"is_shown"`
}

// newChange is the change of a value of a variable that a domain may know.
func newChange(d *commands.Domain, key string, was, is json.RawMessage) ValueChange {
	return ValueChange{Key: key, Was: was, Is: is, WasShown: shown(d, key, was), IsShown: shown(d, key, is)}
}

// Compare computes the messages that a domain of the account has answered with a definition of it
// that is not published, each on the scenario that it was based on, and with the newest published
// version, and tells report of those whose values or errors differ, in the order of the history;
// titles, descriptions and display are not compared. What the newest version itself has answered is
// taken as recorded. A domain that is not published yet has no answers. Nothing is published. It
// fails with commands.ErrNone for the account, and with *commands.InvalidError.
func Compare(ctx context.Context, a commands.Admin, c Comparison, report func(Shift) error, progress func(Compared)) (Compared, error) {
	done := Compared{Effects: map[Effect]int{}, Title: c.Definition.Title}
	domain, draft, err := a.Next(ctx, c.Publication)
	done.DomainID, done.Version = domain.ID, domain.Version
	if err != nil {
		return done, err
	}
	if domain.Version == 0 {
		return done, nil
	}
	mine := func(s events.Subject) bool { return s.Account() == domain.AccountID }
	err = readLog(ctx, a.Log, Selection{Since: c.Since}, mine, func(f *fold, read, total uint64, questions []*question) error {
		done.Read, done.Total = read, total
		questions = slices.DeleteFunc(questions, func(q *question) bool {
			return q.recorded.Message().Domain.ID != domain.ID || q.unrepeatable() != ""
		})
		done.Messages += len(questions)
		err := together(questions, &done.Same, func(q *question) (*Shift, error) {
			return f.compare(ctx, *q, domain.Version, draft)
		}, func(s Shift) error {
			done.Effects[s.Effect]++
			return report(s)
		})
		if err == nil {
			progress(done)
		}
		return err
	})
	return done, err
}

// compare is nil for a question that a draft answers as the newest version does.
func (f *fold) compare(ctx context.Context, q question, newest int, draft *commands.Domain) (*Shift, error) {
	was, err := q.recorded.Whole()
	if err != nil {
		return nil, err
	}
	if m := was.Message(); m.Domain.Version != newest || m.Engine != engine.Version {
		version, err := f.domains.Get(ctx, q.recorded.Subject.Account(), q.recorded.Message().Domain.ID, newest)
		if err != nil {
			return nil, err
		}
		if version.Domain != nil {
			if was, err = f.again(ctx, q, version.Domain); err != nil {
				return nil, err
			}
		}
	}
	is, err := f.again(ctx, q, draft)
	if err != nil {
		return nil, err
	}
	return shift(q, was, is, draft), nil
}

// shift tells two answers of a question apart; it is nil where both have the same values, or errors
// of the same codes.
func shift(q question, was, is events.Event, d *commands.Domain) *Shift {
	m := q.recorded.Message()
	s := &Shift{ConversationID: m.ConversationID, MessageID: m.MessageID, Time: q.recorded.Time, Prompt: m.Prompt}
	before, answered := was.Data.(*events.MessageCompleted)
	after, answers := is.Data.(*events.MessageCompleted)
	if failed, ok := was.Data.(*events.MessageFailed); ok {
		s.WasErrors = commands.ErrorsOf(failed)
	}
	if fails, ok := is.Data.(*events.MessageFailed); ok {
		s.IsErrors = commands.ErrorsOf(fails)
	}
	switch {
	case answered && answers:
		s.Effect, s.Target = Changes, after.Results.Target()
		s.Values = valueChanges(before.Results, after.Results, d)
		if len(s.Values) == 0 {
			return nil
		}
	case answered:
		s.Effect, s.Target = Fails, before.Results.Target()
		if s.Target != "" {
			s.Values = []ValueChange{newChange(d, s.Target, before.Results.Value(s.Target), nil)}
		}
	case answers:
		s.Effect, s.Target = Succeeds, after.Results.Target()
		if s.Target != "" {
			s.Values = []ValueChange{newChange(d, s.Target, nil, after.Results.Value(s.Target))}
		}
	default:
		s.Effect = FailsOtherwise
		if slices.EqualFunc(s.WasErrors, s.IsErrors, func(a, b value.Error) bool { return a.Code == b.Code }) {
			return nil
		}
	}
	return s
}

// valueChanges lists the values that differ, that of the target first, then as the later result has
// them, then those that it has no more. d knows the variables.
func valueChanges(was, is events.Results, d *commands.Domain) []ValueChange {
	before := map[string]json.RawMessage{}
	for _, v := range was.Variables {
		before[v.Key] = v.Value
	}
	list := []ValueChange{}
	for _, v := range is.Variables {
		if old := before[v.Key]; string(old) != string(v.Value) {
			change := newChange(d, v.Key, old, v.Value)
			change.Relative = relative(d, v.Key, old, v.Value)
			list = append(list, change)
		}
		delete(before, v.Key)
	}
	for _, v := range was.Variables {
		if _, gone := before[v.Key]; gone {
			list = append(list, newChange(d, v.Key, v.Value, nil))
		}
	}
	asked := cmp.Or(is.Target(), was.Target())
	if i := slices.IndexFunc(list, func(v ValueChange) bool { return v.Key == asked }); i > 0 {
		first := list[i]
		list = slices.Insert(slices.Delete(list, i, i+1), 0, first)
	}
	return list
}

// relative is by which part of what it was a value has changed, nil where that has no meaning: it
// was zero, is of another dimension or of another shape, is a choice, or is a date or a clock time,
// which are counted from somewhere.
func relative(d *commands.Domain, key string, was, is json.RawMessage) *float64 {
	i := d.Compiled().Index(key)
	if i < 0 || was == nil || is == nil || d.Compiled().Variables[i].IsChoice() || slices.Contains([]string{"date", "datetime", "time"}, d.Definition.Variables[i].Kind) {
		return nil
	}
	var values [2]value.Value
	for k, raw := range []json.RawMessage{was, is} {
		var text value.Text
		if events.Unmarshal(raw, &text) != nil {
			return nil
		}
		var errs []value.Error
		if values[k], _, errs = input.ParseResult(&d.Compiled().Scope, i, text, value.Env{Zone: time.UTC}); len(errs) > 0 {
			return nil
		}
	}
	a, b := values[0], values[1]
	if a.Rank != b.Rank || len(a.Cells) != len(b.Cells) {
		return nil
	}
	var most *float64
	for r, row := range a.Cells {
		if len(row) != len(b.Cells[r]) {
			return nil
		}
		for k := range row {
			part, ok := cellChange(row[k], b.Cells[r][k])
			if !ok || part != 0 && d.Compiled().ColumnChoices(i, k) != nil {
				return nil
			}
			if most == nil || max(part, -part) > max(*most, -*most) {
				most = &part
			}
		}
	}
	return most
}

func cellChange(was, is value.Cell) (float64, bool) {
	if was.Empty || is.Empty {
		return 0, was.Empty && is.Empty
	}
	c := decimal.NewContext(relativeBudget)
	converted, err := units.Convert(c, is.Quantity, was.Quantity.Unit)
	if err != nil {
		return 0, false
	}
	difference := c.Sub(converted.Number, was.Quantity.Number)
	if c.Err() == nil && difference.IsZero() {
		return 0, true
	}
	part := c.Quo(difference, was.Quantity.Number.Abs()).Float64()
	return part, c.Err() == nil
}

// relativeBudget is the cost that telling how far two numbers are apart may have; it takes a
// handful of operations.
const relativeBudget = 10_000

// Describe is the change of a value in words, such as "time: 2.5 h → 3 h (+20%)".
func (v ValueChange) Describe() string {
	text := fmt.Sprintf("%s: %s → %s", v.Key, v.WasShown, v.IsShown)
	switch {
	case v.Relative == nil:
	case *v.Relative == 0:
		text += " (the same quantity)"
	default:
		text += fmt.Sprintf(" (%+.3g%%)", 100**v.Relative)
	}
	return text
}

// shown is a value as JSON without the quotes of a text, with the labels of choices, "nothing"
// where there is none.
func shown(d *commands.Domain, key string, raw json.RawMessage) string {
	if raw == nil {
		return "nothing"
	}
	var text value.Text
	if i := d.Compiled().Index(key); i >= 0 && events.Unmarshal(raw, &text) == nil {
		raw = commands.Encode(d.Compiled().Labelled(i, text))
	}
	var one string
	if events.Unmarshal(raw, &one) == nil {
		return one
	}
	return string(raw)
}

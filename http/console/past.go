package console

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/commands/history"
	"reckon/engine/value"
	"reckon/events"
	"reckon/http"
	"reckon/projections"
)

// pastShown is what the page of a conversation's history shows: its events, and how it stood behind
// one of its messages.
type pastShown struct {
	ID        uuid.UUID
	Title     string
	Events    []pastEvent // the newest first
	Older     string      // address of older ones, "" for none
	At        int         // number of the message behind which it is shown, 0 for as it is
	Messages  []pastMessage
	Scenarios []pastScenario
	Focus     int
}

// pastEvent is an event of a conversation.
type pastEvent struct {
	Sequence uint64
	At, What string
	Number   int // of the message that it is about, 0 for none
}

// pastMessage is a message as it stood.
type pastMessage struct {
	ID             uuid.UUID
	Number         int
	Prompt, Answer string
	At             string
}

// pastScenario is a scenario as it stood.
type pastScenario struct {
	Index, Original int
	Values          []pastValue
}

type pastValue struct{ Title, Text, Origin string }

const (
	pastEvents   = 50
	pastMessages = 10 // the last ones at a moment
	pastValues   = 20
)

// past shows a conversation at any moment, and the events behind it.
func (c *Console) past(v *visit) (http.Answer, error) {
	head, err := c.head(v)
	if err != nil {
		return http.Answer{}, err
	}
	ctx, query, zone := v.x.Request().Context(), v.x.Request().URL.Query(), zoneOf(v.account)
	s := pastShown{ID: head.ID, Title: titleOf(head)}
	list, err := c.log.Read(ctx, events.ConversationSubject(v.account.ID, head.ID), 0)
	if err != nil {
		return http.Answer{}, err
	}
	numbers := map[uuid.UUID]int{}
	for _, e := range list {
		if m := e.Message(); m != nil && numbers[m.MessageID] == 0 {
			numbers[m.MessageID] = len(numbers) + 1
		}
	}
	before := ^uint64(0)
	if n, err := strconv.ParseUint(query.Get("before"), 10, 64); err == nil {
		before = n
	}
	for _, e := range slices.Backward(list) {
		if e.Sequence >= before || e.Data == nil {
			continue
		}
		if len(s.Events) == pastEvents {
			s.Older = conversationPath(head.ID) + "/history?before=" + strconv.FormatUint(s.Events[pastEvents-1].Sequence, 10)
			break
		}
		row := pastEvent{Sequence: e.Sequence, At: moment(e.Time, zone), What: whatOf(e)}
		if m := e.Message(); m != nil {
			row.Number = numbers[m.MessageID]
		}
		s.Events = append(s.Events, row)
	}
	var at history.Moment
	if n, err := strconv.Atoi(query.Get("at")); err == nil {
		for id, number := range numbers {
			if number == n {
				s.At, at.Message = n, id
			}
		}
		if s.At == 0 {
			return http.Answer{}, http.NotFound("There is no such message in this conversation.")
		}
	}
	stood, err := history.At(ctx, c.log, head.ID, at)
	if err != nil {
		return http.Answer{}, err
	}
	s.take(c.reader(v), stood)
	return c.page("history", v, 0, s)
}

// take takes in how a conversation stood.
func (s *pastShown) take(r *reader, stood history.Snapshot) {
	s.Focus = stood.Head.Current
	for _, m := range stood.Messages[max(0, len(stood.Messages)-pastMessages):] {
		shown := r.message(m)
		row := pastMessage{ID: m.MessageID, Number: m.Number, Prompt: short(m.Prompt, 200), At: shown.Clock()}
		switch {
		case shown.Target != nil && shown.Target.Table != nil:
			row.Answer = shown.Target.Title + ": " + shown.Target.Size()
		case shown.Target != nil:
			row.Answer = shown.Target.Title + ": " + shown.Target.Text
		case m.Status == projections.InProgress:
			row.Answer = "not answered yet"
		case m.Completed != nil:
			row.Answer = "a scenario"
		default:
			row.Answer = "an error"
		}
		s.Messages = append(s.Messages, row)
	}
	for _, of := range stood.Scenarios {
		row := pastScenario{Index: of.Index, Original: of.Original}
		shown := r.message(of.Message)
		values := shown.Inputs
		if shown.Target != nil {
			values = append([]valueShown{*shown.Target}, values...)
		}
		for _, is := range values[:min(len(values), pastValues)] {
			text := is.Text
			if is.Table != nil {
				text = is.Size()
			}
			row.Values = append(row.Values, pastValue{is.Title, text, is.Origin})
		}
		s.Scenarios = append(s.Scenarios, row)
	}
}

// bisectShown is what the page of an answer by each version of its domain shows.
type bisectShown struct {
	ID, Message uuid.UUID
	Title       string
	Found       history.Bisected
	Versions    []bisectedVersion // the newest first
	Changed     int               // how many changed the answer
	Wrong       string
}

// bisectedVersion is what a version answers.
type bisectedVersion struct {
	Number     int
	At, Answer string
	Answered   bool // it gave the answer that is kept
	Changes    bool // it answers otherwise than the version before
	Definition []definitionChange
}

// definitionChange is a place of a definition that a version changed.
type definitionChange struct{ Path, Was, Is string }

// bisect shows which version of the domain changed an answer.
func (c *Console) bisect(v *visit) (http.Answer, error) {
	head, m, err := c.answered(v)
	if err != nil {
		return http.Answer{}, err
	}
	s := bisectShown{ID: head.ID, Message: m.MessageID, Title: titleOf(head)}
	if s.Found, err = history.Bisect(v.x.Request().Context(), c.log, m.MessageID); errors.Is(err, history.ErrUnanswered) {
		s.Wrong = sentence(err)
	} else if err != nil {
		return http.Answer{}, err
	}
	for _, of := range slices.Backward(s.Found.Versions) {
		row := bisectedVersion{Number: of.Version, At: moment(of.PublishedAt, zoneOf(v.account)), Answered: of.Version == s.Found.Answered, Changes: of.Shift != nil}
		switch {
		case len(of.Errors) > 0:
			row.Answer = of.Errors[0].Filled()
		case of.Value != nil:
			row.Answer = of.Target + " = " + inLine(of.Value)
		default:
			row.Answer = "a scenario, without a value"
		}
		for _, change := range of.Definition {
			row.Definition = append(row.Definition, definitionChange{change.Path, inLine(change.Was), inLine(change.Is)})
		}
		if row.Changes {
			s.Changed++
		}
		s.Versions = append(s.Versions, row)
	}
	return c.page("bisect", v, 0, s)
}

// inLine is a value as it stands in an event, in a line.
func inLine(text json.RawMessage) string {
	var v value.Text
	if v.UnmarshalJSON(text) == nil && v.Scalar() != "" {
		return short(v.Scalar(), 200)
	}
	return short(strings.Trim(string(text), `"`), 200)
}

// answered is the message that the path names, in its conversation.
func (c *Console) answered(v *visit) (head projections.Conversation, m projections.Message, err error) {
	if head, err = c.head(v); err != nil {
		return head, m, err
	}
	id, _ := v.x.ID("message")
	m, found, err := c.views.Message(v.x.Request().Context(), v.account.ID, head.ID, id)
	if err == nil && !found {
		err = http.NotFound("There is no such message in this conversation.")
	}
	return head, m, err
}

// madeTest is what the page of a test that an answer makes shows.
type madeTest struct {
	ID, Message uuid.UUID
	Title       string
	Domain      events.DomainRef
	YAML        string
	Adds        bool // the visitor may add it to the draft
	Done        string
}

func (c *Console) testPage(v *visit) (http.Answer, error) { return c.showTest(v, 0, madeTest{}) }

// showTest shows a test that an answer makes.
func (c *Console) showTest(v *visit, status int, s madeTest) (http.Answer, error) {
	head, m, err := c.answered(v)
	if err != nil {
		return http.Answer{}, err
	}
	s.ID, s.Message, s.Title = head.ID, m.MessageID, titleOf(head)
	made, ref, err := history.TestOf(v.x.Request().Context(), c.log, m.MessageID)
	if errors.Is(err, history.ErrUnanswered) || errors.Is(err, commands.ErrNone) {
		v.faulty(err)
	} else if err != nil {
		return http.Answer{}, err
	} else {
		s.YAML, s.Domain, s.Adds = string(domainfile.TestYAML(made)), ref, v.role.May(projections.RoleDeveloper)
	}
	return c.page("madetest", v, status, s)
}

// addTest adds a test that an answer makes to the draft of its domain, which begins as the newest
// version where there is none.
func (c *Console) addTest(v *visit) (http.Answer, error) {
	if _, err := v.form(); err != nil {
		return http.Answer{}, err
	}
	_, m, err := c.answered(v)
	if err != nil {
		return http.Answer{}, err
	}
	ctx := v.x.Request().Context()
	made, ref, err := history.TestOf(ctx, c.log, m.MessageID)
	if err != nil {
		return http.Answer{}, err
	}
	d, found := c.views.Domain(v.account.ID, ref.ID)
	if !found {
		return http.Answer{}, http.NotFound("The domain of this answer is gone.")
	}
	source, err := c.written(ctx, v, d)
	if err != nil {
		return http.Answer{}, err
	}
	file := domainfile.Parse(fileName, []byte(source))
	if file.HasTest(made) {
		return c.showTest(v, 0, madeTest{Done: "The draft has this test already."})
	}
	after, err := file.WithTest(made)
	if err == nil {
		if _, report := after.Check(); !report.Valid {
			err = errors.New("the draft does not pass this test, or has errors: open the editor")
		}
	}
	if err == nil {
		_, err = c.keep(ctx, v, d, after.Text(), d.Sequence)
	}
	if err != nil {
		v.fault("Nothing is added: " + err.Error() + ".")
		return c.showTest(v, unprocessable, madeTest{})
	}
	return c.showTest(v, 0, madeTest{Done: "It is in the draft, which is published when somebody publishes it."})
}

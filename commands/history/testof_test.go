package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reckon/commands"
	"reckon/commands/commandstest"
	"reckon/engine/prompt"
	"reckon/events"
	"reckon/projections"
)

// checkTest says what is wrong with a test of a message, "" for nothing: it passes, now and as it
// is kept in an event, and fails where it expects anything else.
func checkTest(d *commands.Domain, test events.Test, m projections.Message) string {
	var kept events.Test
	if err := json.Unmarshal(commands.Encode(test), &kept); err != nil {
		return err.Error()
	}
	if _, problems := d.RunTest(kept, time.Now()); len(problems) > 0 {
		return fmt.Sprint(problems)
	}
	if m.Failed != nil {
		if len(test.Expect) > 0 || len(test.Errors) == 0 {
			return "no errors are expected"
		}
		kept.Errors = append(slices.Clone(test.Errors), "input.limit_exceeded")
		if _, problems := d.RunTest(kept, time.Now()); len(problems) == 0 {
			return "it passes with other errors"
		}
		return ""
	}
	if len(test.Expect) == 0 || len(test.Errors) > 0 {
		return "no values are expected"
	}
	if wanted := m.Completed.Results.Target(); wanted != "" && string(test.Expect[wanted]) != string(m.Completed.Results.Value(wanted)) {
		return "the answer's own value is not expected"
	}
	for key, value := range test.Expect {
		kept.Expect = maps.Clone(test.Expect)
		i := strings.IndexAny(string(value), "0123456789")
		other := []byte(string(value))
		other[i] = '0' + (other[i]-'0'+1)%10
		kept.Expect[key] = other
		if _, problems := d.RunTest(kept, time.Now()); len(problems) != 1 || problems[0].Path != ".expect."+key {
			return fmt.Sprintf("with %s in place of %s: %v", other, value, problems)
		}
	}
	return ""
}

// TestEveryAnswerBecomesATest makes a test of each message of a history, values, errors, fetches
// and prose that a model read among them, which must hold for the version that answered.
func TestEveryAnswerBecomesATest(t *testing.T) {
	h := tell(t, 8)
	versions := versions(h.log)
	kinds := map[string]int{}
	for _, m := range h.messages {
		test, ref, err := TestOf(t.Context(), h.log, m.MessageID)
		if err != nil {
			t.Errorf("%q: %v", m.Prompt, err)
			continue
		}
		version, err := versions.Get(t.Context(), h.account.ID, ref.ID, ref.Version)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := checkTest(version.Domain, test, m); wrong != "" || ref.Version != m.Domain.Version {
			t.Errorf("%q: %s\n%s", m.Prompt, wrong, commands.Encode(test))
		}
		switch {
		case m.Failed != nil:
			kinds["error"]++
		case m.Completed.Results.Calculated == nil:
			kinds["fetch"]++
		default:
			kinds["value"]++
		}
		if len(test.After) > 0 {
			kinds["after"]++
		}
	}
	for _, kind := range []string{"value", "error", "fetch", "after"} {
		if kinds[kind] == 0 {
			t.Errorf("%s: no test is such a one: %v", kind, kinds)
		}
	}
	if _, _, err := TestOf(t.Context(), h.log, uuid.New()); !errors.Is(err, commands.ErrNone) {
		t.Errorf("an unknown message: %v", err)
	}
}

// testOfLast makes a test of the last message of a conversation, as a domain has answered it.
// before is the conversation without it.
func (h *talk) testOfLast(d *commands.Domain, before *talk, interpreted json.RawMessage) (events.Test, bool) {
	var earlier []question
	for _, e := range before.events {
		earlier = append(earlier, question{recorded: e})
	}
	q := question{recorded: h.events[len(before.events)], interpreted: interpreted}
	data, ok := q.recorded.Data.(*events.MessageCompleted)
	if !ok || data.Results.Action != "fetch" {
		return testOf(d, q, earlier, nil)
	}
	fetched, err := before.scenario(data.Results.Scenario.Current, before.message)
	if err != nil {
		panic(err)
	}
	return testOf(d, q, earlier, fetched)
}

// TestNoTestOfWhatAnotherVersionAllowed goes on from values that agreed, and do not by the version
// that answers.
func TestNoTestOfWhatAnotherVersionAllowed(t *testing.T) {
	h := questions(t, drive+"\nconsumption: 0.05 gal/mi\nfuel: 7.5 gal")
	def := trip(t).Definition
	def.Activities = slices.Clone(def.Activities)
	def.Activities[1].Equation = "fuel = 2 * distance * consumption"
	h.publish(t, def)
	r := h.request("price: 4 USD/gal\ncalculate: cost")
	r.Conversation = &h.messages[0].ConversationID
	m := h.answered(t, r)
	_, _, err := TestOf(t.Context(), h.log, m.MessageID)
	if code(t, m) != "calculation.conflicting_inputs" || !errors.Is(err, ErrUntestable) || !strings.Contains(err.Error(), "version 2 answers that otherwise") {
		t.Errorf("%s: %v", m.Failed.Errors, err)
	}
}

// TestConversationsBecomeTests makes a test of each message of conversations as
// TestNoRequestLosesAScenario draws them, with prose and with other versions of the domain in
// between. None is made only where another version has answered before.
func TestConversationsBecomeTests(t *testing.T) {
	versions := []*commands.Domain{trip(t), newerTrip(t)}
	rapid.Check(t, func(t *rapid.T) { testConversation(t, versions) })
}

// newerTrip is another version of the trip, which answers otherwise.
func newerTrip(t *testing.T) *commands.Domain {
	def := trip(t).Definition
	def.Variables, def.Activities = slices.Clone(def.Variables), slices.Clone(def.Activities)
	def.Variables[0].Unit = "km"
	def.Variables[3].DefaultValue = commands.Encode("0.2 gal/mi")
	def.Activities[1].Equation = "fuel = 2 * distance * consumption"
	d, issues := commands.Check(trip(t).ID, def)
	if d == nil {
		t.Fatal(issues)
	}
	d.Version = 2
	return d
}

func testConversation(t *rapid.T, versions []*commands.Domain) {
	said := []string{howLong, "and at 75 mph?", "undo the last change", "back to the first one", "how far in 2 hours?", "gibberish of no kind", "10 mph faster"}
	h := newTalk()
	version := 0
	for range rapid.IntRange(1, 10).Draw(t, "requests") {
		if rapid.IntRange(0, 9).Draw(t, "other version") == 0 {
			version = 1 - version
		}
		d := *versions[version]
		if rapid.IntRange(0, 3).Draw(t, "other domain") == 0 {
			d.ID = uuid.NewSHA1(uuid.Nil, []byte("another domain"))
		}
		before := h.fork()
		var m projections.Message
		if rapid.IntRange(0, 4).Draw(t, "prose") == 0 {
			m = h.sayAs(&d, prompt.NaturalLanguage, rapid.SampledFrom(said).Draw(t, "said"))
		} else {
			m = h.say(&d, commandstest.DrawUtterance(t, h.head.Last, false).Text)
		}
		test, ok := h.testOfLast(&d, before, nil)
		wrong := "none is made"
		if ok {
			wrong = checkTest(&d, test, m)
		}
		other := slices.ContainsFunc(before.messages, func(m projections.Message) bool {
			return m.Domain.ID == d.ID && m.Domain.Version != d.Version
		})
		if wrong != "" && (ok || !other) {
			var list strings.Builder
			for _, m := range h.messages {
				fmt.Fprintf(&list, "(%s %d) %s\n", m.Domain.ID, m.Domain.Version, strings.ReplaceAll(m.Prompt, "\n", " / "))
			}
			t.Fatalf("%s\n%s\n%s\n%s", wrong, commands.Encode(test), list.String(), told(m))
		}
	}
}

// TestTestsStateWhatTheyNeed holds tests against what they are expected to be: each case is what is
// said, and the test that the last message makes.
func TestTestsStateWhatTheyNeed(t *testing.T) {
	def := trip(t).Definition
	def.Variables = append(slices.Clone(def.Variables),
		events.Variable{Key: "due", Title: "due", Kind: "date", DefaultValue: commands.Encode("")},
		events.Variable{Key: "wait", Title: "wait", Kind: "duration", DefaultValue: commands.Encode("")},
	)
	def.Activities = append(slices.Clone(def.Activities), events.Activity{Title: "Wait", Equation: "wait = due - today", State: "active"})
	d, issues := commands.CheckFile(def)
	if d == nil {
		t.Fatal(issues)
	}
	other := *d
	other.ID = uuid.NewSHA1(uuid.Nil, []byte("another domain"))
	for _, c := range []struct {
		name string
		said []string // "(other) " is another domain's, "(json) " what a model made of prose, "(structured) " stated to be
		want string
	}{
		{"an error", []string{drive, "distance: 3 kg"},
			`{"prompt":"distance: 3 kg","expect":{},"errors":["input.incompatible_units"]}`},
		{"several errors", []string{"distance: 3 kg\nspeed: fast"},
			`{"prompt":"distance: 3 kg\nspeed: fast","expect":{},"errors":["input.incompatible_units","input.invalid_number"]}`},
		{"a what-if", []string{drive, "speed: 75 mi/h"},
			`{"prompt":"distance: 150 mi\nspeed: 75 mi/h\ncalculate: time","expect":{"time":"2 h"}}`},
		{"a fetch, after two scenarios of three", []string{drive, "speed: 75 mi/h", "speed: 50 mi/h", "scenario: 2"},
			`{"prompt":"scenario: 2","expect":{"distance":"150 mi","speed":"75 mi/h","time":"2 h"},"after":[{"prompt":"` + strings.ReplaceAll(drive, "\n", `\n`) + `"},{"prompt":"speed: 75 mi/h"}]}`},
		{"what is missing yet", []string{"scenario: new\ncalculate: cost", "distance: 150 mi"},
			`{"prompt":"distance: 150 mi","expect":{},"errors":["calculation.missing_inputs"],"after":[{"prompt":"scenario: new\ncalculate: cost"}]}`},
		{"another domain's scenario", []string{"(other) " + drive, drive, "(other) speed: 75 mi/h", "scenario: 3\ntime: 3 h"},
			`{"prompt":"scenario: 3\ntime: 3 h","expect":{},"errors":["scenario.domain_mismatch"],"after":[{"other_domain":1},{"prompt":"` + strings.ReplaceAll(drive, "\n", `\n`) + `"},{"other_domain":3}]}`},
		{"today", []string{"due: 24 December\ncalculate: wait in d"},
			`{"prompt":"due: 2026-12-24\ncalculate: wait in d","expect":{"wait":"294 d"},"now":"2026-03-05T13:00:00Z"}`},
		{"today somewhere else", []string{"(Pacific/Auckland) due: 24 December\ncalculate: wait in d"},
			`{"prompt":"due: 2026-12-24\ncalculate: wait in d","expect":{"wait":"293 d"},"now":"2026-03-05T13:00:00Z","time_zone":"Pacific/Auckland"}`},
		{"now of an earlier turn", []string{"time: 2 h\ncalculate: arrival", "scenario: 1"},
			`{"prompt":"scenario: 1","expect":{"arrival":"1772722800 s","start":"1772715600 s","time":"2 h"},"after":[{"prompt":"time: 2 h\ncalculate: arrival","now":"2026-03-05T13:00:00Z"}]}`},
		{"a format that the prompt does not tell", []string{"(structured) speeed: 5"},
			`{"prompt":"speeed: 5","expect":{},"errors":["input.unknown_variable"],"input_format":"structured"}`},
		{"prose", []string{"gibberish of no kind"},
			`{"prompt":"gibberish of no kind","expect":{},"errors":["language.not_understood"]}`},
		{"prose that a model read", []string{`(json) {"inputs":[],"calculate":{"key":"cost"}}`},
			`{"prompt":"{\"inputs\":[],\"calculate\":{\"key\":\"cost\"}}","expect":{},"errors":["calculation.missing_inputs"]}`},
		{"lines of another system", []string{"distance: 3 kg\r\nspeed: 5 mi/h\r\n"},
			`{"prompt":"distance: 3 kg\nspeed: 5 mi/h","expect":{},"errors":["input.incompatible_units"]}`},
	} {
		h := newTalk()
		var got events.Test
		for _, text := range c.said {
			domain, format, zone, model := d, "", "UTC", false
			if of, rest, found := strings.Cut(strings.TrimPrefix(text, "("), ") "); found && text[0] == '(' {
				text = rest
				switch of {
				case "other":
					domain = &other
				case "structured":
					format = of
				case "json":
					format, model = of, true
				default:
					zone = of
				}
			}
			if format == "" {
				var err error
				if format, err = prompt.Detect(d.Compiled(), text); err != nil {
					t.Fatal(err)
				}
			}
			before := h.fork()
			h.zone = zone
			h.sayAs(domain, format, text)
			var interpreted json.RawMessage
			if model {
				m := h.events[len(before.events)].Message()
				interpreted, m.InputFormat, m.Prompt = json.RawMessage(text), prompt.NaturalLanguage, "a riddle"
			}
			var ok bool
			if got, ok = h.testOfLast(domain, before, interpreted); !ok {
				t.Errorf("%s: no test of %q", c.name, text)
			}
		}
		if string(commands.Encode(got)) != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, commands.Encode(got), c.want)
		}
	}
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	clients "reckon/cmd/reckon/clients"
)

// walk is testdata/clients/walk.py with the client for Go.
func walk(t *testing.T, args []string) string {
	var out strings.Builder
	say := func(parts ...any) { fmt.Fprintln(&out, parts...) }
	yes := func(fact bool) string {
		if fact {
			return "yes"
		}
		return "no"
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	address, key, link, nobody, long, cases := args[0], args[1], args[2], args[3], args[4], args[5]
	ctx := t.Context()
	client := clients.New(address, key)
	domains, err := client.Domains(ctx)
	must(err)
	domain := domains[slices.IndexFunc(domains, func(d clients.Domain) bool { return d.Title == "Journey" })].ID
	declared, err := client.Variables(ctx, domain)
	must(err)
	var keys []string
	for _, v := range declared {
		keys = append(keys, v.Key)
	}
	say("variables", strings.Join(keys, " "))

	drive := clients.Question{Domain: domain, Prompt: "distance: 150 mi\nspeed: 70 mi/h\ncalculate: time", IdempotencyKey: "drive-go"}
	first, err := client.Calculate(ctx, drive)
	must(err)
	say("asked", first.Status, first.Target().Value, "shown", first.Target().Shown())
	again, err := client.Calculate(ctx, drive)
	must(err)
	say("again", yes(again.MessageID == first.MessageID))
	conversation := first.ConversationID
	second, err := client.Calculate(ctx, clients.Question{
		Domain: domain, Conversation: conversation, Inputs: map[string]any{"speed": "75 mi/h"}, Calculate: []clients.Target{{Key: "time", Unit: "min"}},
	})
	must(err)
	var carried []string
	for _, v := range second.Results.Variables {
		if v.Historical {
			carried = append(carried, v.Key)
		}
	}
	say("what-if", second.Results.Action, second.Results.Scenario.Current, second.Target().Value, "carried", strings.Join(carried, " "))
	table, err := client.Calculate(ctx, clients.Question{
		Domain: domain, Conversation: conversation, Inputs: map[string]any{"hours": []string{"1 h", "30 min", ""}}, Calculate: []clients.Target{{Key: "total"}}, Scenario: "new",
	})
	must(err)
	say("table", strings.ReplaceAll(table.Variable("hours").Value.String(), "\n", ","), table.Target().Value)
	scenarios, err := client.Scenarios(ctx, conversation)
	must(err)
	var ids []string
	for _, s := range scenarios {
		ids = append(ids, fmt.Sprint(s.ID))
	}
	say("scenarios", strings.Join(ids, " "))
	scenario, err := client.Scenario(ctx, conversation, 2)
	must(err)
	keys = nil
	for _, v := range scenario.Variables {
		keys = append(keys, v.Key)
	}
	slices.Sort(keys)
	say("scenario 2", strings.Join(keys, " "))
	prose, err := client.Calculate(ctx, clients.Question{Domain: domain, Prompt: "How long for 150 miles at 60 mph?"})
	must(err)
	say("prose", prose.NaturalLanguage)
	late, err := client.Calculate(ctx, clients.Question{Domain: domain, Prompt: "How long for 300 miles at 60 mph?", NoWait: true})
	must(err)
	late, err = client.Wait(ctx, late.ConversationID, late.MessageID)
	must(err)
	say("waited", late.Target().Value)
	explanation, err := client.Explanation(ctx, conversation, first.MessageID)
	must(err)
	say("explained", yes(strings.Contains(explanation, "distance / speed")))
	var compared struct{ Target struct{ Second string } }
	must(client.Get(ctx, "/v1/conversations/"+conversation+"/compare", url.Values{"scenarios": {"1,2"}, "of": {"time in min"}}, &compared))
	say("compared", compared.Target.Second)

	fails := func(name string, err error) {
		var wrong *clients.CalculationError
		var refused *clients.RequestError
		var unanswered *clients.UnansweredError
		switch {
		case errors.As(err, &wrong):
			say(name, wrong)
			for _, p := range wrong.Message.Errors {
				for _, alternative := range p.Missing {
					var keys []string
					for _, v := range alternative.Variables {
						keys = append(keys, v.Key)
					}
					say("  missing", strings.Join(keys, " "))
				}
				if p.Offset != nil {
					say("  offset", *p.Offset)
				}
			}
		case errors.As(err, &refused):
			say(name, refused.Status, refused.Code, refused)
		case errors.As(err, &unanswered):
			say(name, "unanswered", unanswered.IdempotencyKey)
		default:
			say(name, "does not fail as it should:", err)
		}
	}
	ask := func(ctx context.Context, c *clients.Client, q clients.Question) error {
		_, err := c.Calculate(ctx, q)
		return err
	}
	with := func(prompt, key string) clients.Question {
		return clients.Question{Domain: domain, Prompt: prompt, IdempotencyKey: key}
	}
	fails("unknown", ask(ctx, client, with("distanse: 150 mi\ncalculate: time", "")))
	fails("missing", ask(ctx, client, clients.Question{Domain: domain, Inputs: map[string]any{"distance": "150 mi"}, Calculate: []clients.Target{{Key: "time"}}}))
	fails("units", ask(ctx, client, with("distance: 5 kg\nspeed: 7\ncalculate: time", "")))
	fails("syntax", ask(ctx, client, with("distance: (1 + mi\nspeed: 60 mi/h\ncalculate: time", "")))
	fails("conflict", ask(ctx, client, with(drive.Prompt+" in min", "drive-go")))
	fails("no domain", ask(ctx, client, clients.Question{Domain: "trip", Prompt: drive.Prompt}))
	_, err = client.Conversation(ctx, "../domains")
	fails("no conversation", err)
	_, err = clients.New(address, "reckon_live_wrong").Domains(ctx)
	fails("no key", err)

	seen, repeated := map[string]bool{}, false
	for item, err := range client.Conversations(ctx) {
		must(err)
		repeated = repeated || seen[item.ID]
		seen[item.ID] = true
	}
	say("conversations", yes(len(seen) > 100 && !repeated))
	var messages []clients.Message
	for m, err := range client.Messages(ctx, long) {
		must(err)
		messages = append(messages, m)
	}
	whole, err := client.Conversation(ctx, long)
	must(err)
	slices.Reverse(messages)
	say("messages", len(messages), yes(slices.EqualFunc(messages, whole.Messages, func(a, b clients.Message) bool { return a.MessageID == b.MessageID })))

	for _, fault := range []string{"lost", "cut", "busy"} {
		bad, err := clients.New(link+"/"+fault, key).Calculate(ctx, with(drive.Prompt, fault+"-go"))
		must(err)
		found, err := client.Conversation(ctx, bad.ConversationID)
		must(err)
		say(fault, bad.Target().Value, "messages", len(found.Messages))
	}
	for _, fault := range []string{"spent", "moved", "page"} {
		fails(fault, ask(ctx, clients.New(link+"/"+fault, key), with(drive.Prompt, "")))
	}
	began := time.Now()
	fails("silent", ask(ctx, &clients.Client{URL: link + "/silent", Key: key, Timeout: 300 * time.Millisecond}, with(drive.Prompt, "silent")))
	soon, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	fails("cancelled", ask(soon, clients.New(link+"/silent", key), with(drive.Prompt, "cancelled")))
	fails("nobody", ask(ctx, &clients.Client{URL: nobody, Key: key, Retries: 1}, with(drive.Prompt, "nobody")))
	say("in time", yes(time.Since(began) < 10*time.Second))

	data, err := os.ReadFile(cases)
	must(err)
	var list []struct {
		Value, Text clients.Value
		Display     clients.Display
	}
	must(json.Unmarshal(data, &list))
	var wrong []string
	for _, c := range list {
		got, err := json.Marshal(clients.Show(c.Value, c.Display))
		must(err)
		want, err := json.Marshal(c.Text)
		must(err)
		if string(got) != string(want) {
			wrong = append(wrong, fmt.Sprint(c.Value, c.Display, string(got)))
		}
	}
	say("cases shown otherwise", len(wrong))
	for _, text := range wrong {
		say("  ", text)
	}
	return out.String()
}

package main

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	clients "reckon/cmd/reckon/clients"
)

// toldBy is what testdata/clients/follow.py says of an event.
func toldBy(e clients.Event) string {
	if e.Message != nil {
		return e.Type + " " + e.Message.Variable("distance").Value.String()
	}
	if e.Title == nil {
		return e.Type
	}
	return e.Type + " " + *e.Title
}

// followLive is testdata/clients/follow.py live with the client for Go.
func followLive(ctx context.Context, say func(string), address, key, conversation string) error {
	client := &clients.Client{URL: address, Key: key, Timeout: 10 * time.Minute}
	for e, err := range client.Events(ctx, clients.Follow{Conversation: conversation}) {
		if err != nil {
			return err
		}
		say(toldBy(e))
		if conversation == "" && e.Type == "conversation.erased" {
			break
		}
	}
	say("ended")
	return nil
}

// followHostile is testdata/clients/follow.py hostile with the client for Go.
func followHostile(t *testing.T, address, nobody string) string {
	var out strings.Builder
	follow := func(name string, client *clients.Client, how clients.Follow, then func(cancel func()) (leaves bool)) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		out.WriteString(name + "\n")
		for e, err := range client.Events(ctx, how) {
			var refused *clients.RequestError
			switch {
			case err == nil:
				out.WriteString("  told " + e.ID + " " + toldBy(e) + "\n")
				if then != nil && then(cancel) {
					out.WriteString("  ended\n")
					return
				}
				continue
			case errors.As(err, &refused):
				out.WriteString(strings.Join([]string{"  refused", strconv.Itoa(refused.Status), refused.Code, refused.Text}, " ") + "\n")
			case errors.As(err, new(*clients.UnansweredError)):
				out.WriteString("  unanswered\n")
			default:
				out.WriteString("  " + err.Error() + "\n")
			}
			return
		}
		out.WriteString("  ended\n")
	}
	one := clients.Follow{Conversation: "c"}
	for _, name := range []string{"lines", "cut", "busy", "revoked", "page", "broken", "text", "endless", "heap", "moved", "ids", "over"} {
		follow(name, clients.New(address+"/"+name, "key"), one, nil)
	}
	soon := func(url string) *clients.Client {
		return &clients.Client{URL: url, Key: "key", Timeout: 300 * time.Millisecond}
	}
	follow("all", clients.New(address+"/all", "key"), clients.Follow{}, nil)
	follow("after", clients.New(address+"/after", "key"), clients.Follow{After: "7"}, nil)
	follow("silent", clients.New(address+"/silent", "key"), clients.Follow{Conversation: "c", Silence: 200 * time.Millisecond}, nil)
	follow("left", clients.New(address+"/held", "key"), one, func(func()) bool { return true })
	follow("cancelled", clients.New(address+"/held", "key"), one, func(cancel func()) bool { cancel(); return false })
	follow("late", soon(address+"/late"), one, nil)
	follow("spent", soon(address+"/spent"), one, nil)
	follow("nobody", soon(nobody), clients.Follow{}, nil)
	return out.String()
}

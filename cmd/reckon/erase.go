package main

import (
	"fmt"
	"time"

	"reckon/http/admin"
)

type conversationErase struct {
	installation
	ID      string `arg:"" help:"Id of the conversation."`
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	Reason  string `help:"Why, for the audit. It is kept for ever: leave out whatever is to be forgotten." placeholder:"TEXT"`
	JSON    bool   `help:"Print JSON."`
}

func (*conversationErase) Help() string {
	return `From then on nobody sees the conversation, and its idempotency keys answer 404. What was said in it is then overwritten in the files of the log and of the views. The command returns when that is done on the node of the data directory, or the one that --server asks; other nodes do it by themselves, one that is away when it is back. It cannot be taken back. Backups keep what they have.

Examples:
  reckon conversation erase 0199b2b6-2e5d-7c37-9a39-0a1b2c3d4e5f --account acme
  reckon conversation erase 0199b2b6-2e5d-7c37-9a39-0a1b2c3d4e5f --account acme --reason "letter of 3 May"`
}

func (c *conversationErase) Run(t terminal) error {
	id, err := parseID("the conversation", c.ID)
	if err != nil {
		return err
	}
	return c.askViews(t, func(a administration) error {
		erased, err := a.erase(admin.Erasing{Reason: c.Reason}, "accounts", c.Account, "conversations", id.String(), "erase")
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, erased)
		}
		when := "is erased"
		if erased.Again {
			when = "had been erased before"
		}
		where := "this node"
		if c.Server != "" {
			where = "the node that answers"
		}
		_, err = fmt.Fprintf(t.out, "Conversation %s %s, and nothing of it is in the files of %s.\n", id, when, where)
		return err
	})
}

// erase erases a conversation, and asks again until a node has forgotten it.
func (a administration) erase(why admin.Erasing, path ...string) (admin.Erased, error) {
	began := time.Now()
	erased, err := command[admin.Erased](a, why, path...)
	for err == nil && !erased.Forgotten {
		if time.Since(began) > forgottenPatience {
			return erased, fmt.Errorf("conversation %s is erased, and what it said is not overwritten yet, which goes on by itself while a server runs", erased.ConversationID)
		}
		var later admin.Erased
		later, err = command[admin.Erased](a, why, path...)
		erased.Forgotten = later.Forgotten
	}
	return erased, err
}

// forgottenPatience is how long a command waits until what is erased is forgotten.
const forgottenPatience = 10 * time.Minute

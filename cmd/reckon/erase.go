package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events/log"
	"reckon/projections"
)

type conversationErase struct {
	directory
	ID      uuid.UUID `arg:"" help:"Id of the conversation."`
	Account string    `help:"Name of the account." required:"" placeholder:"NAME"`
	Reason  string    `help:"Why, for the audit. It is kept for ever: leave out whatever is to be forgotten." placeholder:"TEXT"`
	JSON    bool      `help:"Print JSON."`
}

func (*conversationErase) Help() string {
	return `From then on nobody sees the conversation, and its idempotency keys answer 404. What was said in it is then overwritten in the files of the log and of the views. The command returns when that is done on the node of the data directory; other nodes do it by themselves, one that is away when it is back. It cannot be taken back. Backups keep what they have.

Examples:
  reckon conversation erase 0199b2b6-2e5d-7c37-9a39-0a1b2c3d4e5f --account acme
  reckon conversation erase 0199b2b6-2e5d-7c37-9a39-0a1b2c3d4e5f --account acme --reason "letter of 3 May"`
}

// erasedRow is what became of an erasure.
type erasedRow struct {
	ConversationID uuid.UUID `json:"conversation_id"`
	Event          uint64    `json:"event"` // sequence of the event that erased it
	Again          bool      `json:"again"` // it had been erased before
}

func (c *conversationErase) Run(t terminal) error {
	return c.administer(t, func(a commands.Admin) error {
		sequence, again, err := a.EraseConversation(t, c.Account, c.ID, c.Reason)
		if err != nil {
			return err
		}
		if err := c.forgotten(t, a.Log, sequence); err != nil {
			return fmt.Errorf("conversation %s is erased, and what it said is not overwritten yet, which goes on by itself while a server runs: %w", c.ID, err)
		}
		if c.JSON {
			return printJSON(t, erasedRow{c.ID, sequence, again})
		}
		when := "is erased"
		if again {
			when = "had been erased before"
		}
		fmt.Fprintf(t.out, "Conversation %s %s, and nothing of it is in the files of this node.\n", c.ID, when)
		return nil
	})
}

// forgotten waits until everything that was erased up to an event is overwritten on the node of the
// data directory: by its server, or here where none runs.
func (d directory) forgotten(t terminal, l *log.Log, sequence uint64) error {
	ctx, cancel := context.WithTimeout(t, forgottenPatience)
	defer cancel()
	if !l.Local() {
		return projections.RemoteOf(l).Forgotten(ctx, sequence)
	}
	views, err := projections.Open(t, l, d.Data, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return errors.Join(views.Forgotten(ctx, sequence), views.Close())
}

// forgottenPatience is how long a command waits for that.
const forgottenPatience = 10 * time.Minute

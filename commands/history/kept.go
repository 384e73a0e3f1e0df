package history

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
	"reckon/events/log"
)

// Kept finds the scenarios at some places of a conversation of whichever account, ready to be
// calculated with again. It fails with commands.ErrNone, ErrUnknownMessage and ErrUnknownScenario.
func Kept(ctx context.Context, log *log.Log, id uuid.UUID, places []commands.Place) ([]commands.Kept, error) {
	s, err := At(ctx, log, id, Moment{})
	if err != nil {
		return nil, err
	}
	domains := versions(log)
	list, err := commands.KeptIn(s.Head, s.Messages, places, func(ref events.DomainRef) (*commands.Domain, error) {
		version, err := domains.Get(ctx, s.Head.AccountID, ref.ID, ref.Version)
		if err == nil && version.Domain == nil {
			err = fmt.Errorf("version %d of the domain does not compile any more: %s", ref.Version, version.Why())
		}
		return version.Domain, err
	})
	if errors.Is(err, commands.ErrUnknownMessage) || errors.Is(err, commands.ErrUnknownScenario) {
		err = fmt.Errorf("%w in conversation %s: `reckon history --conversation %[2]s` shows those there are", err, id)
	}
	return list, err
}

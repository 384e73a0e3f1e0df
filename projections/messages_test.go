package projections

import (
	"errors"
	"testing"

	"github.com/google/uuid"
)

// A node that ends cannot read what is not in memory: callers are to ask again.
func TestMessagesOfALogThatIsClosed(t *testing.T) {
	log := openLog(t, t.TempDir())
	h := newHistory(t, log)
	e := h.append(first(uuid.New()))
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	place := []messageRef{{ID: e.Message().MessageID, Sequence: e.Sequence}}
	if _, err := newMessageLog(log).read(t.Context(), []int{1}, place); !errors.Is(err, ErrBehind) {
		t.Errorf("read from a log that is closed: %v", err)
	}
}

package commands

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
)

// The longest title and notes of a conversation, in characters.
const (
	maxTitle = 200
	maxNotes = 4000
)

// Description is what people write of a conversation; nil leaves what is there, an empty text takes
// it away.
type Description struct {
	Title *string // one line, at most 200 characters
	Notes *string // at most 4,000 characters
}

func (d Description) check() error {
	if d.Title == nil && d.Notes == nil {
		return refused("give a title, notes or both")
	}
	return errors.Join(
		about("title", checkText("title", d.Title, maxTitle, "")),
		about("notes", checkText("notes", d.Notes, maxNotes, "\n\t")),
	)
}

// checkText says what is wrong with a text of people; allowed are those control characters that it
// may have.
func checkText(noun string, text *string, most int, allowed string) error {
	if text == nil {
		return nil
	}
	steers := func(r rune) bool {
		return !strings.ContainsRune(allowed, r) && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
	}
	switch {
	case !utf8.ValidString(*text):
		return refused("%s: give it in UTF-8", noun)
	case utf8.RuneCountInString(*text) > most:
		return refused("%s: it has %d characters, and %d at most", noun, utf8.RuneCountInString(*text), most)
	case strings.ContainsFunc(*text, steers):
		return refused("%s: leave out control characters, and those that turn the order of letters around", noun)
	}
	return nil
}

// Describe gives a conversation a title, notes or both, without white space at their ends. It fails
// with ErrNone for the account and where that has no such conversation.
func (a Admin) Describe(ctx context.Context, account string, conversation uuid.UUID, d Description) error {
	for _, text := range []*string{d.Title, d.Notes} {
		if text != nil {
			*text = strings.TrimSpace(*text)
		}
	}
	if err := d.check(); err != nil {
		return err
	}
	of, err := a.Account(ctx, account)
	if err != nil {
		return err
	}
	subject := events.ConversationSubject(of.ID, conversation)
	if a.Request.at(subject) > 0 {
		return nil
	}
	for {
		newest, err := a.Log.Newest(ctx, subject)
		if errors.Is(err, log.ErrNotFound) {
			return fmt.Errorf("conversation %s %w in account %q: `reckon conversation list` names those there are", conversation, ErrNone, of.Name)
		}
		if err != nil {
			return err
		}
		_, err = a.record(ctx, newEvent(subject, &events.ConversationDescribed{ConversationID: conversation, Title: d.Title, Notes: d.Notes}), newest)
		if !errors.Is(err, log.ErrConflict) {
			return err
		}
	}
}

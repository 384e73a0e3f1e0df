package events

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// Subject is the place of a message in the log. Only the functions of this file make one, from
// UUIDs and hashes, or from what stands in a log, so that no text of a user can reach a subject.
type Subject struct{ name string }

// ConversationSubject holds the message events of a conversation.
func ConversationSubject(account, conversation uuid.UUID) Subject {
	return Subject{"evt." + account.String() + ".conversation." + conversation.String()}
}

// PromptSubject holds the prompt of a message that is stored apart.
func PromptSubject(account, conversation, message uuid.UUID) Subject {
	return Subject{ConversationSubject(account, conversation).name + ".prompt." + message.String()}
}

// IsPrompt tells whether a subject is a PromptSubject.
func (s Subject) IsPrompt() bool { return strings.Contains(s.name, ".prompt.") }

// DomainSubject holds the drafts and publications of a domain.
func DomainSubject(account, domain uuid.UUID) Subject {
	return Subject{"evt." + account.String() + ".domain." + domain.String()}
}

// AccountSubject holds the settings, members and keys of an account.
func AccountSubject(account uuid.UUID) Subject {
	return Subject{"evt." + account.String() + accountSuffix}
}

// accountSuffix ends the names of AccountSubjects.
const accountSuffix = ".account"

// UserSubject holds what became of a user, who belongs to no account but to the installation.
func UserSubject(user uuid.UUID) Subject {
	return Subject{"evt." + user.String() + ".user"}
}

// DeliverySubject holds what is still to be sent to a webhook at an attempt, counted from 1.
func DeliverySubject(account, webhook uuid.UUID, attempt int) Subject {
	return Subject{"dlv." + account.String() + "." + webhook.String() + "." + strconv.Itoa(attempt)}
}

// OutcomeSubject holds what became of attempts to send something to a webhook.
func OutcomeSubject(account, webhook uuid.UUID) Subject {
	return Subject{"hook." + account.String() + "." + webhook.String()}
}

// CommandSubject is where a command with this idempotency key goes.
func CommandSubject(account uuid.UUID, idempotencyKey string) Subject {
	sum := sha256.Sum256([]byte(idempotencyKey))
	return Subject{"cmd." + account.String() + "." + hex.EncodeToString(sum[:])}
}

// KeyedSubject is where a command with the idempotency key of a caller goes.
func KeyedSubject(account uuid.UUID, key string) Subject { return CommandSubject(account, "key "+key) }

// KeylessSubject is where a command without an idempotency key goes.
func KeylessSubject(account, message uuid.UUID) Subject {
	return CommandSubject(account, "message "+message.String())
}

// ErasedSubject is where it stands that the key of a KeyedSubject is one of an erased conversation.
func (s Subject) ErasedSubject() Subject { return CommandSubject(s.Account(), "erased "+s.name) }

// SubjectOf is the place of a message that a log has, by its name there.
func SubjectOf(name string) Subject { return Subject{name} }

func (s Subject) String() string { return s.name }

// Account is the account a subject belongs to, of a UserSubject the user; uuid.Nil for a name that
// is none of this file's.
func (s Subject) Account() uuid.UUID {
	kind, rest, _ := strings.Cut(s.name, ".")
	first, rest, _ := strings.Cut(rest, ".")
	what, last, more := strings.Cut(rest, ".")
	account, ok := parseID(first)
	switch {
	case !ok:
		return uuid.Nil
	case kind == "evt" && (what == "account" || what == "user") && !more:
		return account
	case kind == "evt" && (what == "conversation" || what == "domain") && more:
		of, message, prompt := strings.Cut(last, ".prompt.")
		if _, ok := parseID(of); ok && !prompt {
			return account
		}
		if _, ok := parseID(message); ok && what == "conversation" {
			return account
		}
	case kind == "cmd" && !more:
		if sum, err := hex.DecodeString(what); err == nil && len(sum) == sha256.Size && strings.ToLower(what) == what {
			return account
		}
	}
	return uuid.Nil
}

// Conversation is the conversation of a ConversationSubject or a PromptSubject, uuid.Nil of others.
func (s Subject) Conversation() uuid.UUID {
	if s.Account() == uuid.Nil {
		return uuid.Nil
	}
	_, rest, is := strings.Cut(s.name, ".conversation.")
	if !is {
		return uuid.Nil
	}
	of, _, _ := strings.Cut(rest, ".")
	id, _ := parseID(of)
	return id
}

// parseID reads a UUID in the one spelling that subjects hold: lower case with hyphens.
func parseID(text string) (id uuid.UUID, ok bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && len(text) == 36 && strings.ToLower(text) == text
}

package events

import (
	"strings"
	"testing"

	"github.com/google/uuid"
)

func TestSubjectAccount(t *testing.T) {
	account, other := uuid.New(), uuid.New()
	for _, s := range []Subject{
		ConversationSubject(account, other),
		PromptSubject(account, other, uuid.New()),
		DomainSubject(account, other),
		AccountSubject(account),
		UserSubject(account),
		CommandSubject(account, "* > . \r\n"+strings.Repeat("long ", 1000)),
	} {
		if s.Account() != account {
			t.Errorf("account of %s is %s", s, s.Account())
		}
		if of := s.Conversation(); strings.Contains(s.String(), ".conversation.") != (of == other) {
			t.Errorf("conversation of %s is %s", s, of)
		}
		if strings.ContainsAny(s.String(), "*> \r\n") || len(s.String()) > 140 {
			t.Errorf("subject %q holds more than ids and hashes", s)
		}
	}
	a := account.String()
	for _, name := range []string{
		"", "evt", "evt." + a, "evt.tick", "evt.*.account", "evt." + a + ".account.more", "evt." + a + ".conversation",
		"evt." + a + ".conversation.x", "evt." + a + ".domain.>", "evt." + strings.ToUpper(a) + ".account",
		"evt.{" + a + "}.account", "cmd." + a, "cmd." + a + ".00", "cmd." + a + "." + strings.Repeat("AB", 32),
		"cmd." + a + "." + strings.Repeat("zz", 32), "log." + a + ".account", "evt." + a + ".key." + a,
		"evt." + a + ".conversation." + a + ".prompt", "evt." + a + ".conversation." + a + ".prompt.x",
		"evt." + a + ".domain." + a + ".prompt." + a, "evt." + a + ".conversation." + a + ".prompt." + a + ".prompt." + a,
		"cmd.handed", "cmd.handed." + a, "cmd.handed." + a + ".x", "cmd.handed.x." + a, "cmd.handed." + a + "." + a + "." + a,
	} {
		if got := (Subject{name}).Account(); got != uuid.Nil {
			t.Errorf("account of %q is %s, want none", name, got)
		}
	}
}

func TestCommandSubjectsDiffer(t *testing.T) {
	account := uuid.New()
	if CommandSubject(account, "a") == CommandSubject(account, "b") || CommandSubject(account, "a") == CommandSubject(uuid.New(), "a") {
		t.Error("different keys or accounts share a subject")
	}
	again, err := uuid.Parse(account.String())
	if err != nil || CommandSubject(again, "a") != CommandSubject(account, "a") {
		t.Errorf("one key has two subjects (%v)", err)
	}
}

package projections

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// What is used counts in the month of its event, also when another node's clock is behind; messages
// once, what is stored of them each time. Readers keep what they have.
func TestApplyUsage(t *testing.T) {
	account, conversation := uuid.New(), uuid.New()
	var u Usage
	sequence := uint64(0)
	happens := func(at string, size int, data any) Usage {
		t.Helper()
		sequence++
		moment, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		e := events.Event{Time: moment, Subject: events.ConversationSubject(account, conversation), Sequence: sequence, Size: size, Data: data}
		e.Message().ConversationID = conversation
		u = ApplyUsage(u, e)
		return u
	}
	happens("2026-11-30T23:59:59Z", 100, &events.MessageStarted{})
	before := happens("2026-12-01T00:30:00+01:00", 200, &events.MessageCompleted{})
	happens("2026-12-01T00:00:00Z", 40, &events.MessageFailed{})
	happens("2026-11-30T23:59:59Z", 1, &events.MessageCompleted{})
	if before.Months[0] != (MonthUsed{"2026-11", 1, 300}) {
		t.Errorf("a reader's %+v has changed", before)
	}
	want := []MonthUsed{{"2026-11", 2, 301}, {"2026-12", 1, 40}}
	if len(u.Months) != 2 || u.Months[0] != want[0] || u.Months[1] != want[1] {
		t.Errorf("used %+v, want %+v", u.Months, want)
	}
	if u.AccountID != account || u.Newest != conversation || u.Sequence != 4 {
		t.Errorf("it is of %+v", u)
	}
	for year := 2027; year < 2030; year++ {
		for month := time.January; month <= time.December; month++ {
			happens(time.Date(year, month, 5, 0, 0, 0, 0, time.UTC).Format(time.RFC3339), 1, &events.MessageCompleted{})
		}
	}
	if len(u.Months) != keptMonths || u.Months[0].Month != "2028-01" || u.Months[keptMonths-1].Month != "2029-12" {
		t.Errorf("%d months are kept, from %+v on", len(u.Months), u.Months[0])
	}
	if happens("2026-11-30T23:59:59Z", 1, &events.MessageCompleted{}); len(u.Months) != keptMonths || u.Months[0].Month != "2028-01" {
		t.Errorf("a month of long ago takes the place of %+v", u.Months[0])
	}
}

package commands

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
)

// TestStint holds what a calculation that has worked for some time rests against who has asked for
// something since.
func TestStint(t *testing.T) {
	mine, other, third := uuid.UUID{1}, uuid.UUID{2}, uuid.UUID{3}
	for _, test := range []struct {
		asked []uuid.UUID // in this order, when the stint begins
		works time.Duration
		want  time.Duration
	}{
		{nil, stintLength, 0},
		{[]uuid.UUID{mine}, stintLength, 0},
		{[]uuid.UUID{other}, stintLength, restLength},
		{[]uuid.UUID{other}, stintLength - 1, 0},
		{[]uuid.UUID{other, mine, mine}, stintLength, restLength},
		{[]uuid.UUID{other, third, mine}, stintLength, restLength},
		{[]uuid.UUID{mine, other, other}, stintLength, restLength},
		{[]uuid.UUID{other}, companyFor - 1, restLength},
		{[]uuid.UUID{other}, companyFor, 0},
	} {
		t.Run(fmt.Sprint(test.asked, test.works), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var c company
				for _, account := range test.asked {
					c.note(account)
				}
				s := stint{company: &c, account: mine}
				rests := func(want time.Duration) {
					t.Helper()
					before := time.Now()
					s.rest()
					if got := time.Since(before); got != want {
						t.Errorf("it rests for %v, not %v", got, want)
					}
				}
				rests(0)
				time.Sleep(test.works)
				rests(test.want)
				rests(0)
			})
		})
	}
}

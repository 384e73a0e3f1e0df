package commands

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
)

// TestTimeSlice holds what a calculation that has worked for some time sleeps against who has asked
// for something since.
func TestTimeSlice(t *testing.T) {
	mine, other, third := uuid.UUID{1}, uuid.UUID{2}, uuid.UUID{3}
	for _, test := range []struct {
		asked []uuid.UUID // in this order, when the slice begins
		works time.Duration
		want  time.Duration
	}{
		{nil, sliceLength, 0},
		{[]uuid.UUID{mine}, sliceLength, 0},
		{[]uuid.UUID{other}, sliceLength, sleepLength},
		{[]uuid.UUID{other}, sliceLength - 1, 0},
		{[]uuid.UUID{other, mine, mine}, sliceLength, sleepLength},
		{[]uuid.UUID{other, third, mine}, sliceLength, sleepLength},
		{[]uuid.UUID{mine, other, other}, sliceLength, sleepLength},
		{[]uuid.UUID{other}, recentFor - 1, longSleep},
		{[]uuid.UUID{other}, recentFor, 0},
	} {
		t.Run(fmt.Sprint(test.asked, test.works), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var recent recentAccounts
				for _, account := range test.asked {
					recent.note(account)
				}
				s := timeSlice{recent: &recent, account: mine}
				sleeps := func(want time.Duration) {
					t.Helper()
					before := time.Now()
					s.yield()
					if got := time.Since(before); got != want {
						t.Errorf("it sleeps for %v, not %v", got, want)
					}
				}
				sleeps(0)
				time.Sleep(test.works)
				sleeps(test.want)
				sleeps(0)
			})
		})
	}
}

// TestTimeSliceOfLongWork holds that what has worked for longer sleeps for longer, up to a limit.
func TestTimeSliceOfLongWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recent, mine, other := &recentAccounts{}, uuid.UUID{1}, uuid.UUID{2}
		s := timeSlice{recent: recent, account: mine}
		s.yield()
		var slept []time.Duration
		for range 10 {
			recent.note(other)
			time.Sleep(sliceLength)
			before := time.Now()
			s.yield()
			slept = append(slept, time.Since(before))
		}
		if slept[0] != sleepLength || !slices.IsSorted(slept) || slept[4] <= sleepLength || slept[9] != longSleep {
			t.Errorf("it sleeps for %v", slept)
		}
	})
}

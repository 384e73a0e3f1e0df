package log

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"reckon/events/log/logtest"
)

// A leader that was alone has taken in what nobody else has. When it is back it drops that and is level with the others soon, so that
// another node may be lost. No other test runs beside it: a leader that is alone gives up after some seconds, before which it must have
// taken in all of that.
func TestLeaderThatComesBackIsSoonLevel(t *testing.T) {
	c := newTrio(t)
	e := logtest.Created("a")
	sequence := c.Append(t, 0, e, 0)
	leader := leaderOf(t, c)
	others := []int{(leader + 1) % len(c.Logs), (leader + 2) % len(c.Logs)}
	for _, i := range others {
		c.Lose(t, i)
	}
	const entries = 60 // a server by itself drops one in two seconds, which is longer than logtest.Patience
	var alone sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	for i := range entries {
		before := held(c, leader)
		alone.Go(func() {
			_, err := c.Logs[leader].Append(ctx, logtest.Created(fmt.Sprint("alone ", i)), 0)
			logtest.WantError(t, "append where the leader is alone", err, ErrUnknown)
		})
		logtest.Until(t, "taken in", func(context.Context) error {
			if held(c, leader) == before {
				return errors.New("the leader has no more than before")
			}
			return nil
		})
	}
	cancel()
	alone.Wait()
	c.Lose(t, leader)
	c.Start(t, others...)
	for range entries + 1 { // others at the places of what is dropped
		sequence = c.Append(t, others[0], logtest.Changed(e), sequence)
	}
	c.Start(t, leader) // returns when it is level
	c.Lose(t, others[1])
	c.Append(t, leader, logtest.Changed(e), sequence)
}

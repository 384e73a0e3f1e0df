package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// TestFairSemaphore holds a semaphore against its rules after each step: nobody waits who may have
// a slot, and those of an account are served in the order in which they came.
func TestFairSemaphore(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		slots := rapid.IntRange(1, 12).Draw(r, "slots")
		each := rapid.IntRange(1, 12).Draw(r, "each")
		steps := rapid.SliceOfN(rapid.IntRange(0, 999), 1, 60).Draw(r, "steps")
		var wrong error
		synctest.Test(t, func(*testing.T) { wrong = acquireAndRelease(slots, each, steps) })
		if wrong != nil {
			r.Fatal(wrong)
		}
	})
}

// acquireAndRelease has three accounts enter (steps that are even), and leave or cease to wait
// (those that are odd).
func acquireAndRelease(slots, each int, steps []int) error {
	type one struct {
		account       uuid.UUID
		cancel        func()
		inside, ended bool
	}
	s := NewFairSemaphore(slots, each)
	accounts := []uuid.UUID{{1}, {2}, {3}}
	var all []*one
	current := func() []*one { return slices.DeleteFunc(slices.Clone(all), func(o *one) bool { return o.ended }) }
	end := func(o *one) {
		if !o.inside {
			o.cancel()
			return
		}
		o.ended = true
		s.Release(o.account)
	}
	for _, step := range steps {
		if list := current(); step%2 == 1 && len(list) > 0 {
			end(list[step/2%len(list)])
		} else {
			ctx, cancel := context.WithCancel(context.Background())
			o := &one{account: accounts[step/2%len(accounts)], cancel: cancel}
			all = append(all, o)
			go func() {
				o.inside = s.Acquire(ctx, o.account) == nil
				o.ended = !o.inside
			}()
		}
		synctest.Wait()
		free := slots
		taken, waiting := map[uuid.UUID]int{}, map[uuid.UUID]int{}
		for _, o := range current() {
			if !o.inside {
				waiting[o.account]++
				continue
			}
			taken[o.account]++
			free--
			if waiting[o.account] > 0 {
				return errors.New("one that came later was served first")
			}
		}
		if free < 0 {
			return fmt.Errorf("%d slots too many are taken", -free)
		}
		for _, n := range taken {
			if n > min(each, (slots+1)/2) {
				return fmt.Errorf("an account has %d of %d slots, and %d are the most", n, slots, each)
			}
		}
		for account := range waiting {
			if taken[account] < min(each, free) {
				return fmt.Errorf("an account with %d of %d slots waits while %d are free", taken[account], slots, free)
			}
		}
	}
	for list := current(); len(list) > 0; list = current() {
		end(list[0])
		synctest.Wait()
	}
	for _, o := range all {
		o.cancel()
	}
	if s.free != slots || len(s.accounts) != 0 || len(s.waiting) != 0 {
		return fmt.Errorf("%d of %d slots are free in the end, %d accounts are known", s.free, slots, len(s.accounts))
	}
	return nil
}

// TestWaitingAccountsAlternate has two accounts wait for the one slot of a third.
func TestWaitingAccountsAlternate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewFairSemaphore(1, 1)
		if err := s.Acquire(t.Context(), uuid.UUID{9}); err != nil {
			t.Fatal(err)
		}
		var order strings.Builder
		for _, account := range []byte{1, 1, 1, 1, 2, 2} {
			go func() {
				if err := s.Acquire(t.Context(), uuid.UUID{account}); err != nil {
					t.Error(err)
				}
				fmt.Fprint(&order, account)
				s.Release(uuid.UUID{account})
			}()
			synctest.Wait()
		}
		s.Release(uuid.UUID{9})
		synctest.Wait()
		if order.String() != "121211" {
			t.Errorf("the order is %s", &order)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Acquire(t.Context(), uuid.UUID{1}); err != nil {
			t.Fatal(err)
		}
		if err := s.Acquire(ctx, uuid.UUID{2}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// TestHeavyAccountLeavesOthersTheirTurn has one account's calculations take all the time of the
// processors that it may have, and more of them in the queue than a node has slots. What another
// account asks behind them is answered before any of them.
func TestHeavyAccountLeavesOthersTheirTurn(t *testing.T) {
	c := startLog(t)
	admin := Admin{Log: c.log}
	other, err := admin.CreateAccount(t.Context(), CreateAccount{Name: "other"})
	if err != nil {
		t.Fatal(err)
	}
	published, err := admin.Publish(t.Context(), Publication{Account: "other", Definition: trip(t).Definition})
	if err != nil {
		t.Fatal(err)
	}
	s, _ := c.join(t, Model{})
	for range s.deciding.each {
		if err := s.deciding.Acquire(t.Context(), c.account.ID); err != nil {
			t.Fatal(err)
		}
	}
	const heavy = slots + 10
	queue := make([]Calculate, heavy)
	var all sync.WaitGroup
	for i := range queue {
		all.Go(func() {
			var err error
			if queue[i], _, err = s.enqueue(t.Context(), c.request(drive)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	r := c.request(drive)
	r.Account, r.Domain = other, published.DomainID
	light, _, err := s.enqueue(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	answer := func(command Calculate) uint64 {
		m, err := s.views.AwaitAnswer(t.Context(), command.AccountID, command.ConversationID, command.MessageID)
		if err != nil {
			t.Fatal(err)
		}
		return m.Sequence
	}
	first := answer(light)
	for range s.deciding.each {
		s.deciding.Release(c.account.ID)
	}
	for _, command := range queue {
		if answer(command) < first {
			t.Error("a calculation that should wait was answered first")
		}
	}
}

// TestContendedAccountHasFewerSlots has an account take slots before, while and after another one
// is there.
func TestContendedAccountHasFewerSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var recent recentAccounts
		s := NewFairSemaphore(20, 8)
		s.recent, s.contended = &recent, 3
		mine, other := uuid.UUID{1}, uuid.UUID{2}
		var inside atomic.Int32
		for range 20 {
			go func() {
				if s.Acquire(t.Context(), mine) == nil {
					inside.Add(1)
				}
			}()
		}
		takes := func(want int32) {
			t.Helper()
			synctest.Wait()
			if got := inside.Load(); got != want {
				t.Errorf("%d have had slots, not %d", got, want)
			}
		}
		recent.note(mine)
		takes(8)
		recent.note(other)
		for range 5 {
			s.Release(mine)
		}
		takes(8)
		s.Release(mine)
		takes(9)
		time.Sleep(contendedFor)
		s.Release(mine)
		takes(15)
	})
}

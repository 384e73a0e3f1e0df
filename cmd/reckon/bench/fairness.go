package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"reckon/commands"
	"reckon/events"
)

const (
	heavyAccount = "bench-heavy"
	// heavyPrompt is a question that is searched for until the search has spent all it may.
	heavyPrompt = "p: 5\nq: 7\ncalculate: x"
	// heavyCallers ask it, and lightCallers what everything else is measured with.
	heavyCallers = 8
	lightCallers = 4
	// fairRounds is how often one account is measured alone and beside the other one. The slowest
	// hundredth of few answers differs much from round to round, and their quotient more.
	fairRounds = 9
	// goalFairness is how much longer 99 of 100 of one account's calculations may take beside
	// another's heavy ones.
	goalFairness = 2
)

// fairnessReport is how one account's calculations do beside another's heavy ones.
type fairnessReport struct {
	Alone  float64 `json:"alone_p99_us"`
	Beside float64 `json:"beside_p99_us"`
	Heavy  float64 `json:"heavy_per_second"` // calculations of the other account meanwhile
	Ratio  float64 `json:"ratio"`            // of beside to alone, the median of the rounds; 0 where too little was asked
}

// heavyDomain has two equations of two unknowns that search long for what is not there.
func heavyDomain() events.Definition {
	var d events.Definition
	d.Title, d.Description = "Heavy", "A system of equations that has no solution."
	for _, key := range []string{"p", "q", "x", "y"} {
		d.Variables = append(d.Variables, events.Variable{Key: key, Title: key, Kind: "number", DefaultValue: json.RawMessage(`""`)})
	}
	nested := strings.Repeat("sin(x + ", 20) + "y" + strings.Repeat(")", 20)
	for _, equation := range []string{"p = " + nested, "q = y * " + nested} {
		d.Activities = append(d.Activities, events.Activity{Title: equation[:1], Equation: equation, State: "active"})
	}
	return d
}

// heavyService makes the account that calculates heavily on a server whose log is at hand.
func (b *bench) heavyService(ctx context.Context) (*service, error) {
	a := commands.Admin{Log: b.prober.log}
	if _, err := a.CreateAccount(ctx, commands.CreateAccount{Name: heavyAccount}); err != nil {
		return nil, err
	}
	_, secret, err := a.CreateKey(ctx, heavyAccount)
	if err != nil {
		return nil, err
	}
	published, err := a.Publish(ctx, commands.Publication{Account: heavyAccount, Definition: heavyDomain()})
	return &service{base: b.service.base, key: secret, domain: published.DomainID.String()}, err
}

// fairness measures one account alone and then beside the heavy one, in turns.
func (b *bench) fairness(ctx context.Context, r *Report) error {
	other, err := b.heavyService(ctx)
	if err != nil {
		return fmt.Errorf("prepare a heavy account: %w", err)
	}
	light := b.service.questions("structured", b.service.structured, "")
	heavy := other.questions("structured", []string{heavyPrompt}, "")
	var alone, beside, perSecond []float64
	for range fairRounds {
		one, err := b.asked99(ctx, light)
		if err != nil {
			return err
		}
		under, stop := context.WithCancel(ctx)
		var pressed *sample
		var failed error
		var all sync.WaitGroup
		all.Go(func() {
			l := load{callers: heavyCallers, warm: b.warm, length: b.warm + b.length}
			pressed, failed = l.run(under, other.callers(l.warm+l.length, heavy))
		})
		two, err := b.asked99(ctx, light)
		if err != nil {
			stop()
		}
		all.Wait()
		stop()
		if err := errors.Join(err, failed); err != nil {
			return fmt.Errorf("fairness: %w", err)
		}
		alone, beside, perSecond = append(alone, one), append(beside, two), append(perSecond, pressed.perSecond)
	}
	r.Fairness = &fairnessReport{Alone: median(alone), Beside: median(beside), Heavy: median(perSecond), Ratio: median(quotients(beside, alone))}
	return nil
}

// asked99 is the time within which 99 of 100 of the light callers' requests are answered, in
// microseconds.
func (b *bench) asked99(ctx context.Context, requests [][]byte) (float64, error) {
	s, err := load{callers: lightCallers, warm: b.warm, length: b.length}.run(ctx, b.service.callers(b.warm+b.length, requests))
	if err != nil {
		return 0, err
	}
	return micros(s.quantile(0.99)), nil
}

package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	nethttp "net/http"
	"strings"
	"sync"
	"time"

	"reckon/commands"
	"reckon/events"
)

const (
	heavyAccount = "bench-heavy"
	// heavyPrompt is a question that is searched for until the search has spent all it may.
	heavyPrompt = "p: 5\nq: 7\ncalculate: x"
	// heavyCallers ask it, junkCallers send junkBytes of JSON that is no request, and lightCallers ask
	// what everything else is measured with.
	heavyCallers = 8
	junkCallers  = 64
	junkBytes    = 990_000
	lightCallers = 4
	// fairRounds is how often one account is measured alone and beside the other one. The slowest
	// hundredth of few answers differs much from round to round, and their quotient more.
	fairRounds = 9
	// goalHeavy and goalJunk are how much longer 99 of 100 of one account's calculations may take
	// beside another's heavy ones, and beside its junk.
	goalHeavy = 2
	goalJunk  = 3
)

// fairnessReport is how one account's calculations do beside the load of another one.
type fairnessReport struct {
	Load      string  `json:"load"` // of the other account
	Callers   int     `json:"callers"`
	Alone     float64 `json:"alone_p99_us"`
	Beside    float64 `json:"beside_p99_us"`
	PerSecond float64 `json:"load_per_second"` // requests of the other account that are answered meanwhile, refused ones included
	Ratio     float64 `json:"ratio"`           // of beside to alone, the median of the rounds; 0 where too little was asked
	Goal      float64 `json:"goal"`            // at most
	Refused   int     `json:"refused"`         // requests of the one account beside the other
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
	_, secret, err := a.CreateKey(ctx, heavyAccount, commands.KeyTerms{})
	if err != nil {
		return nil, err
	}
	published, err := a.Publish(ctx, commands.Publication{Account: heavyAccount, Definition: heavyDomain()})
	return &service{base: b.service.base, key: secret, domain: published.DomainID.String()}, err
}

// fairness measures one account alone and then beside each load of the other one, in turns.
func (b *bench) fairness(ctx context.Context, r *Report) error {
	other, err := b.heavyService(ctx)
	if err != nil {
		return fmt.Errorf("prepare a heavy account: %w", err)
	}
	length := 2 * (b.warm + b.length)
	r.Fairness = []fairnessReport{
		{Load: "heavy calculations", Callers: heavyCallers, Goal: goalHeavy},
		{Load: "bodies of 1 MB that are no request", Callers: junkCallers, Goal: goalJunk},
	}
	for i, presses := range []prepare{other.callers(length, other.questions("structured", []string{heavyPrompt}, "")), other.junk(length)} {
		f := &r.Fairness[i]
		b.say("an account beside another one's " + f.Load)
		if err := b.beside(ctx, f, presses); err != nil {
			return fmt.Errorf("an account beside another one's %s: %w", f.Load, err)
		}
	}
	return nil
}

// beside measures the light callers alone and beside a load.
func (b *bench) beside(ctx context.Context, f *fairnessReport, presses prepare) error {
	light := b.service.questions("structured", b.service.structured, "")
	var alone, beside, perSecond []float64
	for range fairRounds {
		one, _, err := b.asked99(ctx, light)
		if err != nil {
			return err
		}
		under, stop := context.WithCancel(ctx)
		var pressed *sample
		var failed error
		var all sync.WaitGroup
		all.Go(func() {
			l := load{callers: f.Callers, warm: b.warm, length: b.warm + b.length}
			pressed, failed = l.run(under, presses)
		})
		two, refused, err := b.asked99(ctx, light)
		if err != nil {
			stop()
		}
		all.Wait()
		stop()
		if err := errors.Join(err, failed); err != nil {
			return err
		}
		f.Refused += refused
		answered := pressed.perSecond
		for _, n := range pressed.refused {
			answered += float64(n) / (2*b.warm + b.length).Seconds()
		}
		alone, beside, perSecond = append(alone, one), append(beside, two), append(perSecond, answered)
	}
	f.Alone, f.Beside, f.PerSecond, f.Ratio = median(alone), median(beside), median(perSecond), median(quotients(beside, alone))
	return nil
}

// junk prepares callers that send bodies which are no request and take whatever comes back, a
// connection that ends included.
func (s *service) junk(length time.Duration) prepare {
	body := []byte(`{"domain_id": "` + s.domain + `", "inputs": [` + strings.Repeat(`{"key": [], "value": {}}, `, junkBytes/26) + `7]}`)
	request := written(s.base, nethttp.MethodPost, "/v1/calculate", s.key, body)
	return func(ctx context.Context, caller int) (step, func(), error) {
		c, err := dial(ctx, s.base, time.Now().Add(length+patience))
		if err != nil {
			return nil, nil, fmt.Errorf("connect to %s: %w", s.base, err)
		}
		return func(ctx context.Context) error {
			status, err := c.do(ctx, request)
			if err != nil {
				c.close()
			}
			return &refusal{status}
		}, c.close, nil
	}
}

// asked99 is the time within which 99 of 100 of the light callers' requests are answered, in
// microseconds, and how many are refused.
func (b *bench) asked99(ctx context.Context, requests [][]byte) (us float64, refused int, err error) {
	s, err := load{callers: lightCallers, warm: b.warm, length: b.length}.run(ctx, b.service.callers(b.warm+b.length, requests))
	if err != nil {
		return 0, 0, err
	}
	for _, n := range s.refused {
		refused += n
	}
	return micros(s.quantile(0.99)), refused, nil
}

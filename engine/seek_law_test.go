package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"reckon/engine/decimal"
	"reckon/engine/input"
	"reckon/engine/units"
	"reckon/engine/value"
)

// surface is a function of x and y that chance has made, as an equation says it and as Go does.
type surface struct {
	text string
	at   func(x, y float64) float64
}

func anySurface(chance *rand.Rand) surface {
	a := func() float64 { return math.Round((chance.Float64()*4-2)*100) / 100 }
	terms := []func() surface{
		func() surface {
			c := a()
			return surface{fmt.Sprintf("(%g) * x^2", c), func(x, y float64) float64 { return c * x * x }}
		},
		func() surface {
			c := a()
			return surface{fmt.Sprintf("(%g) * y^2", c), func(x, y float64) float64 { return c * y * y }}
		},
		func() surface {
			c := a()
			return surface{fmt.Sprintf("(%g) * x * y", c), func(x, y float64) float64 { return c * x * y }}
		},
		func() surface {
			c, k := a(), 1+chance.IntN(3)
			return surface{fmt.Sprintf("(%g) * sin(%d * x)", c, k), func(x, y float64) float64 { return c * math.Sin(float64(k)*x) }}
		},
		func() surface {
			c := a()
			return surface{fmt.Sprintf("(%g) * exp(y / 3)", c), func(x, y float64) float64 { return c * math.Exp(y/3) }}
		},
		func() surface {
			c := a()
			return surface{fmt.Sprintf("(%g) * abs(x - y)", c), func(x, y float64) float64 { return c * math.Abs(x-y) }}
		},
		func() surface {
			c := a()
			return surface{fmt.Sprintf("(%g) / (x + 5)", c), func(x, y float64) float64 { return c / (x + 5) }}
		},
		func() surface {
			c := a()
			return surface{fmt.Sprintf("(%g) * max(x, y^3 / 9)", c), func(x, y float64) float64 { return c * math.Max(x, y*y*y/9) }}
		},
		func() surface {
			c := a()
			return surface{fmt.Sprintf("(%g) * if(x > y, 1 + x, y)", c), func(x, y float64) float64 {
				if x > y {
					return c * (1 + x)
				}
				return c * y
			}}
		},
	}
	var texts []string
	var parts []surface
	for range 2 + chance.IntN(4) {
		s := terms[chance.IntN(len(terms))]()
		texts, parts = append(texts, s.text), append(parts, s)
	}
	return surface{strings.Join(texts, " + "), func(x, y float64) (sum float64) {
		for _, p := range parts {
			sum += p.at(x, y)
		}
		return sum
	}}
}

// landscape is a domain with a surface z and another one that a condition is about. With m = z + 3 a
// value is found backwards, too, and s and t by two equations together.
func landscape(z, g surface) Definition {
	return Definition{
		Title:      "Landscape",
		Variables:  []value.Variable{{Key: "x"}, {Key: "y"}, {Key: "z"}, {Key: "g"}, {Key: "m"}, {Key: "r"}, {Key: "s"}, {Key: "t"}},
		Activities: []Activity{{Equation: "z = " + z.text}, {Equation: "g = " + g.text}, {Equation: "m - 3 = z"}, {Equation: "r^3 + r = z"}, {Equation: "s + t = z"}, {Equation: "t - s = s^3"}},
	}
}

// TestSeekIsNotBeaten compares optima with 10,000 points that chance has chosen.
func TestSeekIsNotBeaten(t *testing.T) {
	proofs := map[Proof]int{}
	for seed := range uint64(24) {
		chance := rand.New(rand.NewPCG(seed, 1))
		z, g := anySurface(chance), anySurface(chance)
		d := compiled(t, landscape(z, g))
		c := sought{over: "x,-3,3;y,-2,4"}
		if c.least = "m"; seed%2 == 1 {
			c.least, c.greatest = "", "m"
		}
		limited := seed%3 == 0
		if limited {
			c.where = "g >= 0.5"
		}
		ask, o, errs := c.run(t, d)
		if len(errs) > 0 {
			t.Fatalf("%d: %s: %s", seed, z.text, errs[0].Filled())
		}
		proofs[o.Proof]++
		best := math.Inf(1)
		if o.Outcome == OutcomeFound {
			best = o.Value.Number.Float64()
		}
		sign := 1.0
		if ask.Greatest {
			sign = -1
		}
		most := 1e-9 * (1 + math.Abs(best))
		if o.Gap != nil {
			most += o.Gap.Number.Float64()
		}
		for range 10_000 {
			x, y := chance.Float64()*6-3, chance.Float64()*6-2
			if limited && g.at(x, y) < 0.5 {
				continue
			}
			if o.Outcome == OutcomeInfeasible {
				t.Fatalf("%d: %s where %s: infeasible, but not at %g, %g", seed, z.text, g.text, x, y)
			}
			if v := z.at(x, y) + 3; sign*v < sign*best-most {
				t.Errorf("%d: %s where %s: %s; %g at %g, %g is better", seed, z.text, g.text, o.told(d, ask), v, x, y)
				break
			}
		}
	}
	if proofs[ProofOptimal] < 18 {
		t.Errorf("proved: %v", proofs)
	}
}

// TestBoundsEnclose compares bounds with values at 2,000 points that chance has chosen within the
// limits, of which some are found backwards.
func TestBoundsEnclose(t *testing.T) {
	found := 0
	for seed := range uint64(24) {
		chance := rand.New(rand.NewPCG(seed, 2))
		z := anySurface(chance)
		d := compiled(t, landscape(z, z))
		x, y := math.Round(chance.Float64()*40-20)/10, math.Round(chance.Float64()*40-20)/10
		a, b := math.Round(chance.Float64()*100)/100, math.Round(chance.Float64()*100)/100
		key := []string{"z", "m", "r", "s"}[seed%4]
		list, errs := propagated(t, d, "", key, fmt.Sprintf("x: %g ± %g\ny: %g ± %g", x, a, y, b))
		if len(errs) > 0 {
			t.Fatalf("%d: %s: %s", seed, z.text, errs[0].Filled())
		}
		p := list[0]
		if p.Low == nil {
			continue
		}
		found++
		low, high := p.Low.Number.Float64(), p.High.Number.Float64()
		slack := 1e-12 * (1 + math.Abs(low) + math.Abs(high))
		for range 2000 {
			v := z.at(x+a*(2*chance.Float64()-1), y+b*(2*chance.Float64()-1))
			switch key {
			case "m":
				v += 3
			case "r":
				v = cubic(v, 1)
			case "s":
				v = cubic(v, 2)
			}
			if v < low-slack || v > high+slack {
				t.Errorf("%d: %s: %g is outside of %s", seed, z.text, v, p.told(d))
				break
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d have bounds", found)
	}
}

// cubic solves r^3 + n * r = v.
func cubic(v, n float64) float64 {
	low, high := -10.0, 10.0
	for range 200 {
		if mid := (low + high) / 2; mid*mid*mid+n*mid < v {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// FuzzSpread reads anything as an uncertain input, and carries what it can read through.
func FuzzSpread(f *testing.F) {
	for _, text := range []string{
		"length: 5.2 ± 0.1 m", "length ± 2 %", "rate: 12 % ± 1 pp", "length = (5.2 ± 0.1) m", "x +- 1 (k=2)", "start: 2026-01-05 ± 2 d",
		"outside: 20 degC +/- 1 K", "± 1", "length: ±", "length: 5 ± 0 m", "x: 1e300 ± 1e300", "(x ± 1", "rate ± 5 %", "length 5 ft 11 in ± 1 in",
	} {
		f.Add(text)
	}
	d := compiled(f, measured)
	f.Fuzz(func(t *testing.T, text string) {
		u, err := d.ParseUncertain(text, testEnv)
		if err != nil {
			if err.Code == "" || err.Filled() == "" {
				t.Fatalf("%q: an error without words", text)
			}
			return
		}
		env := testEnv
		env.Budget = 100_000
		for _, key := range []string{"area", "energy", "inside", "y", "steps", "end", "interest"} {
			req := Request{Targets: []Target{{Variable: d.Index(key)}}}
			for other, text := range map[string]string{"width": "2 m", "mass": "3 kg", "rise": "1 K", "principal": "10 USD", "span": "3 d"} {
				if v := d.Index(other); v != u.Variable {
					q, _, _ := input.ParseValue(&d.Scope, v, value.Scalar(text), testEnv)
					req.Inputs = append(req.Inputs, Given{Variable: v, Value: q})
				}
			}
			list, errs := d.Propagate(nil, req, []Uncertain{u}, env)
			for _, p := range list {
				within(t, text, p)
			}
			for _, e := range errs {
				if e.Code == "internal.error" {
					t.Fatalf("%q: %s", text, e.Filled())
				}
			}
		}
	})
}

// within fails where a value is outside of its bounds.
func within(t *testing.T, text string, p Propagated) {
	if p.Low == nil {
		return
	}
	c := decimal.NewContext(value.DefaultBudget)
	if p.Low.SI(c).Cmp(p.Value.SI(c)) > 0 || p.High.SI(c).Cmp(p.Value.SI(c)) < 0 {
		t.Fatalf("%q: %s is outside of %s to %s", text, p.Value, p.Low, p.High)
	}
}

// FuzzSeek seeks with any bounds and conditions.
func FuzzSeek(f *testing.F) {
	f.Add("profit >= 1,000 USD", 1.0, 1000.0, uint8(0))
	f.Add("price<=quantity", 0.0, 1e300, uint8(1))
	f.Add("profit > -1e400 USD", -5.0, 5.0, uint8(2))
	f.Add("fixed <", math.Inf(-1), math.Inf(1), uint8(3))
	d := compiled(f, sale)
	f.Fuzz(func(t *testing.T, where string, from, to float64, how uint8) {
		ask := Seek{Greatest: how%2 == 1, Objective: Target{Variable: d.Index([]string{"profit", "quantity", "price"}[how/2%3])}}
		r := Range{Variable: d.Index([]string{"quantity", "price"}[how/6%2])}
		for i, x := range []float64{from, to} {
			if !math.IsInf(x, 0) && !math.IsNaN(x) {
				q := units.Quantity{Number: decimal.FromFloat(x), Unit: d.BareUnit(r.Variable)}
				if i == 0 {
					r.From = &q
				} else {
					r.To = &q
				}
			}
		}
		ask.Over = []Range{r}
		if c, err := d.ParseCondition(where, testEnv); err == nil {
			ask.Where = append(ask.Where, c)
		} else if err.Filled() == "" {
			t.Fatalf("%q: an error without words", where)
		}
		var req Request
		for key, text := range map[string]string{"price": "10 USD", "unit_cost": "4 USD", "fixed": "500 USD", "quantity": "3"} {
			if v := d.Index(key); v != r.Variable {
				q, _, _ := input.ParseValue(&d.Scope, v, value.Scalar(text), testEnv)
				req.Inputs = append(req.Inputs, Given{Variable: v, Value: q})
			}
		}
		env := testEnv
		env.Budget = 100_000
		o, errs := d.Seek(nil, req, ask, env)
		if len(errs) == 0 && o.Outcome == OutcomeFound && len(o.At) != 1 {
			t.Fatalf("%q from %g to %g: found nowhere", where, from, to)
		}
	})
}

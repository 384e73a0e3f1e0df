package engine_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/input"
	"reckon/engine/prompt"
	"reckon/engine/units"
	"reckon/engine/value"
)

// speedEnv is the outside of all workloads.
var speedEnv = value.Env{Now: time.Date(2026, 3, 5, 14, 7, 9, 0, time.UTC), Zone: time.UTC}

// measure runs a workload over and over and reports how often a second of processor time, beside
// the goal: what else the machine does at the time hardly counts then.
func measure(b *testing.B, goal float64, work func()) {
	b.Helper()
	work() // fills what is kept from one calculation to the next
	b.ReportAllocs()
	b.ResetTimer()
	before := processorTime(b)
	for range b.N {
		work()
	}
	took := (processorTime(b) - before).Seconds()
	b.ReportMetric(float64(b.N)/took, "ops/s")
	b.ReportMetric(goal, "goal/s")
}

// processorTime is what the process has used so far, collecting garbage included.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func compiled(b *testing.B, def engine.Definition) *engine.Domain {
	b.Helper()
	d, issues := engine.Compile(def)
	if d == nil {
		b.Fatal(issues)
	}
	return d
}

// parsed reads a value that has no mistake.
func parsed(b *testing.B, d *engine.Domain, key, text string) value.Value {
	v, _, errs := input.ParseValue(&d.Scope, d.Index(key), value.Scalar(text), speedEnv)
	if len(errs) > 0 {
		b.Fatal(errs)
	}
	return v
}

// stated reads "key", "value", … as facts.
func stated(b *testing.B, d *engine.Domain, pairs ...string) []engine.Fact {
	var facts []engine.Fact
	for i := 0; i < len(pairs); i += 2 {
		facts = append(facts, engine.Fact{Variable: d.Index(pairs[i]), Tier: engine.Stated, Value: parsed(b, d, pairs[i], pairs[i+1])})
	}
	return facts
}

// derive measures the derivation of a target from facts, its plan kept, and checks the answer.
func derive(b *testing.B, goal float64, d *engine.Domain, facts []engine.Fact, target, unit, want string) {
	b.Helper()
	v := d.Index(target)
	var asked *units.Unit
	if unit != "" {
		u, problem := input.ParseUnit(&d.Scope, v, unit)
		if problem != nil {
			b.Fatal(problem)
		}
		asked = u
	}
	solution, errs := d.Derive(speedEnv, facts, v, asked, nil, false, nil)
	if len(errs) > 0 {
		b.Fatal(errs)
	}
	expect(b, solution.Value, want)
	measure(b, goal, func() { d.Derive(speedEnv, facts, v, asked, nil, false, nil) })
}

func expect(b *testing.B, v value.Value, want string) {
	b.Helper()
	if text := v.Text(); len(text.Cells) == 0 || text.Cells[len(text.Cells)-1][0] != want {
		b.Fatalf("got %v, want %s", text, want)
	}
}

// BenchmarkSpeed runs the workloads of the engine's goals: W1 to W6 and whole calculations.
func BenchmarkSpeed(b *testing.B) {
	b.Run("W1 parse 60 mi/h and convert to km/h", func(b *testing.B) {
		d := compiled(b, engine.Definition{Variables: []value.Variable{{Key: "speed"}}})
		work := func() string {
			to, problem := input.ParseUnit(&d.Scope, 0, "km/h")
			if problem != nil {
				b.Fatal(problem)
			}
			from := parsed(b, d, "speed", "60 mi/h").Quantity()
			q, err := units.Convert(decimal.NewContext(1000), from, to)
			if err != nil {
				b.Fatal(err)
			}
			return q.String()
		}
		if got := work(); got != "96.56064 km/h" {
			b.Fatal(got)
		}
		measure(b, 300_000, func() { work() })
	})
	b.Run("W2 speed times time in one value", func(b *testing.B) {
		d := compiled(b, engine.Definition{Variables: []value.Variable{{Key: "distance"}}})
		expect(b, parsed(b, d, "distance", "60 mi/h * 2.5 h"), "150 mi")
		measure(b, 300_000, func() { parsed(b, d, "distance", "60 mi/h * 2.5 h") })
	})
	b.Run("W2 speed times time by an equation", func(b *testing.B) {
		d := compiled(b, engine.Definition{
			Variables:  []value.Variable{{Key: "distance"}, {Key: "speed"}, {Key: "time"}},
			Activities: []engine.Activity{{Equation: "distance = speed * time"}},
		})
		distance, speed, hours := d.Index("distance"), d.Index("speed"), d.Index("time")
		facts := make([]engine.Fact, 2)
		work := func() value.Value {
			facts[0] = engine.Fact{Variable: speed, Tier: engine.Stated, Value: parsed(b, d, "speed", "60 mi/h")}
			facts[1] = engine.Fact{Variable: hours, Tier: engine.Stated, Value: parsed(b, d, "time", "2.5 h")}
			solution, errs := d.Derive(speedEnv, facts, distance, nil, nil, false, nil)
			if len(errs) > 0 {
				b.Fatal(errs)
			}
			return solution.Value
		}
		expect(b, work(), "150 mi")
		measure(b, 300_000, func() { work() })
	})
	b.Run("W3 kinetic energy for the speed", func(b *testing.B) {
		d := compiled(b, engine.Definition{
			Variables:  []value.Variable{{Key: "E", Unit: "J"}, {Key: "m", Unit: "kg"}, {Key: "v", Unit: "m/s"}},
			Activities: []engine.Activity{{Equation: "E = 1/2 * m * v^2"}},
		})
		derive(b, 100_000, d, stated(b, d, "E", "200 kJ", "m", "1500 kg"), "v", "km/h", "58.78775382679627435673481779294139 km/h")
	})
	loan := compiled(b, engine.Definition{
		Variables: []value.Variable{
			{Key: "principal", Unit: "USD"}, {Key: "rate", Kind: "percent"}, {Key: "months"}, {Key: "payment", Unit: "USD"},
		},
		Activities: []engine.Activity{{Equation: "payment = -pmt(rate / 12, months, principal)"}},
	})
	b.Run("W4 payment of a loan", func(b *testing.B) {
		facts := stated(b, loan, "principal", "200000 USD", "rate", "6%", "months", "360")
		derive(b, 150_000, loan, facts, "payment", "", "1199.101050305504789182922487368952 USD")
	})
	b.Run("W4 rate of a loan", func(b *testing.B) {
		facts := stated(b, loan, "principal", "200000 USD", "payment", "1199.10 USD", "months", "360")
		derive(b, 40_000, loan, facts, "rate", "", "0.0599999183174306044718877253698185")
	})
	b.Run("W5 chain of ten equations", func(b *testing.B) {
		d := compiled(b, chain)
		derive(b, 60_000, d, stated(b, d, "a", "3", "b", "7"), "m", "", "15.3")
	})
	b.Run("Forward through 600 equations", func(b *testing.B) {
		d := compiled(b, months(60))
		facts := stated(b, d, "growth", "0.02", "costs", "0.4", "inflation", "0.01", "rate", "0.005", "tax", "0.25",
			"revenue0", "1000", "running0", "300", "debt0", "2000", "total0", "0")
		derive(b, 5000, d, facts, "total60", "", "36274.69552505893385153131927032494")
	})
	b.Run("Ten simultaneous equations", func(b *testing.B) {
		d := compiled(b, simultaneous(10))
		derive(b, 20_000, d, nil, "x0", "", "0.02708192281651997291807718348002708")
	})
	b.Run("W6 twelve amortisation tables", func(b *testing.B) {
		d := compiled(b, amortisation)
		facts := stated(b, d, "principal", "200000 USD", "rate", "6%", "months", "360")
		work := func() value.Value {
			var last value.Value
			for range 12 {
				solution, errs := d.Derive(speedEnv, facts, d.Index("schedule"), nil, nil, false, nil)
				if len(errs) > 0 {
					b.Fatal(errs)
				}
				last = solution.Value
			}
			return last
		}
		if table := work(); len(table.Cells) != 360 || table.Cells[0][1].Quantity.String() != "-1000 USD" {
			b.Fatal(table.Text().Cells[0])
		}
		measure(b, 1000, func() { work() })
	})
	trip := compiled(b, engine.Definition{
		Variables: []value.Variable{
			{Key: "distance", Unit: "mi"}, {Key: "speed", Unit: "mi/h"}, {Key: "time", Unit: "h"},
			{Key: "economy", Unit: "mi/gal"}, {Key: "fuel", Unit: "gal"},
			{Key: "price", Unit: "USD/gal", Default: value.Scalar("3.50 USD/gal"), Min: "0 USD/gal"}, {Key: "cost", Unit: "USD"},
		},
		Activities: []engine.Activity{
			{Equation: "distance = speed * time"}, {Equation: "fuel = distance / economy"}, {Equation: "cost = fuel * price"},
		},
	})
	const question = "speed: 60 mi/h\ntime: 2.5 h\neconomy: 30 mi/gal\ncalculate: cost in USD\n"
	read := func(b *testing.B) engine.Request {
		req, errs := prompt.ParseStructured(trip, question, speedEnv)
		if len(errs) > 0 {
			b.Fatal(errs)
		}
		return req
	}
	calculate := func(b *testing.B, req engine.Request) value.Value {
		res, errs := trip.Calculate(nil, 0, req, speedEnv)
		if len(errs) > 0 {
			b.Fatal(errs)
		}
		return res.Values[0].Value
	}
	b.Run("Calculate three activities", func(b *testing.B) {
		req := read(b)
		expect(b, calculate(b, req), "17.5 USD")
		measure(b, 50_000, func() { calculate(b, req) })
	})
	b.Run("Calculate and reading its prompt", func(b *testing.B) {
		expect(b, calculate(b, read(b)), "17.5 USD")
		measure(b, 50_000, func() { calculate(b, read(b)) })
	})
}

// chain is ten equations of plain numbers, each of which needs the one before.
var chain = engine.Definition{
	Variables: []value.Variable{
		{Key: "a"}, {Key: "b"}, {Key: "c"}, {Key: "d"}, {Key: "f"}, {Key: "g"}, {Key: "h"}, {Key: "i"}, {Key: "j"}, {Key: "k"}, {Key: "l"}, {Key: "m"},
	},
	Activities: []engine.Activity{
		{Equation: "c = a + b"}, {Equation: "d = c * 2.5"}, {Equation: "f = d - a"}, {Equation: "g = f / 4"}, {Equation: "h = g + b"},
		{Equation: "i = h * a"}, {Equation: "j = i - g"}, {Equation: "k = j / b"}, {Equation: "l = k + c"}, {Equation: "m = l * 1.05"},
	},
}

// months are ten equations of a cash flow for each month.
func months(n int) engine.Definition {
	var def engine.Definition
	for _, key := range []string{"growth", "costs", "inflation", "rate", "tax", "revenue0", "running0", "debt0", "total0"} {
		def.Variables = append(def.Variables, value.Variable{Key: key})
	}
	for i := range n {
		for _, of := range [][2]string{
			{"revenue", "revenue%[2]d * (1 + growth)"}, {"goods", "revenue%[1]d * costs"}, {"gross", "revenue%[1]d - goods%[1]d"},
			{"running", "running%[2]d * (1 + inflation)"}, {"earned", "gross%[1]d - running%[1]d"}, {"interest", "debt%[2]d * rate"},
			{"taxes", "max(0, earned%[1]d - interest%[1]d) * tax"}, {"free", "earned%[1]d - interest%[1]d - taxes%[1]d"},
			{"debt", "debt%[2]d - free%[1]d"}, {"total", "total%[2]d + free%[1]d"},
		} {
			key := fmt.Sprint(of[0], i+1)
			def.Variables = append(def.Variables, value.Variable{Key: key})
			def.Activities = append(def.Activities, engine.Activity{Equation: fmt.Sprintf(key+" = "+of[1]+"", i+1, i)})
		}
	}
	return def
}

// simultaneous are n linear equations, each in all of n unknowns, with coefficients of up to two
// digits.
func simultaneous(n int) engine.Definition {
	var def engine.Definition
	for i := range n {
		def.Variables = append(def.Variables, value.Variable{Key: fmt.Sprint("x", i)})
		sum := ""
		for j := range n {
			sum += fmt.Sprintf(" + %d * x%d", 1+(i*i*7+j*j*13+i*j*3)%97, j)
		}
		def.Activities = append(def.Activities, engine.Activity{Equation: fmt.Sprintf("%d = 0%s", 10+i*i, sum)})
	}
	return def
}

// amortisation is the schedule of a loan, month by month.
var amortisation = engine.Definition{
	Variables: []value.Variable{
		{Key: "principal", Unit: "USD"}, {Key: "rate", Kind: "percent"}, {Key: "months"}, {Key: "schedule", Kind: "table", Unit: "USD"},
	},
	Activities: []engine.Activity{{Equation: "schedule = amortization(rate / 12, months, principal)"}},
}

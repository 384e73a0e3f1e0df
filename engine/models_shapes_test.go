package engine

import (
	"fmt"
	"maps"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"reckon/engine/value"
)

// shape is a model with an evaluation of its own in float64, which knows nothing of the engine: all
// that is asked about from all that is given.
type shape struct {
	name      string
	equations []string
	bounds    map[string][2]string // "" for none
	given     map[string]float64
	evaluate  func(g map[string]float64) map[string]float64
	forward   string // what is asked for, from what is given
	backward  string // what is sought, each with the value that it is sought from instead: "x<y"
	most      uint64 // memory that a question took
}

func (s *shape) equation(format string, args ...any) {
	s.equations = append(s.equations, fmt.Sprintf(format, args...))
}

func (s *shape) domain(t *testing.T) *Domain {
	def := withFunctions(s.equations...)
	def.Title = s.name
	for i := range def.Variables {
		b := s.bounds[def.Variables[i].Key]
		def.Variables[i].Min, def.Variables[i].Max = b[0], b[1]
	}
	return compiledDefinition(t, def)
}

// mostHeld bounds the memory that is in use while a question is answered, beyond what was before.
const mostHeld = 100 << 20

// held is how much memory is in use at most while work runs, beyond what was before: what each
// collection of garbage finds, of which there are many.
func held(work func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	live := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	var most atomic.Uint64
	var over atomic.Bool
	var watch func()
	watch = func() {
		runtime.SetFinalizer(new([4]uint64), func(*[4]uint64) {
			if !over.Load() {
				most.Store(max(most.Load(), live()))
				watch()
			}
		})
	}
	runtime.GC()
	before := live()
	watch()
	work()
	over.Store(true)
	return max(most.Load(), before) - before
}

// ask answers a question in float64.
func (s *shape) ask(t *testing.T, d *Domain, given map[string]float64, target string) (float64, bool) {
	t.Helper()
	var q []string
	for _, key := range slices.Sorted(maps.Keys(given)) {
		q = append(q, key+" "+strconv.FormatFloat(given[key], 'g', -1, 64))
	}
	var found Solution
	var errs []value.Error
	most := held(func() { found, errs = askIn(d, testEnv.Metered(), strings.Join(q, "; ")+" -> "+target) })
	if s.most = max(s.most, most); most > mostHeld {
		t.Errorf("%s: %s takes %d MiB", s.name, target, most>>20)
	}
	if len(errs) > 0 {
		t.Errorf("%s: %s: %v", s.name, target, errs)
		return 0, false
	}
	got, err := strconv.ParseFloat(found.Value.Text().Scalar(), 64)
	return got, err == nil
}

// closeTo reports whether two numbers agree as far as float64 solves the systems of the evaluations.
func closeTo(a, b float64) bool {
	return math.Abs(a-b) <= 1e-6*math.Max(math.Abs(a), math.Abs(b))+1e-12
}

// TestShapes asks models of engineering, accounting and science forwards and backwards. What is
// found backwards need not be what the model was made with: the evaluation comes to the value again
// that it was sought from.
func TestShapes(t *testing.T) {
	if testing.Short() {
		t.Skip("large models take long")
	}
	for _, s := range []*shape{
		plateWithFilm(8), plateWithFilm(22), ring(200), ladder(300), dense(60), pipes(4), diodes(30), shields(12), exchangers(4), truss(),
		schedule(333), reorder(60), epidemic(240), controller(120), mortgage(330), buyout(7), bond(20), flash(),
		springs(20), power(6), resistors(4, 5), reaction(100), rocket(), bridge(),
	} {
		d := s.domain(t)
		want := s.evaluate(s.given)
		for _, target := range strings.Fields(s.forward) {
			if got, ok := s.ask(t, d, s.given, target); ok && !closeTo(got, want[target]) {
				t.Errorf("%s: %s is %v, want %v", s.name, target, got, want[target])
			}
		}
		for _, pair := range strings.Fields(s.backward) {
			sought, from, _ := strings.Cut(pair, "<")
			given := maps.Clone(s.given)
			delete(given, sought)
			given[from] = want[from]
			got, ok := s.ask(t, d, given, sought)
			if !ok || closeTo(got, s.given[sought]) {
				continue
			}
			again := maps.Clone(s.given)
			again[sought] = got
			if then := s.evaluate(again)[from]; !closeTo(then, want[from]) {
				t.Errorf("%s: %s is %v, which makes %s %v and not %v", s.name, sought, got, from, then, want[from])
			}
		}
		t.Logf("%-12s %5d equations, %5.1f MiB at most", s.name, len(s.equations), float64(s.most)/(1<<20))
	}
}

// gauss solves linear equations.
func gauss(a [][]float64, b []float64) []float64 {
	n := len(b)
	for i := range n {
		p := i
		for k := i; k < n; k++ {
			if math.Abs(a[k][i]) > math.Abs(a[p][i]) {
				p = k
			}
		}
		a[i], a[p], b[i], b[p] = a[p], a[i], b[p], b[i]
		for k := i + 1; k < n; k++ {
			f := a[k][i] / a[i][i]
			if f == 0 {
				continue
			}
			for j := i; j < n; j++ {
				a[k][j] -= f * a[i][j]
			}
			b[k] -= f * b[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for j := i + 1; j < n; j++ {
			b[i] -= a[i][j] * b[j]
		}
		b[i] /= a[i][i]
	}
	return b
}

// linearly solves equations that are known to be linear, from what they miss by.
func linearly(n int, miss func(x []float64) []float64) []float64 {
	return stepped(miss, make([]float64, n), 1, 1)
}

// newtonly solves equations by plain Newton steps with slopes by differences.
func newtonly(miss func(x []float64) []float64, start []float64) []float64 {
	return stepped(miss, start, 100, 1e-7)
}

func stepped(miss func(x []float64) []float64, x []float64, most int, by float64) []float64 {
	for range most {
		r := miss(x)
		size := 0.0
		for _, v := range r {
			size = math.Max(size, math.Abs(v))
		}
		a := make([][]float64, len(x))
		for i := range a {
			a[i] = make([]float64, len(x))
		}
		for j := range x {
			h := by * math.Max(1e-3, math.Abs(x[j]))
			if by == 1 {
				h = 1
			}
			up := slices.Clone(x)
			up[j] += h
			for i, v := range miss(up) {
				a[i][j] = (v - r[i]) / h
			}
		}
		step := gauss(a, r)
		part, next := 1.0, slices.Clone(x)
		for range 30 {
			worst := 0.0
			for j := range x {
				next[j] = x[j] - part*step[j]
			}
			for _, v := range miss(next) {
				worst = math.Max(worst, math.Abs(v))
			}
			if worst <= size || size < 1e-9 {
				break
			}
			part /= 2
		}
		x = slices.Clone(next)
	}
	return x
}

// named gives values keys that are made of a format and their position.
func named(into map[string]float64, format string, values []float64) map[string]float64 {
	for i, v := range values {
		into[fmt.Sprintf(format, i)] = v
	}
	return into
}

// plateWithFilm is a square plate, hot on one edge, which loses heat through a film on the opposite
// one, and insulated on the others.
func plateWithFilm(n int) *shape {
	s := &shape{name: fmt.Sprintf("plate of %d", n*n), given: map[string]float64{"hot": 100, "air": 20, "biot": 0.35}}
	s.bounds = map[string][2]string{"biot": {"0", ""}}
	neighbours := func(k int, edge func(kind string), inner func(o int)) {
		switch i := k / n; {
		case i == 0:
			edge("hot")
		default:
			inner(k - n)
		}
		switch {
		case k/n == n-1:
			edge("air")
		default:
			inner(k + n)
		}
		if k%n > 0 {
			inner(k - 1)
		}
		if k%n < n-1 {
			inner(k + 1)
		}
	}
	for k := range n * n {
		var terms []string
		neighbours(k, func(kind string) {
			terms = append(terms, map[string]string{"hot": "(hot - t%d)", "air": "biot * (air - t%d)"}[kind])
		}, func(o int) { terms = append(terms, fmt.Sprintf("(t%d", o)+" - t%d)") })
		s.equation("%s = 0", strings.ReplaceAll(strings.Join(terms, " + "), "%d", fmt.Sprint(k)))
	}
	s.evaluate = func(g map[string]float64) map[string]float64 {
		a, b := make([][]float64, n*n), make([]float64, n*n)
		for k := range a {
			a[k] = make([]float64, n*n)
			neighbours(k, func(kind string) {
				by := map[string]float64{"hot": 1, "air": g["biot"]}[kind]
				a[k][k] += by
				b[k] += by * g[kind]
			}, func(o int) { a[k][k]++; a[k][o]-- })
		}
		return named(map[string]float64{}, "t%d", gauss(a, b))
	}
	last := n*n - 1
	s.forward = fmt.Sprintf("t0 t%d", last)
	s.backward = fmt.Sprintf("biot<t%d air<t%d", last, n+2)
	return s
}

// ring is nodes in a circle, each tied to the ground, with loads on two of them.
func ring(n int) *shape {
	s := &shape{name: "ring", given: map[string]float64{"f": 5, "g": 3, "ground": 0.02}, bounds: map[string][2]string{"ground": {"0", "1"}}}
	for i := range n {
		load := map[int]string{0: "f", n / 3: "-g"}[i]
		s.equation("(2 + ground) * u%d - u%d - u%d = 0 + %s", i, (i+1)%n, (i+n-1)%n, load+strings.Repeat("0", 1-min(1, len(load))))
	}
	s.evaluate = func(g map[string]float64) map[string]float64 {
		a, b := make([][]float64, n), make([]float64, n)
		for i := range a {
			a[i] = make([]float64, n)
			a[i][i] = 2 + g["ground"]
			a[i][(i+1)%n]--
			a[i][(i+n-1)%n]--
		}
		b[0], b[n/3] = g["f"], -g["g"]
		return named(map[string]float64{}, "u%d", gauss(a, b))
	}
	s.forward, s.backward = fmt.Sprintf("u7 u%d", n/2), "f<u9 ground<u5 g<u80"
	return s
}

// ladder is resistors in series, each with one to the ground behind it.
func ladder(n int) *shape {
	s := &shape{name: "ladder", given: map[string]float64{"v0": 12, "r": 10, "leak": 5000}, bounds: map[string][2]string{"r": {"0", ""}, "leak": {"1", ""}}}
	for i := 1; i <= n; i++ {
		on := fmt.Sprintf(" + (v%d - v%d)/r", i, i+1)
		if i == n {
			on = ""
		}
		s.equation("(v%d - v%d)/r = v%d/leak%s", i-1, i, i, on)
	}
	s.equation("current = (v0 - v1)/r")
	s.evaluate = func(g map[string]float64) map[string]float64 {
		v := linearly(n, func(x []float64) []float64 {
			miss := make([]float64, n)
			for i := range x {
				before, on := g["v0"], 0.0
				if i > 0 {
					before = x[i-1]
				}
				if i < n-1 {
					on = (x[i] - x[i+1]) / g["r"]
				}
				miss[i] = (before-x[i])/g["r"] - x[i]/g["leak"] - on
			}
			return miss
		})
		return map[string]float64{"current": (g["v0"] - v[0]) / g["r"], "v5": v[4], "v40": v[39]}
	}
	s.forward, s.backward = "current v40", "v0<v40 leak<v5"
	return s
}

// dense is equations that all name all unknowns.
func dense(n int) *shape {
	s := &shape{name: "dense", given: map[string]float64{"b": 2.5}}
	at := func(i, j int) float64 {
		if i == j {
			return 30.25
		}
		return float64((i*37+j*91+i*j*13)%199-99) / 100
	}
	for i := range n {
		var terms []string
		for j := range n {
			terms = append(terms, fmt.Sprintf("(%v)*x%d", at(i, j), j))
		}
		s.equation("%s = b * %d + 1", strings.Join(terms, " + "), i%7+1)
	}
	s.evaluate = func(g map[string]float64) map[string]float64 {
		a, b := make([][]float64, n), make([]float64, n)
		for i := range a {
			for j := range n {
				a[i] = append(a[i], at(i, j))
			}
			b[i] = g["b"]*float64(i%7+1) + 1
		}
		return named(map[string]float64{}, "x%d", gauss(a, b))
	}
	s.forward, s.backward = "x0 x31", "b<x3"
	return s
}

// pipes is a square grid of pipes with turbulent flow from one corner, and a demand at each other
// node.
func pipes(n int) *shape {
	s := &shape{name: "pipes", given: map[string]float64{"head": 60, "k": 2000, "demand": 0.01}, bounds: map[string][2]string{"k": {"0", ""}}}
	type pipe struct{ from, to int }
	var all []pipe
	for i := range n * n {
		if i%n < n-1 {
			all = append(all, pipe{i, i + 1})
		}
		if i/n < n-1 {
			all = append(all, pipe{i, i + n})
		}
	}
	in, out := make([][]string, n*n), make([][]string, n*n)
	s.equation("h0 = head")
	for _, p := range all {
		q := fmt.Sprintf("q%dto%d", p.from, p.to)
		s.equation("h%d - h%d = k*%s*abs(%s)", p.from, p.to, q, q)
		in[p.to], out[p.from] = append(in[p.to], q), append(out[p.from], q)
	}
	for i := 1; i < n*n; i++ {
		s.equation("%s = %s", strings.Join(in[i], " + "), strings.Join(append(out[i], "demand"), " + "))
	}
	s.evaluate = func(g map[string]float64) map[string]float64 {
		heads := func(x []float64) []float64 { return append([]float64{g["head"]}, x...) }
		start := make([]float64, n*n-1)
		for i := range start {
			start[i] = g["head"] - 1 - 1.7*float64((i+1)%n+(i+1)/n) - 0.31*float64((i+1)/n)
		}
		x := newtonly(func(x []float64) []float64 {
			h, miss := heads(x), make([]float64, n*n)
			for _, p := range all {
				d := h[p.from] - h[p.to]
				q := math.Copysign(math.Sqrt(math.Abs(d)/g["k"]), d)
				miss[p.from] -= q
				miss[p.to] += q
			}
			for i := range miss {
				miss[i] -= g["demand"]
			}
			return miss[1:]
		}, start)
		return named(map[string]float64{}, "h%d", heads(x))
	}
	s.forward, s.backward = "h15 h6", "head<h15 demand<h15 k<h6"
	return s
}

// diodes is a ladder of resistors with a diode at each node.
func diodes(n int) *shape {
	s := &shape{name: "diodes", given: map[string]float64{"v0": 1, "r": 100, "leak": 1e-9}, bounds: map[string][2]string{"r": {"1", "1000000"}}}
	for i := 1; i <= n; i++ {
		on := fmt.Sprintf(" - (v%d - v%d)/r", i, i+1)
		if i == n {
			on = ""
		}
		s.equation("(v%d - v%d)/r%s - leak*(exp(v%d/0.05) - 1) = 0", i-1, i, on, i)
	}
	s.evaluate = func(g map[string]float64) map[string]float64 {
		start := make([]float64, n)
		for i := range start {
			start[i] = 0.4 * math.Pow(0.97, float64(i))
		}
		v := newtonly(func(x []float64) []float64 {
			miss := make([]float64, n)
			for i := range x {
				before := g["v0"]
				if i > 0 {
					before = x[i-1]
				}
				miss[i] = (before-x[i])/g["r"] - g["leak"]*(math.Exp(x[i]/0.05)-1)
				if i < n-1 {
					miss[i] -= (x[i] - x[i+1]) / g["r"]
				}
			}
			return miss
		}, start)
		return named(map[string]float64{"v0": g["v0"]}, "v%d", append([]float64{g["v0"]}, v...))
	}
	s.forward, s.backward = fmt.Sprintf("v1 v%d", n), fmt.Sprintf("v0<v%d r<v10", n)
	return s
}

// shields is walls between a hot and a cold one, with radiation, conduction and losses.
func shields(n int) *shape {
	const sigma = 5.670374419e-8
	s := &shape{name: "shields", given: map[string]float64{"t0": 1200, "cold": 300, "eps": 0.2, "cond": 1.5, "loss": 0.3}}
	s.bounds = map[string][2]string{"eps": {"0", "1"}, "t0": {"1", ""}}
	s.equation("t%d = cold", n+1)
	for i := range n + 1 {
		s.equation("q%d = eps*0.00000005670374419*(t%d^4 - t%d^4) + cond*(t%d - t%d)", i, i, i+1, i, i+1)
		s.bounds[fmt.Sprint("t", i+1)] = [2]string{"1", "5000"}
	}
	for i := 1; i <= n; i++ {
		s.equation("q%d = q%d + loss*(t%d - 300)", i-1, i, i)
	}
	s.evaluate = func(g map[string]float64) map[string]float64 {
		start := make([]float64, n)
		for i := range start {
			start[i] = g["t0"] - (g["t0"]-g["cold"])*float64(i+1)/float64(n+1)
		}
		flow := func(a, b float64) float64 {
			return g["eps"]*sigma*(math.Pow(a, 4)-math.Pow(b, 4)) + g["cond"]*(a-b)
		}
		x := newtonly(func(x []float64) []float64 {
			all := slices.Concat([]float64{g["t0"]}, x, []float64{g["cold"]})
			miss := make([]float64, n)
			for i := range miss {
				miss[i] = flow(all[i], all[i+1]) - flow(all[i+1], all[i+2]) - g["loss"]*(all[i+1]-300)
			}
			return miss
		}, start)
		return named(map[string]float64{"q0": flow(g["t0"], x[0])}, "t%d", append([]float64{g["t0"]}, x...))
	}
	s.forward, s.backward = "t6 q0", "eps<t6 t0<q0 loss<t12 cond<q0"
	return s
}

// exchangers is heat exchangers in counterflow, one behind the other.
func exchangers(n int) *shape {
	s := &shape{name: "exchangers", given: map[string]float64{"mh": 2, "mc": 3, "u": 0.8, "area": 6, "h0": 150, "inlet": 20}}
	s.equations = []string{"ch = mh*4.18", "cc = mc*2.1", "least = min(ch, cc)", "ratio = least/max(ch, cc)", "ntu = u*area/least",
		"eff = (1 - exp(-ntu*(1 - ratio)))/(1 - ratio*exp(-ntu*(1 - ratio)))", fmt.Sprintf("c%d = inlet", n+1)}
	for i := 1; i <= n; i++ {
		s.equation("q%d = eff*least*(h%d - c%d)", i, i-1, i+1)
		s.equation("q%d = ch*(h%d - h%d)", i, i-1, i)
		s.equation("q%d = cc*(c%d - c%d)", i, i, i+1)
	}
	s.evaluate = func(g map[string]float64) map[string]float64 {
		ch, cc := g["mh"]*4.18, g["mc"]*2.1
		least := math.Min(ch, cc)
		ratio, ntu := least/math.Max(ch, cc), g["u"]*g["area"]/least
		e := math.Exp(-ntu * (1 - ratio))
		eff := (1 - e) / (1 - ratio*e)
		x := linearly(2*n, func(x []float64) []float64 {
			hot, cold, miss := append([]float64{g["h0"]}, x[:n]...), append(slices.Clone(x[n:]), g["inlet"]), []float64{}
			for i := range n {
				q := eff * least * (hot[i] - cold[i+1])
				miss = append(miss, ch*(hot[i]-hot[i+1])-q, cc*(cold[i]-cold[i+1])-q)
			}
			return miss
		})
		return map[string]float64{"eff": eff, "h4": x[n-1], "c1": x[n]}
	}
	s.forward, s.backward = "h4 c1 eff", "area<h4 mc<c1 h0<c1 u<h4"
	return s
}

// truss is a Warren truss of seven members by the equilibrium of its joints.
func truss() *shape {
	s := &shape{name: "truss", given: map[string]float64{"rise": 3, "span": 8, "fb": 20, "fd": 10, "fe": 15}}
	s.bounds = map[string][2]string{"rise": {"0", ""}, "span": {"0", ""}}
	s.equations = []string{"long = hypot(span/4, rise)", "c = span/4/long", "s = rise/long",
		"ab + ad*c + ax = 0", "ad*s + ay = 0", "bc - ab + be*c - db*c = 0", "db*s + be*s = fb", "bc + ec*c = 0",
		"ec*s + cy = 0", "de + db*c = ad*c", "ad*s + db*s + fd = 0", "de = ec*c - be*c", "ec*s + be*s + fe = 0"}
	s.evaluate = func(g map[string]float64) map[string]float64 {
		long := math.Hypot(g["span"]/4, g["rise"])
		c, sn := g["span"]/4/long, g["rise"]/long
		names := []string{"ab", "bc", "de", "ad", "db", "be", "ec", "ax", "ay", "cy"}
		x := linearly(len(names), func(x []float64) []float64 {
			ab, bc, de, ad, db, be, ec, ax, ay, cy := x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9]
			return []float64{ab + ad*c + ax, ad*sn + ay, bc - ab + be*c - db*c, db*sn + be*sn - g["fb"], bc + ec*c, ec*sn + cy,
				de + db*c - ad*c, ad*sn + db*sn + g["fd"], de - ec*c + be*c, ec*sn + be*sn + g["fe"]}
		})
		all := map[string]float64{}
		for i, name := range names {
			all[name] = x[i]
		}
		return all
	}
	s.forward, s.backward = "ab be ay cy", "fb<bc rise<ad span<de fe<cy"
	return s
}

// schedule is activities forth and back, each after two earlier ones.
func schedule(n int) *shape {
	s := &shape{name: "schedule", given: map[string]float64{"slow": 1}}
	first := func(i int) []int {
		if i < 2 {
			return nil
		}
		return slices.Compact([]int{i - 1 - i%2, i - 2 + (i*7)%2})
	}
	after := make([][]string, n)
	days := func(i int) string { return fmt.Sprintf("%d*slow", i%5+2) }
	for i := range n {
		var ends []string
		for _, p := range first(i) {
			ends, after[p] = append(ends, fmt.Sprint("end", p)), append(after[p], fmt.Sprintf("(late%d - %s)", i, days(i)))
		}
		s.equation("end%d = max(0%s) + %s", i, strings.Join(append([]string{""}, ends...), ", "), days(i))
	}
	for i := range n {
		s.equation("late%d = min(end%d%s)", i, n-1, strings.Join(append([]string{""}, after[i]...), ", "))
		s.equation("slack%d = late%d - end%d", i, i, i)
	}
	s.evaluate = func(g map[string]float64) map[string]float64 {
		end, late, all := make([]float64, n), make([]float64, n), map[string]float64{}
		for i := range n {
			for _, p := range first(i) {
				end[i] = math.Max(end[i], end[p])
			}
			end[i] += float64(i%5+2) * g["slow"]
		}
		for i := range late {
			late[i] = end[n-1]
		}
		for i := n - 1; i >= 0; i-- {
			for _, p := range first(i) {
				late[p] = math.Min(late[p], late[i]-float64(i%5+2)*g["slow"])
			}
			all[fmt.Sprint("slack", i)], all[fmt.Sprint("end", i)] = late[i]-end[i], end[i]
		}
		return all
	}
	last := fmt.Sprint("end", n-1)
	s.forward, s.backward = last+" slack10 slack101", "slow<"+last
	return s
}

// reorder is stock that is ordered in lots once it is below a point.
func reorder(n int) *shape {
	s := &shape{name: "reorder", given: map[string]float64{"stock0": 80, "lot": 100, "point": 60, "scale": 1, "hold": 0.5, "fixed": 25}}
	demand := func(i int) float64 { return float64(25 + i*17%31) }
	var costs []string
	for i := 1; i <= n; i++ {
		s.equation("order%d = if(stock%d < point, lot, 0)", i, i-1)
		s.equation("stock%d = stock%d + order%d - %v*scale", i, i-1, i, demand(i))
		s.equation("cost%d = stock%d*hold + if(order%d > 0, fixed, 0)", i, i, i)
		costs = append(costs, fmt.Sprint("cost", i))
	}
	s.equation("cost = %s", strings.Join(costs, " + "))
	s.evaluate = func(g map[string]float64) map[string]float64 {
		all, stock := map[string]float64{}, g["stock0"]
		for i := 1; i <= n; i++ {
			if stock < g["point"] {
				stock += g["lot"]
				all["cost"] += g["fixed"]
			}
			stock -= demand(i) * g["scale"]
			all["cost"] += stock * g["hold"]
			all[fmt.Sprint("stock", i)] = stock
		}
		return all
	}
	s.forward, s.backward = fmt.Sprintf("cost stock%d", n), "hold<cost fixed<cost stock0<stock4 stock0<cost scale<cost"
	return s
}

// epidemic is susceptible, infected and recovered people by day.
func epidemic(n int) *shape {
	s := &shape{name: "epidemic", given: map[string]float64{"people": 100000, "i0": 10, "beta": 0.25, "gamma": 0.1}}
	s.bounds = map[string][2]string{"beta": {"0", "1"}, "gamma": {"0", "1"}, "i0": {"0", ""}}
	s.equations = []string{"s0 = people - i0", "r0 = 0"}
	var infected []string
	for i := 1; i <= n; i++ {
		s.equation("new%d = beta*s%d*i%d/people", i, i-1, i-1)
		s.equation("s%d = s%d - new%d", i, i-1, i)
		s.equation("i%d = i%d + new%d - gamma*i%d", i, i-1, i, i-1)
		s.equation("r%d = r%d + gamma*i%d", i, i-1, i-1)
		infected = append(infected, fmt.Sprint("i", i))
	}
	s.equation("peak = max(%s)", strings.Join(infected, ", "))
	s.equation("share = r%d/people", n)
	s.evaluate = func(g map[string]float64) map[string]float64 {
		all, su, in, re := map[string]float64{}, g["people"]-g["i0"], g["i0"], 0.0
		for range n {
			now := g["beta"] * su * in / g["people"]
			su, in, re = su-now, in+now-g["gamma"]*in, re+g["gamma"]*in
			all["peak"] = math.Max(all["peak"], in)
		}
		all["share"] = re / g["people"]
		return all
	}
	s.forward, s.backward = "peak share", "beta<peak beta<share gamma<peak"
	return s
}

// controller is a loop with proportional and integral action and a bounded output.
func controller(n int) *shape {
	s := &shape{name: "controller", given: map[string]float64{"wanted": 1, "kp": 2, "ki": 0.8, "tau": 3, "gain": 1.5, "most": 1.6}}
	s.bounds = map[string][2]string{"kp": {"0", "10"}, "ki": {"0", "5"}, "tau": {"0.3", "20"}}
	s.equations = []string{"y0 = 0", "sum0 = 0"}
	var missed []string
	for i := 1; i <= n; i++ {
		s.equation("miss%d = wanted - y%d", i, i-1)
		s.equation("sum%d = sum%d + miss%d*0.1", i, i-1, i)
		s.equation("u%d = clamp(kp*miss%d + ki*sum%d, 0, most)", i, i, i)
		s.equation("y%d = y%d + 0.1/tau*(gain*u%d - y%d)", i, i-1, i, i-1)
		missed = append(missed, fmt.Sprintf("abs(miss%d)", i))
	}
	s.equation("total = 0.1*(%s)", strings.Join(missed, " + "))
	s.evaluate = func(g map[string]float64) map[string]float64 {
		all, y, sum := map[string]float64{}, 0.0, 0.0
		for i := 1; i <= n; i++ {
			miss := g["wanted"] - y
			sum += miss * 0.1
			u := math.Max(0, math.Min(g["most"], g["kp"]*miss+g["ki"]*sum))
			y += 0.1 / g["tau"] * (g["gain"]*u - y)
			all[fmt.Sprint("y", i)] = y
			all["total"] += 0.1 * math.Abs(miss)
		}
		return all
	}
	s.forward, s.backward = "y120 total", "kp<y20 ki<y40 tau<y15 most<y10 kp<total"
	return s
}

// mortgage is a loan by month whose rate, and payment, change once.
func mortgage(n int) *shape {
	s := &shape{name: "mortgage", given: map[string]float64{"b0": 300000, "rate": 0.045, "step": 0.02}, bounds: map[string][2]string{"rate": {"0", "1"}}}
	s.equations = []string{"i1 = rate/12", "i2 = (rate + step)/12", fmt.Sprintf("p1 = b0*i1/(1 - (1 + i1)^(-%d))", n), fmt.Sprintf("p2 = b60*i2/(1 - (1 + i2)^(-%d))", n-60)}
	var interest []string
	for i := 1; i <= n; i++ {
		k := 1 + min(1, (i-1)/60)
		s.equation("a%d = b%d*i%d", i, i-1, k)
		s.equation("c%d = p%d - a%d", i, k, i)
		s.equation("b%d = b%d - c%d", i, i-1, i)
		interest = append(interest, fmt.Sprint("a", i))
	}
	s.equation("total = %s", strings.Join(interest, " + "))
	s.evaluate = func(g map[string]float64) map[string]float64 {
		all, b := map[string]float64{}, g["b0"]
		i, left := g["rate"]/12, n
		for m := 1; m <= n; m++ {
			if m == 61 {
				i, left = (g["rate"]+g["step"])/12, n-60
			}
			if m == 1 || m == 61 {
				all[fmt.Sprint("p", 1+m/61)] = b * i / (1 - math.Pow(1+i, -float64(left)))
			}
			all["total"] += b * i
			b += b*i - all[fmt.Sprint("p", 1+min(1, (m-1)/60))]
			all[fmt.Sprint("b", m)] = b
		}
		return all
	}
	s.forward, s.backward = "total p2 b200", "rate<total step<total b0<b100 step<p2 rate<b200"
	return s
}

// buyout is debt with interest on the mean of what is owed before and after, by year.
func buyout(n int) *shape {
	s := &shape{name: "buyout", given: map[string]float64{"d0": 500, "e0": 100, "growth": 0.05, "i": 0.08, "multiple": 8, "equity": 300}, bounds: map[string][2]string{"i": {"0", "1"}}}
	for y := 1; y <= n; y++ {
		s.equation("e%d = e%d*(1 + growth)", y, y-1)
		s.equation("interest%d = i*(d%d + d%d)/2", y, y-1, y)
		s.equation("tax%d = (e%d - 20 - interest%d)*25%%", y, y, y)
		s.equation("d%d = d%d - (e%d - interest%d - tax%d - 25)", y, y-1, y, y, y)
	}
	s.equation("times = (e%d*multiple - d%d)/equity", n, n)
	s.equation("gain = times^(1/%d) - 1", n)
	s.evaluate = func(g map[string]float64) map[string]float64 {
		all, d, e := map[string]float64{}, g["d0"], g["e0"]
		for y := 1; y <= n; y++ {
			e *= 1 + g["growth"]
			half := 0.75 * g["i"] / 2
			d = (d - (0.75*e + 5 - 25) + half*d) / (1 - half)
			all[fmt.Sprint("d", y)] = d
		}
		all["gain"] = math.Pow((e*g["multiple"]-d)/g["equity"], 1/float64(n)) - 1
		return all
	}
	s.forward, s.backward = "gain d7 d3", "multiple<gain growth<gain i<d7 equity<gain i<gain"
	return s
}

// bond is the price of a bond as a sum over its coupons, and how it moves with the yield.
func bond(n int) *shape {
	s := &shape{name: "bond", given: map[string]float64{"coupon": 0.05, "yield": 0.043}, bounds: map[string][2]string{"yield": {"0", "1"}, "coupon": {"0", "1"}}}
	s.equation("price = sum(each(k, 1, %d, coupon/2*100/(1 + yield/2)^k)) + 100/(1 + yield/2)^%d", n, n)
	s.equation("duration*price = sum(each(k, 1, %d, k/2*coupon/2*100/(1 + yield/2)^k)) + %d/2*100/(1 + yield/2)^%d", n, n, n)
	s.equation("modified = duration/(1 + yield/2)")
	s.evaluate = func(g map[string]float64) map[string]float64 {
		var price, weighed float64
		for k := 1; k <= n; k++ {
			paid := g["coupon"] / 2 * 100
			if k == n {
				paid += 100
			}
			price += paid / math.Pow(1+g["yield"]/2, float64(k))
			weighed += float64(k) / 2 * paid / math.Pow(1+g["yield"]/2, float64(k))
		}
		return map[string]float64{"price": price, "duration": weighed / price, "modified": weighed / price / (1 + g["yield"]/2)}
	}
	s.forward, s.backward = "price duration modified", "yield<price coupon<duration yield<modified coupon<price"
	return s
}

// flash is five components between vapour and liquid at a temperature and a pressure.
func flash() *shape {
	s := &shape{name: "flash", given: map[string]float64{"t": 345, "p": 2}}
	s.bounds = map[string][2]string{"v": {"0.000001", "0.999999"}, "t": {"250", "500"}, "p": {"0.01", ""}}
	feed := []float64{0.1, 0.2, 0.3, 0.25, 0.15}
	antoine := [][3]float64{{15.726, 1872.46, 25.16}, {15.678, 2154.9, 34.42}, {15.8333, 2477.07, 39.94}, {15.8366, 2697.55, 48.78}, {15.8737, 2911.32, 56.51}}
	var vapour, liquid []string
	for i, a := range antoine {
		s.equation("k%d = exp(%v - %v/(t - %v))/750.06/p", i, a[0], a[1], a[2])
		s.equation("x%d = %v/(1 + v*(k%d - 1))", i, feed[i], i)
		s.equation("y%d = k%d*x%d", i, i, i)
		vapour, liquid = append(vapour, fmt.Sprint("y", i)), append(liquid, fmt.Sprint("x", i))
	}
	s.equation("%s - (%s) = 0", strings.Join(vapour, " + "), strings.Join(liquid, " + "))
	s.evaluate = func(g map[string]float64) map[string]float64 {
		k := make([]float64, len(feed))
		for i, a := range antoine {
			k[i] = math.Exp(a[0]-a[1]/(g["t"]-a[2])) / 750.06 / g["p"]
		}
		low, high := 0.0, 1.0
		for range 100 {
			v, sum := (low+high)/2, 0.0
			for i, z := range feed {
				sum += z * (k[i] - 1) / (1 + v*(k[i]-1))
			}
			if sum > 0 {
				low = v
			} else {
				high = v
			}
		}
		return map[string]float64{"v": low, "x4": feed[4] / (1 + low*(k[4]-1)), "y0": k[0] * feed[0] / (1 + low*(k[0]-1))}
	}
	s.forward, s.backward = "v x4 y0", "t<v p<v t<x4 p<y0"
	return s
}

// springs is springs that stiffen, one below the other, with a weight at each.
func springs(n int) *shape {
	s := &shape{name: "springs", given: map[string]float64{"k": 100, "cubic": 5000, "w": 2}, bounds: map[string][2]string{"k": {"0", ""}, "cubic": {"0", ""}, "w": {"0", ""}}}
	s.equation("s0 = 0")
	for i := 1; i <= n; i++ {
		below := fmt.Sprintf(" - k*(s%d - s%d) - cubic*(s%d - s%d)^3", i+1, i, i+1, i)
		if i == n {
			below = ""
		}
		s.equation("k*(s%d - s%d) + cubic*(s%d - s%d)^3%s = w", i, i-1, i, i-1, below)
	}
	s.evaluate = func(g map[string]float64) map[string]float64 {
		all, sum := map[string]float64{}, 0.0
		for i := 1; i <= n; i++ {
			low, high := 0.0, 1e6
			for range 200 {
				if u := (low + high) / 2; g["k"]*u+g["cubic"]*u*u*u < g["w"]*float64(n+1-i) {
					low = u
				} else {
					high = u
				}
			}
			sum += low
			all[fmt.Sprint("s", i)] = sum
		}
		return all
	}
	s.forward, s.backward = "s20 s7", "w<s20 cubic<s20 k<s5"
	return s
}

// power is a ring of lines of alternating current, with one across, a source and loads.
func power(n int) *shape {
	s := &shape{name: "power", given: map[string]float64{"load": 0.3, "reactive": 0.1}, bounds: map[string][2]string{}}
	lines := [][2]int{{0, n / 2}}
	for i := range n {
		lines = append(lines, [2]int{i, (i + 1) % n})
		s.bounds[fmt.Sprint("v", i)], s.bounds[fmt.Sprint("th", i)] = [2]string{"0.5", "1.5"}, [2]string{"-1.5", "1.5"}
	}
	s.equations = []string{"v0 = 1.04", "th0 = 0"}
	for i := range n {
		var p, q []string
		for _, l := range lines {
			for _, at := range [][2]int{l, {l[1], l[0]}} {
				if o := at[1]; at[0] == i {
					p = append(p, fmt.Sprintf("v%d^2*0.8 - v%d*v%d*(0.8*cos(th%d - th%d) - 6*sin(th%d - th%d))", i, i, o, i, o, i, o))
					q = append(q, fmt.Sprintf("6*v%d^2 - v%d*v%d*(0.8*sin(th%d - th%d) + 6*cos(th%d - th%d))", i, i, o, i, o, i, o))
				}
			}
		}
		s.equation("p%d = %s", i, strings.Join(p, " + "))
		s.equation("q%d = %s", i, strings.Join(q, " + "))
		if i > 0 {
			s.equation("p%d = -load*(1 + 0.1*%d)", i, i)
			s.equation("q%d = -reactive", i)
		}
	}
	s.evaluate = func(g map[string]float64) map[string]float64 {
		injected := func(x []float64) (p, q []float64) {
			v, th := append([]float64{1.04}, x[:n-1]...), append([]float64{0}, x[n-1:]...)
			p, q = make([]float64, n), make([]float64, n)
			for _, l := range lines {
				for _, at := range [][2]int{l, {l[1], l[0]}} {
					a, b := at[0], at[1]
					sin, cos := math.Sincos(th[a] - th[b])
					p[a] += 0.8*v[a]*v[a] - v[a]*v[b]*(0.8*cos-6*sin)
					q[a] += 6*v[a]*v[a] - v[a]*v[b]*(0.8*sin+6*cos)
				}
			}
			return p, q
		}
		start := make([]float64, 2*n-2)
		for i := range n - 1 {
			start[i] = 1
		}
		x := newtonly(func(x []float64) []float64 {
			p, q := injected(x)
			for i := range n {
				p[i] += g["load"] * (1 + 0.1*float64(i))
				q[i] += g["reactive"]
			}
			return append(p[1:], q[1:]...)
		}, start)
		p, _ := injected(x)
		return map[string]float64{"p0": p[0], "v3": x[2], "v4": x[3], "th3": x[n+1]}
	}
	s.forward, s.backward = "v3 th3 p0", "load<th3 reactive<v4 load<p0"
	return s
}

// resistors is a grid of them, fed at one corner and loaded at the opposite one.
func resistors(rows, columns int) *shape {
	s := &shape{name: "resistors", given: map[string]float64{"v": 12, "along": 10, "down": 15, "load": 47}}
	n := rows * columns
	ties := make([][][2]string, n) // by node: the other one and the resistance
	tie := func(a, b int, r string) {
		ties[a] = append(ties[a], [2]string{fmt.Sprint("u", b), r})
		ties[b] = append(ties[b], [2]string{fmt.Sprint("u", a), r})
	}
	for i := range n {
		if i%columns < columns-1 {
			tie(i, i+1, "along")
		}
		if i+columns < n {
			tie(i, i+columns, "down")
		}
	}
	ties[0] = append(ties[0], [2]string{"v", "along"})
	ties[n-1] = append(ties[n-1], [2]string{"0", "load"})
	for i := range n {
		var terms []string
		for _, t := range ties[i] {
			terms = append(terms, fmt.Sprintf("(u%d - %s)/%s", i, t[0], t[1]))
		}
		s.equation("%s = 0", strings.Join(terms, " + "))
	}
	s.equation("current = u%d/load", n-1)
	s.equation("power = u%d*current", n-1)
	s.evaluate = func(g map[string]float64) map[string]float64 {
		u := linearly(n, func(x []float64) []float64 {
			miss := make([]float64, n)
			at := named(map[string]float64{"v": g["v"], "0": 0}, "u%d", x)
			for i := range n {
				for _, t := range ties[i] {
					miss[i] += (x[i] - at[t[0]]) / g[t[1]]
				}
			}
			return miss
		})
		last := u[n-1]
		return named(map[string]float64{"current": last / g["load"], "power": last * last / g["load"]}, "u%d", u)
	}
	s.forward, s.backward = "power u7", "along<power down<current v<u7 load<u12"
	return s
}

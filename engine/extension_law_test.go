package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"reckon/engine/decimal"
	"reckon/engine/formula"
)

// extensionLaws are equations of which y, and others before it, follow from x and z, with where
// these begin and how far they go at most.
var extensionLaws = []struct {
	lines  string
	x, z   float64
	widest float64
	wide   float64 // how much wider than the values that were tried the one of y may be for narrow boxes, 0 for any
}{
	{"eq y = x * z", 2, 3, 1, 1.3},
	{"eq a = x - z; eq y = a / x", 2, 3, 1, 1.5},
	{"eq a = x * z; eq b = a^2 + z; eq y = sqrt(b) - x", 2, 3, 1, 2},
	{"eq y + exp(y) = x * z", 2, 3, 1, 1.5},
	{"eq y^3 + y = x - z", 2, 3, 2, 1.5},
	{"eq y * abs(y) + y = x - z", 2, 3, 1, 0},
	{"eq y^2 + abs(y) = x + z", 2, 3, 1, 1.5},
	{"eq a + y = x; eq a - y = 3 * z", 2, 3, 1, 1.5},
	{"eq a + y^3 = x; eq y - a / 2 = z", 2, 3, 0.5, 3},
	{"eq a + b = x; eq b + y = z; eq y + 2 * a = x * z", 2, 3, 0.5, 6},
	{"eq a * y = x; eq a + y = 2 * z", 2, 3, 0.25, 3},
	{"eq a = max(x, z); eq y = a + if(x > 2.5, 1, 2)", 2, 3, 1, 0},
	{"eq a = x^2; eq y = lookup(a, [0, 4, 9], [1, z, 7])", 2, 3, 1, 0},
	{"eq y = sum(each(k, 1, 3, x^k * z))", 2, 3, 1, 1.5},
	{"eq sum(each(k, 1, 3, y^k)) = x + z", 2, 3, 0.5, 2},
	{"eq a = floor(x + z); eq y = a * x", 2, 3, 1, 0},
	{"eq x = y * 3 - z; eq a = y^2", 2, 3, 1, 1.2},
	{"eq a - x = z; eq b * a = 12; eq y = b + a", 2, 3, 1, 4},
}

// TestExtensionLaws holds what intervals tell of variables in a box, and their slopes, to
// calculations at places in it.
func TestExtensionLaws(t *testing.T) {
	c := decimal.NewContext(1_000_000)
	for _, l := range extensionLaws {
		lines := []string{"var x", "var z"}
		for _, key := range []string{"a", "b", "y"} {
			if strings.Contains(strings.ReplaceAll(l.lines, "abs", ""), key) {
				lines = append(lines, "var "+key)
			}
		}
		d := targetsDomain(t, append(lines, strings.Split(l.lines, "; ")...)...)
		y, moving := d.Index("y"), []int{d.Index("x"), d.Index("z")}
		at := func(x, z float64) float64 {
			r, errs := d.Calculate(nil, 0, asking(t, d, fmt.Sprintf("x %s; z %s -> y", decimal.FromFloat(x), decimal.FromFloat(z))), testEnv)
			if len(errs) > 0 {
				return math.NaN()
			}
			for _, v := range r.Values {
				if v.Variable == y {
					q, _ := v.Value.Single()
					return q.SI(c).Float64()
				}
			}
			return math.NaN()
		}
		made := calculation{domain: d, base: &Scenario{}, fresh: true, req: asking(t, d, fmt.Sprintf("x %g; z %g -> y", l.x, l.z)), env: testEnv.Metered()}
		if made.chooseTargets() != nil || len(made.attempt()) > 0 {
			t.Fatal(l.lines)
		}
		x := d.extend(made.env, &made, moving, nil)
		if x == nil {
			t.Fatalf("%s has no extension", l.lines)
		}
		random := rand.New(rand.NewPCG(17, 19))
		sloped := 0
		for i := range 16 {
			wide := [2]float64{l.widest * random.Float64(), l.widest * random.Float64()}
			if i%4 > 1 {
				wide[0], wide[1] = wide[0]/1000, wide[1]/1000
			}
			wide[i%2] *= float64(i % 3)
			box := []formula.Interval{{Lo: l.x - wide[0]/2, Hi: l.x + wide[0]/2}, {Lo: l.z - wide[1]/2, Hi: l.z + wide[1]/2}}
			x.Local = false
			x.Over(box, true)
			s, found := x.Of(y)
			slopes := append([]formula.Interval(nil), found...)
			low, high := math.Inf(1), math.Inf(-1)
			for k := range 12 {
				place := [2]float64{}
				for n, b := range box {
					if place[n] = b.Lo + (b.Hi-b.Lo)*random.Float64(); k < 4 {
						place[n] = []float64{b.Lo, b.Hi}[k>>n&1]
					}
				}
				v := at(place[0], place[1])
				low, high = math.Min(low, v), math.Max(high, v)
				if slack := 1e-13 * math.Abs(v); math.IsNaN(v) && !s.Partial || v < s.Lo-slack || v > s.Hi+slack || s.Empty() {
					t.Errorf("%s in %v: %+v, and %g at %v", l.lines, box, s, v, place)
				}
				if s.Jumps || s.Partial {
					continue
				}
				for n, slope := range slopes {
					const h = 1e-4
					up, down := place, place
					up[n], down[n] = up[n]+h, down[n]-h
					if up[n] > box[n].Hi || down[n] < box[n].Lo {
						continue // another slope may hold outside of the box
					}
					sloped++
					quotient := (at(up[0], up[1]) - at(down[0], down[1])) / (2 * h)
					if slack := 1e-6 * (1 + math.Abs(quotient)); quotient < slope.Lo-slack || quotient > slope.Hi+slack {
						t.Errorf("%s in %v: slope %d is %+v, and %g at %v", l.lines, box, n, slope, quotient, place)
					}
					if size := 1 + math.Abs(quotient); l.wide > 0 && box[0].Hi-box[0].Lo+box[1].Hi-box[1].Lo < 0.002 && slope.Hi-slope.Lo > 0.2*size {
						t.Errorf("%s in %v: slope %d is %+v, much wider than %g", l.lines, box, n, slope, quotient)
					}
				}
			}
			if width := box[0].Hi - box[0].Lo + box[1].Hi - box[1].Lo; l.wide > 0 && width < 0.02 && s.Hi-s.Lo > l.wide*1.2*(high-low)+1e-12 {
				t.Errorf("%s in %v: %+v, much wider than %g to %g", l.lines, box, s, low, high)
			}
		}
		if l.wide > 0 && sloped == 0 {
			t.Errorf("%s has no slopes", l.lines)
		}
		d.machines.Release(x.machine)
	}
}

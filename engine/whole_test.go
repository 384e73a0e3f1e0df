package engine

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reckon/engine/value"
)

// wholeForm is an equation of a counted n and numbers a, b, c, and what its two sides are, written
// again in rational numbers.
type wholeForm struct {
	equation string
	sides    func(n, a, b, c, y *big.Rat) (left, right *big.Rat)
}

func rat(n int64) *big.Rat         { return new(big.Rat).SetInt64(n) }
func plus(a, b *big.Rat) *big.Rat  { return new(big.Rat).Add(a, b) }
func minus(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
func times(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func over(a, b *big.Rat) *big.Rat  { return new(big.Rat).Quo(a, b) }
func below(a, b *big.Rat) bool     { return a.Cmp(b) < 0 }
func pickRat(first bool, a, b *big.Rat) *big.Rat {
	if first {
		return a
	}
	return b
}

// down is the largest whole number not above x.
func down(x *big.Rat) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Div(x.Num(), x.Denom()))
}

func up(x *big.Rat) *big.Rat { return new(big.Rat).Neg(down(new(big.Rat).Neg(x))) }

func cut(x *big.Rat) *big.Rat { return pickRat(x.Sign() < 0, up(x), down(x)) }

// halfUp rounds ties away from zero.
func halfUp(x *big.Rat) *big.Rat {
	half := big.NewRat(1, 2)
	return pickRat(x.Sign() < 0, up(minus(x, half)), down(plus(x, half)))
}

var wholeForms = []wholeForm{
	{"y = a*n + b", func(n, a, b, c, y *big.Rat) (*big.Rat, *big.Rat) { return y, plus(times(a, n), b) }},
	{"y = a*n^2 - b*n + c", func(n, a, b, c, y *big.Rat) (*big.Rat, *big.Rat) {
		return y, plus(minus(times(a, times(n, n)), times(b, n)), c)
	}},
	{"y = n^3 - a*n", func(n, a, b, c, y *big.Rat) (*big.Rat, *big.Rat) { return y, minus(times(n, times(n, n)), times(a, n)) }},
	{"y = b + a/(n + 1000)", func(n, a, b, c, y *big.Rat) (*big.Rat, *big.Rat) { return y, plus(b, over(a, plus(n, rat(1000)))) }},
	{"y = ceil(n/a)", func(n, a, b, c, y *big.Rat) (*big.Rat, *big.Rat) { return y, up(over(n, a)) }},
	{"y = floor(n*a/b) + c", func(n, a, b, c, y *big.Rat) (*big.Rat, *big.Rat) { return y, plus(down(over(times(n, a), b)), c) }},
	{"y = round(n/a)", func(n, a, b, c, y *big.Rat) (*big.Rat, *big.Rat) { return y, halfUp(over(n, a)) }},
	{"y = trunc(n/a) + n", func(n, a, b, c, y *big.Rat) (*big.Rat, *big.Rat) { return y, plus(cut(over(n, a)), n) }},
	{"y = mod(n, a) + b", func(n, a, b, c, y *big.Rat) (*big.Rat, *big.Rat) {
		return y, plus(minus(n, times(a, down(over(n, a)))), b)
	}},
	{"y = ceil(n, a) - floor(n, b)", func(n, a, b, c, y *big.Rat) (*big.Rat, *big.Rat) {
		return y, minus(times(a, up(over(n, a))), times(b, down(over(n, b))))
	}},
	{"y = n*if(n < a, b, c)", func(n, a, b, c, y *big.Rat) (*big.Rat, *big.Rat) { return y, times(n, pickRat(below(n, a), b, c)) }},
	{"y = max(a*n, b) - min(n, c)", func(n, a, b, c, y *big.Rat) (*big.Rat, *big.Rat) {
		return y, minus(pickRat(below(times(a, n), b), b, times(a, n)), pickRat(below(n, c), n, c))
	}},
	{"y = b*abs(n - a)", func(n, a, b, c, y *big.Rat) (*big.Rat, *big.Rat) { return y, times(b, new(big.Rat).Abs(minus(n, a))) }},
	{"n = ceil((a + b*n/100)/c) + y", func(n, a, b, c, y *big.Rat) (*big.Rat, *big.Rat) {
		return n, plus(up(over(plus(a, over(times(b, n), rat(100))), c)), y)
	}},
	{"y = lookup(n, [-90, 0, 10, 40], [a, b, c, a])", func(n, a, b, c, y *big.Rat) (*big.Rat, *big.Rat) {
		switch {
		case below(n, rat(0)):
			return y, a
		case below(n, rat(10)):
			return y, b
		case below(n, rat(40)):
			return y, c
		}
		return y, a
	}},
	{"y = sum(each(i, 1, 5, ceil(n*i/a)))", func(n, a, b, c, y *big.Rat) (*big.Rat, *big.Rat) {
		sum := rat(0)
		for i := int64(1); i <= 5; i++ {
			sum = plus(sum, up(over(times(n, rat(i)), a)))
		}
		return y, sum
	}},
}

// TestWholeNumbers solves random equations for a counted variable, against trying each number.
func TestWholeNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		form := rapid.SampledFrom(wholeForms).Draw(t, "form")
		low := rapid.Int64Range(-90, 60).Draw(t, "low")
		high := low + rapid.Int64Range(0, 150).Draw(t, "width")
		number := func(name string) *big.Rat {
			return big.NewRat(rapid.Int64Range(1, 120).Draw(t, name), rapid.SampledFrom([]int64{1, 1, 2, 4, 10}).Draw(t, name+" part"))
		}
		a, b, c, y := number("a"), number("b"), number("c"), number("y")
		if rapid.Bool().Draw(t, "has one") && !strings.HasPrefix(form.equation, "n =") {
			_, y = form.sides(rat(rapid.Int64Range(low, high).Draw(t, "n")), a, b, c, y)
		}
		var solutions []string
		first := "" // of those from 0 up, which win over the others
		for n := low; n <= high; n++ {
			if left, right := form.sides(rat(n), a, b, c, y); left.Cmp(right) == 0 {
				solutions = append(solutions, fmt.Sprint(n))
				if n >= 0 && first == "" {
					first = fmt.Sprint(n)
				}
			}
		}
		def := Definition{Title: "Random", Description: "One equation.", Activities: []Activity{{Equation: form.equation}}, Variables: []value.Variable{
			{Key: "n", Integer: true, Min: fmt.Sprint(low), Max: fmt.Sprint(high)}, {Key: "a"}, {Key: "b"}, {Key: "c"}, {Key: "y"},
		}}
		d, issues := Compile(def)
		if d == nil {
			t.Fatalf("%s: %v", form.equation, issues)
		}
		var given []string
		for key, r := range map[string]*big.Rat{"a": a, "b": b, "c": c, "y": y} {
			text := r.FloatString(60)
			if _, exact := r.FloatPrec(); !exact {
				return
			}
			given = append(given, key+" "+strings.TrimRight(strings.TrimRight(text, "0"), "."))
		}
		got := answer(d, strings.Join(given, "; ")+" -> n")
		problem := fmt.Sprintf("%s with %v and n from %d to %d: got %s, solutions are %v", form.equation, given, low, high, got, solutions)
		switch {
		case len(solutions) == 0:
			if !strings.HasPrefix(got, "! calculation.no_whole_number n") && got != "! calculation.no_solution n" {
				t.Fatal(problem)
			}
		case len(solutions) > 1 && strings.HasPrefix(got, "! calculation.multiple_solutions n | "):
			if list, _, _ := strings.Cut(strings.TrimPrefix(got, "! calculation.multiple_solutions n | "), ","); !strings.HasPrefix(list, cmp.Or(first, solutions[0])) && list != "infinitely many" {
				t.Fatal(problem)
			}
		case !slices.Contains(solutions, got):
			t.Fatal(problem)
		}
	})
}

// TestWholeNumbersTogether solves random pairs of equations for a counted variable and another one,
// against trying each number.
func TestWholeNumbersTogether(t *testing.T) {
	forms := []struct {
		equations [2]string
		other     func(n, a, b, y *big.Rat) (other *big.Rat, holds bool)
	}{
		{[2]string{"y = a*n + b*m", "n + m = 20"}, func(n, a, b, y *big.Rat) (*big.Rat, bool) {
			m := minus(rat(20), n)
			return m, y.Cmp(plus(times(a, n), times(b, m))) == 0
		}},
		{[2]string{"n = ceil(m/a)", "m = y + b*n/200"}, func(n, a, b, y *big.Rat) (*big.Rat, bool) {
			m := plus(y, over(times(b, n), rat(200)))
			return m, n.Cmp(up(over(m, a))) == 0
		}},
		{[2]string{"n*m = y", "m - n = a"}, func(n, a, b, y *big.Rat) (*big.Rat, bool) {
			m := plus(a, n)
			return m, times(n, m).Cmp(y) == 0
		}},
		{[2]string{"floor(m/b) = n", "m = a*n + y"}, func(n, a, b, y *big.Rat) (*big.Rat, bool) {
			m := plus(times(a, n), y)
			return m, down(over(m, b)).Cmp(n) == 0
		}},
	}
	rapid.Check(t, func(t *rapid.T) {
		form := rapid.SampledFrom(forms).Draw(t, "form")
		number := func(name string) *big.Rat { return big.NewRat(rapid.Int64Range(1, 200).Draw(t, name), 2) }
		a, b, y := number("a"), number("b"), number("y")
		const low, high = 0, 60
		var solutions []string
		for n := int64(low); n <= high; n++ {
			if other, holds := form.other(rat(n), a, b, y); holds && other.Sign() >= 0 {
				solutions = append(solutions, fmt.Sprint(n))
			}
		}
		d, issues := Compile(Definition{Title: "Random", Description: "Two equations.", Activities: []Activity{{Equation: form.equations[0]}, {Equation: form.equations[1]}},
			Variables: []value.Variable{{Key: "n", Integer: true, Min: fmt.Sprint(low), Max: fmt.Sprint(high)}, {Key: "m", Min: "0"}, {Key: "a"}, {Key: "b"}, {Key: "y"}}})
		if d == nil {
			t.Fatal(issues)
		}
		question := fmt.Sprintf("a %s; b %s; y %s -> n", a.FloatString(1), b.FloatString(1), y.FloatString(1))
		got := answer(d, question)
		if len(solutions) == 0 && strings.HasPrefix(got, "! calculation.no_") || slices.Contains(solutions, got) || got == "! calculation.multiple_solutions n | infinitely many" && len(solutions) > 1 {
			return
		}
		t.Fatalf("%q: %s = %s, solutions are %v", form.equations, question, got, solutions)
	})
}

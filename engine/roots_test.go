package engine

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"pgregory.net/rapid"

	"reckon/engine/decimal"
	"reckon/engine/value"
)

// rootOf is what a domain of one equation says of x.
func rootOf(t interface{ Fatal(...any) }, equation string) string {
	d, issues := Compile(Definition{Title: "Root", Variables: []value.Variable{{ID: "x", Key: "x"}}, Activities: []Activity{{Equation: equation}}})
	if d == nil {
		t.Fatal(equation, issues)
	}
	return answer(d, "-> x")
}

// isRefusal reports whether an answer says no more than that the engine did not get there.
func isRefusal(answer string) bool {
	return strings.HasPrefix(answer, "! calculation.not_converged") || strings.HasPrefix(answer, "! calculation.limit_exceeded")
}

// scaled is a decimal as an integer and how many digits of it stand behind the point.
type scaled struct {
	digits *big.Int
	places int
}

func (s scaled) String() string {
	return apd.NewWithBigInt(new(apd.BigInt).SetMathBigInt(s.digits), int32(-s.places)).Text('f')
}

// TestPolynomialsOfChosenRoots multiplies polynomials out from roots, some of them close together or
// the same, and finds one of these roots again.
func TestPolynomialsOfChosenRoots(t *testing.T) {
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		const places = 40
		var roots []*big.Int
		for range rapid.IntRange(1, 2).Draw(t, "clusters") {
			first := rapid.Int64Range(-5000, 5000).Draw(t, "first")
			power := rapid.IntRange(places-4, places).Draw(t, "power")
			center := new(big.Int).Mul(big.NewInt(first), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(power)), nil))
			for range rapid.IntRange(1, 3).Draw(t, "near") {
				off := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(rapid.IntRange(0, places).Draw(t, "off"))), nil)
				roots = append(roots, new(big.Int).Add(center, off.Mul(off, big.NewInt(rapid.Int64Range(0, 3).Draw(t, "times")))))
			}
		}
		coefficients := []*big.Int{big.NewInt(1)} // of x / 10^places, the highest first
		for _, r := range roots {
			next := append(coefficients, new(big.Int))
			product := make([]*big.Int, len(next))
			for i := range next {
				product[i] = new(big.Int).Set(next[i])
				if i > 0 {
					product[i].Sub(product[i], new(big.Int).Mul(coefficients[i-1], r))
				}
			}
			coefficients = product
		}
		degree := len(roots)
		var terms, factors []string
		for i, c := range coefficients {
			terms = append(terms, fmt.Sprintf("(%s)*x^%d", scaled{c, places * i}, degree-i))
		}
		for _, r := range roots {
			factors = append(factors, fmt.Sprintf("(x - (%s))", scaled{r, places}))
		}
		equation := rapid.SampledFrom([]string{
			strings.Join(terms, " + ") + " = 0", strings.Join(factors, "*") + "*exp(x) = 0",
			strings.Join(factors, "*") + "*(x^2 + exp(x)) = 0",
		}).Draw(t, "equation")
		got := rootOf(t, equation)
		if isRefusal(got) {
			refused++
			return
		}
		for _, r := range roots {
			want, err := decimal.Parse(scaled{r, places}.String())
			if err == nil && want.Shown().String() == got {
				return
			}
		}
		t.Errorf("%s is %s", equation, got)
	})
	t.Log("refused:", refused)
}

// TestRootsOfSmallDifferences solves equations next to a place where they are flat, or where what
// is looked for is much larger or smaller than what it is added to. Of each number that is given
// out apd says that the sides differ one way half a unit of the last digit below it and the other
// way above.
func TestRootsOfSmallDifferences(t *testing.T) {
	type function func(c *apd.Context, x, p *apd.Decimal) *apd.Decimal
	op := func(f func(d, x, y *apd.Decimal) (apd.Condition, error), x, y *apd.Decimal) *apd.Decimal {
		r := new(apd.Decimal)
		_, _ = f(r, x, y)
		return r
	}
	of := func(f func(d, x *apd.Decimal) (apd.Condition, error), x *apd.Decimal) *apd.Decimal {
		r := new(apd.Decimal)
		_, _ = f(r, x)
		return r
	}
	one, two := apd.New(1, 0), apd.New(2, 0)
	forms := []struct {
		text   string
		signed bool // p may be negative too, and there is a root
		large  bool // and large
		left   function
	}{
		{"exp(x) - x = 1 + p", false, true, func(c *apd.Context, x, p *apd.Decimal) *apd.Decimal {
			return op(c.Sub, op(c.Sub, op(c.Sub, of(c.Exp, x), x), one), p)
		}},
		{"x + exp(-x) = 1 + p", false, true, func(c *apd.Context, x, p *apd.Decimal) *apd.Decimal {
			return op(c.Sub, op(c.Sub, op(c.Add, of(c.Exp, of(c.Neg, x)), x), one), p)
		}},
		{"x*ln(x) - x = p - 1", false, true, func(c *apd.Context, x, p *apd.Decimal) *apd.Decimal {
			return op(c.Sub, op(c.Add, op(c.Sub, op(c.Mul, of(c.Ln, x), x), x), one), p)
		}},
		{"sqrt(x) + 1/sqrt(x) = 2 + p", false, true, func(c *apd.Context, x, p *apd.Decimal) *apd.Decimal {
			r := of(c.Sqrt, x)
			return op(c.Sub, op(c.Sub, op(c.Add, r, op(c.Quo, one, r)), two), p)
		}},
		{"exp(x) - x^2/2 - x = 1 + p", true, false, func(c *apd.Context, x, p *apd.Decimal) *apd.Decimal {
			half := op(c.Quo, op(c.Mul, x, x), two)
			return op(c.Sub, op(c.Sub, op(c.Sub, op(c.Sub, of(c.Exp, x), half), x), one), p)
		}},
		{"ln(x) + x = p", true, false, func(c *apd.Context, x, p *apd.Decimal) *apd.Decimal {
			return op(c.Sub, op(c.Add, of(c.Ln, x), x), p)
		}},
		{"x - ln(1 + x) = p", false, true, func(c *apd.Context, x, p *apd.Decimal) *apd.Decimal {
			return op(c.Sub, op(c.Sub, x, of(c.Ln, op(c.Add, x, one))), p)
		}},
		{"(x - 2)^2*exp(x) = p", false, false, func(c *apd.Context, x, p *apd.Decimal) *apd.Decimal {
			d := op(c.Sub, x, two)
			return op(c.Sub, op(c.Mul, op(c.Mul, d, d), of(c.Exp, x)), p)
		}},
		{"(ln(x) - 2)*(ln(x) - 2 - p*1e12)*sqrt(x) = 0", true, false, func(c *apd.Context, x, p *apd.Decimal) *apd.Decimal {
			d := op(c.Sub, of(c.Ln, x), two)
			// Closer than that both roots are shown alike.
			return op(c.Mul, d, op(c.Sub, d, op(c.Mul, p, apd.New(1, 12))))
		}},
		{"sqrt(x + 1) - sqrt(x) = p", false, false, func(c *apd.Context, x, p *apd.Decimal) *apd.Decimal {
			return op(c.Sub, op(c.Sub, of(c.Sqrt, op(c.Add, x, one)), of(c.Sqrt, x)), p)
		}},
	}
	refused := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		form := rapid.SampledFrom(forms).Draw(t, "form")
		n := -rapid.IntRange(3, 45).Draw(t, "exponent")
		if form.large && rapid.Bool().Draw(t, "large") {
			n = -n / 3
		}
		m := rapid.Int64Range(1, 99).Draw(t, "digits")
		if form.signed && rapid.Bool().Draw(t, "negative") {
			m = -m
		}
		equation := strings.ReplaceAll(strings.ReplaceAll(form.text, "exp", "E"), "p", fmt.Sprintf("(%de%d)", m, n))
		equation = strings.ReplaceAll(equation, "E", "exp")
		got := rootOf(t, equation)
		if isRefusal(got) {
			refused[form.text]++
			return
		}
		x, _, err := apd.NewFromString(got)
		if err != nil {
			t.Fatalf("%s is %s", equation, got)
		}
		c := apd.Context{Precision: 320, MaxExponent: apd.MaxExponent, MinExponent: apd.MinExponent, Rounding: apd.RoundHalfEven}
		p := apd.New(m, int32(n))
		if at := form.left(&c, x, p); at.IsZero() {
			return
		}
		half := apd.New(5000001, x.Exponent+int32(x.NumDigits())-34-7)
		down, up := form.left(&c, op(c.Sub, x, half), p), form.left(&c, op(c.Add, x, half), p)
		if down.Sign()*up.Sign() >= 0 {
			t.Errorf("%s is %s", equation, got)
		}
	})
	t.Log("refused:", refused)
}

// TestSystemsOfChosenSolutions finds numbers again, some of them close together, from their sums of
// powers or from the sums of their products: systems whose slopes hardly fix the unknowns.
func TestSystemsOfChosenSolutions(t *testing.T) {
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		const places = 30
		n := rapid.IntRange(2, 4).Draw(t, "unknowns")
		power := func(k int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(k)), nil) }
		var chosen []*big.Int
		for i := range n {
			x := new(big.Int).Mul(big.NewInt(rapid.Int64Range(1, 50).Draw(t, "number")), power(places-1))
			if i > 0 && rapid.Bool().Draw(t, "close") {
				x.Add(chosen[0], new(big.Int).Mul(big.NewInt(rapid.Int64Range(1, 9).Draw(t, "off")), power(rapid.IntRange(0, places-3).Draw(t, "place"))))
			}
			chosen = append(chosen, x)
		}
		names := []string{"x", "y", "z", "w"}[:n]
		sums := rapid.Bool().Draw(t, "sums of powers")
		var activities []Activity
		for k := 1; k <= n; k++ {
			total, left := new(big.Int), []string{}
			for set := range 1 << n {
				var part []string
				product := big.NewInt(1)
				for i := range n {
					if set>>i&1 == 1 {
						part, product = append(part, names[i]), product.Mul(product, chosen[i])
					}
				}
				switch {
				case sums && len(part) == 1:
					left = append(left, fmt.Sprintf("%s^%d", part[0], k))
					total.Add(total, new(big.Int).Exp(product, big.NewInt(int64(k)), nil))
				case !sums && len(part) == k:
					left = append(left, strings.Join(part, "*"))
					total.Add(total, product)
				}
			}
			activities = append(activities, Activity{Equation: strings.Join(left, " + ") + " = " + scaled{total, places * k}.String()})
		}
		var variables []value.Variable
		for _, name := range names {
			variables = append(variables, value.Variable{ID: name, Key: name})
		}
		d, issues := Compile(Definition{Title: "System", Variables: variables, Activities: activities})
		if d == nil {
			t.Fatal(issues)
		}
		got := answer(d, "-> x")
		if isRefusal(got) {
			refused++
			return
		}
		for _, x := range chosen {
			want, err := decimal.Parse(scaled{x, places}.String())
			if err == nil && want.Shown().String() == got {
				return
			}
		}
		t.Errorf("%v of %v is %s", activities, chosen, got)
	})
	t.Log("refused:", refused)
}

// TestIllConditionedLinearSystems solves systems next to Hilbert's matrix, whose solutions big
// fractions tell.
func TestIllConditionedLinearSystems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "unknowns")
		shift := rapid.IntRange(1, 4).Draw(t, "shift")
		var variables []value.Variable
		var activities []Activity
		chosen := make([]*big.Rat, n)
		for j := range n {
			variables = append(variables, value.Variable{ID: name("x", j), Key: name("x", j)})
			chosen[j] = big.NewRat(rapid.Int64Range(-999, 999).Draw(t, "numerator"), rapid.Int64Range(1, 99).Draw(t, "denominator"))
		}
		for i := range n {
			var left []string
			right := new(big.Rat)
			for j := range n {
				left = append(left, fmt.Sprintf("%s/%d", name("x", j), i+j+shift))
				right.Add(right, new(big.Rat).Mul(chosen[j], big.NewRat(1, int64(i+j+shift))))
			}
			activities = append(activities, Activity{Equation: fmt.Sprintf("%s = %s/%s", strings.Join(left, " + "), right.Num(), right.Denom())})
		}
		d, issues := Compile(Definition{Title: "Hilbert", Variables: variables, Activities: activities})
		if d == nil {
			t.Fatal(issues)
		}
		at := rapid.IntRange(0, n-1).Draw(t, "target")
		c := apd.Context{Precision: 200, MaxExponent: apd.MaxExponent, MinExponent: apd.MinExponent, Rounding: apd.RoundHalfEven}
		exact := new(apd.Decimal)
		_, _ = c.Quo(exact, apd.NewWithBigInt(new(apd.BigInt).SetMathBigInt(chosen[at].Num()), 0), apd.NewWithBigInt(new(apd.BigInt).SetMathBigInt(chosen[at].Denom()), 0))
		want, err := decimal.Parse(exact.Text('E'))
		if got := answer(d, "-> "+name("x", at)); err != nil || got != want.Shown().String() {
			t.Errorf("%s of %v is %s, want %s", name("x", at), activities, got, want.Shown())
		}
	})
}

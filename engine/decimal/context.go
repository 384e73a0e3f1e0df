package decimal

import "errors"

// Errors of parsing and arithmetic. They are matched with errors.Is.
var (
	ErrSyntax         = errors.New("not a number")
	ErrTooLarge       = errors.New("number too large or too close to 0") // beyond 1e6144 or below 1e-6144
	ErrDivisionByZero = errors.New("division by zero")
	ErrLimit          = errors.New("calculation too long") // the budget of a Context is used up
)

// UndefinedError says that a function has no value at an argument, such as ln(-1).
type UndefinedError struct {
	Function string
	Argument Decimal
	Known    string // what it has values for, in a few words, "" for nothing to say
}

func (e *UndefinedError) Error() string { return e.Function + " has no value at " + e.At() }

// At is the argument, with what the function has values for.
func (e *UndefinedError) At() string {
	text := e.Argument.Shown().String()
	if e.Known != "" {
		text += " (" + e.Known + ")"
	}
	return text
}

// Precisions are the significant digits that a Context may work with.
var Precisions = [...]int{precision, 120, 250, 500, 1000, 2000, 4000, 8000, 20_000}

// Context does arithmetic at 60 significant digits, or more of them, rounded half-even: exact where
// the result fits. The elementary functions, too, are right to hardly more than half a unit of the
// last digit, and exact where the exact result has no more digits. Its first error sticks: every
// later operation returns 0 and Err tells what went wrong first. Results beyond 1e6144 and nonzero
// results below 1e-6144 are ErrTooLarge; nothing underflows to 0 silently. Cost counts
// deterministic units (never time), so that every node decides alike; past the budget the error is
// ErrLimit. A Context is for one goroutine.
type Context struct {
	digits int
	budget int
	cost   int
	rest   int // the cost at which Rest is called; never beyond the budget
	quick  int // rest while the four operations need no look at what else there is, else 0
	err    error

	doubted bool // an error rested on numbers whose right digits do not tell
	reach   int  // the largest magnitude of an exponent that was noted

	// Rest is called while a long calculation goes on, every 50 to 250 microseconds; nil for never.
	Rest func()

	scratch *registers // made on first use
}

// Cost units of the operations.
const (
	costArithmetic = 1 // + - × ÷ and the roundings
	costMod        = 3
	costRoot       = 5 // square and cube root
	costExp        = 10
	costLn         = 10
	costAngle      = 15 // sin, cos, tan and their inverses
	costCompound   = 20 // the hyperbolic functions and their inverses
	costPow        = 25 // powers through exp and ln
)

// longBits is the size of a coefficient from which on an operation costs more. The precision needs
// 200 bits.
const longBits = 512

// stretch is how many cost units are spent between two rests: 50 microseconds of the four
// operations on numbers of 60 digits, up to 250 of what costs most for its units.
const stretch = 1000

// NewContext returns a context of 60 digits that may spend budget cost units.
func NewContext(budget int) *Context { return NewWide(budget, precision) }

// NewWide returns a context of one of the Precisions. Its operations cost more, in proportion to
// the digits, and functions to their square, as they take more terms too.
func NewWide(budget, digits int) *Context {
	c := &Context{digits: digits, budget: budget, rest: min(budget, stretch)}
	c.hurry()
	return c
}

// Digits is the number of significant digits of every result.
func (c *Context) Digits() int { return c.digits }

// Restart makes the context as good as a new one with a budget, except that it keeps its memory
// and its reach.
func (c *Context) Restart(budget int) {
	left := c.rest - c.cost
	if left <= 0 {
		left = stretch
	}
	c.budget, c.cost, c.rest, c.err, c.doubted = budget, 0, min(budget, left), nil, false
	c.hurry()
}

// Cost is the number of cost units spent so far.
func (c *Context) Cost() int { return c.cost }

// Note takes the exponent of a value, of which digits are right, into account for Reach.
func (c *Context) Note(d Decimal) {
	if !d.zero() && !d.Vague() {
		c.reach = max(c.reach, d.first(), -d.first())
	}
}

// Reach is the largest magnitude of the exponents that were noted: how far from 1 the numbers of a
// calculation are, and so how small a difference of them may be.
func (c *Context) Reach() int { return c.reach }

// Err returns the first error since the last Reset, or nil.
func (c *Context) Err() error { return c.err }

// Reset forgets the error (not the cost), for trying another branch.
func (c *Context) Reset() {
	c.err = nil
	c.hurry()
}

// hurry brings quick up to date where there is no error.
func (c *Context) hurry() {
	if c.digits == precision {
		c.quick = c.rest
	}
}

// Spend counts n cost units. It reports whether the calculation may go on: false once the budget is
// used up, which records ErrLimit, and false after an earlier error.
func (c *Context) Spend(n int) bool {
	if c.err != nil {
		return false
	}
	if n > c.budget-c.cost {
		c.cost = c.budget
		c.err, c.quick = ErrLimit, 0
		return false
	}
	c.cost += n
	if c.cost >= c.rest && c.cost < c.budget {
		c.rest = min(c.budget, c.cost+stretch)
		c.hurry()
		if c.Rest != nil {
			c.Rest()
		}
	}
	return true
}

// pay is spend for one of the four operations where that does nothing else than to count.
func (c *Context) pay(a, b *Decimal) bool {
	if c.cost >= c.quick || a.large != nil || b.large != nil {
		return false
	}
	c.cost += costArithmetic
	return true
}

// spend counts the cost of an operation, and more at more than 60 digits and for operands of
// hundreds of digits, which only literals have there.
func (c *Context) spend(cost int, operands ...*Decimal) bool {
	if c.digits > precision {
		if cost > costRoot {
			cost = cost * c.digits / precision
		}
		return c.Spend(cost * c.digits / precision)
	}
	for _, d := range operands {
		if d.large != nil {
			if bits := d.large.BitLen(); bits > longBits {
				cost += bits / 64
			}
		}
	}
	return c.Spend(cost)
}

// atZero counts the cost of an odd function of a. It reports whether there is nothing to calculate:
// the function is a where that is 0, and 0 where the budget is used up.
func (c *Context) atZero(cost int, a *Decimal) bool {
	if !c.spend(cost, a) {
		*a = Decimal{}
	}
	return a.zero()
}

// Fail records err unless an earlier one is there, and returns 0.
func (c *Context) Fail(err error) Decimal {
	if c.err == nil {
		c.err, c.quick = err, 0
	}
	return Decimal{}
}

// result checks the limits of a finished operation and gives zero its one form.
func (c *Context) result(r Decimal) Decimal {
	c.check(&r)
	return r
}

// moderate reports whether r, not 0 and of few words, is within the limits whatever its digits.
func (r *Decimal) moderate() bool {
	return r.exponent > -maxExponent && r.exponent < maxExponent-2000 && r.large == nil &&
		r.w[0]|r.w[1]|r.w[2]|r.w[3] != 0
}

func (c *Context) check(r *Decimal) {
	if r.zero() {
		if r.doubt == 0 {
			*r = Decimal{}
		}
		return
	}
	// Up to 6,000 bits are fewer than 2,000 digits, which cannot leave the limits from an exponent
	// that near 0.
	if e := r.exponent; e > -maxExponent && e < maxExponent-2000 && (r.large == nil || r.large.BitLen() <= 6000) {
		return
	}
	if first := r.adjusted(); first < -maxExponent && r.Vague() {
		*r = r.Lost() // what rounding has left may be that small
	} else if first > maxExponent || first < -maxExponent {
		*r = c.Fail(ErrTooLarge)
	}
}

// finish rounds the result of a function to the precision, cuts its trailing zeros, so that exact
// results stay short, and checks the limits.
func (c *Context) finish(r Decimal) Decimal {
	if r.zero() {
		return Decimal{}
	}
	g := c.kernel()
	r = g.rounded(r, c.digits)
	if r.trailingZeroBits() > 0 {
		r = g.reduced(r)
	}
	return c.result(r)
}

func (c *Context) kernel() *registers {
	if c.scratch == nil {
		c.scratch = newRegisters(c.digits)
	}
	return c.scratch
}

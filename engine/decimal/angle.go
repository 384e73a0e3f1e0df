package decimal

import "math/big"

// maxAngleExponent bounds the angles that have a sine: from 1e60 on a number of 60 digits no longer
// tells where in the circle it stands.
const maxAngleExponent = 60

// Sin returns the sine of an angle in radians. From 1e60 on it fails with an UndefinedError.
func (c *Context) Sin(a Decimal) Decimal {
	if c.atZero(costAngle, &a) {
		return a
	}
	return c.sinAhead("sin", a, 0)
}

// Cos returns the cosine of an angle in radians. From 1e60 on it fails with an UndefinedError.
func (c *Context) Cos(a Decimal) Decimal {
	if !c.spend(costAngle, &a) {
		return Decimal{}
	}
	return c.sinAhead("cos", a, 1)
}

// sinAhead is the sine of an angle some quarter turns ahead of a.
func (c *Context) sinAhead(name string, a Decimal, quarters int) Decimal {
	if !a.zero() && a.adjusted() >= maxAngleExponent {
		return c.Fail(&UndefinedError{Function: name, Argument: a})
	}
	g := c.kernel()
	r, quadrant := g.reduceAngle(a)
	if quadrant += quarters; quadrant&1 == 0 {
		r = g.sin(r, c.digits)
	} else {
		r = g.cos(r, c.digits)
	}
	if quadrant&2 != 0 {
		r = r.Neg()
	}
	return c.approximate(r, &a, a.first()-r.first())
}

// Tan returns the tangent of an angle in radians. From 1e60 on it fails with an UndefinedError. No
// decimal is an odd multiple of π/2, so that it has a value everywhere else.
func (c *Context) Tan(a Decimal) Decimal {
	if c.atZero(costAngle, &a) {
		return a
	}
	if a.adjusted() >= maxAngleExponent {
		return c.Fail(&UndefinedError{Function: "tan", Argument: a})
	}
	g := c.kernel()
	r, quadrant := g.reduceAngle(a)
	sin, cos := g.sinCos(r)
	if quadrant&1 == 1 {
		sin, cos = cos.Neg(), sin
	}
	t := g.wideQuo(sin, cos)
	return c.approximate(t, &a, a.first()-t.first()+max(0, 2*t.first()))
}

// reduceAngle returns r and k mod 4 with a = k π/2 + r and |r| <= π/4 or hardly more, r accurate to
// guard digits relatively. k is an integer nearest to a/(π/2), found with 160 places of π; when
// digits cancel because a lies near a multiple of π/2, and at more than 60 digits, with 1,700, more
// than any literal has.
func (g *registers) reduceAngle(a Decimal) (r Decimal, quadrant int) {
	if a.IsZero() || a.adjusted() < 0 {
		if g.setDecimal(&g.x, &a); g.x.CmpAbs(g.quarterPi) <= 0 {
			return a, 0
		}
	}
	if g.start != nil {
		return g.subtractHalfPis(&a, g.halfPiPlaces, g.halfPiLong())
	}
	const enough = -(halfPiShortPlaces - maxAngleExponent - wideDigits)
	r, quadrant = g.subtractHalfPis(&a, halfPiShortPlaces, &tables().halfPiShort)
	if r.IsZero() || r.adjusted() < enough {
		r, quadrant = g.subtractHalfPis(&a, g.halfPiPlaces, g.halfPiLong())
	}
	return r, quadrant
}

func (g *registers) subtractHalfPis(a *Decimal, places int, halfPi *big.Int) (r Decimal, quadrant int) {
	a.coefficient(&g.coefficient)
	if up := places + int(a.exponent); up >= 0 {
		g.x.Mul(&g.coefficient, pow10(up))
	} else {
		g.x.QuoRem(&g.coefficient, pow10(-up), &g.remainder)
	}
	g.other.QuoRem(&g.x, halfPi, &g.y)
	quadrant = int(g.other.Bit(0) + 2*g.other.Bit(1))
	g.z.Lsh(&g.y, 1)
	if g.z.Cmp(halfPi) > 0 {
		g.y.Sub(&g.y, halfPi)
		quadrant++
	}
	r.negative = (g.y.Sign() < 0) != a.negative
	g.y.Abs(&g.y)
	r.setCoefficient(&g.y)
	r.exponent = int32(-places)
	if a.negative {
		quadrant = -quadrant
	}
	return r, quadrant & 3
}

// sin returns sin r to the given digits, for |r| not much above π/4.
//
// Method: tables of the sine and cosine of multiples of 2^-8, Taylor series for the rest, and the
// addition theorem (Brent and Zimmermann, Modern Computer Arithmetic, section 4.3); near 0 the
// series times r, for relative accuracy.
func (g *registers) sin(r Decimal, digits int) Decimal {
	if r.IsZero() {
		return r
	}
	if r.adjusted() <= seriesExponent {
		return g.wideMul(r, g.sineRatio(r, -1))
	}
	return g.sumSin(g.sinCosRest(&r), r.negative, digits)
}

// cos returns cos r to the given digits, for |r| not much above π/4.
func (g *registers) cos(r Decimal, digits int) Decimal { return g.sumCos(g.sinCosRest(&r), digits) }

// sinCos returns sin r and cos r to guard digits.
func (g *registers) sinCos(r Decimal) (sin, cos Decimal) {
	index := g.sinCosRest(&r)
	cos = g.sumCos(index, g.wide)
	if r.adjusted() <= seriesExponent {
		return g.wideMul(r, g.sineRatio(r, -1)), cos
	}
	return g.sumSin(index, r.negative, g.wide), cos
}

func (g *registers) sumSin(index int, negative bool, digits int) Decimal {
	g.x.Set(&g.odd)
	if index > 0 {
		t := tables()
		g.mul(&g.x, &g.odd, &t.cos[index])
		g.mul(&g.y, &g.sum, &t.sin[index])
		g.x.Add(&g.x, &g.y)
	}
	s := g.decimal(&g.x, 0, digits)
	s.negative = negative
	return s
}

func (g *registers) sumCos(index int, digits int) Decimal {
	g.x.Set(&g.sum)
	if index > 0 {
		t := tables()
		g.mul(&g.x, &g.sum, &t.cos[index])
		g.mul(&g.y, &g.odd, &t.sin[index])
		g.x.Sub(&g.x, &g.y)
	}
	return g.decimal(&g.x, 0, digits)
}

// sinCosRest splits |r| into a multiple of 2^-8, whose index it returns, and a rest, whose sine it
// leaves in odd and cosine in sum. At more than 60 digits the rest is all of |r|.
func (g *registers) sinCosRest(r *Decimal) (index int) {
	g.setDecimal(&g.x, r)
	g.x.Abs(&g.x)
	if g.start == nil {
		g.other.Rsh(&g.x, fractionBits-angleBits)
		index = int(g.other.Uint64())
		g.other.Lsh(&g.other, fractionBits-angleBits)
		g.x.Sub(&g.x, &g.other)
	}
	g.sum.Set(g.one)
	g.odd.SetInt64(0)
	g.term.Set(g.one)
	for k := int64(1); ; k++ {
		g.mul(&g.term, &g.term, &g.x)
		g.divide(&g.term, &g.term, k)
		if g.term.Sign() == 0 {
			return index
		}
		part := &g.sum
		if k&1 == 1 {
			part = &g.odd
		}
		if k&2 == 0 {
			part.Add(part, &g.term)
		} else {
			part.Sub(part, &g.term)
		}
	}
}

// sineRatio returns 1 + a²/3! + a⁴/5! + …, or with alternating signs for sign -1: the ratio of sinh
// or sin to its argument, for |a| < 1e-3.
func (g *registers) sineRatio(a Decimal, sign int64) Decimal {
	g.setDecimal(&g.x, &a)
	g.mul(&g.square, &g.x, &g.x)
	g.sum.Set(g.one)
	g.term.Set(g.one)
	for k := int64(2); ; k += 2 {
		g.mul(&g.term, &g.term, &g.square)
		g.divide(&g.term, &g.term, sign*k*(k+1))
		if g.term.Sign() == 0 {
			return g.decimal(&g.sum, 0, g.wide)
		}
		g.sum.Add(&g.sum, &g.term)
	}
}

// Atan returns the arc tangent, between -π/2 and π/2.
func (c *Context) Atan(a Decimal) Decimal {
	if !c.spend(costAngle, &a) {
		return Decimal{}
	}
	return c.approximate(c.kernel().atan(a, c.digits), &a, 0)
}

// Atan2 returns the angle of the point (x, y) with the x axis, above -π and at most π. It fails
// with an UndefinedError at the origin.
func (c *Context) Atan2(y, x Decimal) Decimal {
	if !c.spend(costAngle, &y, &x) {
		return Decimal{}
	}
	if x.IsZero() && y.IsZero() {
		return c.Refuse(&UndefinedError{Function: "atan2", Argument: y}, x, y)
	}
	return c.approximate(c.kernel().atan2(y, x), &y, 0).from(&x, 0)
}

func (g *registers) atan2(y, x Decimal) Decimal {
	var r Decimal
	if x.IsZero() {
		r = g.halfPi
	} else {
		r = g.atan(g.wideQuo(y.Abs(), x.Abs()), g.wide)
	}
	if x.Sign() < 0 {
		r = g.wideAdd(g.pi, r.Neg())
	}
	if y.Sign() < 0 {
		r = r.Neg()
	}
	return r
}

// Asin returns the arc sine, between -π/2 and π/2. It fails with an UndefinedError unless -1 <= a
// <= 1.
func (c *Context) Asin(a Decimal) Decimal {
	if c.atZero(costAngle, &a) {
		return a
	}
	if a.Abs().Cmp(Int(1)) > 0 {
		return c.Refuse(&UndefinedError{Function: "asin", Argument: a}, c.beyondOne(a))
	}
	g := c.kernel()
	other := g.cathetus(a)
	return c.arc(g.atan2(a, other), &a, &other)
}

// Acos returns the arc cosine, between 0 and π. It fails with an UndefinedError unless -1 <= a <=
// 1.
func (c *Context) Acos(a Decimal) Decimal {
	if !c.spend(costAngle, &a) {
		return Decimal{}
	}
	if a.Abs().Cmp(Int(1)) > 0 {
		return c.Refuse(&UndefinedError{Function: "acos", Argument: a}, c.beyondOne(a))
	}
	g := c.kernel()
	other := g.cathetus(a)
	return c.arc(g.atan2(other, a), &a, &other)
}

// arc finishes an angle r whose sine or cosine is a and cosine or sine is other. The error of a is
// divided by the other, but at the edges no more than half of its right digits are lost so.
func (c *Context) arc(r Decimal, a, other *Decimal) Decimal {
	steep := (allDigits - int(a.doubt)) / 2
	if !other.zero() {
		steep = min(steep, -other.first())
	}
	return c.approximate(r, a, max(0, a.first()-r.first()+steep))
}

// cathetus returns √(1 − a²) as √((1 − a)(1 + a)), which keeps its digits near 1.
func (g *registers) cathetus(a Decimal) Decimal {
	return g.wideSqrt(g.wideMul(g.wideAdd(Int(1), a.Neg()), g.wideAdd(Int(1), a)))
}

// atan returns the arc tangent to the given digits.
//
// Method: above 1 the reciprocal; then a table of multiples of 2^-8 and the addition theorem leave
// a rest below 2^-9 for the power series (Brent and Zimmermann, Modern Computer Arithmetic, section
// 4.4); near 0 the series times a, for relative accuracy.
func (g *registers) atan(a Decimal, digits int) Decimal {
	if a.IsZero() {
		return a
	}
	if a.adjusted() >= 0 && a.Abs().Cmp(Int(1)) > 0 {
		r := g.wideAdd(g.halfPi, g.atan(g.wideQuo(Int(1), a.Abs()), g.wide).Neg())
		r.negative = a.negative
		return r
	}
	g.setDecimal(&g.x, &a)
	if a.adjusted() <= seriesExponent {
		g.mul(&g.square, &g.x, &g.x)
		g.oddSeries(&g.square, -1)
		return g.wideMul(a, g.decimal(&g.sum, 0, g.wide))
	}
	if g.start != nil {
		// A step of Newton's method: atan a = t + atan((a cos t - sin t) / (cos t + a sin t)), whose last
		// part is next to 0.
		t := g.start.atan(a, g.start.wide)
		sin, cos := g.sinCos(t)
		return g.wideAdd(t, g.atan(g.wideQuo(g.wideAdd(g.wideMul(a, cos), sin.Neg()), g.wideAdd(cos, g.wideMul(a, sin))), g.wide))
	}
	g.x.Abs(&g.x)
	// The nearest multiple n of the step, then (x − n)/(1 + n x).
	g.other.Rsh(&g.x, fractionBits-angleBits-1)
	index := (int(g.other.Uint64()) + 1) / 2
	g.other.SetInt64(int64(index))
	g.product.Mul(&g.other, &g.x)
	g.y.Rsh(&g.product, angleBits)
	g.y.Add(&g.y, g.one)
	g.other.Lsh(&g.other, fractionBits-angleBits)
	g.x.Sub(&g.x, &g.other)
	g.product.Lsh(&g.x, fractionBits)
	g.z.QuoRem(&g.product, &g.y, &g.remainder)
	g.mul(&g.square, &g.z, &g.z)
	g.oddSeries(&g.square, -1)
	g.mul(&g.z, &g.z, &g.sum)
	g.z.Add(&g.z, &tables().atan[index])
	r := g.decimal(&g.z, 0, digits)
	r.negative = a.negative
	return r
}

package engine

import "math"

// jet is a number and its first and second derivative by the unknown, in float64.
type jet struct{ value, slope, bend float64 }

func (a jet) times(b jet) jet {
	return jet{
		float64(a.value * b.value),
		float64(a.slope*b.value) + float64(a.value*b.slope),
		float64(a.bend*b.value) + float64(2*a.slope*b.slope) + float64(a.value*b.bend),
	}
}

func (a jet) plus(b jet, sign float64) jet {
	return jet{a.value + sign*b.value, a.slope + sign*b.slope, a.bend + sign*b.bend}
}

// through is a function of a jet from the function's value and derivatives.
func (a jet) through(value, slope, bend float64) jet {
	return jet{value, float64(slope * a.slope), float64(bend*a.slope*a.slope) + float64(slope*a.bend)}
}

func (a jet) inverse() jet {
	r := 1 / a.value
	return a.through(r, -r*r, 2*r*r*r)
}

func (a jet) ln(base float64) jet {
	r := 1 / a.value
	return a.through(math.Log(a.value)/base, r/base, -r*r/base)
}

func (a jet) power(b jet) jet {
	if b.slope == 0 && b.bend == 0 {
		n := b.value
		p := math.Pow(a.value, n)
		return a.through(p, n*p/a.value, n*(n-1)*p/(a.value*a.value))
	}
	p := a.ln(1).times(b)
	e := math.Exp(p.value)
	return p.through(e, e, e)
}

// jet is the difference of the sides at x with its derivatives (Griewank and Walther, Evaluating Derivatives, 2008,
// chapter 13); false where an operation has no rule here.
func (r *flatRun) jet(x float64) (jet, bool) {
	if r.jets == nil {
		r.jets = make([]jet, len(r.flat.code))
		for i, value := range r.values {
			r.jets[i].value = value
		}
	}
	for _, i := range r.unsteady {
		o := &r.flat.code[i]
		var a, b jet
		if len(o.args) > 0 {
			a, b = r.jets[o.args[0]], r.jets[o.args[len(o.args)-1]]
		}
		j := &r.jets[i]
		switch o.node.op {
		case opVariable:
			*j = jet{value: x, slope: 1}
		case opAdd:
			*j = a.plus(b, 1)
		case opSub:
			*j = a.plus(b, -1)
		case opMul:
			*j = a.times(b)
		case opDiv:
			*j = a.times(b.inverse())
		case opPow:
			*j = a.power(b)
		case opNeg:
			*j = jet{}.plus(a, -1)
		case opPercent:
			*j = jet{}.plus(a, 0.01)
		case opEq, opNe, opLt, opLe, opGt, opGe:
			*j = jet{value: floatCompare(o.node.op, a.value, b.value)}
		case opCall:
			switch o.node.function.name {
			case "exp":
				e := math.Exp(a.value)
				*j = a.through(e, e, e)
			case "ln":
				*j = a.ln(1)
			case "log10":
				*j = a.ln(math.Ln10)
			case "log2":
				*j = a.ln(math.Ln2)
			case "sqrt":
				*j = a.power(jet{value: 0.5})
			case "cbrt":
				*j = a.power(jet{value: 1. / 3})
			case "if":
				*j = b
				if a.value != 0 {
					*j = r.jets[o.args[1]]
				}
			default:
				return jet{}, false
			}
		default:
			return jet{}, false
		}
	}
	return r.jets[r.flat.left].plus(r.jets[r.flat.right], -1), true
}

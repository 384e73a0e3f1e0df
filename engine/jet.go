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

// jet is the difference of the sides at x with its derivatives (Griewank and Walther, Evaluating
// Derivatives, 2008, chapter 13); false where an operation has no rule here.
func (r *flatRun) jet(x float64) (jet, bool) {
	if r.jets == nil {
		r.jets = make([]jet, len(r.flat.code))
		for i, value := range r.values {
			r.jets[i].value = value
		}
	}
	for _, i := range r.unsteady {
		o := &r.flat.code[i]
		if o.node.op == opVariable {
			r.jets[i] = jet{value: x, slope: 1}
			continue
		}
		var buffer [4]jet
		args := buffer[:0]
		for _, a := range o.args {
			args = append(args, r.jets[a])
		}
		j, ok := o.node.operated(args, 2)
		if !ok {
			return jet{}, false
		}
		r.jets[i] = j
	}
	return r.jets[r.flat.left].plus(r.jets[r.flat.right], -1), true
}

// operated is an operation over jets, with its derivatives up to an order; false where it has no
// rule.
func (n *node) operated(args []jet, order int) (jet, bool) {
	a, b := args[0], args[len(args)-1]
	switch n.op {
	case opAdd:
		return a.plus(b, 1), true
	case opSub:
		return a.plus(b, -1), true
	case opMul:
		return a.times(b), true
	case opDiv:
		return a.times(b.inverse()), true
	case opPow:
		return a.power(b), true
	case opNeg:
		return jet{}.plus(a, -1), true
	case opPercent:
		return jet{}.plus(a, 0.01), true
	case opEq, opNe, opLt, opLe, opGt, opGe:
		return jet{value: floatCompare(n.op, a.value, b.value)}, true
	case opCall:
		return n.function.jet(args, order)
	}
	return jet{}, false
}

// jet is the value of a template over those of its locals.
func (n *node) jet(locals []jet, order int) (jet, bool) {
	switch n.op {
	case opNumber:
		return jet{value: n.float}, true
	case opLocal:
		return locals[n.variable], true
	}
	var buffer [4]jet
	args := buffer[:0]
	for _, a := range n.args {
		j, ok := a.jet(locals, order)
		if !ok {
			return jet{}, false
		}
		args = append(args, j)
	}
	return n.operated(args, order)
}

// jet is the value of a function over jets. By the chain rule the second derivative is made of the
// slopes of slopes, so that an entry need not state it.
func (f *function) jet(args []jet, order int) (jet, bool) {
	switch {
	case f.lazy:
		if args[0].value == 0 {
			return args[2], true
		}
		return args[1], true
	case f.definition != nil && f.slope == nil:
		return f.definedJet(args, order)
	case f.float == nil:
		return jet{}, false
	}
	var buffer [4]float64
	values := buffer[:0]
	for _, a := range args {
		values = append(values, a.value)
	}
	j := jet{value: f.float(values)}
	if order == 0 {
		return j, true
	}
	given := args
	args = f.allJets(args)
	for i, a := range given {
		if a.slope == 0 && a.bend == 0 {
			continue
		}
		if i >= len(f.slope) || f.slope[i] == nil {
			return jet{}, false
		}
		s, ok := f.slope[i].jet(args, order-1)
		if !ok {
			return jet{}, false
		}
		j.slope += float64(s.value * a.slope)
		j.bend += float64(s.slope*a.slope) + float64(s.value*a.bend)
	}
	return j, true
}

// definedJet is jet by the formula of a function.
func (f *function) definedJet(args []jet, order int) (j jet, ok bool) {
	if !f.variadic {
		return f.definition.jet(f.allJets(args), order)
	}
	j, ok = args[0], true
	for _, a := range args[1:] {
		if j, ok = f.definition.jet([]jet{j, a}, order); !ok {
			break
		}
	}
	return j, ok
}

// definedFloat is float by the formula of a function.
func (f *function) definedFloat(args []float64) float64 {
	jets := make([]jet, len(args))
	for i, x := range args {
		jets[i].value = x
	}
	if j, ok := f.definedJet(jets, 0); ok {
		return j.value
	}
	return math.NaN()
}

// allJets adds the jets of arguments that were left out.
func (f *function) allJets(args []jet) []jet {
	for _, n := range f.defaults[min(len(args), len(f.defaults)):] {
		args = append(args, jet{value: n.float})
	}
	return args
}

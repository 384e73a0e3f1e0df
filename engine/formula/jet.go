package formula

import "math"

// Jet is a number and its first and second derivative by the unknown, in float64.
type Jet struct{ Value, Slope, Bend float64 }

func (a Jet) times(b Jet) Jet {
	return Jet{
		float64(a.Value * b.Value),
		float64(a.Slope*b.Value) + float64(a.Value*b.Slope),
		float64(a.Bend*b.Value) + float64(2*a.Slope*b.Slope) + float64(a.Value*b.Bend),
	}
}

func (a Jet) plus(b Jet, sign float64) Jet {
	return Jet{a.Value + sign*b.Value, a.Slope + sign*b.Slope, a.Bend + sign*b.Bend}
}

// through is a function of a jet from the function's value and derivatives.
func (a Jet) through(value, slope, bend float64) Jet {
	return Jet{value, float64(slope * a.Slope), float64(bend*a.Slope*a.Slope) + float64(slope*a.Bend)}
}

func (a Jet) inverse() Jet {
	r := 1 / a.Value
	return a.through(r, -r*r, 2*r*r*r)
}

func (a Jet) ln(base float64) Jet {
	r := 1 / a.Value
	return a.through(math.Log(a.Value)/base, r/base, -r*r/base)
}

func (a Jet) power(b Jet) Jet {
	if b.Slope == 0 && b.Bend == 0 {
		n := b.Value
		p := math.Pow(a.Value, n)
		return a.through(p, n*p/a.Value, n*(n-1)*p/(a.Value*a.Value))
	}
	p := a.ln(1).times(b)
	e := math.Exp(p.Value)
	return p.through(e, e, e)
}

// Jet is the difference of the sides at x with its derivatives (Griewank and Walther, Evaluating
// Derivatives, 2008, chapter 13); false where an operation has no rule here.
func (r *Run) Jet(x float64) (Jet, bool) {
	if r.jets == nil {
		r.jets = make([]Jet, len(r.flat.code))
		for i, value := range r.Values {
			r.jets[i].Value = value
		}
	}
	for _, i := range r.unsteady {
		o := &r.flat.code[i]
		if o.Node.Op == OpVariable {
			r.jets[i] = Jet{Value: x, Slope: 1}
			continue
		}
		var buffer [4]Jet
		args := buffer[:0]
		for _, a := range o.Args {
			args = append(args, r.jets[a])
		}
		j, ok := o.Node.operated(args, 2)
		if !ok {
			return Jet{}, false
		}
		r.jets[i] = j
	}
	return r.jets[r.flat.left].plus(r.jets[r.flat.right], -1), true
}

// operated is an operation over jets, with its derivatives up to an order; false where it has no
// rule.
func (n *Node) operated(args []Jet, order int) (Jet, bool) {
	a, b := args[0], args[len(args)-1]
	switch n.Op {
	case OpAdd:
		return a.plus(b, 1), true
	case OpSub:
		return a.plus(b, -1), true
	case OpMul:
		return a.times(b), true
	case OpDiv:
		return a.times(b.inverse()), true
	case OpPow:
		return a.power(b), true
	case OpNeg:
		return Jet{}.plus(a, -1), true
	case OpPercent:
		return Jet{}.plus(a, 0.01), true
	case OpEq, OpNe, OpLt, OpLe, OpGt, OpGe:
		return Jet{Value: floatCompare(n.Op, a.Value, b.Value)}, true
	case OpCall:
		return n.Function.Jet(args, order)
	}
	return Jet{}, false
}

// jet is the value of a template over those of its locals.
func (n *Node) jet(locals []Jet, order int) (Jet, bool) {
	switch n.Op {
	case OpNumber:
		return Jet{Value: n.float}, true
	case opLocal:
		return locals[n.Variable], true
	}
	var buffer [4]Jet
	args := buffer[:0]
	for _, a := range n.Args {
		j, ok := a.jet(locals, order)
		if !ok {
			return Jet{}, false
		}
		args = append(args, j)
	}
	return n.operated(args, order)
}

// Jet is the value of a function over jets. By the chain rule the second derivative is made of the
// slopes of slopes, so that an entry need not state it.
func (f *Entry) Jet(args []Jet, order int) (Jet, bool) {
	switch {
	case f.Lazy:
		if args[0].Value == 0 {
			return args[2], true
		}
		return args[1], true
	case f.Definition != nil && f.Slope == nil:
		return f.definedJet(args, order)
	case f.Float == nil:
		return Jet{}, false
	}
	var buffer [4]float64
	values := buffer[:0]
	for _, a := range args {
		values = append(values, a.Value)
	}
	j := Jet{Value: f.Float(values)}
	if order == 0 {
		return j, true
	}
	given := args
	args = f.allJets(args)
	for i, a := range given {
		if a.Slope == 0 && a.Bend == 0 {
			continue
		}
		if i >= len(f.Slope) || f.Slope[i] == nil {
			return Jet{}, false
		}
		s, ok := f.Slope[i].jet(args, order-1)
		if !ok {
			return Jet{}, false
		}
		j.Slope += float64(s.Value * a.Slope)
		j.Bend += float64(s.Slope*a.Slope) + float64(s.Value*a.Bend)
	}
	return j, true
}

func (f *Entry) definedJet(args []Jet, order int) (j Jet, ok bool) {
	if !f.Variadic {
		return f.Definition.jet(f.allJets(args), order)
	}
	j, ok = args[0], true
	for _, a := range args[1:] {
		if j, ok = f.Definition.jet([]Jet{j, a}, order); !ok {
			break
		}
	}
	return j, ok
}

func (f *Entry) definedFloat(args []float64) float64 {
	jets := make([]Jet, len(args))
	for i, x := range args {
		jets[i].Value = x
	}
	if j, ok := f.definedJet(jets, 0); ok {
		return j.Value
	}
	return math.NaN()
}

// allJets adds the jets of arguments that were left out.
func (f *Entry) allJets(args []Jet) []Jet {
	for _, n := range f.defaults[min(len(args), len(f.defaults)):] {
		args = append(args, Jet{Value: n.float})
	}
	return args
}

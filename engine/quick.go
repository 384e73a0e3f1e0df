package engine

import (
	"math"

	"reckon/engine/decimal"
)

// Bounds of the quick search.
const (
	quickDecades = 8 // below and above the scale of the unknown
	quickDensity = 5 // samples a decade
)

// quick finds the root of an equation whose sides differ by what changes its sign once over all positive samples, and turns
// nowhere towards zero: of plain functions that is their only positive root. ok is false where this does not show one.
func (s *seeker) quick(d *Domain, e *equation, v int, a aim) (root decimal.Decimal, ok bool) {
	x := e.unknown(v)
	if a.all || a.by == nil || a.by.isScale(v) || !e.left.plain(x) || !e.right.plain(x) {
		return root, false
	}
	w := &d.variables[v]
	low, high := 0.0, math.Inf(1)
	if w.min != nil {
		low = math.Max(low, w.min.Float64())
	}
	if w.max != nil {
		high = w.max.Float64()
	}
	scale := d.searchScale(s.m, v)
	var bracket [4]float64
	changes, turns, direction := 0, 0, 0.0
	last, from := math.NaN(), 0.0
	for i := -quickDecades * quickDensity; i <= quickDecades*quickDensity; i++ {
		at := scale * math.Pow(10, float64(i)/quickDensity)
		if at < low || at > high {
			continue
		}
		f := s.at(at)
		if f == 0 || math.IsNaN(f) && s.m.limited() {
			return root, false
		}
		if math.IsNaN(f) {
			if changes == 0 && !math.IsNaN(last) {
				return root, false
			}
			continue
		}
		if !math.IsNaN(last) {
			if move := f - last; math.Abs(move) > 1e-6*(math.Abs(f)+math.Abs(last)) {
				if move*direction < 0 {
					// Only a turn away from zero cannot hide two roots.
					if turns++; turns > 2 || direction*last < 0 {
						return root, false
					}
				}
				direction = move
			}
			if f*last < 0 {
				changes++
				bracket = [4]float64{from, at, last, f}
			}
		}
		last, from = f, at
	}
	if changes != 1 {
		return root, false
	}
	start := s.brent(bracket[0], bracket[1], bracket[2], bracket[3])
	root, ok = s.secant(decimalOf(start), s.difference)
	if f := root.Float64(); !ok || f < bracket[0] || f > bracket[1] {
		return root, false
	}
	return root, len(s.m.keep(e, v, decimals{root})) > 0
}

// plain reports whether n is made of the unknown by arithmetic, powers, roots, exponentials and logarithms only, aside
// from an if that asks for equality.
func (n *node) plain(x unknown) bool {
	if !n.has(x) {
		return true
	}
	args := n.args
	switch n.op {
	case opVariable, opAdd, opSub, opMul, opDiv, opPow, opNeg, opPercent:
	case opCall:
		switch n.function.name {
		case "exp", "ln", "log", "log10", "log2", "sqrt", "cbrt":
		case "if":
			if args[0].op != opEq {
				return false
			}
			args = args[1:]
		default:
			return false
		}
	default:
		return false
	}
	for _, a := range args {
		if !a.plain(x) {
			return false
		}
	}
	return true
}

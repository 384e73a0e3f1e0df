package units

import "slices"

// isPlain is true of units of a base dimension, of area and of volume: products of their powers are
// what people write (lb/ft^3, gal/min).
func isPlain(u *Unit) bool {
	return u.dimension == area || u.dimension == volume || isBase(u.dimension)
}

// exchanges are the factors that people write for one that SI has: BTU/h for W, hp·h for J,
// lbf/in^2 for Pa.
var exchanges = [...]struct{ is, write Dimension }{{power, energy}, {energy, power}, {pressure, force}}

// derived is the one factor of a product that is not plain, Unit nil for none; more is true where
// there are several.
func derived(terms []Term) (factor Term, more bool) {
	for _, term := range terms {
		if isPlain(term.Unit) {
			continue
		}
		if factor.Unit != nil {
			return factor, true
		}
		factor = term
	}
	return factor, false
}

// isCustomary reports whether people write a quantity whose SI unit is coherent as this product: of
// plain units, of kWh and the like, or with the derived unit that SI has (BTU/(h·ft^2) as W/m^2,
// but neither W/bar as m^3/s nor J/L as Pa).
func isCustomary(product, coherent *Unit) bool {
	have, more := derived(product.factors())
	if more || lengths(product.factors()) > 1 || product.scale.plain && len(product.factors()) > len(coherent.factors()) {
		return false // kg/(m·s) is Pa·s
	}
	if have.Unit == nil || hasHours(have.Unit) {
		return true
	}
	want, _ := derived(coherent.factors())
	if want.Unit == nil || have.Num != want.Num || have.Den != want.Den {
		return false
	}
	if have.Unit.dimension == want.Unit.dimension {
		return true
	}
	for _, x := range exchanges {
		if want.Unit.dimension == x.is && have.Unit.dimension == x.write {
			return !product.scale.plain
		}
	}
	return false
}

// hasHours is true of Wh, Ah and their multiples.
func hasHours(u *Unit) bool {
	return u.entry != nil && (u.entry.Symbol == "Wh" || u.entry.Symbol == "Ah")
}

// lengths counts the factors that are lengths, areas and volumes.
func lengths(terms []Term) int {
	n := 0
	for _, term := range terms {
		if e := term.Unit.dimension; e == Length || e == area || e == volume {
			n++
		}
	}
	return n
}

// joinHours writes W·h and A·h, in whatever equal power, as Wh and Ah: USD/(kW·h) is USD/kWh.
func (t *Table) joinHours(terms []Term) []Term {
	hour := -1
	for i, term := range terms {
		if term.Unit.symbol == "h" {
			hour = i
		}
	}
	if hour < 0 || len(terms) < 2 {
		return terms
	}
	for i, term := range terms {
		if term.Num != terms[hour].Num || term.Den != terms[hour].Den || i == hour {
			continue
		}
		for _, symbol := range [...]string{"Wh", "Ah"} {
			e := t.words.symbols[symbol].entry
			if term.Unit.entry != e.parts.terms[0].Unit.entry {
				continue
			}
			joined := e.unit
			if term.Unit.prefix != nil {
				joined = t.words.prefixed(term.Unit.prefix.index, e)
			}
			if joined == nil {
				continue
			}
			result := slices.Clone(terms)
			result[i].Unit = joined
			return slices.Delete(result, hour, hour+1)
		}
	}
	return terms
}

package engine

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

// prepared is what every calculation would work out anew for a variable.
type prepared struct {
	text   bool // value is the default; else it is read anew, as it may depend on the clock or the zone
	value  Value
	limits [2]*limit // min and max, nil for none
}

// limit is a bound in coherent SI. It holds for values of its dimension.
type limit struct {
	si        decimal.Decimal
	dimension units.Dimension
}

// prepare fills what calculations look up. It is the last thing that Compile does.
func (d *Domain) prepare() {
	all := make([]prepared, len(d.profiles))
	for i := range d.profiles {
		p := &all[i]
		r := d.solver.resolve(d.variableDimension(i))
		w := &d.profiles[i]
		w.resolved, w.known, w.bare = r.known, r.isKnown(), d.unitOf(i)
		def := &d.Variables[i]
		if !def.Default.IsEmpty() && timeless(def) {
			p.value, p.text = d.defaultValue(i, compileEnv)
		}
		p.limits = [2]*limit{d.limit(i, def.Min), d.limit(i, def.Max)}
	}
	for _, e := range d.equations {
		e.angle = e.givesAngle()
		e.open = e.checkPoints && slices.ContainsFunc(e.refs, func(v int) bool { return !d.profiles[v].declared })
		e.share()
	}
	for i := range d.profiles {
		d.profiles[i].whole = true
	}
	d.prepared = all
}

// timeless reports whether a default means the same at any time and in any zone.
func timeless(def *Variable) bool {
	kinds := []string{scalarKind(def.Kind)}
	if isTableKind(def.Kind) {
		kinds = nil
		of := cellKinds(*def)
		for i, row := range def.Default.Cells {
			for j := range row {
				kinds = append(kinds, of(i, j))
			}
		}
	}
	return !slices.ContainsFunc(kinds, func(kind string) bool { return !slices.Contains([]string{"number", "no_separator", "percent"}, kind) })
}

// limit reads a bound, nil where there is none that applies.
func (d *Domain) limit(variable int, text string) *limit {
	if text == "" {
		return nil
	}
	v, _, errs := d.ParseValue(variable, Scalar(text), Env{})
	if len(errs) > 0 {
		return nil
	}
	edge := v.Quantity()
	return &limit{edge.SI(decimal.NewContext(defaultBudget)), edge.Unit.Dimension()}
}

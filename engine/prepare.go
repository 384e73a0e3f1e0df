package engine

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/format"
	"reckon/engine/formula"
	"reckon/engine/input"
	"reckon/engine/units"
	"reckon/engine/value"
)

// prepared is what every calculation would work out anew for a variable.
type prepared struct {
	text   bool // value is the default; else it is read anew, as it may depend on the clock or the zone
	value  value.Value
	limits [2]*limit // min and max, nil for none
}

// limit is a bound in coherent SI. It holds for values of its dimension.
type limit struct {
	si        decimal.Decimal
	dimension units.Dimension
	text      string // as its author wrote it, with the unit that a bare number has
}

// prepare fills what calculations look up. It is the last thing that Compile does.
func (d *Domain) prepare() {
	all := make([]prepared, len(d.Profiles))
	for i := range d.Profiles {
		p := &all[i]
		r := d.solver.Resolve(formula.VariableDimension(&d.Scope, i))
		w := &d.Profiles[i]
		w.Resolved, w.Known, w.Bare = r.Known, r.IsKnown(), input.UnitOf(&d.Scope, i)
		def := &d.Variables[i]
		if !def.Default.IsEmpty() && timeless(def, w) {
			p.value, p.text = d.defaultValue(i, compileEnv)
		}
		p.limits = [2]*limit{d.limit(i, def.Min), d.limit(i, def.Max)}
	}
	for _, e := range d.equations {
		e.Angle = e.GivesAngle()
		e.Open = e.CheckPoints && slices.ContainsFunc(e.Refs, func(v int) bool { return !d.Profiles[v].Declared })
		e.Share()
	}
	for _, t := range d.through {
		if t != nil {
			t.equation.Share()
		}
	}
	for i := range d.Profiles {
		d.Profiles[i].Whole = true
	}
	d.prepared = all
}

// timeless reports whether a default means the same at any time and in any zone.
func timeless(def *value.Variable, p *value.Profile) bool {
	kinds := []string{format.ScalarKind(def.Kind)}
	if format.IsTableKind(def.Kind) {
		kinds = nil
		of := format.CellKinds(*def)
		for i, row := range def.Default.Cells {
			for j := range row {
				kind := of(i, j)
				if column := p.Column(j); kind == "" && (p.Moment || column != nil && column.Moment) {
					kind = "date"
				}
				kinds = append(kinds, kind)
			}
		}
	}
	return !slices.ContainsFunc(kinds, func(kind string) bool {
		return !slices.Contains([]string{"", "number", "no_separator", "percent"}, kind)
	})
}

// limit reads a bound, nil where there is none that applies.
func (d *Domain) limit(variable int, text string) *limit {
	if text == "" {
		return nil
	}
	edge, err := input.ParseBound(&d.Scope, variable, text, value.Env{})
	if err != nil {
		return nil
	}
	if _, err := decimal.Parse(text); err == nil {
		text = edge.String()
	}
	return &limit{edge.SI(decimal.NewContext(value.DefaultBudget)), edge.Unit.Dimension(), text}
}

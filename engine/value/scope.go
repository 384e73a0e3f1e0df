package value

import (
	"encoding/json"
	"math"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

// Scope is the variables that values belong to, and the units of their domain.
type Scope struct {
	Declared  []Variable     // as the author declared them
	Profiles  []Profile      // what is known of each
	Positions map[string]int // by key
	Table     *units.Table   // the standard units and the domain's counting units
	Counting  []string       // the counting units that the domain declares
	Currency  string         // the only currency that declared units name, "" for none or several
}

// Profile is what is known of a variable, besides its declaration.
type Profile struct {
	Unit      *units.Unit // declared, nil for none
	Dimension units.Dimension
	Declared  bool // the dimension is known from the unit, the kind or the default
	Point     Weight
	Min, Max  *decimal.Decimal  // in coherent SI, nil for none
	Hint      *decimal.Decimal  // the default in coherent SI, nil for none
	Moment    bool              // a date, with or without a clock time
	Counts    *units.Unit       // whose whole numbers alone are values, nil where others are, too
	Choices   []decimal.Decimal // which alone are values, ascending, nil where others are, too
	Table     bool              // of a kind whose values are tables
	Names     []string          // of a table's columns, as far as they are known: as the author says, else as the function does that they come from
	Defined   []string          // of a table's columns: as the function says, nil for none
	Columns   []*Column         // of a table, by number; nil where the cells have the dimension of the variable
	Angle     bool              // in equations it stands only as the whole argument of functions of an angle

	// Of a domain without a mistake, else zero.
	Whole    bool            // the following members hold
	Resolved units.Dimension // as declared or as the equations tell
	Known    bool            // resolved is the whole of the dimension
	Bare     *units.Unit     // the unit of a bare number, nil for none
}

// Column is a column of a table whose cells have a dimension of their own.
type Column struct {
	Unit      *units.Unit // of bare numbers, nil for none
	Dimension units.Dimension
	Declared  bool // the dimension is known from the unit or the kind
	Moment    bool // dates, with or without a clock time
	Chosen    bool // the cells are choices
	Choices   int  // of this variable, where they are
	Unknown   int  // where the dimension is not declared: its number among those that equations tell
}

// Column is what is known of a column, counted from 0; nil where nothing is.
func (p *Profile) Column(number int) *Column {
	if number < len(p.Columns) {
		return p.Columns[number]
	}
	return nil
}

// SetColumn notes what is known of a column, counted from 0.
func (p *Profile) SetColumn(number int, column *Column) {
	for len(p.Columns) <= number {
		p.Columns = append(p.Columns, nil)
	}
	p.Columns[number] = column
}

// Weight is what the cells of a column are on a scale.
func (c *Column) Weight() Weight {
	if c.Declared && c.Unit == nil && !c.Moment {
		return Difference
	}
	return PointOf(c.Unit, c.Moment)
}

// Range is the bounds in float64, infinite where there are none.
func (p *Profile) Range() (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if p.Min != nil {
		low = p.Min.Float64()
	}
	if p.Max != nil {
		high = p.Max.Float64()
	}
	return low, high
}

// Discrete reports whether only certain numbers are values: whole ones, or those of choices.
func (p *Profile) Discrete() bool { return p.Counts != nil || p.Choices != nil }

// Index is the position of the variable with exactly this key, or -1.
func (s *Scope) Index(key string) int {
	if i, ok := s.Positions[key]; ok {
		return i
	}
	return -1
}

// Variable is a named value of a domain.
type Variable struct {
	ID, Key            string
	Title, Description string
	Unit               string // declared unit, "" for none
	Kind               string // of a domain variable in schemas/openapi.yaml; "" means number
	Format             string // "" means the kind's default
	Default            Text
	Aliases            []string
	Min, Max           string          // bounds with units, "" for none
	Integer            bool            // only whole numbers are values
	Choices            []Choice        // the only values, where there are any
	Hidden             bool            // a helper of the equations, which nobody is shown or asked for
	Display            json.RawMessage // display_metadata as authored, nil for none
}

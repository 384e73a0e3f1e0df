package engine

import (
	"encoding/json"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

// scope is the variables that values belong to, and the units of their domain.
type scope struct {
	declared []Variable     // as the author declared them
	profiles []profile      // what is known of each
	index    map[string]int // by key
	table    *units.Table   // the standard units and the domain's counting units
	counting []string       // the counting units that the domain declares
	currency string         // the only currency that declared units name, "" for none or several
}

// profile is what is known of a variable, besides its declaration.
type profile struct {
	unit      *units.Unit // declared, nil for none
	dimension units.Dimension
	declared  bool // the dimension is known from the unit, the kind or the default
	point     weight
	min, max  *decimal.Decimal // in coherent SI, nil for none
	hint      *decimal.Decimal // the default in coherent SI, nil for none
	moment    bool             // a date, with or without a clock time
	table     bool             // of a kind whose values are tables
	angle     bool             // in equations it stands only as the whole argument of functions of an angle

	// Of a domain without a mistake, else zero.
	whole    bool            // the following members hold
	resolved units.Dimension // as declared or as the equations tell
	known    bool            // resolved is the whole of the dimension
	bare     *units.Unit     // the unit of a bare number, nil for none
}

// Index is the position of the variable with exactly this key, or -1.
func (s *scope) Index(key string) int {
	if i, ok := s.index[key]; ok {
		return i
	}
	return -1
}

// Variable is a named value of a domain.
type Variable struct {
	ID, Key            string
	Title, Description string
	Unit               string // declared unit, "" for none
	Kind               string // of SPEC.md's domain variable; "" means number
	Format             string // "" means the kind's default
	Default            Text
	Aliases            []string
	Min, Max           string          // bounds with units, "" for none
	Display            json.RawMessage // display_metadata as authored, nil for none
}

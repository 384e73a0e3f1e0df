package units

import (
	"slices"
	"strconv"
	"strings"
)

// namedDimension is a dimension with a common name and the unit that results of it take when
// nothing better is known.
type namedDimension struct {
	name      string
	exponents string // as dimension reads it
	unit      string // coherent SI, as Symbol spells it
	dimension Dimension
}

// baseNames are the names of the base dimensions in the order of their exponents.
var baseNames = [bases]string{
	"length", "mass", "time", "current", "temperature", "amount", "luminous intensity", "angle", "information",
}

// baseSymbols are the coherent units of the base dimensions.
var baseSymbols = [bases]string{"m", "kg", "s", "A", "K", "mol", "cd", "rad", "bit"}

// namedDimensions has the base dimensions first. The sections of units.txt bear these names.
var namedDimensions = nameDimensions([]namedDimension{
	{name: "number", exponents: "", unit: ""},
	{name: "length", exponents: "L", unit: "m"},
	{name: "mass", exponents: "M", unit: "kg"},
	{name: "time", exponents: "T", unit: "s"},
	{name: "current", exponents: "I", unit: "A"},
	{name: "temperature", exponents: "K", unit: "K"},
	{name: "amount", exponents: "N", unit: "mol"},
	{name: "luminous intensity", exponents: "J", unit: "cd"},
	{name: "angle", exponents: "A", unit: "rad"},
	{name: "information", exponents: "B", unit: "bit"},

	{name: "area", exponents: "L2", unit: "m^2"},
	{name: "volume", exponents: "L3", unit: "m^3"},
	{name: "fuel economy", exponents: "L-2", unit: "1/m^2"},
	{name: "reciprocal length", exponents: "L-1", unit: "1/m"},
	{name: "frequency", exponents: "T-1", unit: "1/s"},
	{name: "speed", exponents: "L T-1", unit: "m/s"},
	{name: "acceleration", exponents: "L T-2", unit: "m/s^2"},
	{name: "jerk", exponents: "L T-3", unit: "m/s^3"},
	{name: "angular speed", exponents: "A T-1", unit: "rad/s"},
	{name: "angular acceleration", exponents: "A T-2", unit: "rad/s^2"},
	{name: "solid angle", exponents: "A2", unit: "sr"},

	{name: "force", exponents: "M L T-2", unit: "N"},
	{name: "energy", exponents: "M L2 T-2", unit: "J"},
	{name: "power", exponents: "M L2 T-3", unit: "W"},
	{name: "pressure", exponents: "M L-1 T-2", unit: "Pa"},
	{name: "momentum", exponents: "M L T-1", unit: "kg·m/s"},
	{name: "angular momentum", exponents: "M L2 T-1", unit: "J·s"},
	{name: "moment of inertia", exponents: "M L2", unit: "kg·m^2"},
	{name: "density", exponents: "M L-3", unit: "kg/m^3"},
	{name: "specific volume", exponents: "M-1 L3", unit: "m^3/kg"},
	{name: "linear density", exponents: "M L-1", unit: "kg/m"},
	{name: "area density", exponents: "M L-2", unit: "kg/m^2"},
	{name: "surface tension", exponents: "M T-2", unit: "N/m"},
	{name: "mass flow", exponents: "M T-1", unit: "kg/s"},
	{name: "volume flow", exponents: "L3 T-1", unit: "m^3/s"},
	{name: "dynamic viscosity", exponents: "M L-1 T-1", unit: "Pa·s"},
	{name: "kinematic viscosity", exponents: "L2 T-1", unit: "m^2/s"},
	{name: "specific energy", exponents: "L2 T-2", unit: "J/kg"},
	{name: "irradiance", exponents: "M T-3", unit: "W/m^2"},

	{name: "heat capacity", exponents: "M L2 T-2 K-1", unit: "J/K"},
	{name: "specific heat", exponents: "L2 T-2 K-1", unit: "J/(kg·K)"},
	{name: "thermal conductivity", exponents: "M L T-3 K-1", unit: "W/(m·K)"},
	{name: "heat transfer coefficient", exponents: "M T-3 K-1", unit: "W/(m^2·K)"},
	{name: "thermal insulance", exponents: "M-1 T3 K", unit: "m^2·K/W"},
	{name: "thermal resistance", exponents: "M-1 L-2 T3 K", unit: "K/W"},
	{name: "thermal expansion", exponents: "K-1", unit: "1/K"},

	{name: "charge", exponents: "I T", unit: "C"},
	{name: "voltage", exponents: "M L2 T-3 I-1", unit: "V"},
	{name: "resistance", exponents: "M L2 T-3 I-2", unit: "Ω"},
	{name: "conductance", exponents: "M-1 L-2 T3 I2", unit: "S"},
	{name: "capacitance", exponents: "M-1 L-2 T4 I2", unit: "F"},
	{name: "inductance", exponents: "M L2 T-2 I-2", unit: "H"},
	{name: "magnetic flux", exponents: "M L2 T-2 I-1", unit: "Wb"},
	{name: "magnetic flux density", exponents: "M T-2 I-1", unit: "T"},
	{name: "magnetic field strength", exponents: "L-1 I", unit: "A/m"},
	{name: "electric field strength", exponents: "M L T-3 I-1", unit: "V/m"},
	{name: "current density", exponents: "L-2 I", unit: "A/m^2"},
	{name: "resistivity", exponents: "M L3 T-3 I-2", unit: "Ω·m"},
	{name: "permittivity", exponents: "M-1 L-3 T4 I2", unit: "F/m"},
	{name: "permeability", exponents: "M L T-2 I-2", unit: "H/m"},
	{name: "exposure", exponents: "M-1 I T", unit: "C/kg"},

	{name: "molar mass", exponents: "M N-1", unit: "kg/mol"},
	{name: "concentration", exponents: "N L-3", unit: "mol/m^3"},
	{name: "molality", exponents: "M-1 N", unit: "mol/kg"},
	{name: "molar energy", exponents: "M L2 T-2 N-1", unit: "J/mol"},
	{name: "molar heat capacity", exponents: "M L2 T-2 K-1 N-1", unit: "J/(mol·K)"},
	{name: "molar volume", exponents: "L3 N-1", unit: "m^3/mol"},
	{name: "catalytic activity", exponents: "N T-1", unit: "kat"},

	{name: "luminous flux", exponents: "J A2", unit: "lm"},
	{name: "illuminance", exponents: "J A2 L-2", unit: "lx"},
	{name: "luminance", exponents: "J L-2", unit: "cd/m^2"},
	{name: "data rate", exponents: "B T-1", unit: "bit/s"},
})

func nameDimensions(list []namedDimension) []namedDimension {
	for i := range list {
		list[i].dimension = dimension(list[i].exponents)
	}
	return list
}

// named finds d among the named dimensions.
func (d Dimension) named() (namedDimension, bool) {
	for _, n := range namedDimensions {
		if n.dimension == d {
			return n, true
		}
	}
	return namedDimension{}, false
}

// inverse is 1/d.
func (d Dimension) inverse() Dimension { return None.Div(d) }

// Name is a common name ("length", "energy", "speed"), else spelt like "money/volume"; "number" for
// none. A torque has the name of energy. Any currency is "money", a counting unit is its own name.
func (d Dimension) Name() string {
	if n, ok := d.named(); ok {
		return n.name
	}
	above, below := d.spelling(func(n namedDimension) string { return n.name }, baseNames)
	for _, p := range d.otherPowers() {
		name := p.name
		switch {
		case strings.HasPrefix(name, "$"):
			name = "money"
		case name == "dB":
			name = "level"
		}
		addPower(&above, &below, name, p.exponent)
	}
	return quotient(above, below, "number")
}

// spelling writes what d has of base dimensions, leaving out currencies and counting units: as one
// named dimension above or below the line ("time" below for 1/time, not "frequency" above), or else
// by base dimensions.
func (d Dimension) spelling(name func(namedDimension) string, bases [bases]string) (above, below []string) {
	rest := Dimension{exponents: d.exponents}
	if rest.IsNone() {
		return nil, nil
	}
	inverse, isBelow := rest.inverse().named()
	if isBelow && slices.Max(rest.exponents[:]) <= 0 {
		return nil, []string{name(inverse)}
	}
	if n, ok := rest.named(); ok {
		return []string{name(n)}, nil
	}
	if isBelow {
		return nil, []string{name(inverse)}
	}
	for i, e := range rest.exponents {
		addPower(&above, &below, bases[i], int(e))
	}
	return above, below
}

// addPower appends "name^2" to the side that the exponent's sign says.
func addPower(above, below *[]string, name string, exponent int) {
	side := above
	if exponent < 0 {
		side, exponent = below, -exponent
	}
	if exponent != 0 {
		num, den := Lowest(exponent, sixtieths)
		*side = append(*side, name+powerSuffix(num, den))
	}
}

// quotient writes a/b, (a·b)/(c·d) without the first parentheses, or none when both are empty.
func quotient(above, below []string, none string) string {
	text := strings.Join(above, "·")
	switch {
	case len(above) == 0 && len(below) == 0:
		return none
	case len(below) == 0:
		return text
	case len(above) == 0:
		text = "1"
	}
	if len(below) == 1 {
		return text + "/" + below[0]
	}
	return text + "/(" + strings.Join(below, "·") + ")"
}

// powerSuffix writes an exponent: nothing for 1, "^2", "^-1", "^(1/2)".
func powerSuffix(num, den int) string {
	switch {
	case den != 1:
		return "^(" + strconv.Itoa(num) + "/" + strconv.Itoa(den) + ")"
	case num == 1:
		return ""
	}
	return "^" + strconv.Itoa(num)
}

// Lowest brings num/den to lowest terms with den > 0.
func Lowest(num, den int) (int, int) {
	divisor := gcd(num, den)
	if divisor == 0 {
		return 0, 1
	}
	if (divisor < 0) != (den < 0) {
		divisor = -divisor
	}
	return num / divisor, den / divisor
}

// gcd is the greatest common divisor, of either sign; 0 of 0 and 0.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

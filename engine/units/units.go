// Package units knows what people measure in: dimensions, units, quantities, and the text table
// that defines every unit by an expression in earlier ones.
//
// units.txt and currencies.txt are that table. A unit's factor to coherent SI is kept as exact
// numerator, denominator and power of pi, so that 36 km/h is exactly 10 m/s and 90 deg exactly a
// quarter turn. Table.Parse reads what people write, Unit.Symbol is the one spelling that is
// emitted, Convert changes units, Table.ForResult chooses them.
package units

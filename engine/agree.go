package engine

import (
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/input"
	"reckon/engine/value"
)

// Agrees reports whether a value is the wanted one: the same quantity exactly, or, where a wanted
// number is written with decimals, the same when it is rounded to as many in the unit that is
// wanted. Tables agree cell by cell.
func (d *Domain) Agrees(variable int, got, wanted value.Text, env value.Env) (bool, []value.Error) {
	want, _, errs := input.ParseResult(&d.Scope, variable, wanted, env)
	if len(errs) > 0 {
		return false, errs
	}
	have, _, errs := input.ParseResult(&d.Scope, variable, got, env)
	if len(errs) > 0 {
		return false, errs
	}
	return have.Same(want, func(a, b value.Cell, row, column int) bool {
		return cellAgrees(a, b, wanted.Cells[row][column])
	}), nil
}

func cellAgrees(have, want value.Cell, written string) bool {
	if have.Empty || want.Empty {
		return have.Empty == want.Empty
	}
	one := func(c value.Cell) value.Value { return value.Value{Cells: [][]value.Cell{{c}}} }
	if one(have).Equal(one(want)) {
		return true
	}
	_, decimals, ok := strings.Cut(written, ".")
	if !ok {
		return false
	}
	places := len(decimals) - len(strings.TrimLeft(decimals, "0123456789"))
	rest := decimals[places:]
	if places == 0 || strings.HasPrefix(rest, "e") || strings.HasPrefix(rest, "E") {
		return false
	}
	if strings.HasPrefix(strings.TrimSpace(rest), "%") && want.Quantity.Unit.IsOne() {
		places += 2 // a percentage is held as a fraction
	}
	converted, problem := convert(one(have), want.Quantity.Unit)
	if problem != nil {
		return false
	}
	c := decimal.NewContext(1_000_000)
	return c.Round(converted.Quantity().Number, places).Cmp(want.Quantity.Number) == 0 && c.Err() == nil
}

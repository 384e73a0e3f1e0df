package input

import (
	"fmt"
	"strconv"

	"reckon/engine/format"
	"reckon/engine/value"
)

// isSeveral reports whether a text lists several values of a variable of single ones.
func isSeveral(s *value.Scope, variable int, text value.Text) bool {
	return text.Rank == 1 && len(text.Cells) > 1 && !format.IsTableKind(s.Declared[variable].Kind)
}

// ParseInput reads what a prompt states of a variable: a value as ParseValue does, or several ones
// of a variable of single values, at most value.MaxSeveral, each another.
func ParseInput(s *value.Scope, variable int, text value.Text, env value.Env) (v value.Value, normal value.Text, errs []value.Error) {
	key := s.Declared[variable].Key
	if !isSeveral(s, variable, text) {
		if text.Rank > 0 && !format.IsTableKind(s.Declared[variable].Kind) {
			return v, normal, value.Problems("input.invalid_table", key, fmt.Sprintf("one value is expected, or a list of 2 to %d", value.MaxSeveral))
		}
		return ParseValue(s, variable, text, env)
	}
	if len(text.Cells) > value.MaxSeveral {
		return v, normal, value.Problems("input.limit_exceeded", "values of "+key, strconv.Itoa(value.MaxSeveral))
	}
	v, normal, errs = several(s, variable, text, env, false)
	for i, row := range v.Cells {
		for k := range v.Cells[:i] {
			if value.ScalarValue(row[0].Quantity).Equal(value.ScalarValue(v.Cells[k][0].Quantity)) {
				return value.Value{}, value.Text{}, value.Problems("input.invalid_value", key, Quoted(text.Cells[i][0]), "it is listed already")
			}
		}
	}
	return v, normal, errs
}

// ParseResult reads a value of a result, which is a list where an input had several values, with
// an empty text where there is none.
func ParseResult(s *value.Scope, variable int, text value.Text, env value.Env) (v value.Value, normal value.Text, errs []value.Error) {
	if !isSeveral(s, variable, text) {
		return ParseValue(s, variable, text, env)
	}
	return several(s, variable, text, env, true)
}

// several reads values one by one; with gaps, empty texts are empty cells.
func several(s *value.Scope, variable int, text value.Text, env value.Env, gaps bool) (v value.Value, normal value.Text, errs []value.Error) {
	v.Rank, normal.Rank = 1, 1
	for i, row := range text.Cells {
		if row[0] == "" && !gaps {
			errs = append(errs, *value.Problem("input.invalid_table", s.Declared[variable].Key, fmt.Sprintf("value %d of the list is empty", i+1)))
			continue
		}
		if row[0] == "" {
			v.Cells, normal.Cells = append(v.Cells, []value.Cell{{Empty: true}}), append(normal.Cells, []string{""})
			continue
		}
		one, shown, problems := ParseValue(s, variable, value.Scalar(row[0]), env)
		if len(problems) > 0 {
			errs = append(errs, problems...)
			continue
		}
		v.Cells, normal.Cells = append(v.Cells, one.Cells[0]), append(normal.Cells, []string{shown.Scalar()})
	}
	if len(errs) > 0 {
		return value.Value{}, value.Text{}, errs
	}
	return v, normal, nil
}

package engine

import (
	"strconv"
	"strings"
)

// Error is a problem of a caller's request, a result like any other: code, template and args of CONTRACT.md section 6.
type Error struct {
	Code    string        `json:"code"`
	Message string        `json:"message"` // the template of the code, placeholders unfilled
	Args    []string      `json:"args,omitempty"`
	Offset  *int          `json:"offset,omitempty"`
	Missing []Alternative `json:"missing,omitempty"`
}

// Alternative is one set of variables that, given whole, unblocks a calculation.
type Alternative struct {
	Variables []VariableName `json:"variables"`
}

// VariableName names a variable to a person and a program.
type VariableName struct {
	ID    string `json:"id"`
	Key   string `json:"key"`
	Title string `json:"title"`
}

// codes is the one table of calculation errors, in the order of CONTRACT.md section 6. Messages with a hint have a second
// template without it.
var codes = []struct {
	Code, Message, Without string
}{
	{"input.invalid_input_schema", "The input does not match the input schema: %arg0%", ""},
	{"input.incompatible_units", "The units %arg0% and %arg1% are not compatible.", ""},
	{"input.syntax_error", `There is a syntax error in "%arg0%".`, ""},
	{"input.invalid_structured_text", `Line %arg0% is not understood: "%arg1%".`, ""},
	{"input.unknown_variable", `Unknown variable "%arg0%". Did you mean "%arg1%"?`, `Unknown variable "%arg0%".`},
	{"input.ambiguous_variable", `"%arg0%" could mean %arg1%.`, ""},
	{"input.duplicate_variable", "%arg0% is given more than once.", ""},
	{"input.duplicate_calculate", "Only one variable can be calculated at a time.", ""},
	{"input.missing_calculate", "Say which variable to calculate.", ""},
	{"input.target_has_value", "%arg0% is both given and to be calculated.", ""},
	{"input.not_calculable", "%arg0% cannot be calculated in this domain.", ""},
	{"input.invalid_value", `"%arg1%" is not a valid value for %arg0%.`, ""},
	{"input.invalid_number", `"%arg0%" is not a number.`, ""},
	{"input.ambiguous_number", `"%arg0%" could be %arg1% or %arg2%.`, ""},
	{"input.unknown_unit", `Unknown unit "%arg0%". Did you mean "%arg1%"?`, `Unknown unit "%arg0%".`},
	{"input.invalid_date", `"%arg0%" is not a valid date.`, ""},
	{"input.ambiguous_date", `"%arg0%" could be %arg1% or %arg2%.`, ""},
	{"input.invalid_table", "Table %arg0%: %arg1%.", ""},
	{"input.limit_exceeded", "Too many %arg0% (limit %arg1%).", ""},
	{"scenario.not_found", "Scenario %arg0% does not exist.", ""},
	{"scenario.invalid_selector", `"%arg0%" is not a scenario.`, ""},
	{"scenario.domain_mismatch", "Scenario %arg0% belongs to another domain.", ""},
	{"calculation.missing_inputs", "%arg0% cannot be calculated yet: more values are needed.", ""},
	{"calculation.conflicting_inputs", `The values given for %arg0% do not agree with "%arg1%".`, ""},
	{"calculation.no_solution", "No value of %arg0% satisfies the equations.", ""},
	{"calculation.multiple_solutions", "%arg0% has several solutions: %arg1%.", ""},
	{"calculation.not_converged", "No solution for %arg0% was found in %arg1% steps.", ""},
	{"calculation.division_by_zero", `Division by zero in "%arg0%".`, ""},
	{"calculation.domain_error", `%arg1% is not defined for %arg2% in "%arg0%".`, ""},
	{"calculation.overflow", `A number in "%arg0%" is too large.`, ""},
	{"calculation.table_mismatch", "Tables %arg0% and %arg1% have different sizes.", ""},
	{"calculation.limit_exceeded", "The calculation needs more than %arg0%.", ""},
	{"domain.activity_disabled", `"%arg0%" is disabled.`, ""},
	{"language.not_understood", "The request was not understood: %arg0%.", ""},
	{"language.ambiguous", "It could mean: %arg0%.", ""},
	{"language.unavailable", "Language processing is not available.", ""},
	{"language.timeout", "Language processing took too long.", ""},
	{"internal.error", "Something went wrong (reference %arg0%).", ""},
}

// Problem makes an Error of a code in the table. An unknown code is a programming error and panics; a test uses every
// code that the code base names.
func Problem(code string, args ...string) Error {
	for _, c := range codes {
		if c.Code != code {
			continue
		}
		message := c.Message
		if c.Without != "" && len(args) < 2 {
			message = c.Without
		}
		return Error{Code: code, Message: message, Args: args}
	}
	panic("engine: no error code " + code)
}

// Filled is the message with its args in place of the placeholders, in one left-to-right pass. A placeholder without an
// arg stays as it is.
func (e Error) Filled() string {
	var b strings.Builder
	rest := e.Message
	for {
		before, after, found := strings.Cut(rest, "%arg")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		digits, tail, closed := strings.Cut(after, "%")
		n, err := strconv.Atoi(digits)
		if !closed || err != nil || n < 0 || n >= len(e.Args) {
			b.WriteString("%arg")
			rest = after
			continue
		}
		b.WriteString(e.Args[n])
		rest = tail
	}
}

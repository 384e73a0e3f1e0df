package value

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Error is a problem of a caller's request, a result like any other: code, template and args of
// schemas/errors.json.
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

// Code is an error code and what a caller needs to know about it. The documentation and
// schemas/errors.json are made of these.
type Code struct {
	Code    string   `json:"code"`
	Message string   `json:"message"`                        // the template
	Without string   `json:"message_without_hint,omitempty"` // the template where the last arg is not there
	Args    []string `json:"args,omitempty"`                 // what stands for each placeholder
	Also    string   `json:"also,omitempty"`                 // a further member of the error: offset or missing
	Cause   string   `json:"cause"`
	WayOut  string   `json:"way_out"`
}

// codes is the one table of calculation errors, in the order of schemas/errors.json.
var codes = []Code{
	{Code: "input.invalid_input_schema", Message: "The input does not match the input schema: %arg0%",
		Args:   []string{"what does not match, and where"},
		Cause:  "The prompt is JSON, but not an object as a JSON prompt is: a member is missing, unknown, given twice or of the wrong type.",
		WayOut: "Correct the member that is named. Values are strings, with their units in them."},
	{Code: "input.incompatible_units", Message: "The units %arg0% and %arg1% are not compatible.",
		Args:   []string{"unit, 1 for none", "unit that it does not fit, 1 for none"},
		Cause:  "Two quantities of different dimensions, or two currencies, stand where one dimension is needed; or a point on a scale (20 degC, 5 psig, 30 dBm) where a difference is.",
		WayOut: "Give the value, or ask for the result, in a unit of the dimension of the second one. Two points do not add: add a difference (delta_degC, psid, dB), or give both as amounts (K, psia, W)."},
	{Code: "input.syntax_error", Message: `There is a syntax error in "%arg0%".`, Args: []string{"the value as written"}, Also: "offset",
		Cause:  "A value with arithmetic or units in it cannot be read from the offset on.",
		WayOut: "Correct the value at the offset, which counts code points from 0."},
	{Code: "input.invalid_structured_text", Message: `Line %arg0% is not understood: "%arg1%".`,
		Args:   []string{"line number, from 1", "the line"},
		Cause:  "A line is neither a comment, nor an entry, nor a row of a table that an entry above it has begun.",
		WayOut: "Write it as a name, a colon and a value, or leave it out."},
	{Code: "input.unknown_variable", Message: `Unknown variable "%arg0%". Did you mean "%arg1%"?`, Without: `Unknown variable "%arg0%".`,
		Args:   []string{"the name as written", "the key that is spelt most like it, left out where none is near"},
		Cause:  "No variable of the domain has this key or title.",
		WayOut: "Use a key or title that GET /v1/domains/{id}/variables lists."},
	{Code: "input.ambiguous_variable", Message: `"%arg0%" could mean %arg1%.`,
		Args:   []string{"the name as written", "the keys that it could mean"},
		Cause:  "Several variables have this name when upper and lower case do not count.",
		WayOut: "Use the exact key."},
	{Code: "input.duplicate_variable", Message: "%arg0% is given more than once.", Args: []string{"key"},
		Cause:  "One request states a variable twice, perhaps by its key and by its title.",
		WayOut: "State it once."},
	{Code: "input.duplicate_calculate", Message: "%arg0% is asked for more than once.", Args: []string{"key"},
		Cause:  "The prompt names a target twice, perhaps in two units, or a target beside everything.",
		WayOut: "Ask for it once; ask for it in another unit in a further request of the conversation."},
	{Code: "input.missing_calculate", Message: "Say which variable to calculate.", Also: "missing",
		Cause:  "The prompt names no target, and what it states does not leave exactly one.",
		WayOut: "Name the target. Where there are candidates, missing lists each as an alternative."},
	{Code: "input.target_has_value", Message: "%arg0% is both given and to be calculated.", Args: []string{"key"},
		Cause:  "The target has a value in the same request, and no unit is asked for to convert it to.",
		WayOut: "Leave the value out, or ask for the target in a unit."},
	{Code: "input.not_calculable", Message: `%arg0% cannot be calculated: "%arg1%" can only be calculated forwards, to %arg2%. Give %arg0%.`,
		Without: "%arg0% cannot be calculated in this domain.",
		Args:    []string{"key", "title of an activity that has it, left out where none has", "keys of what that one yields"},
		Cause:   "No activity of the domain yields the target; one that has it can perhaps be solved for others only.",
		WayOut:  "Ask for a variable that an activity lists as calculable, and give this one."},
	{Code: "input.invalid_value", Message: `"%arg1%" is not a valid value for %arg0%: %arg2%.`,
		Without: `"%arg1%" is not a valid value for %arg0%.`, Args: []string{"key", "the value as written", "what is wrong with it, such as the limit that it breaks, where that is more than its kind"},
		Cause:  "The value is of another kind than the variable, or outside the bounds or against a constraint that the domain declares, or not a whole number where the domain declares an integer.",
		WayOut: "Give a value of the variable's kind, within its bounds and constraints."},
	{Code: "input.invalid_number", Message: `"%arg0%" is not a number.`, Args: []string{"the text"},
		Cause:  "A number is expected, and the text is none.",
		WayOut: "Write digits with a point as the decimal mark; commas and underscores group exactly three digits."},
	{Code: "input.uncertain_value", Message: `"%arg0%" has ±, and a calculation takes one value: ask for its uncertainty.`, Args: []string{"the value as written"},
		Cause:  "A value says what is open of it on both sides, which no format of prompts has.",
		WayOut: "Give the value alone, and then ask GET /v1/conversations/{id}/uncertainty with uncertain=length ± 0.1 m, or run reckon calculate --uncertain 'length ± 0.1 m'."},
	{Code: "input.several_values", Message: "%arg0% has several values here, %arg1%: give one of them.", Args: []string{"the variable's key", "the values"},
		Cause:  "One input may have several values, and then each result is a table; here another one has them too, or what is asked for takes one value.",
		WayOut: "Give the variable one value, and ask again for each of the others; GET /v1/conversations/{id}/sweep takes two inputs with several values."},
	{Code: "input.ambiguous_number", Message: `"%arg0%" could be %arg1% or %arg2%.`,
		Args:   []string{"the text", "one reading", "the other reading"},
		Cause:  "A comma could be a decimal mark or a group separator.",
		WayOut: "Write one of the readings."},
	{Code: "input.unknown_unit", Message: `Unknown unit "%arg0%". Did you mean "%arg1%"?`, Without: `Unknown unit "%arg0%".`,
		Args:   []string{"the unit as written", "the unit that is spelt most like it, left out where none is near"},
		Cause:  "Neither the service nor the domain has this unit.",
		WayOut: "Use a unit that exists."},
	{Code: "input.invalid_date", Message: `"%arg0%" is not a valid date.`, Args: []string{"the text"},
		Cause:  "The text is no date or clock time of the variable's kind, the calendar does not have it, or it has a zone or offset.",
		WayOut: "Write 2026-03-05, 2026-03-05T14:07 or 14:07, as the variable's kind needs."},
	{Code: "input.ambiguous_date", Message: `"%arg0%" could be %arg1% or %arg2%.`,
		Args:   []string{"the text", "one reading", "the other reading"},
		Cause:  "Day and month are both given as numbers, and either could come first.",
		WayOut: "Write one of the readings."},
	{Code: "input.invalid_table", Message: "Table %arg0%: %arg1%.", Args: []string{"key", "reason"},
		Cause:  "A table is malformed, or a table stands for a single value or the other way round.",
		WayOut: "Correct what the reason names. Rows have the same number of cells."},
	{Code: "input.limit_exceeded", Message: "Too many %arg0% (limit %arg1%).", Args: []string{"what there is too much of", "limit"},
		Cause:  "The prompt, or the conversation, is larger than the service takes.",
		WayOut: "Ask for less at once, or start another conversation."},
	{Code: "scenario.not_found", Message: "Scenario %arg0% does not exist.", Args: []string{"the number as written"},
		Cause:  "The conversation has no scenario of this number.",
		WayOut: "Use a number that GET /v1/conversations/{id}/context lists."},
	{Code: "scenario.invalid_selector", Message: `"%arg0%" is not a scenario.`, Args: []string{"the selector as written"},
		Cause:  "The selector is none.",
		WayOut: "Use new, current, last, a number, or new from and a number."},
	{Code: "scenario.domain_mismatch", Message: "Scenario %arg0% belongs to another domain.", Args: []string{"the selector"},
		Cause:  "The scenario was calculated with another domain than the request names.",
		WayOut: "Name that domain, or a scenario of this one."},
	{Code: "calculation.missing_inputs", Message: "%arg0% cannot be calculated yet: more values are needed.",
		Args: []string{"key"}, Also: "missing",
		Cause:  "The target does not follow from the values at hand.",
		WayOut: "Give all variables of one alternative. The next request of the conversation may state them alone."},
	{Code: "calculation.forwards_only", Message: `%arg0% cannot be calculated from these values: "%arg1%" can only be calculated forwards, to %arg2%. Give %arg3%.`,
		Args: []string{"key", "title of the activity", "keys of what it yields", "key of what it would have to be solved for"}, Also: "missing",
		Cause:  "The values at hand lead to the target only by an activity that would have to be solved for a variable that it does not yield.",
		WayOut: "Give that variable in the place of what follows from it, or all variables of one alternative. The next request of the conversation may state them alone."},
	{Code: "calculation.conflicting_inputs", Message: `The values given for %arg0% do not agree with "%arg1%".`,
		Args:   []string{"keys", "title of the activity"},
		Cause:  "All variables of an activity are given, and miss its equation by more than 1%; or two equally good ways to the target lead to values that do.",
		WayOut: "Leave one of them out, or correct it."},
	{Code: "calculation.no_solution", Message: "No value of %arg0% satisfies the equations: %arg1%.", Without: "No value of %arg0% satisfies the equations.",
		Args:   []string{"key", "the constraint that its value would break, where there is one"},
		Cause:  "The equations have no solution for these values within the declared bounds and constraints.",
		WayOut: "Change the values."},
	{Code: "calculation.no_whole_number", Message: "No whole number of %arg0% satisfies the equations: %arg1%.",
		Without: "No whole number of %arg0% satisfies the equations.",
		Args:    []string{"key", "what would, and what the whole numbers next to it give, where that is known"},
		Cause:   "The domain declares an integer, and only another number, or none within its bounds, satisfies the equations for these values.",
		WayOut:  "Change the values. An equation that asks how many are needed rounds up: boxes = ceil(items / items_per_box)."},
	{Code: "calculation.of_one_value", Message: "That is with %arg1% for %arg0%: leave it out of the list, or give another value.",
		Args:   []string{"key of the input that has several values", "the first of them that has no result"},
		Cause:  "An input has several values, and with one of them there is no result, while there is with others. The error before this one says why.",
		WayOut: "Ask without that value, or with another one in its place."},
	{Code: "calculation.multiple_solutions", Message: "%arg0% has several solutions: %arg1%.",
		Args:   []string{"key", "the solutions, or: infinitely many"},
		Cause:  "Every number satisfies the equations, or several do and the domain refuses to choose.",
		WayOut: "Give another value, so that one solution is left."},
	{Code: "calculation.not_converged", Message: `No solution for %arg0% was found in %arg1% steps; "%arg2%" was furthest off.`,
		Without: "No solution for %arg0% was found in %arg1% steps.",
		Args:    []string{"key", "number of steps", "of several equations, the title of the activity that was furthest off"},
		Cause:   "The search ended without a solution. There may be none.",
		WayOut:  "Change the values, or have the domain declare bounds or a default near the solution."},
	{Code: "calculation.division_by_zero", Message: `Division by zero in "%arg0%".`, Args: []string{"title of the activity"},
		Cause:  "A divisor is zero for these values.",
		WayOut: "Change the values."},
	{Code: "calculation.domain_error", Message: `%arg1% is not defined for %arg2% in "%arg0%".`,
		Args:   []string{"title of the activity", "function", "its argument"},
		Cause:  "A function has no value for its argument, such as the logarithm of a negative number. A date moved by months or years as a duration has no certain day.",
		WayOut: "Change the values. Give a duration that moves a date in days, or have the equation move it with add_months."},
	{Code: "calculation.overflow", Message: `A number in "%arg0%" is too large.`, Args: []string{"title of the activity"},
		Cause:  "A number on the way to the result has a larger exponent than the service keeps.",
		WayOut: "Change the values."},
	{Code: "calculation.table_mismatch", Message: "Tables %arg0% and %arg1% have different sizes.", Args: []string{"key", "key"},
		Cause:  "An equation goes through two tables cell by cell, and one has more cells than the other.",
		WayOut: "Give tables of the same size; an empty cell counts."},
	{Code: "calculation.missing_bound", Message: "%arg0% needs %arg1% to be sought.", Args: []string{"key", "a lower bound, an upper bound, or both"},
		Cause:  "A seek moves the input, and neither the domain nor the request says how far; that it needs no bound for that is not shown.",
		WayOut: "Give the bound with the input, such as quantity from 1 to 1000, or have the domain declare min and max."},
	{Code: "calculation.limit_exceeded", Message: "The calculation needs more than %arg0%.", Args: []string{"the limit"},
		Cause:  "The calculation takes more steps than one may, or its results are larger than one message may be.",
		WayOut: "Ask for less at once."},
	{Code: "domain.activity_disabled", Message: `"%arg0%" is disabled.`, Args: []string{"title of the activity"},
		Cause:  "Only disabled activities lead to the target.",
		WayOut: "Ask for another variable, or have the domain's author enable the activity."},
	{Code: "language.not_understood", Message: "The request was not understood: %arg0%.",
		Args:   []string{"the fragments that were not understood"},
		Cause:  "Prose in natural language says something that no variable or value of the domain matches.",
		WayOut: "Say it in other words, or as structured text."},
	{Code: "language.ambiguous", Message: "It could mean: %arg0%.", Args: []string{"the readings"},
		Cause:  "Prose in natural language has several readings, or asks two questions.",
		WayOut: "Say which one is meant."},
	{Code: "language.can_ask", Message: "You can ask for %arg0%.", Args: []string{"what can be asked for, with examples"},
		Cause:  "The prompt asks what can be asked; or it was not understood, and this stands behind the error that says so.",
		WayOut: "Ask for one of them."},
	{Code: "language.nothing_asked", Message: "There is nothing to calculate: %arg0%.", Args: []string{"what is said to that"},
		Cause:  "The prompt asks for nothing, as thanks do.",
		WayOut: "Ask for a variable of the domain; the conversation goes on where it was."},
	{Code: "language.unavailable", Message: "Language processing is not available.",
		Cause:  "The service cannot read prose now.",
		WayOut: "Use structured text or JSON, or try again later."},
	{Code: "language.model_not_asked", Message: "The language model was not asked: %arg0%.", Args: []string{"why"},
		Cause:  "The rules did not read the prose. The model, which reads what they do not, failed three times in a row, or the account has used up its requests of this hour.",
		WayOut: "Use structured text or JSON, or try again later: in a minute where the model failed, in the next hour where the requests are used up."},
	{Code: "language.timeout", Message: "Language processing took too long.",
		Cause:  "Reading the prose took longer than it may.",
		WayOut: "Try again, say it shorter, or use structured text."},
	{Code: "internal.error", Message: "Something went wrong (reference %arg0%).", Args: []string{"message id"},
		Cause:  "The service failed. It is not the caller's fault.",
		WayOut: "Try again, and name the reference when you report it."},
}

// Codes lists the error codes, in the order of schemas/errors.json.
func Codes() []Code { return slices.Clone(codes) }

// UnknownCode says that a text is no error code, and which one is spelt most like it; it is "" for
// a code.
func UnknownCode(code string) string {
	all := make([]string, len(codes))
	for i, c := range codes {
		all[i] = c.Code
	}
	if slices.Contains(all, code) {
		return ""
	}
	return fmt.Sprintf("There is no error code %q.%s", code, DidYouMean(code, all))
}

// Problem makes an Error of a code in the table. An unknown code is a programming error and panics;
// a test uses every code that the code base names.
func Problem(code string, args ...string) *Error {
	for _, c := range codes {
		if c.Code != code {
			continue
		}
		message := c.Message
		if c.Without != "" && len(args) < len(c.Args) {
			message = c.Without
		}
		return &Error{Code: code, Message: message, Args: args}
	}
	panic("engine: no error code " + code)
}

// Problems is a list of one Problem.
func Problems(code string, args ...string) []Error { return []Error{*Problem(code, args...)} }

// Filled is the message with its args in place of the placeholders, in one left-to-right pass. A
// placeholder without an arg stays as it is.
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
		if e.Code == "input.incompatible_units" && e.Args[n] == "1" {
			b.WriteString("no unit")
		} else {
			b.WriteString(e.Args[n])
		}
		rest = tail
	}
}

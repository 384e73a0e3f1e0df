package formula

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"reckon/engine/syntax"
	"reckon/engine/value"
)

// maxListed is how many keys a hint lists where none is spelt like a name.
const maxListed = 8

// NearestKey is a hint that names the variable spelt most like a name; of few variables where none
// is, it names all.
func NearestKey(s *value.Scope, name string) string {
	if s == nil {
		return ""
	}
	keys := make([]string, len(s.Declared))
	for i, v := range s.Declared {
		keys[i] = v.Key
	}
	hint := value.DidYouMean(name, keys)
	if hint == "" && len(keys) > 0 && len(keys) <= maxListed {
		hint = " The variables are " + strings.Join(keys, ", ") + "."
	}
	return hint
}

// nearestName is NearestKey for a name in an equation, which may be meant for a constant or a unit.
func (b *builder) nearestName(name string) string {
	constants := slices.Sorted(maps.Keys(Constants))
	switch {
	case name == "π":
		return ` Write "pi".`
	case slices.Contains(constants, strings.ToLower(name)):
		return value.DidYouMean(name, constants)
	case b.functions.ByName[name] != nil:
		return fmt.Sprintf(" It is a function: write %s.", b.functions.ByName[name].usage())
	}
	return NearestKey(b.scope, name)
}

// otherFunctions are names of functions elsewhere, with what to write here.
var otherFunctions = map[string]string{
	"pow": "Write x^n for a power.", "power": "Write x^n for a power.",
	"sqr": "Write x^2 for a square, sqrt(x) for a square root.", "square": "Write x^2 for a square.",
	"lg": "Write log(x) for base 10, log2(x) for base 2.", "ld": "Write log2(x).",
	"tg": "Write tan(x).", "cot": "Write 1 / tan(x).", "ctg": "Write 1 / tan(x).",
	"arcsin": "Write asin(x).", "arccos": "Write acos(x).", "arctan": "Write atan(x).",
	"mean": "Write avg(values).", "iif": "Write if(condition, then, else).", "ifs": "Write if(condition, then, else), one within another.",
	"int": "Write floor(x), or trunc(x) towards zero.", "fix": "Write trunc(x).", "roundup": "Write ceil(x).", "rounddown": "Write trunc(x) or floor(x).",
	"length": "Write count(values) or rows(values).", "len": "Write count(values) or rows(values).",
	"vlookup": "Write lookup(x, keys, values), or lookup_exact(x, keys, values).", "hlookup": "Write lookup(x, keys, values), or lookup_exact(x, keys, values).",
	"sigma": "Write sum(values), or sum(each(i, from, to, expression)).", "σ": "Write sum(values), or sum(each(i, from, to, expression)).",
	"radians": "Angles have units: 180 [°] is pi.", "degrees": "Angles have units: 180 [°] is pi.",
	"remainder": "Write mod(a, b).", "quotient": "Write floor(a / b).",
	"workday.intl":     "Write add_workdays(date, n, holidays): weeks have working days from Monday to Friday, other days off are holidays.",
	"networkdays.intl": "Write workdays(from, to, holidays): weeks have working days from Monday to Friday, other days off are holidays.",
	"oddfprice":        oddPeriod, "oddfyield": oddPeriod, "oddlprice": oddPeriod, "oddlyield": oddPeriod,
}

const oddPeriod = "A first or last period of another length is not in bond_price and bond_yield: write xnpv(rate, values, dates) or" +
	" xirr(values, dates) of the payments."

// Elsewhere says what to write for a function of other programs that has no counterpart here, ""
// for others.
func Elsewhere(name string) string { return otherFunctions[strings.ToLower(name)] }

// nearest is a hint that names the function that a name stands for elsewhere, or the one spelt most
// like it, or nothing.
func (t *FunctionTable) nearest(name string) string {
	var names []string
	for _, f := range t.Functions() {
		if f.Name == strings.ToLower(name) || slices.Contains(strings.Fields(f.Spreadsheet), strings.ToUpper(name)) {
			return fmt.Sprintf(" Did you mean %q?", f.Name)
		}
		names = append(names, f.Name)
	}
	if way, ok := otherFunctions[strings.ToLower(name)]; ok {
		return " " + way
	}
	return value.DidYouMean(name, names)
}

// besideMessage says what is wrong with an equation. Where two of its parts stand side by side,
// what they mean decides what to write.
func besideMessage(s *value.Scope, functions *FunctionTable, wrong *syntax.Error) string {
	b := wrong.Beside
	if b == nil || s == nil {
		return wrong.Message
	}
	variable := s.Index(b.Right) >= 0
	if f := functions.ByName[b.Left]; !b.Number && f != nil && s.Index(b.Left) < 0 {
		return fmt.Sprintf("%s Arguments stand in round brackets: %s.", b.Found(), f.usage())
	}
	if b.Number && s.Table != nil {
		_, err := s.Table.Parse(b.Unit)
		switch {
		case err == nil && !variable:
			return fmt.Sprintf("%s A unit stands in brackets: write %s [%s].", b.Found(), b.Left, b.Unit)
		case err != nil && variable:
			return fmt.Sprintf("%s Write %s * %s.", b.Found(), b.Left, b.Right)
		}
	}
	if !b.Number && variable && s.Index(b.Left) >= 0 {
		return fmt.Sprintf("%s Write %s * %s to multiply.", b.Found(), b.Left, b.Right)
	}
	return wrong.Message
}

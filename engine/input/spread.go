package input

import (
	"regexp"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Spread is a value with what it leaves open on both sides.
type Spread struct {
	Value    *units.Quantity // nil where only what is left open was written
	Half     decimal.Decimal // of the width, in coherent SI; of the value where it is relative
	Relative bool
	Coverage decimal.Decimal // k where the half width is k standard uncertainties, else 0
}

var (
	plusMinus = regexp.MustCompile(`±|\+/[-−]|\+[-−]`)
	coverage  = regexp.MustCompile(`(?i)\s*\(\s*k\s*=\s*([0-9]+(?:\.[0-9]+)?)\s*\)\s*$`)
	bareText  = regexp.MustCompile(`^[-+−]?[0-9.][0-9.,_ ]*(?:[eE][-+]?[0-9]+)?$`)
	together  = regexp.MustCompile(`^\(([^()]*)\)\s*(.*)$`)
	percents  = regexp.MustCompile(`^(.*[0-9.\s])(?:%|percent)$`)
	points    = regexp.MustCompile(`^(.*[0-9.\s])(?:pp|percentage points?)$`)
)

// SplitSpread cuts a text at its one ± (or +-, or +/-); false where it has none or several.
func SplitSpread(text string) (before, after string, ok bool) {
	at := plusMinus.FindAllStringIndex(text, -1)
	if len(at) != 1 {
		return "", "", false
	}
	return strings.TrimSpace(text[:at[0][0]]), strings.TrimSpace(text[at[0][1]:]), true
}

// HasSpread reports whether a text says ± something.
func HasSpread(text string) bool {
	return strings.Contains(text, "±") || strings.Contains(text, "+/-")
}

// ParseSpread reads a value with ±: 5.2 ± 0.1 m, 5.2 m ± 0.1 m, (5.2 ± 0.1) m, 12 % ± 1 pp, 5.2 m ±
// 2 %, and the same without the value. Of the half width pp are percentage points, and % are of the
// value, unless both have one: that could be either. (k=2) behind it says that the half width is
// twice the standard uncertainty. It fails with the errors of ParseValue.
func ParseSpread(s *value.Scope, variable int, text string, env value.Env) (Spread, *value.Error) {
	r := reading{scope: s, variable: variable, env: env, ctx: env.Context(value.ParseBudget)}
	spread := Spread{}
	text = strings.TrimSpace(text)
	rest := text
	if m := coverage.FindStringSubmatchIndex(rest); m != nil {
		k, err := decimal.Parse(rest[m[2]:m[3]])
		if err != nil || k.Sign() <= 0 {
			return spread, r.invalid(text)
		}
		spread.Coverage, rest = k, rest[:m[0]]
	}
	unit := ""
	if m := together.FindStringSubmatch(rest); m != nil && plusMinus.MatchString(m[1]) {
		rest, unit = m[1], m[2]
	}
	before, after, ok := SplitSpread(rest)
	if !ok || after == "" {
		return spread, value.Problem("input.invalid_value", s.Declared[variable].Key, Quoted(text), "write it as 5.2 ± 0.1 m")
	}
	percent := s.Declared[variable].Kind == "percent"
	if unit != "" {
		before, after = before+" "+unit, after+" "+unit
	}
	shared := percents.FindStringSubmatch(after)
	switch {
	case shared == nil || percent && unit == "" && bareText.MatchString(before):
	case unit != "":
	case percents.MatchString(before) || percent:
		number := strings.TrimSpace(shared[1])
		return spread, value.Problem("input.ambiguous_number", Quoted(text), number+" pp", number+"% of the value")
	default:
		spread.Relative = true
	}
	if before != "" {
		written := before
		if bareText.MatchString(before) && !spread.Relative {
			switch m := percents.FindStringSubmatch(after); {
			case m != nil:
				written += "%"
			case points.MatchString(after):
				written += "%"
			case !bareText.MatchString(after) && !r.takesMoments():
				written += " " + strings.TrimLeft(after, "+-−0123456789.,_ ")
			}
		}
		q, _, errs := ParseValue(s, variable, value.Scalar(written), env)
		if len(errs) > 0 {
			return spread, &errs[0]
		}
		single, _ := q.Single()
		spread.Value = &single
	}
	half, err := r.half(after, spread)
	if err != nil {
		return spread, err
	}
	if spread.Half = half; half.Sign() < 0 {
		return spread, value.Problem("input.invalid_value", s.Declared[variable].Key, Quoted(text), "what stands behind ± must not be negative")
	}
	return spread, nil
}

// takesMoments reports whether the variable is a date or a clock time.
func (r *reading) takesMoments() bool {
	switch r.scope.Declared[r.variable].Kind {
	case "date", "datetime", "time":
		return true
	}
	return false
}

// half reads a half width.
func (r *reading) half(text string, spread Spread) (decimal.Decimal, *value.Error) {
	if m := percents.FindStringSubmatch(text); m != nil {
		text = m[1]
		x, err := r.arithmetic(strings.TrimSpace(text))
		if err != nil {
			return decimal.Decimal{}, err
		}
		return r.ctx.Quo(x.Number, decimal.Int(100)), nil
	}
	of := UnitOf(r.scope, r.variable)
	if spread.Value != nil {
		of = spread.Value.Unit
	}
	if m := points.FindStringSubmatch(text); m != nil {
		if !of.IsOne() {
			return decimal.Decimal{}, incompatible(units.One, of)
		}
		x, err := r.arithmetic(strings.TrimSpace(m[1]))
		if err != nil {
			return decimal.Decimal{}, err
		}
		return r.ctx.Quo(x.Number, decimal.Int(100)), nil
	}
	x, err := r.arithmetic(text)
	if err != nil {
		return decimal.Decimal{}, err
	}
	if r.takesMoments() {
		of = Second(r.scope)
	}
	if x.bare {
		if r.takesMoments() {
			return decimal.Decimal{}, value.Problem("input.invalid_value", r.scope.Declared[r.variable].Key, Quoted(text), "write the days or hours that it leaves open, such as 2 d")
		}
		if of != nil {
			x.Unit = of
		}
	}
	if of != nil && x.Unit.Dimension() != of.Dimension() && !sameButCurrency(x.Unit, of) {
		return decimal.Decimal{}, incompatible(x.Unit, of)
	}
	if x.Unit.IsPoint() {
		x.Unit = x.Unit.Difference()
	}
	d := x.SI(r.ctx)
	if r.ctx.Err() != nil {
		return decimal.Decimal{}, r.invalid(text)
	}
	return d, nil
}

var spoken = regexp.MustCompile(`[0-9][^\s,;.]{0,12}\s*[^\s,;.0-9]{0,12}\s*(?:±|\+/-)\s*[0-9.]+(?:\s*[^\s,;.0-9]{1,12})?`)

// SpokenSpread is the part of a prose that gives a number with ±, "" where none does.
func SpokenSpread(text string) string {
	if !HasSpread(text) {
		return ""
	}
	return spoken.FindString(text)
}

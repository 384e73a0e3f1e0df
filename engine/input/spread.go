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
	Unit     *units.Unit     // that the half width is written in, nil for none
	Bare     bool            // the half width is a number in the unit of the value, which is known elsewhere
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
	if err := r.half(after, &spread); err != nil {
		return spread, err
	}
	if spread.Half.Sign() < 0 {
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
func (r *reading) half(text string, spread *Spread) *value.Error {
	if m := percents.FindStringSubmatch(text); m != nil {
		return r.hundredths(m[1], spread)
	}
	of := UnitOf(r.scope, r.variable)
	switch {
	case spread.Value != nil:
		of = spread.Value.Unit
	case r.takesMoments():
		of = Second(r.scope)
	case of == nil && r.scope.Declared[r.variable].Kind == "percent":
		of = units.One
	}
	if m := points.FindStringSubmatch(text); m != nil {
		if of != nil && !of.IsOne() {
			return incompatible(units.One, of)
		}
		spread.Unit = units.One
		return r.hundredths(m[1], spread)
	}
	x, err := r.arithmetic(text)
	if err != nil {
		return err
	}
	switch {
	case x.bare && r.takesMoments():
		return value.Problem("input.invalid_value", r.scope.Declared[r.variable].Key, Quoted(text), "write the days or hours that it leaves open, such as 2 d")
	case x.bare && of == nil:
		spread.Half, spread.Bare = x.Number, true
		return nil
	case x.bare:
		x.Unit = of
	case of != nil && x.Unit.Dimension() != of.Dimension() && !SameButCurrency(x.Unit, of):
		return incompatible(x.Unit, of)
	default:
		spread.Unit = x.Unit
	}
	if x.Unit.IsPoint() {
		x.Unit = x.Unit.Difference()
	}
	if spread.Half = x.SI(r.ctx); r.ctx.Err() != nil {
		return r.invalid(text)
	}
	return nil
}

// hundredths reads a half width as so many hundredths.
func (r *reading) hundredths(text string, spread *Spread) *value.Error {
	x, err := r.arithmetic(strings.TrimSpace(text))
	if err == nil {
		spread.Half = r.ctx.Quo(x.Number, decimal.Int(100))
	}
	return err
}

var spoken = regexp.MustCompile(`[0-9][^\s,;.]{0,12}\s*[^\s,;.0-9]{0,12}\s*(?:±|\+/-)\s*[0-9.]+(?:\s*[^\s,;.0-9]{1,12})?`)

// SpokenSpread is the part of a prose that gives a number with ±, "" where none does.
func SpokenSpread(text string) string {
	if !HasSpread(text) {
		return ""
	}
	return spoken.FindString(text)
}

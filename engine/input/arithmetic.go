package input

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"reckon/engine/decimal"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Limits of one value's arithmetic.
const (
	maxNesting    = 100
	maxParts      = 10_000
	maxUnitLength = 200 // code points
)

// arithmetic reads the quantity that a text states:
//
//	sum      = product { ("+" | "-") product }
//	product  = signed { ("*" | "/") signed }
//	signed   = ("-" | "+") signed | quantity
//	quantity = [ currency ] power [ unit ] { number unit }
//	power    = (number | "(" sum ")") [ "^" signed power ]
//
// The number and unit pairs of a compound (5 ft 11 in) are of one dimension, the larger unit first;
// their sum is in the last unit. A unit may be compound itself (mi/h), so that an operator in front
// of a letter belongs to the unit and one in front of a number or a parenthesis to the arithmetic.
type arithmetic struct {
	scope *value.Scope
	text  string
	at    int // bytes
	depth int
	parts int
	ctx   *decimal.Context
	wrong *value.Error // the first problem with units and numbers, reported when the text is read to its end
}

// needsLeft are the operators that stand behind an operand, and closing brackets: a value that
// begins with one is arithmetic that lacks something there.
const needsLeft = "*×·⋅/÷^⁰¹²³⁴⁵⁶⁷⁸⁹)]}"

// whole reads the text to its end.
func (a *arithmetic) whole() (operand, *value.Error) {
	a.space()
	if rest := a.rest(); !startsNumber(rest) {
		r, _ := utf8.DecodeRuneInString(rest)
		if strings.ContainsRune(needsLeft, r) {
			return operand{}, a.syntax(a.at)
		}
		if !strings.ContainsRune("(+-−.", r) {
			if code, size := scanCurrency(a.scope, rest); code == "" || strings.TrimSpace(rest[size:]) == "" {
				return operand{}, value.Problem("input.invalid_number", Quoted(a.text))
			}
		}
	}
	x, err := a.sum()
	if err != nil {
		return x, err
	}
	a.space()
	if rest := a.rest(); rest != "" {
		if x.bare && startsNumber(rest) {
			return x, value.Problem("input.invalid_number", Quoted(a.text))
		}
		return x, a.syntax(a.at)
	}
	return x, a.wrong
}

// fail keeps the first problem of a text whose form may still be fine.
func (a *arithmetic) fail(e *value.Error) {
	if a.wrong == nil {
		a.wrong = e
	}
}

func (a *arithmetic) rest() string { return a.text[a.at:] }

func (a *arithmetic) space() {
	a.at = len(a.text) - len(strings.TrimLeftFunc(a.rest(), unicode.IsSpace))
}

// syntax is input.syntax_error at a place in bytes.
func (a *arithmetic) syntax(at int) *value.Error {
	e := value.Problem("input.syntax_error", Quoted(a.text))
	offset := utf8.RuneCountInString(a.text[:at])
	e.Offset = &offset
	return e
}

// check keeps what went wrong with the numbers of an operation.
func (a *arithmetic) check(at int) {
	if a.wrong != nil {
		return
	}
	switch err := a.ctx.Err(); {
	case err == nil:
	case errors.Is(err, decimal.ErrLimit):
		a.fail(value.Problem("input.limit_exceeded", "steps of arithmetic in a value", "1000000"))
	default:
		a.fail(a.syntax(at))
	}
}

// spelling is an operator as it may be written.
type spelling struct {
	written string
	op      byte
}

var (
	sums     = []spelling{{"+", '+'}, {"-", '-'}, {"−", '-'}}
	products = []spelling{{"*", '*'}, {"×", '*'}, {"·", '*'}, {"⋅", '*'}, {"/", '/'}, {"÷", '/'}}
)

// operator takes one of the operators and returns it with its place, 0 for none.
func (a *arithmetic) operator(spellings []spelling) (op byte, at int) {
	a.space()
	at = a.at
	for _, s := range spellings {
		if strings.HasPrefix(a.rest(), s.written) {
			a.at += len(s.written)
			return s.op, at
		}
	}
	return 0, at
}

func (a *arithmetic) sum() (operand, *value.Error) {
	x, err := a.product()
	for err == nil {
		op, at := a.operator(sums)
		if op == 0 {
			return x, nil
		}
		var y operand
		if y, err = a.product(); err == nil {
			x = a.add(x, y, op == '-')
			a.check(at)
		}
	}
	return x, err
}

func (a *arithmetic) product() (operand, *value.Error) {
	x, err := a.sign(a.quantity)
	for err == nil {
		a.space()
		if _, power := cutPower(a.rest()); power {
			return x, nil // "**" is no product
		}
		op, _ := a.operator(products)
		if op == 0 {
			return x, nil
		}
		var y operand
		if y, err = a.sign(a.quantity); err == nil {
			x = a.multiply(x, y, op == '/')
			a.check(y.from)
		}
	}
	return x, err
}

// deeper counts a level of nesting; the caller undoes it.
func (a *arithmetic) deeper() *value.Error {
	if a.depth++; a.depth > maxNesting {
		return value.Problem("input.limit_exceeded", "nested parentheses", "100")
	}
	return nil
}

// sign reads signs in front of what read takes.
func (a *arithmetic) sign(read func() (operand, *value.Error)) (operand, *value.Error) {
	op, at := a.operator(sums)
	if op == 0 {
		return read()
	}
	defer func() { a.depth-- }()
	if err := a.deeper(); err != nil {
		return operand{}, err
	}
	x, err := a.sign(read)
	x.from = at
	if op == '-' {
		x.Number = x.Number.Neg()
	}
	return x, err
}

// quantity reads a number, or arithmetic in parentheses, with its unit.
func (a *arithmetic) quantity() (operand, *value.Error) {
	a.space()
	from := a.at
	code, size := scanCurrency(a.scope, a.rest())
	a.at += size
	read := a.power
	if code != "" {
		read = func() (operand, *value.Error) { return a.sign(a.power) }
	}
	x, err := read()
	if err != nil {
		return x, err
	}
	x.from = from
	unit, err := a.unit(code)
	if err != nil || unit == nil {
		return x, err
	}
	if !x.bare {
		return x, a.syntax(from)
	}
	x.Unit, x.bare = unit, false
	if code != "" {
		return x, nil
	}
	return a.compound(x)
}

// compound adds the smaller parts behind a quantity: 5 ft 11 in.
func (a *arithmetic) compound(x operand) (operand, *value.Error) {
	for {
		end := a.at
		a.space()
		if !startsNumber(a.rest()) {
			a.at = end
			return x, nil
		}
		from := a.at
		n, err := a.number()
		if err != nil {
			return x, err
		}
		unit := a.angleMark(x.Unit)
		if unit == nil {
			if unit, err = a.unit(""); err != nil {
				return x, err
			}
		}
		if unit == nil {
			return x, a.syntax(a.at)
		}
		if unit.Dimension() != x.Unit.Dimension() {
			return x, incompatible(x.Unit, unit)
		}
		one := func(u *units.Unit) decimal.Decimal {
			return units.Quantity{Number: decimal.Int(1), Unit: u}.SI(a.ctx)
		}
		if unit.IsPoint() || x.Unit.IsPoint() || one(x.Unit).Cmp(one(unit)) <= 0 {
			return x, a.syntax(from)
		}
		q, failed := units.Convert(a.ctx, x.Quantity, unit)
		if failed != nil {
			return x, incompatible(x.Unit, unit)
		}
		x.Quantity = units.Quantity{Number: a.ctx.Add(q.Number, n), Unit: unit}
		a.check(from)
	}
}

// angleMark reads the marks and words of minutes and seconds behind an angle, where they are not
// those of feet and inches, or times: 48° 46' 32".
func (a *arithmetic) angleMark(before *units.Unit) *units.Unit {
	if before.Dimension() != units.Angle {
		return nil
	}
	for _, m := range [...][2]string{
		{"''", "arcsec"}, {"'", "arcmin"}, {`"`, "arcsec"}, {"’", "arcmin"}, {"”", "arcsec"},
		{"minutes", "arcmin"}, {"minute", "arcmin"}, {"min", "arcmin"}, {"seconds", "arcsec"}, {"second", "arcsec"}, {"sec", "arcsec"},
	} {
		rest, ok := strings.CutPrefix(strings.TrimLeftFunc(a.rest(), unicode.IsSpace), m[0])
		if next, _ := utf8.DecodeRuneInString(rest); ok && (len(m[0]) < 3 || !inUnit(next)) {
			a.at = len(a.text) - len(rest)
			return a.scope.Table.Lookup(m[1])
		}
	}
	return nil
}

func (a *arithmetic) number() (decimal.Decimal, *value.Error) {
	if a.parts++; a.parts > maxParts {
		return decimal.Decimal{}, value.Problem("input.limit_exceeded", "parts of a value", "10000")
	}
	rest := a.rest()
	if len(rest) > 2 && rest[0] == '0' && strings.IndexByte("xXbBoO", rest[1]) >= 0 && isDigit(rest[2]) {
		return decimal.Decimal{}, value.Problem("input.invalid_number", Quoted(a.text))
	}
	from := a.at
	n, size, err := scanNumber(a.ctx, rest)
	if err != nil {
		return n, err
	}
	a.at += size
	if strings.HasPrefix(a.rest(), "_") {
		return n, value.Problem("input.invalid_number", Quoted(a.text))
	}
	a.check(from)
	return n, nil
}

func (a *arithmetic) power() (operand, *value.Error) {
	x, err := a.primary()
	for err == nil {
		a.space()
		size, found := cutPower(a.rest())
		if !found {
			return x, nil
		}
		var y operand
		from := a.at
		if size == 0 {
			y = operand{Quantity: units.Quantity{Number: a.raised(), Unit: units.One}, bare: true, from: from}
		} else {
			a.at += size
			if err = a.deeper(); err == nil {
				y, err = a.sign(a.power)
			}
			a.depth--
		}
		if err == nil {
			x = a.raise(x, y)
			a.check(from)
		}
	}
	return x, err
}

var raisedDigits = map[rune]int64{'⁰': 0, '¹': 1, '²': 2, '³': 3, '⁴': 4, '⁵': 5, '⁶': 6, '⁷': 7, '⁸': 8, '⁹': 9}

// cutPower recognises "^" and "**", and raised digits, which take no bytes of an operator.
func cutPower(s string) (size int, found bool) {
	switch {
	case s == "":
		return 0, false
	case s[0] == '^':
		return 1, true
	case strings.HasPrefix(s, "**"):
		return 2, true
	case s[0] < utf8.RuneSelf:
		return 0, false
	}
	r, _ := utf8.DecodeRuneInString(s)
	_, found = raisedDigits[r]
	return 0, found
}

// raised reads raised digits, up to an exponent that is too large for any base but 1.
func (a *arithmetic) raised() decimal.Decimal {
	n := int64(0)
	for {
		r, size := utf8.DecodeRuneInString(a.rest())
		digit, found := raisedDigits[r]
		if !found {
			return decimal.Int(n)
		}
		n = min(n*10+digit, 1_000_000)
		a.at += size
	}
}

func (a *arithmetic) primary() (operand, *value.Error) {
	a.space()
	from, rest := a.at, a.rest()
	if strings.HasPrefix(rest, "(") {
		defer func() { a.depth-- }()
		if err := a.deeper(); err != nil {
			return operand{}, err
		}
		a.at++
		x, err := a.sum()
		if err != nil {
			return x, err
		}
		a.space()
		if !strings.HasPrefix(a.rest(), ")") {
			return x, a.syntax(a.at)
		}
		a.at++
		x.from = from
		return x, nil
	}
	if !startsNumber(rest) {
		return operand{}, a.syntax(from)
	}
	n, err := a.number()
	return operand{Quantity: units.Quantity{Number: n, Unit: units.One}, bare: true, from: from}, err
}

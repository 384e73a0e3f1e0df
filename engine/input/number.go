package input

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"reckon/engine/decimal"
	"reckon/engine/value"
)

// Unicode fractions and what they stand for.
var fractions = map[rune][2]int64{
	'½': {1, 2}, '⅓': {1, 3}, '⅔': {2, 3}, '¼': {1, 4}, '¾': {3, 4}, '⅕': {1, 5}, '⅖': {2, 5}, '⅗': {3, 5}, '⅘': {4, 5},
	'⅙': {1, 6}, '⅚': {5, 6}, '⅐': {1, 7}, '⅛': {1, 8}, '⅜': {3, 8}, '⅝': {5, 8}, '⅞': {7, 8}, '⅑': {1, 9}, '⅒': {1, 10},
	'↉': {0, 3},
}

// maxLiteralDigits is the most digits of one number.
const maxLiteralDigits = 1000

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// startsNumber reports whether a number starts the text: a digit, a point before one, or a Unicode
// fraction.
func startsNumber(s string) bool {
	if s == "" {
		return false
	}
	if isDigit(s[0]) {
		return true
	}
	if s[0] == '.' {
		return len(s) > 1 && isDigit(s[1])
	}
	if s[0] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s)
	_, ok := fractions[r]
	return ok
}

// scanNumber reads an unsigned number at the start of s, which startsNumber: digits with one point,
// groups and an exponent, a fraction (3/4), a mixed number (1 1/2, 2½) or a Unicode fraction. It
// returns the bytes it took.
func scanNumber(c *decimal.Context, s string) (decimal.Decimal, int, *value.Error) {
	if s[0] >= utf8.RuneSelf {
		r, size := utf8.DecodeRuneInString(s)
		if _, ok := fractions[r]; ok {
			return fraction(c, r), size, nil
		}
	}
	n, size, err := scanDigits(s)
	if err != nil {
		return decimal.Decimal{}, size, err
	}
	if bare := s[:size]; strings.ContainsAny(bare, ".eE") {
		return n, size, nil
	}
	if denominator, more, err := scanDenominator(s[size:]); err != nil {
		return decimal.Decimal{}, size, err
	} else if more > 0 && !denominator.IsZero() {
		return c.Quo(n, denominator), size + more, nil
	}
	part, more, err := scanFraction(c, s[size:])
	if err != nil {
		return decimal.Decimal{}, size, err
	}
	if more > 0 {
		return c.Add(n, part), size + more, nil
	}
	return n, size, nil
}

func fraction(c *decimal.Context, r rune) decimal.Decimal {
	f := fractions[r]
	return c.Quo(decimal.Int(f[0]), decimal.Int(f[1]))
}

// scanDenominator reads "/4" directly behind a numerator. A denominator that is raised to a power
// is left to the arithmetic, which binds it tighter.
func scanDenominator(s string) (decimal.Decimal, int, *value.Error) {
	slash := 0
	for _, mark := range []string{"/", "⁄"} {
		if strings.HasPrefix(s, mark) {
			slash = len(mark)
		}
	}
	if slash == 0 || slash == len(s) || !isDigit(s[slash]) {
		return decimal.Decimal{}, 0, nil
	}
	n, size, err := scanDigits(s[slash:])
	if err != nil {
		return n, 0, err
	}
	if _, power := cutPower(strings.TrimLeftFunc(s[slash+size:], unicode.IsSpace)); power {
		return n, 0, nil
	}
	return n, slash + size, nil
}

// scanFraction reads the fraction behind the whole part of a mixed number: " 1/2" below 1, "½" or "
// ½".
func scanFraction(c *decimal.Context, s string) (decimal.Decimal, int, *value.Error) {
	rest := strings.TrimLeftFunc(s, unicode.IsSpace)
	space := len(s) - len(rest)
	if rest != "" && rest[0] >= utf8.RuneSelf {
		r, size := utf8.DecodeRuneInString(rest)
		if _, ok := fractions[r]; ok {
			return fraction(c, r), space + size, nil
		}
	}
	if space == 0 || rest == "" || !isDigit(rest[0]) {
		return decimal.Decimal{}, 0, nil
	}
	numerator, size, err := scanDigits(rest)
	if err != nil || strings.ContainsAny(rest[:size], ".eE") {
		return decimal.Decimal{}, 0, nil // whoever reads it as a number of its own reports it
	}
	denominator, more, err := scanDenominator(rest[size:])
	if err != nil || more == 0 || strings.ContainsAny(rest[size:size+more], ".eE") || numerator.Cmp(denominator) >= 0 {
		return decimal.Decimal{}, 0, nil
	}
	return c.Quo(numerator, denominator), space + size + more, nil
}

// Digits with points and group marks between them, groups with one kind of mark, the same before a
// comma that may be a decimal mark, and a power of ten.
var (
	markedForm   = regexp.MustCompile(`^(?:[.,_\x{2009}\x{202F}]?[0-9])+`)
	groupedForm  = regexp.MustCompile(`^[0-9]{1,3}(?:(?:,[0-9]{3})+|(?:_[0-9]{3})+|(?:\x{2009}[0-9]{3})+|(?:\x{202F}[0-9]{3})+)$`)
	commasForm   = regexp.MustCompile(`^[0-9]{1,3}(?:,[0-9]{3})*$`)
	exponentForm = regexp.MustCompile(`^[eE][-+]?[0-9]+`)
)

// groupMarks separate groups of three digits.
const groupMarks = ",_\u2009\u202F"

var withoutMarks = strings.NewReplacer(",", "", "_", "", "\u2009", "", "\u202F", "")

// scanDigits reads digits with one decimal point, group marks and an exponent. It fails with
// input.ambiguous_number where the marks allow two readings, with input.invalid_number where they
// allow none.
func scanDigits(s string) (decimal.Decimal, int, *value.Error) {
	if n, size := scanPlain(s); size > 0 {
		return n, size, nil
	}
	digits := markedForm.FindString(s)
	at := len(digits)
	if s[0] == '.' {
		digits = "0" + digits
	}
	if len(digits) > maxLiteralDigits*4 {
		return decimal.Decimal{}, at, tooManyDigits()
	}
	exponent := exponentForm.FindString(s[at:])
	at += len(exponent)
	readings := []string{digits}
	if strings.Count(digits, ".") > 1 || strings.ContainsAny(digits, groupMarks) {
		readings = readGroups(digits)
	}
	if len(readings) == 0 {
		return decimal.Decimal{}, at, value.Problem("input.invalid_number", Quoted(s[:at]))
	}
	first, err := parseDigits(readings[0]+exponent, s[:at])
	if err != nil || len(readings) == 1 {
		return first, at, err
	}
	second, err := parseDigits(readings[1]+exponent, s[:at])
	if err != nil || first.Cmp(second) == 0 {
		return first, at, err
	}
	return decimal.Decimal{}, at, value.Problem("input.ambiguous_number", Quoted(s[:at]), Quoted(first.String()), Quoted(second.String()))
}

// scanPlain reads a short number without group marks and exponent, nothing (0 bytes) where it could
// be anything else.
func scanPlain(s string) (decimal.Decimal, int) {
	at, points := 0, 0
	for at < len(s) && at < 18 {
		if s[at] == '.' && points == 0 && at+1 < len(s) && isDigit(s[at+1]) {
			points++
		} else if !isDigit(s[at]) {
			break
		}
		at++
	}
	if at == 18 || at < len(s) && (s[at] == '.' || s[at] == ',' || s[at] == '_' || s[at] == 'e' || s[at] == 'E' || s[at] >= utf8.RuneSelf) {
		return decimal.Decimal{}, 0
	}
	n, err := decimal.Parse(s[:at])
	if err != nil {
		return n, 0
	}
	return n, at
}

func parseDigits(digits, written string) (decimal.Decimal, *value.Error) {
	count := 0
	for i := range len(digits) {
		if isDigit(digits[i]) {
			count++
		}
	}
	if count > maxLiteralDigits {
		return decimal.Decimal{}, tooManyDigits()
	}
	n, err := decimal.Written(digits)
	if err != nil {
		return n, value.Problem("input.invalid_number", Quoted(written))
	}
	return n, nil
}

func tooManyDigits() *value.Error {
	return value.Problem("input.limit_exceeded", "digits in a number", "1000")
}

// readGroups lists the readings of digits with group marks and points: one where every group has
// exactly three digits and the first does not start with 0, two where a comma could be a decimal
// mark, none where nothing fits.
func readGroups(digits string) []string {
	commas, points := strings.Count(digits, ","), strings.Count(digits, ".")
	whole, decimals, _ := strings.Cut(digits, ".")
	if points <= 1 && !strings.ContainsAny(decimals, groupMarks) && groupedForm.MatchString(whole) && (commas == 0 || digits[0] != '0') {
		return []string{withoutMarks.Replace(digits)}
	}
	if strings.ContainsAny(digits, groupMarks[1:]) {
		return nil
	}
	without := strings.ReplaceAll(digits, ",", "")
	switch {
	case commas == 1 && points <= 1:
		return []string{strings.ReplaceAll(strings.ReplaceAll(digits, ".", ""), ",", "."), without}
	case commas > 1 && points == 0:
		last := strings.LastIndexByte(digits, ',')
		if commasForm.MatchString(digits[:last]) {
			return []string{strings.ReplaceAll(digits[:last], ",", "") + "." + digits[last+1:], without}
		}
	}
	return nil
}

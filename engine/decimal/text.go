package decimal

import (
	"math/big"
	"strconv"
)

// Parse reads digits with an optional sign, one point and a decimal exponent ("-1.5e-3", ".5",
// "5."), nothing else: no groups, no white space, no NaN or Infinity. All digits are kept. It fails
// with ErrSyntax, or with ErrTooLarge beyond 1,000 written digits or when the first significant
// digit stands outside 1e-6144 … 1e6144. It reads back whatever String writes.
func Parse(text string) (Decimal, error) {
	i := 0
	negative := false
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		negative = text[i] == '-'
		i++
	}
	start := i
	digits, point := 0, -1
	var small uint64 // the coefficient while it has at most 19 digits
	for ; i < len(text); i++ {
		ch := text[i]
		if ch == '.' && point < 0 {
			point = i
			continue
		}
		if ch < '0' || ch > '9' {
			break
		}
		digits++
		if digits <= 19 {
			small = small*10 + uint64(ch-'0')
		}
	}
	if digits == 0 {
		return Decimal{}, ErrSyntax
	}
	end := i
	exponent, err := parseExponent(text[end:])
	if err != nil {
		return Decimal{}, err
	}
	if digits > maxDigits {
		return Decimal{}, ErrTooLarge
	}
	if point >= 0 {
		exponent -= end - point - 1
	}

	var d Decimal
	if digits <= 19 {
		d.w[0] = small
	} else {
		mantissa := text[start:end]
		if point >= 0 {
			mantissa = text[start:point] + text[point+1:end]
		}
		x, ok := new(big.Int).SetString(mantissa, 10)
		if !ok {
			return Decimal{}, ErrSyntax
		}
		d.setCoefficient(x)
	}
	if d.IsZero() {
		return Decimal{}, nil
	}
	d.negative = negative
	d.exponent = int32(exponent)
	if first := d.adjusted(); first > maxExponent || first < -maxExponent {
		return Decimal{}, ErrTooLarge
	}
	return d, nil
}

// Written is a number that somebody wrote. One with as many digits as rounding leaves is taken for
// rounded, as String writes such: it is known to half of its last digit. Any other is exact.
func Written(text string) (Decimal, error) {
	d, err := Parse(text)
	if first, last := d.Extent(); err == nil && !d.IsZero() && first-last+1 == precision {
		d = d.As(precision)
	}
	return d, err
}

// parseExponent reads "e-3", or nothing. Magnitudes past a million come back as a million: no
// coefficient brings them back into range.
func parseExponent(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	if text[0] != 'e' && text[0] != 'E' {
		return 0, ErrSyntax
	}
	text = text[1:]
	negative := false
	if text != "" && (text[0] == '-' || text[0] == '+') {
		negative = text[0] == '-'
		text = text[1:]
	}
	if text == "" {
		return 0, ErrSyntax
	}
	exponent := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, ErrSyntax
		}
		exponent = min(exponent*10+int(text[i]-'0'), 1_000_000)
	}
	if negative {
		exponent = -exponent
	}
	return exponent, nil
}

// String writes all digits canonically: trailing zeros cut, "-0" never, and an exponent only below
// 1e-6 and from 1e21 on, spelt "1.5e-7" and "1e21". What was rounded to more digits than are shown
// keeps its zeros, so that it can be told from an exact number (Written).
func (d Decimal) String() string {
	var buf [96]byte
	return string(d.append(buf[:0]))
}

func (d *Decimal) append(buf []byte) []byte {
	if d.zero() {
		return append(buf, '0')
	}
	if d.negative {
		buf = append(buf, '-')
	}
	var digitBuf [80]byte
	digits := d.appendDigits(digitBuf[:0])
	exponent := int(d.exponent) + len(digits) - 1 // of the first digit
	all := digits
	for digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	if d.doubt != 0 && len(all) == precision && len(digits) > shownDigits {
		digits = all
	}
	switch {
	case exponent < -6 || exponent > 20:
		buf = append(buf, digits[0])
		if len(digits) > 1 {
			buf = append(buf, '.')
			buf = append(buf, digits[1:]...)
		}
		buf = append(buf, 'e')
		return strconv.AppendInt(buf, int64(exponent), 10)
	case exponent < 0:
		buf = append(buf, "0."...)
		for range -exponent - 1 {
			buf = append(buf, '0')
		}
		return append(buf, digits...)
	case exponent >= len(digits)-1:
		buf = append(buf, digits...)
		for range exponent - len(digits) + 1 {
			buf = append(buf, '0')
		}
		return buf
	default:
		buf = append(buf, digits[:exponent+1]...)
		buf = append(buf, '.')
		return append(buf, digits[exponent+1:]...)
	}
}

// appendDigits writes the coefficient, which is not 0.
func (d *Decimal) appendDigits(buf []byte) []byte {
	if d.large != nil {
		return d.large.Append(buf, 10)
	}
	// Groups of 19 digits, the last one first.
	var groups [5]uint64
	z, last := d.w, 0
	for ; z[1]|z[2]|z[3] != 0; last++ {
		groups[last] = divideShort(z[:], wordPowers[mostOneWord][0])
	}
	buf = strconv.AppendUint(buf, z[0], 10)
	for last--; last >= 0; last-- {
		var group [mostOneWord]byte
		rest := groups[last]
		for i := len(group) - 1; i >= 0; i-- {
			group[i] = byte('0' + rest%10)
			rest /= 10
		}
		buf = append(buf, group[:]...)
	}
	return buf
}

// FromFloat is the shortest decimal that reads as a float64, 0 for one that is not finite.
func FromFloat(x float64) Decimal {
	d, err := Parse(strconv.FormatFloat(x, 'g', -1, 64))
	if err != nil {
		return Decimal{}
	}
	return d
}

// MustParse reads a number that is written in the program. It panics where that is none.
func MustParse(text string) Decimal {
	d, err := Parse(text)
	if err != nil {
		panic("decimal: the constant " + text + " is not a number")
	}
	return d
}

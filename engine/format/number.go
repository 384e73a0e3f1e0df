package format

import (
	"strconv"
	"strings"

	"reckon/engine/decimal"
)

// The reach of the two rules for decimals that no format fixes: so many significant digits, or so
// many decimals where those reach further right.
const (
	floatDigits = 15 // of decimals_float, which leaves whole numbers whole
	countDigits = 3  // of counts of days, hours, minutes or seconds,
	countPlaces = 3  // down to thousandths
)

// numeral is a decimal number as its digits: 0.DIGITS × 10^point. Its digits neither begin nor end
// with 0; zero has none, and no sign.
type numeral struct {
	negative bool
	digits   string
	point    int
}

func numeralOf(d decimal.Decimal) numeral {
	text, negative := strings.CutPrefix(d.String(), "-")
	mantissa, exponent, _ := strings.Cut(text, "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	point, _ := strconv.Atoi(exponent) // "" is 0
	return numeral{negative, whole + fraction, point + len(whole)}.normal()
}

// normal cuts the zeros at both ends.
func (n numeral) normal() numeral {
	digits := strings.TrimLeft(n.digits, "0")
	n.point -= len(n.digits) - len(digits)
	n.digits = strings.TrimRight(digits, "0")
	if n.digits == "" {
		return numeral{}
	}
	return n
}

func (n numeral) isZero() bool { return n.digits == "" }

// abs is n without its sign.
func (n numeral) abs() numeral {
	n.negative = false
	return n
}

// shifted is n × 10^places.
func (n numeral) shifted(places int) numeral {
	if !n.isZero() {
		n.point += places
	}
	return n
}

// over is n ÷ size, for a positive size of few digits: long division, to 40 digits more than n has.
// What is left then could not change the rounding of a quotient.
func (n numeral) over(size int64) numeral {
	quotient := make([]byte, 0, len(n.digits)+40)
	rest := int64(0)
	for i := range cap(quotient) {
		rest *= 10
		if i < len(n.digits) {
			rest += int64(n.digits[i] - '0')
		}
		quotient = append(quotient, byte('0'+rest/size))
		rest %= size
	}
	n.digits = string(quotient)
	return n.normal()
}

// rounded is n with at most so many decimals, ties away from zero: the rounding of JavaScript's
// Intl.NumberFormat.
func (n numeral) rounded(places int) numeral {
	keep := n.point + places
	switch {
	case keep >= len(n.digits):
		return n
	case keep < 0:
		return numeral{}
	}
	up := n.digits[keep] >= '5'
	n.digits = n.digits[:keep]
	if !up {
		return n.normal()
	}
	rest := strings.TrimRight(n.digits, "9")
	if rest == "" {
		n.digits = "1"
		n.point++
		return n
	}
	n.digits = rest[:len(rest)-1] + string(rest[len(rest)-1]+1)
	return n
}

// renderNumber writes a number in one of the decimal formats.
func renderNumber(n numeral, format string, separated bool) string {
	places, err := strconv.Atoi(strings.TrimPrefix(format, "decimals_"))
	if err != nil {
		return n.floating(floatDigits, 0, separated)
	}
	r := n.rounded(places)
	if r.point > largestPoint {
		return n.scientific(places, true)
	}
	return r.plain(places, separated)
}

// Numbers are written with an exponent where emitted values are: from 1e21 on, and below 1e-6
// unless the format has a fixed number of decimals.
const (
	largestPoint  = 21
	smallestPoint = -5
)

// floating writes at most so many significant digits, or so many decimals where those reach further
// right, and no zeros at the end.
func (n numeral) floating(significant, places int, separated bool) string {
	r := n.rounded(max(places, significant-n.point))
	if !r.isZero() && (r.point > largestPoint || r.point < smallestPoint) {
		return n.scientific(max(places, significant-1), false)
	}
	return r.plain(0, separated)
}

// scientific writes 1.5e21 with at most so many decimals, or filled up to them.
func (n numeral) scientific(places int, filled bool) string {
	exponent := n.point - 1
	n.point = 1
	n = n.rounded(places)
	if n.point > 1 {
		exponent++
		n.point = 1
	}
	if !filled {
		places = 0
	}
	return n.plain(places, false) + "e" + strconv.Itoa(exponent)
}

// plain writes all digits, with zeros up to the given number of decimals.
func (n numeral) plain(places int, separated bool) string {
	whole, fraction := "0", n.digits
	switch {
	case n.point <= 0:
		fraction = strings.Repeat("0", -n.point) + fraction
	case n.point >= len(n.digits):
		whole, fraction = n.digits+strings.Repeat("0", n.point-len(n.digits)), ""
	default:
		whole, fraction = n.digits[:n.point], n.digits[n.point:]
	}
	var b strings.Builder
	if n.negative {
		b.WriteByte('-')
	}
	for i := range len(whole) {
		if separated && i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(whole[i])
	}
	if len(fraction) < places {
		fraction += strings.Repeat("0", places-len(fraction))
	}
	if fraction != "" {
		b.WriteByte('.')
		b.WriteString(fraction)
	}
	return b.String()
}

// floor is the largest integer not above n, for numbers below 1e18.
func (n numeral) floor() int64 {
	cut := n.hasFraction()
	i := n.magnitude()
	if n.negative {
		i = -i
		if cut {
			i--
		}
	}
	return i
}

// magnitude is the integer part without sign, for numbers below 1e18.
func (n numeral) magnitude() int64 {
	if n.point <= 0 {
		return 0
	}
	digits := n.digits
	if n.point < len(digits) {
		digits = digits[:n.point]
	}
	whole, err := strconv.ParseInt(digits+strings.Repeat("0", n.point-len(digits)), 10, 64)
	if err != nil {
		return 0
	}
	return whole
}

func (n numeral) hasFraction() bool { return n.point < len(n.digits) }

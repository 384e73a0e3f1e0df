package input

import (
	"strings"
	"unicode/utf8"

	"reckon/engine/units"
	"reckon/engine/value"
)

// currencySigns are the signs that stand for one currency, the longer ones first.
var currencySigns = []struct{ sign, code string }{
	{"US$", "USD"}, {"CA$", "CAD"}, {"NZ$", "NZD"}, {"HK$", "HKD"}, {"NT$", "TWD"}, {"MX$", "MXN"}, {"CN¥", "CNY"},
	{"A$", "AUD"}, {"C$", "CAD"}, {"S$", "SGD"}, {"R$", "BRL"}, {"$", "USD"}, {"€", "EUR"}, {"£", "GBP"}, {"¥", "JPY"},
	{"₹", "INR"}, {"₩", "KRW"}, {"₽", "RUB"}, {"₺", "TRY"}, {"₪", "ILS"}, {"₫", "VND"}, {"₱", "PHP"}, {"₦", "NGN"},
	{"₴", "UAH"}, {"฿", "THB"}, {"₸", "KZT"}, {"₼", "AZN"}, {"₾", "GEL"}, {"₲", "PYG"}, {"₡", "CRC"}, {"₵", "GHS"},
	{"₭", "LAK"}, {"₮", "MNT"}, {"֏", "AMD"}, {"৳", "BDT"}, {"៛", "KHR"}, {"złoty", "PLN"}, {"zł", "PLN"},
}

// withCodes replaces the currency signs of a unit by their codes.
func withCodes(unit string) string {
	if !strings.ContainsFunc(unit, func(r rune) bool { return r == '$' || r >= utf8.RuneSelf }) {
		return unit // no sign is written without one of these
	}
	for _, s := range currencySigns {
		if strings.Contains(unit, s.sign) {
			unit = strings.ReplaceAll(unit, s.sign, s.code)
		}
	}
	return unit
}

// scanCurrency reads a currency in front of a number, a sign or an ISO 4217 code, and returns its
// code and the bytes it took.
func scanCurrency(c *value.Scope, s string) (code string, size int) {
	if s == "" || isDigit(s[0]) {
		return "", 0
	}
	for _, known := range currencySigns {
		if strings.HasPrefix(s, known.sign) {
			return known.code, len(known.sign)
		}
	}
	if len(s) >= 3 {
		if codes := c.Table.Lookup(s[:3]).Dimension().Currencies(); len(codes) == 1 && codes[0] == s[:3] {
			return s[:3], 3
		}
	}
	return "", 0
}

// SameButCurrency reports whether two units differ at most by the one currency that each names, in
// the same power. Which currencies of a calculation go together is decided where all of them are
// known.
func SameButCurrency(a, b *units.Unit) bool {
	from, to := a.Dimension().Currencies(), b.Dimension().Currencies()
	return len(from) == 1 && len(to) == 1 && a.Dimension().WithCurrency(from[0], to[0]) == b.Dimension()
}

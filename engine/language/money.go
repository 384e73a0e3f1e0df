package language

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

// moneyWord is a word for money that several currencies share, or for a part of one.
type moneyWord struct {
	words   string // separated by spaces; signs too
	codes   string // every currency it may mean, the usual ones first
	usual   int    // how many of them it means where the domain has none of them
	part    int64  // how many of it make one of the currency
	example string
	means   string
}

var moneyWords = []moneyWord{
	{"$ dollar dollars buck bucks", "USD CAD AUD NZD SGD HKD JMD TTD BBD BSD BZD FJD NAD GYD LRD XCD TWD", 1, 1, "20 bucks", "20 USD"},
	{"cent cents ¢ ct cts", "USD EUR CAD AUD NZD SGD HKD ZAR NAD JMD TTD BBD BSD BZD FJD GYD LRD XCD TWD KES TZS UGX LKR MUR SCR CHF MXN BRL SEK NOK DKK", 2, 100, "50 cents", "0.5 USD, 0.5 EUR"},
	{"quid sterling", "GBP", 1, 1, "20 quid", "20 GBP"},
	{"£", "GBP EGP FKP GIP SHP SYP LBP SDG SSP", 1, 1, "£20", "20 GBP"},
	{"penny pence p pennies", "GBP", 1, 100, "50p", "0.5 GBP"},
	{"euro euros €", "EUR", 1, 1, "20 euros", "20 EUR"},
	{"yen ¥", "JPY CNY", 1, 1, "¥500", "500 JPY"},
	{"rupee rupees rs re", "INR PKR LKR NPR MUR SCR", 1, 1, "500 rupees", "500 INR"},
	{"franc francs fr", "CHF XAF XOF XPF", 1, 1, "50 francs", "50 CHF"},
	{"peso pesos", "MXN PHP ARS CLP COP UYU DOP CUP", 1, 1, "500 pesos", "500 MXN"},
	{"crown crowns krona kronor krone kroner kr", "SEK NOK DKK CZK ISK", 3, 1, "500 kronor", "500 SEK, 500 NOK, 500 DKK"},
	{"rouble roubles ruble rubles", "RUB BYN", 1, 1, "500 roubles", "500 RUB"},
	{"real reais", "BRL", 1, 1, "50 reais", "50 BRL"},
	{"won", "KRW", 1, 1, "5000 won", "5000 KRW"},
	{"lira", "TRY", 1, 1, "50 lira", "50 TRY"},
	{"dirham dirhams", "AED MAD", 2, 1, "50 dirhams", "50 AED, 50 MAD"},
	{"riyal riyals rial rials", "SAR QAR OMR IRR YER", 1, 1, "50 riyals", "50 SAR"},
	{"dinar dinars", "KWD JOD BHD RSD TND DZD IQD LYD", 1, 1, "50 dinars", "50 KWD"},
	{"shilling shillings", "KES TZS UGX SOS", 1, 1, "50 shillings", "50 KES"},
}

// lowCodes are the ISO codes that are read in lower case too, as others are words or units.
const lowCodes = "usd eur gbp jpy chf cad aud nzd inr cny sek nok dkk pln czk huf zar brl mxn sgd hkd krw"

// money lists what a word or sign for money means, best first: the domain's own currency where it is one of them.
func (s *scanner) money(w *moneyWord) []found {
	var list []found
	rank := 0
	for code := range fields(w.codes) {
		if rank >= w.usual && code != s.currency {
			rank++
			continue
		}
		rank++
		u := s.table.Lookup(code)
		if u == nil {
			continue
		}
		f := found{unit: u, n: 1, part: w.part}
		if code == s.currency {
			list = append([]found{f}, list...)
		} else {
			list = append(list, f)
		}
	}
	return list
}

func isCurrencySign(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	return size == len(text) && unicode.Is(unicode.Sc, r)
}

// currencyAt reads a currency as signs and codes have it: "$", "US$", "USD", "usd".
func (s *scanner) currencyAt(at int) []found {
	t := s.tok(at)
	switch {
	case t.kind == sign && isCurrencySign(t.text):
		if w := s.moneyWords[t.fold]; w != nil {
			return s.money(w)
		}
		if u := s.table.Lookup(t.text); u != nil {
			return []found{{unit: u, n: 1, part: 1}}
		}
	case t.kind == word && len(t.text) <= 4:
		if next := s.tok(at + 1); next.kind == sign && !next.spaced && isCurrencySign(next.text) {
			if u := s.table.Lookup(strings.ToUpper(t.text) + next.text); isCurrency(u) {
				return []found{{unit: u, n: 2, part: 1}}
			}
		}
		if len(t.text) == 3 && (strings.ToUpper(t.text) == t.text && !notUnits()[t.fold] || strings.Contains(lowCodes, t.fold)) {
			if u := s.table.Lookup(strings.ToUpper(t.text)); isCurrency(u) {
				return []found{{unit: u, n: 1, part: 1}}
			}
		}
	}
	return nil
}

// isCurrency is true of a unit that is one currency and nothing else.
func isCurrency(u *units.Unit) bool {
	if u == nil {
		return false
	}
	codes := u.Dimension().Currencies()
	return len(codes) == 1 && codes[0] == u.Symbol()
}

// moneyBefore reads an amount with its currency in front: "$1,200.50", "US$ 20", "-£5", "USD 20", "$2.5bn", "$3 a gallon".
func (s *scanner) moneyBefore(at int) (q quantity, ok bool) {
	start, negative := at, false
	if s.tok(at).fold == "-" && s.minusAt(at) {
		start, negative = at+1, true
	}
	currencies := s.currencyAt(start)
	if len(currencies) == 0 {
		if t := s.tok(start); (t.fold == "rs" || t.fold == "kr") && s.tok(start+1).kind == number {
			currencies = s.money(s.moneyWords[t.fold])
		} else {
			return q, false
		}
	}
	behind := start + currencies[0].n
	t := s.tok(behind)
	if t.kind != number && t.fold != "-" {
		return q, false
	}
	a := s.number(behind)
	if a.n == 0 || a.words || s.tok(behind).kind == mark && negative {
		return q, false
	}
	end := behind + a.n
	if a.invalid {
		return quantity{from: at, to: end}, true
	}
	if negative {
		a.value, a.exact = a.value.Neg(), ""
	}
	if x, _ := s.suffixAt(end, true); x != nil {
		if next := s.tok(end); !next.spaced || len(next.text) > 1 || strings.Contains("kKmMbB", next.text) {
			a = s.times(a, decimal.Int(x.value))
			end++
		}
	}
	q = quantity{from: at, to: end}
	var full, plain []reading
	for _, c := range currencies {
		if s.tok(end).kind == word {
			for _, again := range s.named(end, true) {
				if again.unit == c.unit && again.part == 1 {
					end += again.n // $20 USD, £5 pounds
				}
			}
		}
		for _, f := range s.over(end, found{unit: c.unit, part: c.part}) {
			full = append(full, s.reading(a, f, start-at+currencies[0].n))
			q.to = max(q.to, end+f.n)
		}
		if cents, _, to := s.part(end, c.unit); to > 0 && len(full) == 0 {
			more := a
			more.value, more.exact = s.ctx.Add(a.value, s.ctx.Quo(cents.value, decimal.Int(100))), ""
			plain = append(plain, s.reading(more, c, currencies[0].n))
			q.to = to
			continue
		}
		plain = append(plain, s.reading(a, c, currencies[0].n))
	}
	q.to = max(q.to, end)
	q.readings = append(full, plain...)
	return q, true
}

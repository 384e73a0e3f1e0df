package units

import (
	"strings"
	"testing"

	"reckon/engine/decimal"
)

// BenchmarkParseAndConvert is W1 without the scanner of values: "60 mi/h" to km/h, from text.
func BenchmarkParseAndConvert(b *testing.B) {
	table := Standard()
	b.ReportAllocs()
	for b.Loop() {
		number, unit, _ := strings.Cut("60 mi/h", " ")
		n, err := decimal.Parse(number)
		if err != nil {
			b.Fatal(err)
		}
		from, err := table.Parse(unit)
		if err != nil {
			b.Fatal(err)
		}
		to, err := table.Parse("km/h")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Convert(decimal.NewContext(1000), Quantity{n, from}, to); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	table := Standard()
	for _, text := range []string{"km", "mi/h", "kg·m^2/s^3", "miles per hour", "W/(m² °C)", "imperial galon"} {
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = table.Parse(text)
			}
		})
	}
}

func BenchmarkForResult(b *testing.B) {
	table := Standard()
	for _, test := range []struct{ name, sought, used string }{
		{"factor", "m", "mi/h h"}, {"product", "m/s", "mi h"}, {"name", "N", "kg m/s^2"},
	} {
		var used []*Unit
		for text := range strings.FieldsSeq(test.used) {
			used = append(used, mustParse(b, table, text))
		}
		d := mustParse(b, table, test.sought).Dimension()
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				table.ForResult(d, used, false)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := loadWords(unitsText, currenciesText); err != nil {
			b.Fatal(err)
		}
	}
}

package decimal

import "testing"

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("1609.344"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkString(b *testing.B) {
	d := NewContext(10).Quo(Int(1), Int(3)).Shown()
	b.ReportAllocs()
	for b.Loop() {
		_ = d.String()
	}
}

// BenchmarkArithmetic runs each operation on short numbers and on numbers of 60 digits.
func BenchmarkArithmetic(b *testing.B) {
	third, seventh := NewContext(10).Quo(Int(1), Int(3)), NewContext(10).Quo(Int(20), Int(7))
	for _, o := range []string{"add", "mul", "quo"} {
		b.Run(o+"/short", func(b *testing.B) { benchBinary(b, o, mustParse("60.25"), mustParse("1.609344")) })
		b.Run(o+"/long", func(b *testing.B) { benchBinary(b, o, third, seventh) })
	}
	b.Run("quo/exact", func(b *testing.B) { benchBinary(b, "quo", Int(6), Int(3)) })
}

func benchBinary(b *testing.B, name string, x, y Decimal) {
	f := binary[name]
	c := NewContext(1 << 60)
	b.ReportAllocs()
	for b.Loop() {
		f(c, x, y)
	}
	if c.Err() != nil {
		b.Fatal(c.Err())
	}
}

func BenchmarkFunctions(b *testing.B) {
	x := mustParse("0.731058578630004879251159241821836274365144640165056519276366")
	for _, name := range []string{"ln", "exp", "sqrt", "cbrt", "log10", "sin", "tan", "atan", "asin", "sinh", "asinh"} {
		b.Run(name, func(b *testing.B) {
			f, c := unary[name], NewContext(1<<60)
			b.ReportAllocs()
			for b.Loop() {
				f(c, x)
			}
			if c.Err() != nil {
				b.Fatal(c.Err())
			}
		})
	}
	b.Run("pow", func(b *testing.B) { benchBinary(b, "pow", mustParse("1.0731"), mustParse("3.7")) })
	b.Run("pow/360", func(b *testing.B) { benchBinary(b, "pow", mustParse("1.0041666666666666666666666666666667"), Int(360)) })
}

func BenchmarkTables(b *testing.B) {
	for b.Loop() {
		buildTables()
	}
}

func BenchmarkFloat64(b *testing.B) {
	for _, x := range []Decimal{NewContext(10).Quo(Int(1), Int(3)), NewContext(10).Quo(Int(20_000_000), Int(7))} {
		b.Run(x.Shown().String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = x.Float64()
			}
		})
	}
}

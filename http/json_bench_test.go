package http

import (
	"strings"
	"testing"
)

// BenchmarkCanonicalObject reads bodies of 1 MB.
func BenchmarkCanonicalObject(b *testing.B) {
	for name, text := range map[string]string{
		"objects":  `{"a":[` + strings.Repeat(`{"b":1},`, 125_000) + `0]}`,
		"unsorted": `{"a":[` + strings.Repeat(`{"z":1,"b":null,"a":"\u0041"},`, 33_000) + `0]}`,
		"text":     `{"prompt":"` + strings.Repeat("x", 1_000_000) + `"}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := canonicalObject([]byte(text), func() {}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

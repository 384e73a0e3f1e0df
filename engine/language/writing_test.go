package language

import "testing"

// What is written in a language is read as what it was.
func TestWriting(t *testing.T) {
	german := WritingIn("de")
	for _, c := range []struct{ rendered, shown, field, read string }{
		{"1,234.5 km", "1.234,5 km", "1.234,5 km", "1234.5 km"},
		{"0.125", "0,125", "0,125", "0.125"},
		{"12.5%", "12,5%", "12,5%", "12.5%"},
		{"-3.25 EUR/kWh", "-3,25 EUR/kWh", "-3,25 EUR/kWh", "-3.25 EUR/kWh"},
		{"150 mi", "150 mi", "150 mi", "150 mi"},
		{"2026-01-31", "2026-01-31", "2026-01-31", "2026-01-31"},
		{"by car", "by car", "by car", "by car"},
	} {
		if shown, field := german.Shown(c.rendered), german.Field(c.rendered); shown != c.shown || field != c.field {
			t.Errorf("%q is %q, in a field %q", c.rendered, shown, field)
		}
		if read := german.Read(c.field); read != c.read {
			t.Errorf("%q is read as %q, want %q", c.field, read, c.read)
		}
		for _, english := range []Writing{{}, WritingIn("en")} {
			if english.Shown(c.rendered) != c.rendered || english.Field(c.rendered) != c.rendered || english.Read(c.rendered) != c.rendered {
				t.Errorf("%q is another one in English", c.rendered)
			}
		}
	}
	for written, want := range map[string]string{"12,5 km": "12.5 km", "12.5 km": "12.5 km", "5 ft 11,5 in": "5 ft 11.5 in", "31.12.2026": "31.12.2026", "1.500 kWh": "1500 kWh"} {
		if read := german.Read(written); read != want {
			t.Errorf("%q is read as %q, want %q", written, read, want)
		}
	}
}

package engine

import "testing"

// TestForwardsOnly asks for what would take an activity backwards that goes one way.
func TestForwardsOnly(t *testing.T) {
	d := targetsDomain(t, "var gross", "var rate", "var tax", "var net", "var twice", `var other default="3"`,
		"eq tax = lookup(gross, [0, 100, 200], [0, 10, 30])", "eq net = gross - tax", "eq twice = 2 * gross", "eq other = lookup(rate, [0, 1], [1, 2])")
	for _, c := range []struct{ text, want string }{
		{"gross 150 -> net", "140"},
		{"tax 10 -> twice", `twice cannot be calculated from these values: "tax = lookup(gross, [0, 100, 200], [0, 10, 30])" can only be calculated forwards, to tax. Give gross.`},
		{"tax 10; net 140 -> gross", "150"},
		{"other 1 -> rate", `rate cannot be calculated: "other = lookup(rate, [0, 1], [1, 2])" can only be calculated forwards, to other. Give rate.`},
		// A default that nobody asked for is no reason.
		{"rate 1 -> twice", "twice cannot be calculated yet: more values are needed."},
	} {
		r, errs := d.Calculate(nil, 0, asking(t, d, c.text), testEnv)
		got := ""
		if len(errs) > 0 {
			got = errs[0].Filled()
		} else {
			got = r.Values[0].Value.Text().Scalar()
		}
		if got != c.want {
			t.Errorf("%s: %s, not %s", c.text, got, c.want)
		}
	}
}

package engine

import "testing"

// TestDistributionsBackwards asks for what stands in a distribution: sample sizes, degrees of
// freedom, parameters. The figures are roots that mpmath found at 60 digits.
func TestDistributionsBackwards(t *testing.T) {
	for _, c := range []struct{ equation, question, want string }{
		{"margin = confidence_t(0.05, s, n)", "margin 2; s 10 -> n", "98.46625535495565817322192164779126"},
		{"p = 2 * t_tail(d * sqrt(n) / s, n - 1)", "p 0.05; d 2; s 5 -> n", "26.46191166373432221179886596101816"},
		{"p = chi2_cdf(x, df)", "p 0.95; x 18.307 -> df", "9.999972376206501899375973156826364"},
		{"p = poisson_cdf(k, m)", "p 0.05; k 3 -> m", "7.753656527932726911087003359566397"},
		{"p = binomial_cdf(k, n, q)", "p 0.05; k 3; n 20 -> q", "0.3436638043142818319448446470543163"},
		{"p = gamma_cdf(x, shape, scale)", "p 0.5; x 10; scale 2 -> shape", "5.329370268245591194084211316781465"},
		{"p = f_cdf(x, a, b)", "p 0.95; x 3.49; a 3 -> b", "12.00336656553215917647695492267958"},
		{"p = beta_cdf(x, a, b)", "p 0.5; a 3; b 3 -> x", "0.5"},
		{"p = t_cdf(x, df)", "p 0.75; df 1 -> x", "1"},
		{"p = t_cdf(x, df)", "p 1.5; df 1 -> x", "! calculation.no_solution x"},
	} {
		d, issues := Compile(withFunctions(c.equation))
		if d == nil {
			t.Fatal(issues)
		}
		if got := answer(d, c.question); got != c.want {
			t.Errorf("%s, %s: %s, want %s", c.equation, c.question, got, c.want)
		}
	}
}

// TestTooSmallToTell asks for what probabilities leave to 1. It is right or an error, never 0.
func TestTooSmallToTell(t *testing.T) {
	for expression, want := range map[string]string{
		"1 - chi2_cdf(1800, 3)": "4.621507637433743945425333164566086e-390",
		"1 - normal_cdf(40)":    "3.655893540915029703748985802688284e-350",
		"chi2_cdf(1e6, 3)":      "1",
	} {
		if got := evaluate(t, expression, ""); got != want {
			t.Errorf("%s is %s, want %s", expression, got, want)
		}
	}
	for _, expression := range []string{"1 - chi2_cdf(7000, 3)", "1 - erf(300)", "1 - t_cdf(1e300, 5)", "chi2_tail(1e6, 3)", "erfc(120)"} {
		if got := evaluate(t, expression, ""); got[0] != '!' {
			t.Errorf("%s is %s, want an error", expression, got)
		}
	}
}

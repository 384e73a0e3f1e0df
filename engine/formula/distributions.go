package formula

import "reckon/engine/decimal"

// Parameters of distributions.
var (
	normalParams = []param{{name: "x", dimension: "a"}, {name: "mean", dimension: "a", value: "0"}, {name: "sd", dimension: "a", value: "1", check: "sd > 0"}}
	logParams    = []param{{name: "x", dimension: "1"}, {name: "mean", dimension: "1", value: "0"}, {name: "sd", dimension: "1", value: "1", check: "sd > 0"}}
	scale        = param{name: "scale", dimension: "a", value: "1", check: "scale > 0"}
	gammaParams  = []param{{name: "x", dimension: "a"}, {name: "shape", dimension: "1"}, scale}
	weibull      = []param{{name: "x", dimension: "a", check: "x >= 0"}, {name: "shape", dimension: "1", check: "shape > 0"}, scale}
	exponential  = []param{{name: "x", dimension: "a", check: "x >= 0"}, {name: "rate", dimension: "1/a", check: "rate > 0"}}
	spread       = []param{{name: "alpha", dimension: "1"}, {name: "sd", dimension: "a"}, {name: "n", dimension: "1"}}
	wholeNumber  = param{name: "k", dimension: "1", check: "k == floor(k)"}
	throws       = param{name: "n", dimension: "1", check: "n >= 0 and n == floor(n)"}
	chance       = param{name: "p", dimension: "1"}
)

// ofShare are the parameters of a quantile, from those of its distribution.
func ofShare(list []param) []param {
	return append([]param{{name: "p", dimension: "1"}}, list[1:]...)
}

// distributions holds distributions with four functions each: what is below a value (cdf), what is
// above it (tail, where that may be small), its density (pdf, pmf of whole numbers), and the value
// below which there is a share (quantile). Those with a formula are solved like an equation that
// has it written out.
var distributions = []*Entry{
	{
		Name: "normal_cdf", Params: normalParams, Result: "1",
		Doc: "The probability that a normal variable of some mean and standard deviation is at most x.",
		Examples: []example{{"normal_cdf(0)", "0.5"}, {"normal_cdf(42, 40, 1.5)", "0.908788780274132130166147329986177"},
			{"normal_cdf(10.1 [mm], 10 [mm], 50 [um])", "0.9772498680518207927997173628334666"}, {"normal_cdf(1, 0, 0)", "! calculation.division_by_zero"}},
		Formula:     "erfc((mean - x) / (sd * sqrt(2))) / 2",
		Spreadsheet: "NORM.DIST NORM.S.DIST NORMDIST NORMSDIST",
	},
	{
		Name: "normal_tail", Params: normalParams, Result: "1",
		Doc:      "The probability that a normal variable of some mean and standard deviation is above x.",
		Examples: []example{{"normal_tail(0)", "0.5"}, {"normal_tail(37)", "5.725571222524576822683192548273202e-300"}},
		Formula:  "erfc((x - mean) / (sd * sqrt(2))) / 2",
	},
	{
		Name: "normal_pdf", Params: normalParams, Result: "1/a",
		Doc:         "The density of a normal variable of some mean and standard deviation at x.",
		Examples:    []example{{"round(normal_pdf(0), 15)", "0.398942280401433"}, {"round(normal_pdf(42, 40, 1.5), 9)", "0.10934005"}},
		Formula:     "exp(-((x - mean) / sd)^2 / 2) / (sd * sqrt(2 * pi))",
		Spreadsheet: "NORM.DIST NORM.S.DIST PHI",
	},
	{
		Name: "normal_quantile", Params: ofShare(normalParams), Result: "a",
		Doc:      "The value that a normal variable of some mean and standard deviation stays below with probability p.",
		Examples: []example{{"normal_quantile(0.975)", "1.959963984540054235524594430520552"}, {"normal_quantile(0.5, 40, 1.5)", "40"}, {"normal_quantile(0)", "! calculation.domain_error"}},
		Formula:  "mean - sd * sqrt(2) * erfc_inverse(2 * p)", Spreadsheet: "NORM.INV NORM.S.INV NORMINV NORMSINV",
	},
	{
		Name: "confidence_normal", Params: spread, Result: "a",
		Doc:      "How far the mean of n values may be from that of all, missed with probability alpha, where the standard deviation of all is sd.",
		Examples: []example{{"round(confidence_normal(0.05, 2.5, 50), 6)", "0.692952"}, {"round(confidence_normal(0.05, 2.5 [mm], 50) / 1 [mm], 6)", "0.692952"}},
		Formula:  "sd * sqrt(2) * erfc_inverse(alpha) / sqrt(n)", Spreadsheet: "CONFIDENCE.NORM CONFIDENCE",
	},
	{
		Name: "confidence_t", Params: spread, Result: "a",
		Doc:      "How far the mean of n values may be from that of all, missed with probability alpha, where the standard deviation of the values is sd.",
		Examples: []example{{"round(confidence_t(0.05, 1, 50), 9)", "0.284196855"}, {"confidence_t(0.05, 1, 1)", "! calculation.domain_error"}},
		Formula:  "-t_quantile(alpha / 2, n - 1) * sd / sqrt(n)", Spreadsheet: "CONFIDENCE.T",
	},
	{
		Name: "lognormal_cdf", Params: logParams, Result: "1",
		Doc:      "The probability that a variable, whose logarithm is normal of some mean and standard deviation, is at most x.",
		Examples: []example{{"round(lognormal_cdf(4, 3.5, 1.2), 9)", "0.039083556"}, {"lognormal_cdf(1)", "0.5"}},
		Formula:  "erfc((mean - ln(x)) / (sd * sqrt(2))) / 2", Spreadsheet: "LOGNORM.DIST LOGNORMDIST",
	},
	{
		Name: "lognormal_pdf", Params: logParams, Result: "1",
		Doc:      "The density at x of a variable whose logarithm is normal of some mean and standard deviation.",
		Examples: []example{{"round(lognormal_pdf(4, 3.5, 1.2), 9)", "0.017617597"}, {"lognormal_pdf(1) - normal_pdf(0)", "0"}},
		Formula:  "exp(-((ln(x) - mean) / sd)^2 / 2) / (x * sd * sqrt(2 * pi))", Spreadsheet: "LOGNORM.DIST",
	},
	{
		Name: "lognormal_quantile", Params: ofShare(logParams), Result: "1",
		Doc:      "The value that a variable, whose logarithm is normal of some mean and standard deviation, stays below with probability p.",
		Examples: []example{{"round(lognormal_quantile(0.039084, 3.5, 1.2), 6)", "4.000025"}, {"lognormal_quantile(0.5)", "1"}},
		Formula:  "exp(mean - sd * sqrt(2) * erfc_inverse(2 * p))", Spreadsheet: "LOGNORM.INV LOGINV",
	},
	{
		Name: "t_cdf", Params: plainParams("x", "df"), Result: "1",
		Doc:      "The probability that a variable of Student's t with df degrees of freedom, which need not be whole, is at most x.",
		Examples: []example{{"round(t_cdf(60, 1), 8)", "0.99469533"}, {"t_cdf(0, 3)", "0.5"}, {"t_cdf(1, 1)", "0.75"}, {"t_cdf(1, 0)", "! calculation.domain_error"}},
		Eval:     func(c *decimal.Context, a Decimals) decimal.Decimal { return studentShare(c, "t_cdf", a[0], a[1]) },
		Float:    first2(studentAt), Intervals: enclosed(studentAt, shareInterval, AllNumbers, notNegative),
		Slopes: []string{"t_pdf(x, df)", ""}, Isolated: []string{"t_quantile(t, df)"},
		Spreadsheet: "T.DIST",
	},
	{
		Name: "t_tail", Params: plainParams("x", "df"), Result: "1",
		Doc:      "The probability that a variable of Student's t with df degrees of freedom is above x; of both tails it is twice that.",
		Examples: []example{{"round(t_tail(1.959999998, 60), 9)", "0.027322465"}, {"2 * t_tail(1, 1)", "0.5"}},
		Formula:  "t_cdf(-x, df)", Spreadsheet: "T.DIST.RT T.DIST.2T TDIST",
	},
	{
		Name: "t_pdf", Params: plainParams("x", "df"), Result: "1",
		Doc:      "The density at x of a variable of Student's t with df degrees of freedom.",
		Examples: []example{{"round(t_pdf(8, 3), 11)", "0.00073690652"}, {"t_pdf(0, 1) * pi", "1"}},
		Formula:  "exp(ln_gamma((df + 1) / 2) - ln_gamma(df / 2) - (df + 1) / 2 * ln(1 + x^2 / df)) / sqrt(df * pi)", Spreadsheet: "T.DIST",
	},
	{
		Name: "t_quantile", Params: plainParams("p", "df"), Result: "1",
		Doc: "The value that a variable of Student's t with df degrees of freedom stays below with probability p. With probability p it is" +
			" beyond t_quantile(1 - p / 2, df) on either side.",
		Examples: []example{{"t_quantile(0.75, 2)", "0.8164965809277260327324280249019638"}, {"round(t_quantile(1 - 0.546449 / 2, 60), 9)", "0.606533076"},
			{"t_quantile(0.5, 7)", "0"}, {"t_quantile(1, 7)", "! calculation.domain_error"}},
		Eval: studentQuantile, Float: first2(studentQuantileAt), Intervals: enclosed(studentQuantileAt, AllNumbers, shareInterval, notNegative),
		Slopes: []string{"1 / t_pdf(t_quantile(p, df), df)", ""}, Isolated: []string{"t_cdf(t, df)"},
		Spreadsheet: "T.INV T.INV.2T TINV",
	},
	{
		Name: "chi2_cdf", Params: plainParams("x", "df"), Result: "1",
		Doc:      "The probability that a χ² variable with df degrees of freedom is at most x.",
		Examples: []example{{"round(chi2_cdf(0.5, 1), 8)", "0.52049988"}, {"chi2_cdf(2, 2) - (1 - exp(-1))", "0"}},
		Formula:  "gamma_p(x / 2, df / 2)", Spreadsheet: "CHISQ.DIST",
	},
	{
		Name: "chi2_tail", Params: plainParams("x", "df"), Result: "1",
		Doc:      "The probability that a χ² variable with df degrees of freedom is above x.",
		Examples: []example{{"round(chi2_tail(18.307, 10), 7)", "0.0500006"}, {"chi2_tail(2, 2) - exp(-1)", "0"}},
		Formula:  "gamma_q(x / 2, df / 2)", Spreadsheet: "CHISQ.DIST.RT CHIDIST",
	},
	{
		Name: "chi2_pdf", Params: plainParams("x", "df"), Result: "1",
		Doc:      "The density at x of a χ² variable with df degrees of freedom.",
		Examples: []example{{"round(chi2_pdf(2, 3), 8)", "0.20755375"}, {"chi2_pdf(0, 2)", "0.5"}},
		Formula:  "gamma_pdf(x, df / 2, 2)", Spreadsheet: "CHISQ.DIST",
	},
	{
		Name: "chi2_quantile", Params: plainParams("p", "df"), Result: "1",
		Doc:      "The value that a χ² variable with df degrees of freedom stays below with probability p.",
		Examples: []example{{"round(chi2_quantile(0.93, 1), 9)", "3.283020287"}, {"round(chi2_quantile(0.6, 2), 9)", "1.832581464"}},
		Formula:  "2 * gamma_p_inverse(p, df / 2)", Spreadsheet: "CHISQ.INV",
	},
	{
		Name: "chi2_tail_quantile", Params: plainParams("p", "df"), Result: "1",
		Doc:      "The value that a χ² variable with df degrees of freedom is above with probability p.",
		Examples: []example{{"round(chi2_tail_quantile(0.050001, 10), 6)", "18.306973"}, {"round(chi2_tail_quantile(1e-300, 4), 9)", "1394.648422759"}},
		Formula:  "2 * gamma_q_inverse(p, df / 2)", Spreadsheet: "CHISQ.INV.RT CHIINV",
	},
	{
		Name: "f_cdf", Params: plainParams("x", "df1", "df2"), Result: "1",
		Doc:      "The probability that a variable of the F distribution with df1 over df2 degrees of freedom is at most x.",
		Examples: []example{{"round(f_cdf(15.2068649, 6, 4), 8)", "0.99"}, {"f_cdf(1, 3, 3)", "0.5"}, {"f_cdf(-1, 3, 3)", "! calculation.domain_error"}},
		Eval:     ratioShare("f_cdf", false), Float: first2(ratioAt(false)), Intervals: enclosedRatio(false),
		Slopes: []string{"f_pdf(x, df1, df2)", "", ""}, Isolated: []string{"f_quantile(t, df1, df2)"},
		Spreadsheet: "F.DIST",
	},
	{
		Name: "f_tail", Params: plainParams("x", "df1", "df2"), Result: "1",
		Doc:      "The probability that a variable of the F distribution with df1 over df2 degrees of freedom is above x.",
		Examples: []example{{"round(f_tail(15.2068649, 6, 4), 8)", "0.01"}, {"f_tail(1, 3, 3)", "0.5"}},
		Eval:     ratioShare("f_tail", true), Float: first2(ratioAt(true)), Intervals: enclosedRatio(true),
		Slopes: []string{"-f_pdf(x, df1, df2)", "", ""}, Isolated: []string{"f_tail_quantile(t, df1, df2)"},
		Spreadsheet: "F.DIST.RT FDIST",
	},
	{
		Name: "f_pdf", Params: plainParams("x", "df1", "df2"), Result: "1",
		Doc:      "The density at x of a variable of the F distribution with df1 over df2 degrees of freedom.",
		Examples: []example{{"round(f_pdf(15.2068649, 6, 4), 10)", "0.0012237996"}, {"f_pdf(0, 2, 3)", "1"}},
		Formula: "if(x == 0, if(df1 == 2, 1, 0^(df1 - 2)), exp(ln_gamma((df1 + df2) / 2) - ln_gamma(df1 / 2) - ln_gamma(df2 / 2)" +
			" + df1 / 2 * ln(df1 / df2) + (df1 / 2 - 1) * ln(x) - (df1 + df2) / 2 * ln(1 + df1 * x / df2)))", Spreadsheet: "F.DIST",
	},
	{
		Name: "f_quantile", Params: plainParams("p", "df1", "df2"), Result: "1",
		Doc:      "The value that a variable of the F distribution with df1 over df2 degrees of freedom stays below with probability p.",
		Examples: []example{{"round(f_quantile(0.01, 6, 4), 8)", "0.10930991"}, {"f_quantile(0.5, 3, 3)", "1"}},
		Eval:     ratioQuantile("f_quantile", false), Float: first2(ratioQuantileAt(false)), Intervals: enclosedRatioQuantile(false),
		Slopes: []string{"1 / f_pdf(f_quantile(p, df1, df2), df1, df2)", "", ""}, Isolated: []string{"f_cdf(t, df1, df2)"},
		Spreadsheet: "F.INV",
	},
	{
		Name: "f_tail_quantile", Params: plainParams("p", "df1", "df2"), Result: "1",
		Doc:      "The value that a variable of the F distribution with df1 over df2 degrees of freedom is above with probability p.",
		Examples: []example{{"round(f_tail_quantile(0.01, 6, 4), 8)", "15.20686486"}, {"f_tail_quantile(0.5, 3, 3)", "1"}},
		Eval:     ratioQuantile("f_tail_quantile", true), Float: first2(ratioQuantileAt(true)), Intervals: enclosedRatioQuantile(true),
		Slopes: []string{"-1 / f_pdf(f_tail_quantile(p, df1, df2), df1, df2)", "", ""}, Isolated: []string{"f_tail(t, df1, df2)"},
		Spreadsheet: "F.INV.RT FINV",
	},
	{
		Name: "beta_cdf", Params: plainParams("x", "a", "b"), Result: "1",
		Doc:      "The probability that a beta variable of parameters a and b is at most x, from 0 to 1: the incomplete beta function as a share of the whole.",
		Examples: []example{{"round(beta_cdf(0.5, 8, 10), 9)", "0.685470581"}, {"beta_cdf(0.5, 3, 3)", "0.5"}, {"beta_cdf(1.5, 3, 3)", "! calculation.domain_error"}},
		Eval:     betaShare, Float: first2(betaAt), Intervals: enclosed(betaAt, shareInterval, shareInterval, notNegative, notNegative),
		Slopes: []string{"beta_pdf(x, a, b)", "", ""}, Isolated: []string{"beta_quantile(t, a, b)"},
		Spreadsheet: "BETA.DIST BETADIST",
	},
	{
		Name: "beta_pdf", Params: plainParams("x", "a", "b"), Result: "1",
		Doc:      "The density at x of a beta variable of parameters a and b.",
		Examples: []example{{"round(beta_pdf(0.5, 8, 10), 9)", "2.967529297"}, {"beta_pdf(0, 1, 3)", "3"}},
		Formula: "if(x == 0, if(a == 1, b, 0^(a - 1)), if(x == 1, if(b == 1, a, 0^(b - 1))," +
			" exp((a - 1) * ln(x) + (b - 1) * ln(1 - x) + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b))))", Spreadsheet: "BETA.DIST",
	},
	{
		Name: "beta_quantile", Params: plainParams("p", "a", "b"), Result: "1",
		Doc:      "The value that a beta variable of parameters a and b stays below with probability p.",
		Examples: []example{{"round(beta_quantile(0.685470581, 8, 10) * 2 + 1, 6)", "2"}, {"beta_quantile(0.5, 3, 3)", "0.5"}},
		Eval:     betaQuantile, Float: first2(betaQuantileAt), Intervals: enclosed(betaQuantileAt, shareInterval, shareInterval, notNegative, notNegative),
		Slopes: []string{"1 / beta_pdf(beta_quantile(p, a, b), a, b)", "", ""}, Isolated: []string{"beta_cdf(t, a, b)"},
		Spreadsheet: "BETA.INV BETAINV",
	},
	{
		Name: "gamma_cdf", Params: gammaParams, Result: "1",
		Doc:      "The probability that a gamma variable of some shape and scale is at most x.",
		Examples: []example{{"round(gamma_cdf(10.00001131, 9, 2), 6)", "0.068094"}, {"gamma_cdf(3 [h], 1, 3 [h]) - (1 - exp(-1))", "0"}},
		Formula:  "gamma_p(x / scale, shape)", Spreadsheet: "GAMMA.DIST GAMMADIST",
	},
	{
		Name: "gamma_tail", Params: gammaParams, Result: "1",
		Doc:      "The probability that a gamma variable of some shape and scale is above x.",
		Examples: []example{{"gamma_tail(3, 1) - exp(-3)", "0"}, {"round(gamma_tail(10.00001131, 9, 2), 6)", "0.931906"}},
		Formula:  "gamma_q(x / scale, shape)",
	},
	{
		Name: "gamma_pdf", Params: gammaParams, Result: "1/a",
		Doc:      "The density at x of a gamma variable of some shape and scale.",
		Examples: []example{{"round(gamma_pdf(10.00001131, 9, 2), 6)", "0.032639"}, {"gamma_pdf(0, 1)", "1"}, {"gamma_pdf(0, 3)", "0"}},
		Formula: "if(x == 0, if(shape == 1, 1, 0^(shape - 1))," +
			" exp((shape - 1) * ln(x / scale) - x / scale - ln_gamma(shape))) / scale", Spreadsheet: "GAMMA.DIST",
	},
	{
		Name: "gamma_quantile", Params: ofShare(gammaParams), Result: "a",
		Doc:      "The value that a gamma variable of some shape and scale stays below with probability p.",
		Examples: []example{{"round(gamma_quantile(0.068094, 9, 2), 4)", "10"}, {"gamma_quantile(0.5, 1) - ln(2)", "0"}},
		Formula:  "scale * gamma_p_inverse(p, shape)", Spreadsheet: "GAMMA.INV GAMMAINV",
	},
	{
		Name: "exponential_cdf", Params: exponential, Result: "1",
		Doc:      "The probability that an exponential variable of some rate is at most x.",
		Examples: []example{{"round(exponential_cdf(0.2, 10), 8)", "0.86466472"}, {"exponential_cdf(0, 2)", "0"}, {"exponential_cdf(-1, 2)", "! calculation.domain_error"}},
		Formula:  "1 - exp(-rate * x)", Spreadsheet: "EXPON.DIST EXPONDIST",
	},
	{
		Name: "exponential_pdf", Params: exponential, Result: "1/a",
		Doc:      "The density at x of an exponential variable of some rate.",
		Examples: []example{{"round(exponential_pdf(0.2, 10), 8)", "1.35335283"}, {"exponential_pdf(0, 2)", "2"}},
		Formula:  "rate * exp(-rate * x)", Spreadsheet: "EXPON.DIST",
	},
	{
		Name: "exponential_quantile", Params: []param{{name: "p", dimension: "1", check: "p >= 0"}, exponential[1]}, Result: "a",
		Doc:      "The value that an exponential variable of some rate stays below with probability p.",
		Examples: []example{{"exponential_quantile(0.5, 2) - ln(2) / 2", "0"}, {"exponential_quantile(0, 2)", "0"}},
		Formula:  "-ln(1 - p) / rate",
	},
	{
		Name: "weibull_cdf", Params: weibull, Result: "1",
		Doc:      "The probability that a Weibull variable of some shape and scale is at most x.",
		Examples: []example{{"round(weibull_cdf(105, 20, 100), 6)", "0.929581"}, {"weibull_cdf(2000 [h], 1, 2000 [h]) - (1 - exp(-1))", "0"}},
		Formula:  "1 - exp(-(x / scale)^shape)", Spreadsheet: "WEIBULL.DIST WEIBULL",
	},
	{
		Name: "weibull_pdf", Params: weibull, Result: "1/a",
		Doc:      "The density at x of a Weibull variable of some shape and scale.",
		Examples: []example{{"round(weibull_pdf(105, 20, 100), 6)", "0.035589"}, {"weibull_pdf(0, 2, 3)", "0"}},
		Formula:  "shape / scale * (x / scale)^(shape - 1) * exp(-(x / scale)^shape)", Spreadsheet: "WEIBULL.DIST",
	},
	{
		Name: "weibull_quantile", Params: append([]param{{name: "p", dimension: "1", check: "p >= 0"}}, weibull[1:]...), Result: "a",
		Doc:      "The value that a Weibull variable of some shape and scale stays below with probability p.",
		Examples: []example{{"round(weibull_quantile(0.929581, 20, 100), 3)", "105"}, {"weibull_quantile(0, 2, 3)", "0"}},
		Formula:  "scale * (-ln(1 - p))^(1 / shape)",
	},
	{
		Name: "poisson_cdf", Params: []param{{name: "k", dimension: "1"}, {name: "mean", dimension: "1"}}, Result: "1",
		Doc:      "The probability that a Poisson variable of some mean is at most k.",
		Examples: []example{{"round(poisson_cdf(2, 5), 6)", "0.124652"}, {"poisson_cdf(0, 3) - exp(-3)", "0"}, {"poisson_cdf(-1, 3)", "0"}},
		Formula:  "if(k < 0, 0, gamma_q(mean, floor(k) + 1))", Spreadsheet: "POISSON.DIST POISSON",
	},
	{
		Name: "poisson_pmf", Params: []param{wholeNumber, {name: "mean", dimension: "1"}}, Result: "1",
		Doc:      "The probability that a Poisson variable of some mean is k, a whole number.",
		Examples: []example{{"round(poisson_pmf(2, 5), 6)", "0.084224"}, {"poisson_pmf(0, 0)", "1"}, {"poisson_pmf(1.5, 2)", "! calculation.domain_error"}},
		Formula:  "if(k < 0, 0, if(mean == 0, if(k == 0, 1, 0), exp(k * ln(mean) - mean - ln_gamma(k + 1))))", Spreadsheet: "POISSON.DIST",
	},
	{
		Rising: inSteps("+"), Name: "poisson_quantile", Params: plainParams("p", "mean"), Result: "1",
		Doc:      "The least whole number that a Poisson variable of some mean does not exceed with a probability of p or more.",
		Examples: []example{{"poisson_quantile(0.95, 5)", "9"}, {"poisson_quantile(exp(-5), 5)", "0"}, {"poisson_quantile(1, 5)", "! calculation.domain_error"}},
		Eval:     poissonQuantile,
	},
	{
		Name: "binomial_cdf", Params: []param{{name: "k", dimension: "1"}, throws, chance}, Result: "1",
		Doc:      "The probability of at most k successes in n trials with a chance of p each.",
		Examples: []example{{"binomial_cdf(6, 10, 0.5)", "0.828125"}, {"binomial_cdf(10, 10, 0.5)", "1"}, {"binomial_cdf(2, 10, 1.5)", "! calculation.domain_error"}},
		Formula:  "if(k < 0, 0 * p, if(k >= n, 1 + 0 * p, beta_cdf(1 - p, n - floor(k), floor(k) + 1)))", Spreadsheet: "BINOM.DIST BINOMDIST",
	},
	{
		Name: "binomial_pmf", Params: []param{wholeNumber, throws, {name: "p", dimension: "1", check: "p >= 0 and p <= 1"}}, Result: "1",
		Doc:      "The probability of exactly k successes in n trials with a chance of p each.",
		Examples: []example{{"binomial_pmf(6, 10, 0.5)", "0.205078125"}, {"binomial_pmf(0, 3, 0)", "1"}, {"round(binomial_pmf(500000, 1000000, 0.5), 12)", "0.000797884361"}},
		Formula: "if(k < 0 or k > n, 0, if(p == 0, if(k == 0, 1, 0), if(p == 1, if(k == n, 1, 0), if(n <= 1000, choose(n, k) * p^k * (1 - p)^(n - k)," +
			" exp(ln_gamma(n + 1) - ln_gamma(k + 1) - ln_gamma(n - k + 1) + k * ln(p) + (n - k) * ln(1 - p))))))", Spreadsheet: "BINOM.DIST",
	},
	{
		Rising: inSteps("+"), Name: "binomial_quantile", Params: plainParams("share", "n", "p"), Result: "1",
		Doc:      "The least number of successes in n trials, with a chance of p each, that is not exceeded with a probability of share or more.",
		Examples: []example{{"binomial_quantile(0.75, 6, 0.5)", "4"}, {"binomial_quantile(0.828125, 10, 0.5)", "6"}, {"binomial_quantile(1, 10, 0.5)", "10"}},
		Eval:     binomialQuantile, Spreadsheet: "BINOM.INV CRITBINOM",
	},
	{
		Name: "negative_binomial_pmf", Params: []param{wholeNumber, {name: "n", dimension: "1", check: "n >= 1 and n == floor(n)"}, {name: "p", dimension: "1", check: "p > 0 and p <= 1"}}, Result: "1",
		Doc:      "The probability of exactly k failures before the n-th success, with a chance of p each.",
		Examples: []example{{"round(negative_binomial_pmf(10, 5, 0.25), 7)", "0.0550487"}, {"negative_binomial_pmf(0, 3, 0.5)", "0.125"}},
		Formula:  "if(k < 0, 0, choose(k + n - 1, n - 1) * p^n * if(p == 1, if(k == 0, 1, 0), (1 - p)^k))", Spreadsheet: "NEGBINOM.DIST NEGBINOMDIST",
	},
	{
		Name: "hypergeometric_pmf", Params: []param{wholeNumber, {name: "sample", dimension: "1"}, {name: "marked", dimension: "1"}, {name: "population", dimension: "1"}}, Result: "1",
		Doc:      "The probability that a sample, taken without putting back from a population of which some are marked, has exactly k marked ones.",
		Examples: []example{{"round(hypergeometric_pmf(1, 4, 8, 20), 6)", "0.363261"}, {"hypergeometric_pmf(0, 1, 5, 10)", "0.5"}},
		Formula: "if(k < 0 or k > sample or k > marked or sample - k > population - marked, 0," +
			" choose(marked, k) * choose(population - marked, sample - k) / choose(population, sample))", Spreadsheet: "HYPGEOM.DIST HYPGEOMDIST",
	},
}

package engine

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/input"
	"reckon/engine/value"
)

// listedFunctions are the functions that equations may use.
const listedFunctions = `abs sign sqrt cbrt root exp ln log log10 log2 hypot floor ceil round trunc mod min max clamp gcd lcm
factorial choose if
gamma ln_gamma erf erfc erf_inverse erfc_inverse gamma_p gamma_q gamma_p_inverse gamma_q_inverse
normal_cdf normal_tail normal_pdf normal_quantile confidence_normal confidence_t lognormal_cdf lognormal_pdf lognormal_quantile t_cdf t_tail t_pdf t_quantile
chi2_cdf chi2_tail chi2_pdf chi2_quantile chi2_tail_quantile f_cdf f_tail f_pdf f_quantile f_tail_quantile beta_cdf beta_pdf beta_quantile
bill_equivalent_yield bill_price bill_yield
gamma_cdf gamma_tail gamma_pdf gamma_quantile exponential_cdf exponential_pdf exponential_quantile weibull_cdf weibull_pdf weibull_quantile
poisson_cdf poisson_pmf poisson_quantile binomial_cdf binomial_pmf binomial_quantile negative_binomial_pmf hypergeometric_pmf
sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh
sum product avg median count stdev stdevp var varp percentile percentile_exclusive first last cumsum sort reverse range table rows column row cell
transpose lookup interpolate tiered sumproduct each slope intercept correlation r_squared forecast standard_error slope_error covariance covariancep
pmt ipmt ppmt fv pv nper rate npv irr xnpv xirr amortization cumprinc cumipmt effect nominal rri sln syd ddb db vdb mirr pduration ispmt
bond_price bond_yield bond_duration bond_modified_duration accrued_interest discount_rate coupon_count coupon_days coupon_days_over
coupon_days_left next_coupon previous_coupon year_fraction days360 days_between months_between add_workdays iso_week round_to schedule previous lookup_exact countif sumif averageif minif maxif
date time year month day hour minute second weekday add_months add_years end_of_month workdays years_between`

// TestFunctionsAreComplete holds the table to the list, each name once and with all that a reader
// needs.
func TestFunctionsAreComplete(t *testing.T) {
	var names []string
	for _, f := range formula.Functions() {
		if slices.Contains(names, f.Name) {
			t.Errorf("%s stands in the table twice", f.Name)
		}
		names = append(names, f.Name)
		if f.Doc == "" || !strings.HasSuffix(f.Doc, ".") || len(f.Examples) < 2 || len(f.Parameters) == 0 || f.Result == "" {
			t.Errorf("%s needs sentences of documentation, parameters, a result and two examples", f.Name)
		}
	}
	want := strings.Fields(listedFunctions)
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("the table has\n%v, the list\n%v", names, want)
	}
}

// kindOf is the kind of a variable that holds a value.
func kindOf(value string) string {
	if strings.HasPrefix(value, "[") {
		return "table"
	}
	return ""
}

// evaluate is the value of an expression without variables, in a variable of a kind: "", table or
// one of moments.
func evaluate(t *testing.T, expression, kind string) string {
	t.Helper()
	def := Definition{
		Title:      "Example",
		Variables:  []value.Variable{{Key: "r", Kind: kind}, {Key: "given", Default: value.Scalar("1")}},
		Activities: []Activity{{Equation: "r = (" + expression + ") * given"}},
	}
	moment := kind != "" && kind != "table"
	if moment {
		def.Variables[1].Default = value.Scalar("0 s")
		def.Activities[0].Equation = "r = " + expression + " + given"
	}
	d, issues := Compile(def)
	if d == nil {
		t.Errorf("%s: %v", expression, issues)
		return ""
	}
	answered := answer(d, "-> r")
	if moment {
		_, normal, errs := input.ParseValue(&d.Scope, 0, value.Scalar(answered), value.Env{})
		if len(errs) == 0 {
			return normal.Scalar()
		}
	}
	return answered
}

// TestFunctions runs the examples of the function table.
func TestFunctions(t *testing.T) {
	for _, f := range formula.StandardFunctions.Functions() {
		for _, e := range f.Examples {
			kind := kindOf(e.Value)
			if f.Points == formula.PointResult && !strings.Contains(e.Expression, "=") {
				kind = "date"
			}
			got := evaluate(t, e.Expression, kind)
			if strings.HasPrefix(e.Value, "! ") {
				got = strings.Join(strings.Fields(got + " . .")[:2], " ")
			}
			if got != e.Value {
				t.Errorf("%s is %s, want %s", e.Expression, got, e.Value)
			}
		}
	}
}

// TestPublished runs testdata/functions: expressions with values from elsewhere, so that -update
// leaves them alone.
func TestPublished(t *testing.T) {
	files, err := filepath.Glob("testdata/functions/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(data), "\n") {
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			m := published.FindStringSubmatch(line)
			if m == nil {
				t.Fatalf("%s:%d: not a case: %s", file, i+1, line)
			}
			got := evaluate(t, m[2], strings.TrimSpace(m[1]))
			same := got == m[4]
			switch m[3] {
			case "~":
				same = shownAs(got, m[4])
			case "!":
				same = strings.HasPrefix(got, "! "+m[4]+" ")
			}
			if !same {
				t.Errorf("%s:%d: %s is %s, want %s", file, i+1, m[2], got, m[4])
			}
		}
	}
}

// published is a line of testdata/functions: kind, expression, how the value is meant, value.
var published = regexp.MustCompile(`^(date |)(.*) (=>|~|!) (\S+)$`)

// shownAs reports whether a number rounds to another at that one's last digit.
func shownAs(number, shown string) bool {
	_, decimals, _ := strings.Cut(shown, ".")
	c := decimal.NewContext(value.DefaultBudget)
	d, err := decimal.Parse(number)
	return err == nil && c.Round(d, len(decimals)).Cmp(decimal.MustParse(shown)) == 0
}

// TestInverses puts values through functions and back.
func TestInverses(t *testing.T) {
	for _, f := range formula.StandardFunctions.Functions() {
		if f.Inverse == nil && f.Isolations == nil || len(f.Params) != 1 || f.Variadic {
			continue
		}
		d, issues := Compile(Definition{
			Title:      "Inverse",
			Variables:  []value.Variable{{Key: "x"}, {Key: "y"}},
			Activities: []Activity{{Equation: "y = " + f.Name + "(x)"}},
		})
		if d == nil {
			t.Fatal(issues)
		}
		for _, x := range []string{"0.3", "0.9", "1", "1.2"} {
			y := answer(d, "x "+x+" -> y")
			if strings.HasPrefix(y, "!") {
				continue
			}
			s, errs := ask(d, "y "+y+" -> x")
			if len(errs) > 0 {
				t.Errorf("%s(%s) = %s does not go back: %v", f.Name, x, y, errs)
				continue
			}
			back, _ := ask(d, "x "+s.Value.Text().Scalar()+" -> y")
			if !near(back.Value, y) {
				t.Errorf("%s(%s) = %s goes back to %s", f.Name, x, y, s.Value.Text().Scalar())
			}
		}
	}
}

// near compares a value with a number to 25 digits.
func near(v value.Value, text string) bool {
	c := decimal.NewContext(value.DefaultBudget)
	if len(v.Cells) == 0 {
		return false
	}
	number, _, _ := strings.Cut(text, " ")
	want := decimal.MustParse(number)
	miss := c.Sub(v.Quantity().Number, want).Abs()
	return miss.Cmp(c.Mul(want.Abs(), decimal.MustParse("1e-25"))) <= 0
}

// TestReturnOfTables asks for rates of payments that are a table, on dates that are one.
func TestReturnOfTables(t *testing.T) {
	d, issues := Compile(Definition{
		Title: "Returns",
		Variables: []value.Variable{
			{Key: "payments", Kind: "table", Unit: "USD"},
			{Key: "dates", Kind: "table", Display: []byte(`{"table": {"columns": [{"name": "date", "kind": "date"}]}}`)},
			{Key: "regular", Kind: "percent"}, {Key: "dated", Kind: "percent"}, {Key: "worth", Unit: "USD"},
		},
		Activities: []Activity{
			{Equation: "regular = irr(payments)"}, {Equation: "dated = xirr(payments, dates)"},
			{Equation: "worth = xnpv(dated, payments, dates)"},
		},
	})
	if d == nil {
		t.Fatal(issues)
	}
	for question, want := range map[string]string{
		"payments [-100, 60, 72] -> regular":                                              "0.2",
		"payments [-100, , 121] -> regular":                                               "0.21",
		"payments [-100, 121]; dates [2025-01-01, 2026-01-01]; -regular -> dated":         "0.21",
		"payments [-100, 121]; dates [2025-01-01, 2026-01-01]; dated 10% -> worth":        "10 USD",
		"payments [-100, 121]; dates [2026-01-01, 2025-01-01]; -regular -> dated":         "! calculation.domain_error dated = xirr(payments, dates) | xirr | 1735689600",
		"payments [-100, 121, 5]; dates [2025-01-01, 2026-01-01]; -regular -> dated":      "! calculation.table_mismatch payments | dates",
		"payments [100, 121]; dates [2025-01-01, 2026-01-01]; -regular -> dated":          "! calculation.no_solution dated",
		"payments [-100 USD, 121 EUR]; dates [2025-01-01, 2026-01-01]; -regular -> dated": "! input.incompatible_units USD | EUR",
	} {
		if got := answer(d, question); got != want {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
}

// TestErrorFunctionFarOut compares with values of mpmath at 50 digits, and asks for quantiles.
func TestErrorFunctionFarOut(t *testing.T) {
	for expression, want := range map[string]string{
		"normal_cdf(-12)":     "1.776482112077678997696171001845557e-33",
		"erfc(10)":            "2.088487583762544757000786294957789e-45",
		"erf(2) + erf(-2)":    "0",
		"erf(100)":            "1",
		"erfc(2) + erf(2)":    "1",
		"normal_cdf(2, 2)":    "0.5",
		"normal_pdf(5, 5, 2)": "0.1994711402007163389699730299671909",
	} {
		if got := evaluate(t, expression, ""); got != want {
			t.Errorf("%s is %s, want %s", expression, got, want)
		}
	}
	d, issues := Compile(withFunctions("p = normal_cdf(z, mean, sd)"))
	if d == nil {
		t.Fatal(issues)
	}
	if got := answer(d, "p 0.975; mean 0; sd 1 -> z"); got != "1.959963984540054235524594430520552" {
		t.Error(got)
	}
}

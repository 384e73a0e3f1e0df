package units

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// The built-in table resolves, has no spelling of two meanings once prefixes are applied, and holds
// its dimensions (loading checks those).
func TestTableIsSound(t *testing.T) {
	w, err := loadWords(unitsText, currenciesText)
	if err != nil {
		t.Fatal(err)
	}
	for _, clash := range w.clashes() {
		t.Error(clash)
	}
	if len(w.entries) < 450 {
		t.Errorf("the table holds only %d units", len(w.entries))
	}
}

// Loading and the clash check see what they are for.
func TestUnsoundTables(t *testing.T) {
	const metre = "[length]\nm | | metre(s) | si | base | SI\n"
	for text, want := range map[string]string{
		metre + "ft | | foot | - | 12 in | x":                                      "unknown unit",
		metre + "m | | | - | 2 m | x":                                              "belongs to m",
		metre + "ell | | metre | - | 2 m | x":                                      "belongs to m",
		metre + "[area]\nell | | | - | 2 m | x":                                    "stands under area",
		metre + "ell | | | - | 2 m":                                                "columns",
		metre + "ell | | | huge | 2 m | x":                                         "unknown prefixes",
		metre + "ell | | | - | 0 m | x":                                            "no number",
		metre + "ell | | | - | base | x":                                           "no base unit",
		metre + "ell | | | - | alias m | x":                                        "spelt m",
		metre + "[temperature]\nK | | | - | base | SI\nhot | | | - | K @ warm | x": "zero",
		metre + "ell | | | - | 2 m^(1/2) | x":                                      "definition",
		metre + "[temperature]\nK | | | - | base | SI\nC | | | - | K @ 1 | x\nF | | | - | 2 C @ 1 | x": "number",
	} {
		if _, err := loadWords(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one about %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		metre + "mm | | | - | 2 m | x":                        "mm is",
		metre + "millimetre_ | | millimetre | - | 2 m | x":    "millimetre is a name",
		metre + "ell | | mm | - | 2 m | x":                    "mm is a name",
		metre + "ell | | m | - | 2 m | x":                     "m is a name",
		metre + "b | | | si | 2 m | x\nab | | | si | 3 m | x": "dab is",
	} {
		w, err := loadWords(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if clashes := strings.Join(w.clashes(), "\n"); !strings.Contains(clashes, want) {
			t.Errorf("%q: clashes %q, want one with %q", text, clashes, want)
		}
	}
}

func TestEverySpellingParses(t *testing.T) {
	table := Standard()
	for e := range table.All() {
		unit := mustParse(t, table, e.Symbol)
		if unit.Symbol() != e.Symbol {
			t.Errorf("%s is emitted as %s", e.Symbol, unit.Symbol())
		}
		if name := unit.Dimension().Name(); name != e.Dimension {
			t.Errorf("%s: dimension %s, listed as %s", e.Symbol, name, e.Dimension)
		}
		if e.Definition == "" || e.Source == "" {
			t.Errorf("%s has no definition or no source", e.Symbol)
		}
		for _, text := range slices.Concat(e.Symbols, e.Names) {
			if u := mustParse(t, table, text); u.Symbol() != e.Symbol {
				t.Errorf("%q is %s, want %s", text, u.Symbol(), e.Symbol)
			}
		}
		for _, name := range e.Names {
			first, rest := name[:1], name[1:]
			if strings.HasPrefix(name, "å") {
				first, rest = name[:2], name[2:]
			}
			if _, ambiguous := table.words.ambiguous[strings.ToUpper(first)+rest]; ambiguous {
				continue
			}
			if u := mustParse(t, table, strings.ToUpper(first)+rest); u.Symbol() != e.Symbol && len(name) > 3 {
				t.Errorf("%q with a capital is %s, want %s", name, u.Symbol(), e.Symbol)
			}
		}
		for _, p := range e.Prefixes {
			u := mustParse(t, table, p+e.Symbol)
			if u.Symbol() != p+e.Symbol || u.Dimension() != unit.Dimension() {
				t.Errorf("%s%s is %s", p, e.Symbol, u.Symbol())
			}
		}
	}
}

func TestAmbiguousSpellings(t *testing.T) {
	table := Standard()
	if len(table.words.ambiguous) == 0 {
		t.Fatal("there are none")
	}
	for spelling, candidates := range table.words.ambiguous {
		var unknown *UnknownError
		if _, err := table.Parse(spelling); !errors.As(err, &unknown) || !slices.Equal(unknown.Nearest, candidates) {
			t.Errorf("%q: %v, want an error that names %q", spelling, err, candidates)
		}
		first := mustParse(t, table, candidates[0])
		for _, c := range candidates[1:] {
			if !Compatible(first, mustParse(t, table, c)) {
				t.Errorf("%q: %s and %s have different dimensions", spelling, candidates[0], c)
			}
		}
	}
}

func TestNamedDimensions(t *testing.T) {
	table := Standard()
	names, dimensions := map[string]bool{}, map[Dimension]string{}
	for _, n := range namedDimensions {
		if names[n.name] || dimensions[n.dimension] != "" {
			t.Errorf("%s is listed twice, or its dimension is that of %s", n.name, dimensions[n.dimension])
		}
		names[n.name], dimensions[n.dimension] = true, n.name
		u := mustParse(t, table, n.unit)
		if u.Dimension() != n.dimension || !u.scale.plain || u.Symbol() != n.unit {
			t.Errorf("%s: the unit %s is %s of dimension %s", n.name, n.unit, u.Symbol(), u.Dimension().Name())
		}
	}
	for i, symbol := range baseSymbols {
		if u := mustParse(t, table, symbol); u.Dimension() != dimension(baseLetters[i:i+1]) || u.Dimension().Name() != baseNames[i] {
			t.Errorf("%s is no unit of %s", symbol, baseNames[i])
		}
	}
}

func TestCountingUnits(t *testing.T) {
	table, err := Standard().With("widget", "person", "box", "story")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"widget": "widget", "Widgets": "widget", "people": "person", "persons": "person", "boxes": "box", "stories": "story",
		"widgets per person": "widget/person", "widget^2": "widget^2", "widget2": "widget^2",
	} {
		if u := mustParse(t, table, text); u.Symbol() != want {
			t.Errorf("%q is %s, want %s", text, u.Symbol(), want)
		}
	}
	if _, err := Standard().Parse("widget"); err == nil {
		t.Error("the built-in table knows a counting unit of another one")
	}
	widget, person := mustParse(t, table, "widget").Dimension(), mustParse(t, table, "person").Dimension()
	if widget == person || widget.Name() != "widget" || widget.Div(person).Name() != "widget/person" {
		t.Errorf("dimensions %q and %q", widget.Name(), person.Name())
	}
	if more, err := table.With("gadget"); err != nil || mustParse(t, more, "gadgets/widget").Symbol() != "gadget/widget" {
		t.Errorf("a second With: %v", err)
	}
	if same, err := table.With(); err != nil || same != table {
		t.Errorf("With without names: %v", err)
	}
	last := ""
	for e := range table.All() {
		last = e.Symbol
	}
	if last != "widget" {
		t.Errorf("the last unit listed is %s", last)
	}
	for taken, unit := range map[string]string{"m": "m", "kg": "kg", "metres": "m", "USD": "USD", "Kg": "kg", "gadget": ""} {
		symbol := ""
		if u := Standard().Taken(taken); u != nil {
			symbol = u.Symbol()
		}
		if symbol != unit {
			t.Errorf("%q is taken by %q, want %q", taken, symbol, unit)
		}
	}
	for _, bad := range []string{"", "a b", "2x", "x2", "per", "Square", "a-b", "a/b", "%", "€",
		"widget", "Widgets", "pi", strings.Repeat("x", 41), "a\xff", "m2"} {
		if _, err := table.With(bad); err == nil {
			t.Errorf("With(%q) is accepted", bad)
		}
	}
	if _, err := Standard().With("gadget", "Gadget"); err == nil {
		t.Error("two counting units of one name are accepted")
	}
}

func TestWithCurrency(t *testing.T) {
	table := countingTable(t)
	for text, want := range map[string]string{
		"USD": "EUR", "USD/kWh": "EUR/kWh", "m": "m", "GBP": "GBP", "USD/EUR": "", "USD^2": "EUR^2", "%": "%",
	} {
		u := table.WithCurrency(mustParse(t, table, text), "USD", "EUR")
		if u.Symbol() != want {
			t.Errorf("%s in EUR is %s, want %s", text, u.Symbol(), want)
		}
		if d := mustParse(t, table, text).Dimension().WithCurrency("USD", "EUR"); d != u.Dimension() {
			t.Errorf("%s in EUR has the dimension %s, not %s", text, u.Dimension().Name(), d.Name())
		}
	}
	if codes := mustParse(t, table, "USD·JPY/(EUR·widget)").Dimension().Currencies(); !slices.Equal(codes, []string{"EUR", "JPY", "USD"}) {
		t.Errorf("currencies %v", codes)
	}
	if codes := Length.Currencies(); len(codes) != 0 {
		t.Errorf("currencies %v of a length", codes)
	}
}

// clashes lists the spellings that two readings fit: symbols and names, bare or with a prefix.
func (w *words) clashes() []string {
	var list []string
	symbols := map[string]*Unit{}
	for symbol, s := range w.symbols {
		symbols[symbol] = s.entry.unit
	}
	for symbol, s := range w.symbols {
		if !s.prefixed {
			continue
		}
		for _, p := range prefixSymbols {
			u := w.prefixed(p.index, s.entry)
			if u == nil {
				continue
			}
			if known, ok := symbols[p.text+symbol]; ok && known != u {
				list = append(list, p.text+symbol+" is "+known.symbol+" and "+prefixes[p.index].name+" "+s.entry.Symbol)
			}
			symbols[p.text+symbol] = u
		}
	}
	for name, e := range w.names {
		if known, ok := symbols[name]; ok && known != e.unit {
			list = append(list, name+" is a name of "+e.Symbol+" and the symbol of "+known.symbol)
		}
		for p, rest := range cutPrefix(name, prefixNames) {
			if u := w.prefixed(p.index, w.names[rest]); u != nil && u != e.unit {
				list = append(list, name+" is a name of "+e.Symbol+" and "+prefixes[p.index].name+" "+w.names[rest].Symbol)
			}
		}
	}
	return list
}

// TestDeclaredNamesWin declares names that the built-in table has, as it may have learned them since.
func TestDeclaredNamesWin(t *testing.T) {
	table, err := Standard().With("skot", "person", "rhe", "foot")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"skot": "skot", "Skots": "skot", "skots/person": "skot/person", "2": "", "rhe": "rhe", "per rhe": "1/rhe", "km/rhe": "km/rhe",
		"feet": "ft", "foot": "foot", "square foot": "foot^2", "ft": "ft", "skot^2": "skot^2",
	} {
		u, err := table.Parse(text)
		switch {
		case err != nil:
			if want != "" {
				t.Errorf("%q: %v", text, err)
			}
		case u.Symbol() != want:
			t.Errorf("%q is %s, want %s", text, u.Symbol(), want)
		}
	}
	if d := mustParse(t, table, "skot").Dimension(); d.Name() != "skot" || d == mustParse(t, Standard(), "skot").Dimension() {
		t.Errorf("a declared skot is %s", d.Name())
	}
}

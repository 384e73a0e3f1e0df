package spreadsheet

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"reckon/commands/domainfile"
	"reckon/engine/syntax"
	"reckon/engine/units"
	"reckon/events"
)

// Imported is a domain that was made of a spreadsheet, with what was not understood, each with its
// cell.
type Imported struct {
	Text  []byte // of the domain file
	Notes []string
	Cells int // that became variables
	Tests int
}

// maxVariables is how many cells become variables.
const maxVariables = 2_000

// Import makes a domain file of a spreadsheet. A number or formula is a variable where a defined
// name or a text to its left or above it says what it is. A formula is an equation where its parts
// are variables, and where it gives the value that the spreadsheet has. It fails for a file that is
// no spreadsheet, and for one in which nothing is labelled.
func Import(name string, data []byte) (Imported, error) {
	g, err := readGrid(name, data)
	if err != nil {
		return Imported{}, err
	}
	m := &maker{grid: g, keys: map[place]string{}, at: map[string]place{}, taken: map[string]bool{}, notes: g.notes}
	m.title = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	m.label()
	if len(m.labelled) == 0 {
		return Imported{}, fmt.Errorf("%s has no number with a name or a text beside it, of which a variable could be made", name)
	}
	return m.domain()
}

// maker makes the domain step by step.
type maker struct {
	*grid
	title    string
	labelled []place // that are variables, in the order of the file
	labels   map[place]string
	units    map[place]string
	choices  map[place][]string // the texts that a formula gives
	keys     map[place]string
	at       map[string]place
	taken    map[string]bool
	tests    []int // of each test of the definition, the calculation that it is of
	notes    []string
}

func (m *maker) note(p place, format string, args ...any) {
	m.notes = append(m.notes, p.String()+": "+fmt.Sprintf(format, args...))
}

// unitForm finds a unit in brackets at the end of a label.
var unitForm = regexp.MustCompile(`^(.*?)\s*[(\[]([^()\[\]]+)[)\]]\s*$`)

// currencies are the signs of number formats.
var currencies = []struct{ sign, code string }{{"€", "EUR"}, {"EUR", "EUR"}, {"£", "GBP"}, {"CHF", "CHF"}, {"[$$", "USD"}, {`"$"`, "USD"}, {"$#", "USD"}}

// label finds what the numbers and formulas of the sheets are called.
func (m *maker) label() {
	m.labels, m.units, m.choices = map[place]string{}, map[place]string{}, map[place][]string{}
	for _, p := range m.order {
		c := m.cells[p]
		if !c.number && c.formula == "" {
			continue
		}
		switch {
		case c.number && momentOf(c.format) != noMoment && m.value(p, false) == "":
			m.note(p, "%s is no date or time that a domain has", c.text)
			continue
		case c.formula != "" && !c.number && c.text != "" && !strings.Contains(c.formula, strconv.Quote(c.text)):
			m.note(p, "the formula =%s gives a text or an error, %q", c.formula, c.text)
			continue
		}
		beside := m.beside(p)
		label := cmp.Or(m.names[p], beside)
		if label == "" {
			m.note(p, "the number %s has no name and no text beside it", cmp.Or(c.text, "="+c.formula))
			continue
		}
		if len(m.labelled) == maxVariables {
			m.note(p, "more than %d cells would be variables", maxVariables)
			return
		}
		label = strings.TrimRight(label, ":= ")
		if u := unitForm.FindStringSubmatch(label); u != nil && isUnit(u[2]) {
			label, m.units[p] = u[1], u[2]
		} else if u := unitForm.FindStringSubmatch(strings.TrimRight(beside, ":= ")); u != nil && isUnit(u[2]) {
			m.units[p] = u[2]
		} else if u, right := strings.TrimSpace(m.cells[place{p.sheet, p.column + 1, p.row}].text), m.cells[place{p.sheet, p.column + 1, p.row}]; !right.number && isUnit(u) {
			m.units[p] = u
		}
		for _, money := range currencies {
			if m.units[p] == "" && strings.Contains(c.format, money.sign) {
				m.units[p] = money.code
			}
		}
		m.labels[p] = strings.Join(strings.Fields(strings.TrimRight(label, ":= ")), " ")
		m.keys[p] = m.key(m.labels[p])
		m.at[m.keys[p]] = p
		m.labelled = append(m.labelled, p)
	}
}

func isUnit(text string) bool {
	if text == "" || text == "%" {
		return false
	}
	_, err := units.Standard().Parse(text)
	return err == nil
}

// beside is the text that labels a cell: the nearest one to its left, else the nearest one above,
// each with no more than other numbers between them.
func (m *maker) beside(p place) string {
	for x := p.column - 1; x >= 1; x-- {
		if c, ok := m.cells[place{p.sheet, x, p.row}]; ok && !c.number && c.formula == "" {
			if isUnit(c.text) && x > 1 {
				continue
			}
			// Of several numbers in a row each has the heading of its column too.
			if head := m.above(p); head != "" && (m.counts(p, -1) || m.counts(p, 1)) {
				return c.text + " " + head
			}
			return c.text
		}
	}
	return m.above(p)
}

// counts tells whether the cell so many columns to the right has a number or a formula.
func (m *maker) counts(p place, right int) bool {
	c, ok := m.cells[place{p.sheet, p.column + right, p.row}]
	return ok && (c.number || c.formula != "")
}

func (m *maker) above(p place) string {
	for y := p.row - 1; y >= 1; y-- {
		c, ok := m.cells[place{p.sheet, p.column, y}]
		if !ok {
			return ""
		}
		if !c.number && c.formula == "" {
			return c.text
		}
	}
	return ""
}

// key is a key that no variable has, made of a label.
func (m *maker) key(label string) string {
	key := strings.Trim(strings.Join(strings.FieldsFunc(strings.ToLower(label), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), "_"), "_")
	if r := []rune(key); len(r) > 60 {
		key = strings.Trim(string(r[:60]), "_")
	}
	if !syntax.IsName(key) || slices.Contains([]string{"pi", "e", "true", "false", "today", "now", "calculate", "scenario"}, key) {
		key = "v_" + key
	}
	base := key
	for n := 2; m.taken[key]; n++ {
		key = fmt.Sprintf("%s_%d", base, n)
	}
	m.taken[key] = true
	return key
}

// calculation is a formula as an equation.
type calculation struct {
	at         place
	expression string
	parts      []string // keys that the formula names
}

// calculations translates the formulas.
func (m *maker) calculations() (list []calculation) {
	functions, named := functionNames(), map[string]place{}
	for p, name := range m.names {
		named[strings.ToLower(name)] = p
	}
	for _, p := range m.labelled {
		c := m.cells[p]
		if c.formula == "" {
			continue
		}
		is := calculation{at: p}
		shows, gives := momentOf(c.format), !c.number && strings.Contains(c.formula, `"`)
		expression, err := translate(c.formula, p, functions, reader{m.ranges, named, gives, func(to place) (string, error) {
			if key, ok := m.keys[to]; ok {
				is.parts = append(is.parts, key)
				switch momentOf(m.cells[to].format) {
				case noMoment:
					return key, nil
				case timeMoment:
					return timeOpen + key + timeClose, nil
				}
				return dateOpen + key + dateClose, nil
			}
			switch is, ok := m.cells[to]; {
			case !ok:
				return "", fmt.Errorf("%s %w", to, errEmpty)
			case is.number && is.formula == "":
				return is.text, nil
			}
			return "", fmt.Errorf("%s %w", to, errText)
		}})
		if err == nil && len(is.parts) == 0 {
			err = fmt.Errorf("it names no variable")
		}
		if err != nil {
			m.note(p, "the formula =%s: %v", c.formula, err)
			continue
		}
		is.expression = moments(expression, shows)
		if gives {
			is.expression, m.choices[p] = chosen(expression)
		}
		list = append(list, is)
	}
	return list
}

// domain makes the file. An equation that does not fit, or does not give what the spreadsheet has,
// is left out and noted; units are left out where equations with them do not fit.
func (m *maker) domain() (Imported, error) {
	calculations := m.calculations()
	withUnits := len(m.units) > 0
	for {
		def := m.definition(calculations, withUnits)
		text, err := domainfile.Text("", def)
		if err != nil {
			return Imported{}, err
		}
		_, report := domainfile.Parse("", text).Check()
		if report.Valid {
			return Imported{text, m.notes, len(m.labelled), len(def.Tests)}, nil
		}
		if withUnits && slices.ContainsFunc(report.Findings, func(f domainfile.Finding) bool {
			return !f.Warning && (strings.Contains(f.Message, "dimension") || strings.Contains(f.Message, "units"))
		}) {
			withUnits = false
			m.notes = append(m.notes, "units of labels: the formulas do not fit them, so that all variables are plain numbers")
			continue
		}
		wrong := map[int]string{}
		for _, f := range report.Findings {
			if f.Warning {
				continue
			}
			var i int
			if _, err := fmt.Sscanf(f.Path, "activities[%d]", &i); err != nil {
				if _, err := fmt.Sscanf(f.Path, "tests[%d]", &i); err == nil {
					i = m.tests[i]
				} else {
					return Imported{}, fmt.Errorf("what was made of it is no domain: %s", f.Message)
				}
			}
			wrong[i] = f.Message
		}
		for _, i := range slices.Backward(slices.Sorted(maps.Keys(wrong))) {
			c := calculations[i]
			// One that rests on a wrong one may be right without it.
			if slices.ContainsFunc(c.parts, func(key string) bool {
				return slices.ContainsFunc(slices.Collect(maps.Keys(wrong)), func(k int) bool { return k != i && m.keys[calculations[k].at] == key })
			}) && len(wrong) > 1 {
				delete(wrong, i)
			}
		}
		if len(wrong) == 0 { // each rests on another, in a circle
			for i := range calculations {
				wrong[i] = "the formulas go round in a circle"
			}
		}
		for _, i := range slices.Backward(slices.Sorted(maps.Keys(wrong))) {
			m.note(calculations[i].at, "the formula =%s: %s", m.cells[calculations[i].at].formula, wrong[i])
			calculations = slices.Delete(calculations, i, i+1)
		}
	}
}

// definition is the domain with an equation for each calculation, in the same order, and a test
// where the spreadsheet keeps its value.
func (m *maker) definition(calculations []calculation, withUnits bool) events.Definition {
	def := events.Definition{Title: m.title, Description: "Made of a spreadsheet.", Variables: []events.Variable{}, Activities: []events.Activity{}}
	made := map[string]calculation{}
	for _, c := range calculations {
		made[m.keys[c.at]] = c
	}
	m.tests = nil
	titles := map[string]bool{}
	for _, p := range m.labelled {
		key, c := m.keys[p], m.cells[p]
		v := events.Variable{Key: key, Title: m.labels[p], Kind: "number", DefaultValue: json.RawMessage(`""`)}
		folded := strings.ToLower(strings.NewReplacer("_", " ", "-", " ").Replace(v.Title))
		if titles[folded] || v.Title == "" {
			v.Title = key
		}
		titles[folded] = true
		if withUnits {
			v.Unit = m.units[p]
		}
		if strings.Contains(c.format, "%") {
			v.Kind, v.Unit = "percent", ""
		}
		_, calculated := made[key]
		if shows := momentOf(c.format); shows != noMoment {
			v.Kind, v.Unit = shows.kind(calculated), ""
		}
		for i, label := range m.choices[p] {
			v.Choices = append(v.Choices, events.Choice{Label: label, Value: strconv.Itoa(i + 1)})
		}
		if !calculated && c.number {
			v.DefaultValue, _ = json.Marshal(m.value(p, withUnits)) // a text always encodes
		}
		def.Variables = append(def.Variables, v)
	}
	for i, c := range calculations {
		key := m.keys[c.at]
		def.Activities = append(def.Activities, events.Activity{Title: m.labels[c.at], Equation: key + " = " + c.expression, State: "active"})
		if m.cells[c.at].text == "" {
			continue
		}
		m.tests = append(m.tests, i)
		var b strings.Builder
		for _, part := range m.inputs(key, made, map[string]bool{}) {
			fmt.Fprintf(&b, "%s: %s\n", part, m.value(m.at[part], withUnits))
		}
		expect, _ := json.Marshal(m.value(c.at, withUnits))
		def.Tests = append(def.Tests, events.Test{Prompt: b.String() + "calculate: " + key, Expect: map[string]json.RawMessage{key: expect}})
	}
	activities := map[string]int{}
	for i := range def.Activities {
		if activities[def.Activities[i].Title]++; activities[def.Activities[i].Title] > 1 {
			def.Activities[i].Title = def.Activities[i].Equation
		}
	}
	return def
}

// inputs are the variables with a number of their own that a variable rests on.
func (m *maker) inputs(key string, made map[string]calculation, seen map[string]bool) (list []string) {
	for _, part := range made[key].parts {
		if seen[part] {
			continue
		}
		seen[part] = true
		if _, calculated := made[part]; calculated {
			list = append(list, m.inputs(part, made, seen)...)
		} else {
			list = append(list, part)
		}
	}
	return list
}

// value is the number of a cell as a prompt has it, with ten digits: a spreadsheet keeps fifteen,
// of which the last are off.
func (m *maker) value(p place, withUnits bool) string {
	c := m.cells[p]
	n, err := strconv.ParseFloat(c.text, 64)
	if err != nil {
		return c.text
	}
	if shows := momentOf(c.format); shows != noMoment {
		if c.formula != "" && shows == timeMoment {
			return strconv.FormatFloat(math.Round(n*86400), 'f', -1, 64) + " s"
		}
		return shows.text(n)
	}
	text := strconv.FormatFloat(n, 'g', 10, 64)
	switch {
	case strings.Contains(c.format, "%"):
		return strconv.FormatFloat(n*100, 'g', 10, 64) + "%"
	case withUnits && m.units[p] != "":
		return text + " " + m.units[p]
	}
	return text
}

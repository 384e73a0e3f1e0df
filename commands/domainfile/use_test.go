package domainfile

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"reckon/events"
)

// beside checks the first of some files, each a name, a line break and a text, and says what it
// finds.
func beside(t *testing.T, files ...string) (*File, string) {
	t.Helper()
	all, first := fstest.MapFS{}, ""
	for _, file := range files {
		name, text, _ := strings.Cut(file, "\n")
		all[name] = &fstest.MapFile{Data: []byte(text)}
		if first == "" {
			first = name
		}
	}
	f := ParseBeside(all, first, all[first].Data)
	_, report := f.Check()
	var said []string
	for _, finding := range report.Findings {
		if !finding.Warning {
			name := finding.File
			if name == "" {
				name = f.Name
			}
			said = append(said, fmt.Sprintf("%s:%d:%d: %s", name, finding.Line, finding.Column, finding.Message))
		}
	}
	return f, strings.Join(said, "\n")
}

const salary = `main.yaml
title: Salary
use: [law/tax.yaml]
variables: [{key: salary, unit: EUR}, {key: net, unit: EUR}]
activities: [{equation: net = salary - tax}]
tests: [{prompt: "salary: 1000 EUR\ncalculate: net", expect: {net: 800 EUR}}]
`

func TestUsedFiles(t *testing.T) {
	tax := "variables:\n  - {key: rate, kind: percent, default_value: 20%}\n  - {key: tax, unit: EUR}\nactivities:\n  - equation: tax = salary * rate\n"
	f, said := beside(t, salary, "law/tax.yaml\nuse: [../base.yaml]\nunits: [child]\nsources: [{title: Law}]\nconstraints: {tax <= salary: Too much.}\n"+tax, "base.yaml\nvariables: [{key: base, unit: EUR/child}]\n")
	if said != "" {
		t.Fatal(said)
	}
	var keys []string
	for _, v := range f.Definition.Variables {
		keys = append(keys, v.Key)
	}
	d := f.Definition
	if got := strings.Join(keys, " "); got != "salary net rate tax base" || len(d.Units) != 1 || len(d.Sources) != 1 || len(d.Constraints) != 1 || strings.Join(f.Beside(), " ") != "law/tax.yaml base.yaml" {
		t.Errorf("%s, %+v, %v", got, d, f.Beside())
	}
	// What is published is whole: it reads back without the other files.
	text, err := Text("", d)
	if err != nil {
		t.Fatal(err)
	}
	if back := Parse("whole.yaml", text); !back.Readable() || !sameDefinition(back.Definition, d) {
		t.Errorf("%+v\n%s", back.findings, text)
	}
	test := events.Test{Prompt: "salary: 2000 EUR\ncalculate: net", Expect: map[string]json.RawMessage{"net": json.RawMessage(`"1600 EUR"`)}}
	if after, err := f.WithTest(test); err != nil || !strings.Contains(string(after.Bytes()), "use: [law/tax.yaml]") || strings.Contains(string(after.Bytes()), "rate") {
		t.Errorf("%v", err)
	}
	if _, err := f.Rename("rate", "share"); err == nil || !strings.Contains(err.Error(), "law/tax.yaml") {
		t.Errorf("renamed: %v", err)
	}
	if edits, err := f.Rename("net", "left"); err != nil || len(edits) != 4 {
		t.Errorf("renamed: %v %v", edits, err)
	}

	wrong := strings.Replace(tax, "* rate", "* rte", 1)
	for _, c := range []struct {
		files []string
		want  string
	}{
		{[]string{salary}, "main.yaml:2:7: there is no file law/tax.yaml beside the domain file."},
		{[]string{salary, "law/tax.yaml\n" + wrong}, `law/tax.yaml:5:30: Unknown variable "rte". Did you mean "rate"?`},
		{[]string{salary, "law/tax.yaml\n" + tax + "colour: red\n"}, `law/tax.yaml:6:1: Unknown member "colour". A domain has`},
		{[]string{salary, "law/tax.yaml\n" + tax + "use: [../main.yaml]\n"}, "law/tax.yaml:6:7: The files use one another in a ring: main.yaml, law/tax.yaml, main.yaml."},
		{[]string{salary, "law/tax.yaml\n" + tax + "use: [../../etc/passwd]\n"}, `law/tax.yaml:6:7: "../../etc/passwd" is not in the folder of the domain file or below it.`},
		{[]string{salary, "law/tax.yaml\n" + tax + "use: [/etc/passwd]\n"}, `law/tax.yaml:6:7: "/etc/passwd" is not relative to this file`},
		{[]string{salary, "law/tax.yaml\n" + strings.Replace(tax, "key: rate", "key: salary", 1)}, `main.yaml:3:19: "salary" is declared in main.yaml and in law/tax.yaml, which this file uses: give one of them another key.`},
		{[]string{salary, "law/tax.yaml\nunits: [a\n"}, "law/tax.yaml:2:1: This is not YAML"},
	} {
		if _, said := beside(t, c.files...); !strings.Contains(said, c.want) {
			t.Errorf("%s\nwant %s", said, c.want)
		}
	}
	if f := Parse("sent.yaml", []byte(strings.SplitN(salary, "\n", 2)[1])); len(f.findings) != 1 || !strings.Contains(f.findings[0].Message, "publish the file with `reckon domain publish`") {
		t.Errorf("a text by itself: %+v", f.findings)
	}
	if err := fits(t, domainSchema(t), []byte("title: A\nuse: [b.yaml]\nvariables: [{key: a, table: {file: b.csv}}]")); err != nil {
		t.Error(err)
	}
}

// However deep files use one another, and however many do, reading ends.
func TestUsedFilesAreBounded(t *testing.T) {
	files := []string{"0.yaml\ntitle: A\nuse: [1.yaml]\n"}
	for i := 1; i < 20; i++ {
		files = append(files, fmt.Sprintf("%d.yaml\nuse: [%d.yaml]\n", i, i+1))
	}
	if _, said := beside(t, files...); !strings.Contains(said, "Files use one another at most 8 deep.") {
		t.Error(said)
	}
	files = files[:1]
	list := ""
	for i := 1; i < 60; i++ {
		files = append(files, fmt.Sprintf("%d.yaml\nunits: [u%c%c]\n", i, 'a'+i/26, 'a'+i%26))
		list += fmt.Sprintf("%d.yaml, ", i)
	}
	files[0] = "0.yaml\ntitle: A\nuse: [" + list + "]\n"
	if _, said := beside(t, files...); !strings.Contains(said, "A domain uses at most 50 files.") {
		t.Error(said)
	}
}

// A symbolic link does not lead out of the folder.
func TestUsedFilesStayInTheFolder(t *testing.T) {
	outside, inside := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		filepath.Join(outside, "secret.yaml"): "units: [secret]\n", filepath.Join(inside, "near.yaml"): "units: [near]\n",
		filepath.Join(inside, "main.yaml"): "title: A\nuse: [link.yaml, good.yaml]\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"link.yaml": filepath.Join(outside, "secret.yaml"), "good.yaml": "near.yaml"} {
		if err := os.Symlink(to, filepath.Join(inside, from)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Read(filepath.Join(inside, "main.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.findings) != 1 || !strings.Contains(f.findings[0].Message, "link.yaml cannot be read") || len(f.Definition.Units) != 1 {
		t.Errorf("%+v %v", f.findings, f.Definition.Units)
	}
}

const freight = `main.yaml
title: Freight
variables:
  - {key: rates, table: {file: rates.csv}}
  - {key: weight, unit: kg}
  - {key: price, unit: EUR}
activities: [{equation: 'price = lookup(weight, column(rates, "Weight"), column(rates, "Price"))'}]
tests: [{prompt: "weight: 7 kg\ncalculate: price", expect: {price: 7 EUR}}]
`

func TestRateCards(t *testing.T) {
	for _, card := range []string{
		"Weight [kg],Price [EUR],From,VAT,Remark (free)\r\n0,4.5,2026-01-01,19%,\r\n5,7,2026-02-01,7%,3\r\n",
		"\ufeffWeight (kg);Price (EUR)\n 0 ; 4.5 \n5;7\n",
		"Weight [g]\tPrice [EUR]\n0\t4.5\n5000\t7\n",
	} {
		f, said := beside(t, freight, "rates.csv\n"+card)
		if said != "" {
			t.Errorf("%s: %s", card, said)
			continue
		}
		text, err := Text("", f.Definition)
		if back := Parse("whole.yaml", text); err != nil || !back.Readable() || !sameDefinition(back.Definition, f.Definition) {
			t.Errorf("%v %+v\n%s", err, back.findings, text)
		}
	}
	f, _ := beside(t, freight, "rates.csv\nWeight [kg],Price [EUR],From,VAT,Remark (free)\n0,4.5,2026-01-01,19%,\n5,7,2026-02-01,7%,3\n")
	if got, want := string(f.Definition.Variables[0].DisplayMetadata), `{"table":{"columns":[{"name":"Weight","unit":"kg"},{"name":"Price","unit":"EUR"},{"kind":"date","name":"From"},{"kind":"percent","name":"VAT"},{"name":"Remark (free)"}]}}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	byZone := strings.Replace(freight, "variables:", "variables:\n  - {key: zone, choices: {National: 1, EU: {value: 2, aliases: [European Union]}}, default_value: EU}", 1)
	f, said := beside(t, byZone, "rates.csv\nZone,Weight [kg],Price [EUR]\nnational,0,4.5\nEuropean Union,1,9\n")
	if got := string(f.Definition.Variables[1].DisplayMetadata); !strings.Contains(got, `{"choices":"zone","name":"Zone"}`) {
		t.Errorf("a column of labels: %s\n%s", got, said)
	}
	shared := "main.yaml\ntitle: Freight\nunits: [parcel]\nuse: [shared/rates.yaml]\nvariables:\n  - {key: n}\n  - {key: zone, choices: [National, EU], default_value: EU}\n  - {key: price, unit: EUR/parcel}\n" +
		"activities: [{equation: 'price = lookup_exact(zone, column(rates, \"Zone\"), column(rates, \"Price\"))'}]\ntests: [{prompt: 'calculate: price', expect: {price: 9 EUR/parcel}}]\n"
	rates := "shared/rates.yaml\nvariables:\n  - {key: rates, table: {file: rates.csv}}\n"
	f, said = beside(t, shared, rates, "shared/rates.csv\nZone,Price [EUR/parcel]\nNational,4.5\nEU,9\n")
	if got := string(f.Definition.Variables[3].DisplayMetadata); said != "" || !strings.Contains(got, `{"choices":"zone","name":"Zone"}`) {
		t.Errorf("labels and units of the using file: %s\n%s", got, said)
	}
	if _, said := beside(t, shared, rates, "shared/rates.csv\nZone,Price [EUR/glorp]\nNational,4.5\nEU,9\n"); !strings.Contains(said, `shared/rates.yaml:2:25: rates.csv, row 1, column 2: "EUR/glorp" is not a unit`) {
		t.Errorf("a mistake in a table of a used file: %s", said)
	}
	for card, want := range map[string]string{
		"Zone,Weight [kg],Price [EUR]\nEU,0,4.5\nMars,1,9\n":   `main.yaml:4:25: rates.csv, row 3, column 1: "Mars" is none of the choices of zone: National, EU.`,
		"Zone,Weight [kg],Price [EUR]\nMoon,0,4.5\nMars,1,9\n": "main.yaml:4:25: rates.csv, column 1 has words where numbers stand: declare a variable whose choices they are.",
	} {
		if _, said := beside(t, byZone, "rates.csv\n"+card); !strings.HasPrefix(said, want) || strings.Count(said, "\n") > 1 {
			t.Errorf("%s\nwant %s alone", said, want)
		}
	}
	for card, want := range map[string]string{
		"Weight [kg],Price [EUR]\n0,4.5\n5,seven\n": `main.yaml:3:25: rates.csv, rows counted below the names: The default of rates cannot be used in row 2, column 2: "seven" is not a number.`,
		"Weight [kg],Price [EUR]\n0,4.5\n5\n":       "main.yaml:3:25: rates.csv: row 3 is not as wide as the names, which are 2.",
		"Weight [kg],Price [glorp]\n0,4.5\n":        `main.yaml:3:25: rates.csv, row 1, column 2: "glorp" is not a unit`,
		"Weight [kg],Price [EUR]\n":                 "main.yaml:3:25: rates.csv: a table has a row of names, and rows of values below it.",
		"Weight [kg],\"Price\n0,4.5\n":              "main.yaml:3:25: rates.csv: line 2, character",
		"a\n" + strings.Repeat("1\n", 100_001):      "main.yaml:3:25: rates.csv: a table has at most 100000 cells.",
	} {
		if _, said := beside(t, freight, "rates.csv\n"+card); !strings.Contains(said, want) {
			t.Errorf("%.200s\nwant %s", said, want)
		}
	}
	for change, want := range map[string]string{
		"kind: number, ":       "A variable with a table from a file is of kind table, not number.",
		"default_value: [1], ": "The table of rates is its default: leave out default_value.",
		"kind: table, display_metadata: {table: {columns: [{name: Weight}]}}, ": "rates.csv has 2 columns, display_metadata 1.",
	} {
		text := strings.Replace(freight, "table: {file", change+"table: {file", 1)
		if _, said := beside(t, text, "rates.csv\nWeight [kg],Price [EUR]\n0,4.5\n5,7\n"); !strings.Contains(said, want) {
			t.Errorf("%s\nwant %s", said, want)
		}
	}
}

// The labels in a table of a used file are of its own choices, else of those of the file that uses
// it, and what is wrong with one is said of the used file.
func TestRateCardsOfUsedFiles(t *testing.T) {
	using := func(shared, card string) (*File, string) {
		return beside(t, `main.yaml
title: Freight
use: [shared.yaml]
variables:
  - {key: zone, choices: {No: 1, Yes: 2}}
  - {key: price}
activities: [{equation: 'price = lookup(zone, column(rates, 1), column(rates, 2))'}]
`, "shared.yaml\nvariables:\n  - {key: rates, table: {file: rates.csv}}\n"+shared, "rates.csv\n"+card)
	}
	for shared, want := range map[string]string{
		"": `{"choices":"zone","name":"Zone"}`,
		"  - {key: fragile, choices: {Yes: 1, No: 0}}\n": `{"choices":"fragile","name":"Zone"}`,
	} {
		f, said := using(shared, "Zone,Price\nNo,4.5\nYes,9\n")
		if got := string(f.Definition.Variables[2].DisplayMetadata); said != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %s %s, want %s", shared, got, said, want)
		}
	}
	if _, said := using("", "Zone,Price\nNo,4.5\nPerhaps,9\n"); !strings.HasPrefix(said, `shared.yaml:2:25: rates.csv, row 3, column 1: "Perhaps" is none of the choices of zone: No, Yes.`) {
		t.Error(said)
	}
}

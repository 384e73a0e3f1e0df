package domainfile

import (
	"strings"
	"testing"
)

// Cells from a spreadsheet are a table of a domain file, and other texts stay what they are.
func TestPasted(t *testing.T) {
	for text, want := range map[string]string{
		"1\t2 km\n3\t4 km\n":           "[\n    [1, 2 km],\n    [3, 4 km],\n    ]",
		"Month\tSales\r\nMay\t1,234.5": "[ # Month, Sales\n    [\"May\", \"1,234.5\"],\n    ]",
		"a \"b\"\tc\\d\n":              "[\n    [\"a \\\"b\\\"\", \"c\\\\d\"],\n    ]",
		"1\t\n2\t3":                    "[\n    [1, \"\"],\n    [2, 3],\n    ]",
		"1,2\n3,4":                     "[\n    [1, 2],\n    [3, 4],\n    ]",
		"x;y\n1,5;2":                   "[ # x, y\n    [\"1,5\", 2],\n    ]",
		"a, b\nc, d":                   "",
		"- {key: a, unit: m}\n- {key: b1, unit: s}": "",
		"one line, 2":       "",
		"two\nlines":        "",
		"1\t2\n3":           "",
		"":                  "",
		"equation: a = b\n": "",
	} {
		got := Pasted(text, 2)
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if want == "" || strings.Contains(text, "a \"b\"") {
			continue
		}
		file := "title: T\nvariables:\n  - key: cells\n    kind: table\n    default_value: " + got + "\n"
		if f := Parse("t.yaml", []byte(file)); !f.Readable() {
			t.Errorf("%q is not read in\n%s: %v", text, file, f.findings)
		}
	}
}

package spreadsheet

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"reckon/commands/domainfile"
)

// workbook is a spreadsheet whose cells are given as sheet, cell, value or =formula, and the value
// that is kept of a formula.
func workbook(t *testing.T, names map[string]string, cells ...[3]any) []byte {
	t.Helper()
	book := excelize.NewFile()
	defer book.Close()
	percent, err := book.NewStyle(&excelize.Style{NumFmt: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		name := c[0].(string)
		formula, isFormula := c[1].(string)
		isFormula = isFormula && strings.HasPrefix(formula, "=")
		value := c[1]
		if isFormula {
			value = c[2]
		}
		if value != nil {
			err = book.SetCellValue("Sheet1", name, value)
		}
		if err == nil && isFormula {
			err = book.SetCellFormula("Sheet1", name, formula)
		}
		if err == nil && c[2] == "%" {
			err = book.SetCellStyle("Sheet1", name, name, percent)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, cell := range names {
		if err := book.SetDefinedName(&excelize.DefinedName{Name: name, RefersTo: cell}); err != nil {
			t.Fatal(err)
		}
	}
	var data bytes.Buffer
	if err := book.Write(&data); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

// imported makes a domain, which must be valid whatever the spreadsheet was.
func imported(t *testing.T, name string, data []byte) (Imported, *domainfile.File) {
	t.Helper()
	made, err := Import(name, data)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	f := domainfile.Parse("made.yaml", made.Text)
	if _, report := f.Check(); !report.Valid {
		t.Fatalf("%s is made into\n%s\n%+v", name, made.Text, report.Findings)
	}
	return made, f
}

func TestWorkbooks(t *testing.T) {
	data := workbook(t, map[string]string{"months": "Sheet1!$B$4", "everything": "Sheet1!$A:$B"},
		[3]any{"A1", "Loan of a car"},
		[3]any{"A2", "Principal [USD]:", nil}, [3]any{"B2", 20000, nil},
		[3]any{"A3", "Annual rate", nil}, [3]any{"B3", 0.06, "%"},
		[3]any{"B4", 48, nil},
		[3]any{"A5", "Payment [USD]", nil}, [3]any{"B5", "=B2*(B3/12)/(1-(1+B3/12)^-months)", 469.7005809587},
		[3]any{"A6", "Total [USD]", nil}, [3]any{"B6", "=$B$5*$B$4", 22545.62788602},
		[3]any{"A7", "Grade", nil}, [3]any{"B7", `=B6&"x"`, nil},
		[3]any{"A8", "Wrong", nil}, [3]any{"B8", "=B4+1", 5},
		[3]any{"A9", "Unknown", nil}, [3]any{"B9", "=NOPE(B2)*2", 7},
		[3]any{"A10", "Both", nil}, [3]any{"B10", "=AND(B4>12,B4<60)*POWER(2,3)+PI()*0+SUM(B4,2)", 58},
		[3]any{"D12", 99, nil},
	)
	made, f := imported(t, "car loan.xlsx", data)
	text := string(made.Text)
	for _, want := range []string{
		"title: car loan", "principal", "unit: USD", "kind: percent", "default_value: 6%", "key: months",
		"payment = principal * (annual_rate / 12) / (1 - (1 + annual_rate / 12) ^ -months)", "total = payment * months",
		"both = ((months > 12) and (months < 60)) * ((2)^(3)) + (pi) * 0 + sum(months, 2)", "total: \"22545.62789 USD\"",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if len(f.Definition.Tests) != 3 {
		t.Errorf("%d tests in\n%s", len(f.Definition.Tests), text)
	}
	notes := strings.Join(made.Notes, "\n")
	for _, want := range []string{"Sheet1!B7", "Sheet1!B8: the formula =B4+1", "Sheet1!B9: the formula =NOPE(B2)*2: there is no function NOPE", "Sheet1!D12: the number 99", "the name everything"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q is not among\n%s", want, notes)
		}
	}
}

func TestTables(t *testing.T) {
	made, _ := imported(t, "offer.csv", []byte("\ufeffOffer;;\nQuantity;12;\nPrice;19.5;EUR\nDiscount;10%;\nNet (EUR);=B2*B3*(1-B4);\nVAT rate;19%;\nGross (EUR);\"=ROUND(B5*(1+B6);2)\";\nTotals;=SUM(B2:B2);\n;77;\n\"a \"\"b\";4;\nRing;=B12;\nRing back;=B11;\n"))
	text := string(made.Text)
	for _, want := range []string{"price", "net = quantity * price * (1 - discount)", "gross = round(net * (1 + vat_rate), 2)", "totals = sum([quantity])", "key: a_b"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s\n%q", want, text, made.Notes)
		}
	}
	// Columns with headings, one row for each case.
	made, _ = imported(t, "rows.csv", []byte("Item,Width [m],Height [m],Area [m^2]\nWall,4,2.5,=B2*C2\nDoor,0.9,2,=B3*C3\nAll,,,=D2-D3\n"))
	for _, want := range []string{"wall_width", "wall_area = wall_width * wall_height", "unit: m^2"} {
		if !strings.Contains(string(made.Text), want) {
			t.Errorf("%q is not in\n%s\n%q", want, made.Text, made.Notes)
		}
	}
}

// TestMomentsOfTables makes domains of dates, times, texts that formulas give, and ranges. What is made passes
// its tests, which hold the values of the spreadsheet.
func TestMomentsOfTables(t *testing.T) {
	made, _ := imported(t, "invoice.csv", []byte("Issued,2026-01-15\nDays to pay,30\nStarts,9:00\nEnds,17:30\nMeeting,2026-03-05 14:30\n"+
		"Due,=B1+B2\nNext month,\"=EDATE(B1,1)\"\nYear,=YEAR(B1)\nLeft,=B5-B1\nHours,=(B4-B3)*24\n"))
	for _, want := range []string{
		"kind: date", "kind: time", "kind: datetime", "default_value: '2026-01-15'", "default_value: 09:00:00", "default_value: 2026-03-05T14:30:00",
		"year = year(issued)", "left = (meeting - issued) / 1 [d]", "hours = (((ends) / 1 [d]) - ((starts) / 1 [d])) * 24",
	} {
		if !strings.Contains(string(made.Text), want) {
			t.Errorf("%q is not in\n%s\n%q", want, made.Text, made.Notes)
		}
	}
}

func TestTextsOfFormulas(t *testing.T) {
	made, f := imported(t, "size.csv", []byte("Sum,60\nSize,\"=IF(B1>50,\"\"large\"\",IF(B1>20,\"\"medium\"\",\"\"small\"\"))\"\nZone,EU\nPrice,\"=IF(B3=\"\"EU\"\",\"\"a\"\",\"\"b\"\")\"\n"))
	for _, want := range []string{"size = if(sum > 50, 1, if(sum > 20, 2, 3))", "label: large"} {
		if text := string(made.Text); !strings.Contains(text, want) && !strings.Contains(text, "choices: [large, medium, small]") && !strings.Contains(text, "- large\n") {
			t.Errorf("%q is not in\n%s\n%q", want, text, made.Notes)
		}
	}
	if len(f.Definition.Variables) < 2 || len(f.Definition.Variables[1].Choices) != 3 || !strings.Contains(strings.Join(made.Notes, "\n"), "B4: the formula") {
		t.Errorf("%+v, notes %q", f.Definition.Variables, made.Notes)
	}
}

func TestMomentsOfWorkbooks(t *testing.T) {
	day := time.Date(2026, 1, 15, 0, 0, 0, 0, time.UTC)
	data := workbook(t, map[string]string{"amounts": "Sheet1!$B$5:$B$7", "block": "Sheet1!$B$5:$C$7"},
		[3]any{"A1", "Issued", nil}, [3]any{"B1", day, nil},
		[3]any{"A2", "Days to pay", nil}, [3]any{"B2", 30, nil},
		[3]any{"A3", "Due", nil}, [3]any{"B3", "=B1+B2", day.AddDate(0, 0, 30)},
		[3]any{"A4", "Item", nil}, [3]any{"B4", "Net", nil}, [3]any{"C4", "Tax", nil},
		[3]any{"A5", "First", nil}, [3]any{"B5", 10, nil}, [3]any{"C5", 1, nil},
		[3]any{"A6", "Second", nil}, [3]any{"B6", 20, nil}, [3]any{"C6", 2, nil},
		[3]any{"A7", "Third", nil}, [3]any{"B7", 30, nil}, [3]any{"C7", 3, nil},
		[3]any{"A9", "Sum", nil}, [3]any{"B9", "=SUM(amounts)", 60},
		[3]any{"A10", "Sum of all", nil}, [3]any{"B10", "=SUM(B4:C8)", 66},
		[3]any{"A11", "Sum of the block", nil}, [3]any{"B11", "=SUM(block)", 66},
		[3]any{"A13", "Later", nil}, [3]any{"B13", "=EDATE(B1,1)+B2", time.Date(2026, 3, 17, 0, 0, 0, 0, time.UTC)},
	)
	made, f := imported(t, "invoice.xlsx", data)
	for _, want := range []string{
		"default_value: '2026-01-15'", "due = issued + (days_to_pay) * 1 [d]", "sum = sum([first_net, second_net, third_net])",
		"sum_of_all = sum([first_net, first_tax, second_net, second_tax, third_net, third_tax])",
		"sum_of_the_block = sum([[first_net, first_tax], [second_net, second_tax], [third_net, third_tax]])",
		"later = add_months(issued, 1) + (days_to_pay) * 1 [d]", `due: "2026-02-14"`,
	} {
		if !strings.Contains(string(made.Text), want) {
			t.Errorf("%q is not in\n%s\n%q", want, made.Text, made.Notes)
		}
	}
	if len(f.Definition.Tests) != 5 || len(made.Notes) > 0 {
		t.Errorf("%d tests, notes %q", len(f.Definition.Tests), made.Notes)
	}
}

// Whatever the bytes are, there is a domain that is valid, or an error.
func FuzzImport(f *testing.F) {
	f.Add("a,1\nb,=B1*2\n")
	f.Add("a;1\nb;=SUM(B1:B1;\n")
	f.Add("\"\n=,=,=\nx,=-(-B1^2)%\n")
	f.Add("a,1e999\nb,=B1&\"x\"\nc,=(B1,B1)\nd,={1,2}\n")
	f.Fuzz(func(t *testing.T, text string) {
		if made, err := Import("a.csv", []byte(text)); err == nil {
			if _, report := domainfile.Parse("a.yaml", made.Text).Check(); !report.Valid {
				t.Errorf("%q is made into\n%s\n%+v", text, made.Text, report.Findings)
			}
		}
		_, _ = Import("a.xlsx", []byte(text))
	})
}

func TestWhatIsNoSpreadsheet(t *testing.T) {
	for name, data := range map[string]string{"a.xlsx": "PK\x03\x04", "a.pdf": "x", "a.csv": "", "b.csv": "\x00\x01\xff"} {
		if made, err := Import(name, []byte(data)); err == nil {
			t.Errorf("%s is made into %s", name, made.Text)
		}
	}
}

// TestImportNamedWithUnit takes the unit of a cell with a defined name from the text beside it.
func TestImportNamedWithUnit(t *testing.T) {
	made, file := imported(t, "order.xlsx", workbook(t, map[string]string{"order_total": "Sheet1!$B$2"},
		[3]any{"A1", "Cost [EUR]"}, [3]any{"B1", 59.4}, [3]any{"A2", "Total [EUR]:"}, [3]any{"B2", "=B1*1.07", 63.558}))
	if len(made.Notes) > 0 || made.Tests != 1 {
		t.Fatalf("%d tests, %q", made.Tests, made.Notes)
	}
	if v := file.Definition.Variables[1]; v.Key != "order_total" || v.Unit != "EUR" {
		t.Errorf("%s is in %q", v.Key, v.Unit)
	}
}

// Package spreadsheet makes domains of spreadsheets: labelled cells and defined names become
// variables, formulas become equations, and what the spreadsheet had calculated becomes tests.
package spreadsheet

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// MaxBytes is the length of the largest file that is read, MaxCells the most cells of a sheet.
const (
	MaxBytes = 16 << 20
	MaxCells = 100_000
)

// place is a cell of a sheet, both numbers from 1.
type place struct {
	sheet       string
	column, row int
}

func (p place) String() string {
	name, err := excelize.CoordinatesToCellName(p.column, p.row)
	if err != nil {
		return p.sheet
	}
	if p.sheet == "" {
		return name
	}
	return p.sheet + "!" + name
}

// cell is what stands at a place.
type cell struct {
	text    string // as it is kept: a number without format
	formula string // without "=", "" for none
	number  bool
	format  string // of the number
}

// grid is all sheets of a file.
type grid struct {
	sheets []string
	cells  map[place]cell
	names  map[place]string  // defined names of single cells
	ranges map[string]string // what names of several cells stand for
	order  []place
	notes  []string
}

func (g *grid) put(p place, c cell) {
	c.text = strings.TrimSpace(c.text)
	if _, err := strconv.ParseFloat(c.text, 64); err == nil && !strings.ContainsAny(c.text, "xXpPiInN_") {
		c.number = true
	}
	if c.text != "" || c.formula != "" {
		g.cells[p] = c
		g.order = append(g.order, p)
	}
}

var errCells = fmt.Errorf("a sheet has more than %d cells: delete what does not belong to the calculation", MaxCells)

// readGrid reads a file by the ending of its name.
func readGrid(name string, data []byte) (*grid, error) {
	g := &grid{cells: map[place]cell{}, names: map[place]string{}, ranges: map[string]string{}}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv", ".tsv", ".txt":
		return g, g.readCSV(data)
	case ".xlsx", ".xlsm":
		return g, g.readXLSX(data)
	}
	return nil, errors.New("name a file that ends in .csv or .xlsx: other forms are saved as one of these by their program")
}

// readCSV reads a table of values and of formulas that begin with "=". What separates the cells is
// told from the first line.
func (g *grid) readCSV(data []byte) error {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	first, _, _ := bytes.Cut(data, []byte("\n"))
	r := csv.NewReader(bytes.NewReader(data))
	for _, separator := range []rune{',', ';', '\t'} {
		if strings.Count(string(first), string(separator)) > strings.Count(string(first), string(r.Comma)) {
			r.Comma = separator
		}
	}
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	g.sheets = []string{""}
	for row := 1; ; row++ {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the table: %w", err)
		}
		for i, text := range record {
			c := cell{text: text}
			if formula, ok := strings.CutPrefix(strings.TrimSpace(text), "="); ok {
				// Where the decimal mark is a comma, arguments are separated by semicolons.
				if strings.Contains(formula, ";") && !strings.Contains(formula, ",") {
					formula = strings.ReplaceAll(formula, ";", ",")
				}
				c = cell{formula: formula}
			} else if percent, ok := strings.CutSuffix(strings.TrimSpace(text), "%"); ok {
				if n, err := strconv.ParseFloat(strings.TrimSpace(percent), 64); err == nil {
					c = cell{text: strconv.FormatFloat(n/100, 'g', 12, 64), format: "0%"}
				}
			} else if number, format, ok := written(strings.TrimSpace(text)); ok {
				c = cell{text: number, format: format}
			}
			g.put(place{"", i + 1, row}, c)
		}
		if len(g.order) > MaxCells {
			return errCells
		}
	}
}

// severalCells is a part of a row, of a column, or a block.
var severalCells = regexp.MustCompile(`^'?[^'!]+'?!\$?[A-Z]{1,3}\$?\d+:\$?[A-Z]{1,3}\$?\d+$`)

var singleCell = regexp.MustCompile(`^'?([^'!]+)'?!\$?([A-Z]{1,3})\$?(\d+)$`)

func (g *grid) readXLSX(data []byte) error {
	book, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{RawCellValue: true, UnzipSizeLimit: 256 << 20, UnzipXMLSizeLimit: 64 << 20})
	if err != nil {
		return fmt.Errorf("this is not a spreadsheet that can be read: %w", err)
	}
	defer book.Close()
	g.sheets = book.GetSheetList()
	for _, sheet := range g.sheets {
		rows, err := book.GetRows(sheet)
		if err != nil {
			g.notes = append(g.notes, fmt.Sprintf("the sheet %q: %v", sheet, err))
			continue
		}
		width, count := 0, 0 // a formula whose value is not kept may stand behind the last value
		if size, err := book.GetSheetDimension(sheet); err == nil {
			if _, corner, ok := strings.Cut(size, ":"); ok {
				if x, y, err := excelize.CellNameToCoordinates(corner); err == nil && x*y <= MaxCells {
					width = x
					rows = append(rows, make([][]string, max(y-len(rows), 0))...)
				}
			}
		}
		for y, row := range rows {
			row = append(row, make([]string, max(width-len(row), 0))...)
			for x, text := range row {
				p := place{sheet, x + 1, y + 1}
				name, _ := excelize.CoordinatesToCellName(p.column, p.row)
				formula, err := book.GetCellFormula(sheet, name)
				if err != nil {
					return fmt.Errorf("read the formula of %s: %w", p, err)
				}
				if text == "" && formula == "" {
					continue
				}
				if count++; count > MaxCells {
					return errCells
				}
				g.put(p, cell{text: text, formula: strings.TrimPrefix(formula, "="), format: numberFormat(book, sheet, name)})
			}
		}
	}
	for _, n := range book.GetDefinedName() {
		m := singleCell.FindStringSubmatch(n.RefersTo)
		if severalCells.MatchString(n.RefersTo) {
			g.ranges[strings.ToLower(n.Name)] = n.RefersTo
			continue
		}
		if m == nil {
			if !strings.HasPrefix(n.Name, "_") {
				g.notes = append(g.notes, fmt.Sprintf("the name %s: it stands for %s, which is not one cell", n.Name, n.RefersTo))
			}
			continue
		}
		if x, y, err := excelize.CellNameToCoordinates(m[2] + m[3]); err == nil {
			g.names[place{m[1], x, y}] = n.Name
		}
	}
	return nil
}

// numberFormat is the format of a cell, as far as it says what the number is.
func numberFormat(book *excelize.File, sheet, name string) string {
	index, err := book.GetCellStyle(sheet, name)
	if err != nil || index == 0 {
		return ""
	}
	style, err := book.GetStyle(index)
	switch {
	case err != nil:
		return ""
	case style.CustomNumFmt != nil:
		return *style.CustomNumFmt
	case style.NumFmt == 9 || style.NumFmt == 10:
		return "0%"
	case style.NumFmt >= 14 && style.NumFmt <= 17:
		return "yyyy-mm-dd"
	case style.NumFmt == 22:
		return "yyyy-mm-dd hh:mm"
	case style.NumFmt >= 18 && style.NumFmt <= 21 || style.NumFmt >= 45 && style.NumFmt <= 47:
		return "hh:mm:ss"
	}
	return ""
}

// Package value holds what calculations pass on: values and their texts, errors that a caller is
// told, what is known of the variables that values belong to, and the environment of a calculation,
// which is its moment, its zone and its budget.
package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"unicode/utf8"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

// Text is a value as written or shown: one string (Rank 0), a column of cells (Rank 1) or rows of
// cells (Rank 2). In JSON it is a string, an array of strings, or an array of arrays of strings.
// The zero value is the empty string.
type Text struct {
	Rank  int
	Cells [][]string // rows; Rank 0: one row of one cell (or none for ""); Rank 1: rows of one cell each
}

// errTextForm is what UnmarshalJSON says of everything that is no Text.
var errTextForm = errors.New("a value is a string, an array of strings, or an array of arrays of strings")

// MarshalJSON writes a string, an array of strings, or an array of arrays of strings.
func (t Text) MarshalJSON() ([]byte, error) {
	var form any
	switch {
	case t.Rank == 0:
		scalar := t.Scalar()
		if isPlain(scalar) {
			return append(append(append(make([]byte, 0, len(scalar)+2), '"'), scalar...), '"'), nil
		}
		form = scalar
	case t.Rank == 1:
		column := make([]string, len(t.Cells))
		for i, row := range t.Cells {
			if len(row) > 0 {
				column[i] = row[0]
			}
		}
		form = column
	default:
		rows := make([][]string, len(t.Cells))
		for i, row := range t.Cells {
			rows[i] = append([]string{}, row...)
		}
		form = rows
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(form); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// isPlain is true of a string that stands in JSON as it is.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// UnmarshalJSON reads what MarshalJSON writes. It refuses everything else: numbers, null, mixed
// arrays. The empty array is a column without cells.
func (t *Text) UnmarshalJSON(data []byte) error {
	if n := len(data); n > 1 && data[0] == '"' && data[n-1] == '"' {
		if text := string(data[1 : n-1]); isPlain(text) {
			*t = Scalar(text)
			return nil
		}
	}
	var form any
	if err := json.Unmarshal(data, &form); err != nil {
		return err
	}
	if s, ok := form.(string); ok {
		*t = Scalar(s)
		return nil
	}
	items, ok := form.([]any)
	if !ok {
		return errTextForm
	}
	read := Text{Rank: 1, Cells: make([][]string, 0, len(items))}
	for i, item := range items {
		switch item := item.(type) {
		case string:
			if read.Rank != 1 {
				return errTextForm
			}
			read.Cells = append(read.Cells, []string{item})
		case []any:
			if i > 0 && read.Rank != 2 {
				return errTextForm
			}
			read.Rank = 2
			row := make([]string, len(item))
			for j, cell := range item {
				if row[j], ok = cell.(string); !ok {
					return errTextForm
				}
			}
			read.Cells = append(read.Cells, row)
		default:
			return errTextForm
		}
	}
	*t = read
	return nil
}

// Scalar is the string of a Text of rank 0.
func (t Text) Scalar() string {
	if len(t.Cells) == 0 || len(t.Cells[0]) == 0 {
		return ""
	}
	return t.Cells[0][0]
}

func (t Text) IsEmpty() bool { return t.Rank == 0 && t.Scalar() == "" }

func Scalar(s string) Text {
	if s == "" {
		return Text{}
	}
	table := &struct {
		rows  [1][]string
		cells [1]string
	}{cells: [1]string{s}}
	table.rows[0] = table.cells[:]
	return Text{Cells: table.rows[:]}
}

// Value is a quantity or a table of quantities. Numbers of date, datetime, time and duration are
// seconds, those of percent the fraction, unless the unit says otherwise.
type Value struct {
	Rank  int      // 0 scalar, 1 column, 2 rows
	Cells [][]Cell // rows; Rank 0: one row of one cell; Rank 1: rows of one cell each
}

// Cell is one quantity, or nothing.
type Cell struct {
	units.Quantity
	Empty bool
}

func ScalarValue(q units.Quantity) Value {
	var one Scalars
	v := one.Zero()
	v.Cells[0][0].Quantity = q
	return v
}

// Scalars makes scalar values, as many as it has room for from one piece of memory.
type Scalars struct{ room []scalar }

type scalar struct {
	rows  [1][]Cell
	cells [1]Cell
}

// NewScalars has room for n values.
func NewScalars(n int) Scalars { return Scalars{make([]scalar, n)} }

// Zero is a value of its own, for its cell to be set.
func (s *Scalars) Zero() Value {
	if len(s.room) == 0 {
		s.room = make([]scalar, 1)
	}
	table := &s.room[0]
	s.room = s.room[1:]
	table.rows[0] = table.cells[:]
	return Value{Cells: table.rows[:]}
}

// Text is the value as emitted: 34 digits, unit symbols, "" for an empty cell.
func (v Value) Text() Text {
	if q, ok := v.Single(); ok {
		return Scalar(q.String())
	} else if v.Rank == 0 {
		return Text{}
	}
	t := Text{Rank: v.Rank, Cells: make([][]string, len(v.Cells))}
	for i, row := range v.Cells {
		t.Cells[i] = make([]string, len(row))
		for j, cell := range row {
			if !cell.Empty {
				t.Cells[i][j] = cell.Quantity.String()
			}
		}
	}
	return t
}

// Equal compares physical quantities at the 34 digits of emitted values, so that a value equals the
// one read back from its Text: 2 m^3 equals 2000 L, 30 mi/h does not equal 30 km/h, and values of
// different dimensions never are equal.
func (v Value) Equal(o Value) bool {
	return v.Same(o, func(a, b Cell, _, _ int) bool { return a.equal(b) })
}

// Near compares physical quantities with a relative tolerance.
func (v Value) Near(o Value, tolerance decimal.Decimal) bool {
	return v.Same(o, func(a, b Cell, _, _ int) bool { return a.near(b, tolerance) })
}

var (
	// Restated is how far a value in one unit may be from the same one in another, of which 34 digits
	// were shown.
	Restated = decimal.MustParse("1e-32")
	// Recalculated is how far a value may be from the one calculated before, from inputs of which 34
	// digits were kept.
	Recalculated = decimal.MustParse("1e-25")
)

// Same compares two values of one shape cell by cell; values of different shapes are not the same.
func (v Value) Same(o Value, cells func(a, b Cell, row, column int) bool) bool {
	if v.Rank != o.Rank || len(v.Cells) != len(o.Cells) {
		return false
	}
	for i, row := range v.Cells {
		if len(row) != len(o.Cells[i]) {
			return false
		}
		for j, cell := range row {
			if !cells(cell, o.Cells[i][j], i, j) {
				return false
			}
		}
	}
	return true
}

func (a Cell) equal(b Cell) bool {
	if a.Empty || b.Empty {
		return a.Empty == b.Empty
	}
	p, q := a.Quantity, b.Quantity
	same := func(x, y decimal.Decimal) bool { return x.Shown().Cmp(y.Shown()) == 0 }
	if p.Unit.Symbol() == q.Unit.Symbol() {
		return same(p.Number, q.Number)
	}
	c := decimal.NewContext(ParseBudget)
	if p.Unit.Dimension() != q.Unit.Dimension() {
		// Fuel economy has two dimensions for one quantity.
		converted, err := units.Convert(c, q, p.Unit)
		return err == nil && c.Err() == nil && same(p.Number, converted.Number)
	}
	x, y := p.SI(c), q.SI(c)
	return c.Err() == nil && same(x, y)
}

func (a Cell) near(b Cell, tolerance decimal.Decimal) bool {
	if a.equal(b) {
		return true
	}
	if a.Empty || b.Empty {
		return false
	}
	c := decimal.NewContext(ParseBudget)
	converted, err := units.Convert(c, b.Quantity, a.Quantity.Unit)
	if err != nil {
		return false
	}
	x, y := a.Quantity.Number, converted.Number
	limit := c.Mul(x.Abs(), tolerance)
	return c.Sub(x, y).Abs().Cmp(limit) <= 0 && c.Err() == nil
}

// Single is the quantity of a scalar; false of a table and of an empty cell.
func (v Value) Single() (units.Quantity, bool) {
	if v.Rank != 0 || len(v.Cells) == 0 || len(v.Cells[0]) == 0 {
		return units.Quantity{}, false
	}
	return v.Cells[0][0].Quantity, !v.Cells[0][0].Empty
}

// Quantities are those of all cells that are not empty.
func (v Value) Quantities() iter.Seq[units.Quantity] {
	return func(yield func(units.Quantity) bool) {
		for _, row := range v.Cells {
			for _, cell := range row {
				if !cell.Empty && !yield(cell.Quantity) {
					return
				}
			}
		}
	}
}

// Quantity is the value of a scalar: its number and unit, 0 where there is none.
func (v Value) Quantity() units.Quantity {
	if len(v.Cells) == 0 || len(v.Cells[0]) == 0 {
		return units.Quantity{Unit: units.One}
	}
	return v.Cells[0][0].Quantity
}

package console

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"reckon/engine/language"
	"reckon/engine/value"
)

// grid is what a bar or line chart shows: series of cells over categories.
type grid struct {
	title      string
	axis       string
	unit       string
	categories []string
	positions  []float64 // of the categories of lines; nil where they stand side by side
	series     []gridSeries
	writing    language.Writing
}

type gridSeries struct {
	name   string
	kind   string
	format string
	texts  []string
	plots  []float64 // NaN for an empty cell
}

// gridOf sorts the cells of a table into series.
func gridOf(how display, w drawn, text, read value.Text) grid {
	g := grid{title: w.title, axis: how.XAxis.Title, unit: w.unit, writing: w.writing}
	byColumn := how.SeriesBy != "rows"
	exact, shown := byColumns(text.Cells, byColumn), byColumns(read.Cells, byColumn)
	var scale [][]float64
	if len(w.scale) > 0 {
		scale = byColumns(scaled(w.scale), byColumn)
	}
	for i := range exact {
		s := gridSeries{kind: "number", format: "decimals_float", texts: shown[i]}
		if i < len(how.Series) {
			s.name, s.kind = how.Series[i].Name, how.Series[i].Kind
			if f := how.Series[i].Format; f != nil {
				s.format = *f
			}
		}
		for j, cell := range exact[i] {
			plot, unit := numberOf(cell)
			if scale != nil && i < len(scale) && j < len(scale[i]) {
				plot = scale[i][j]
			} else if g.unit == "" && (i > 0 || how.Labels.Source != "first_series") {
				g.unit = unit
			}
			s.plots = append(s.plots, plot)
		}
		g.series = append(g.series, s)
	}
	if how.Labels.Source == "first_series" && len(g.series) > 0 {
		first := g.series[0]
		for i, label := range first.texts {
			if label == "" {
				label = strconv.Itoa(how.Labels.Start + i)
			}
			g.categories = append(g.categories, label)
		}
		if how.Structure == "line_chart" {
			g.positions = first.plots
		}
		if g.axis == "" {
			g.axis = first.name
		}
		g.series = g.series[1:]
	}
	for i := len(g.categories); len(g.series) > 0 && i < len(g.series[0].texts); i++ {
		g.categories = append(g.categories, strconv.Itoa(how.Labels.Start+i))
	}
	return g
}

// byColumns are the columns of rows, or the rows as they are.
func byColumns[T any](rows [][]T, columns bool) [][]T {
	if !columns {
		return rows
	}
	var list [][]T
	for _, row := range rows {
		for j, cell := range row {
			if j == len(list) {
				list = append(list, nil)
			}
			list[j] = append(list[j], cell)
		}
	}
	return list
}

// scaled reads the scale of a chart, as rows; NaN is an empty cell.
func scaled(text json.RawMessage) (rows [][]float64) {
	var matrix [][]*float64
	if json.Unmarshal(text, &matrix) != nil {
		var column []*float64
		if json.Unmarshal(text, &column) != nil {
			return nil
		}
		for _, cell := range column {
			matrix = append(matrix, []*float64{cell})
		}
	}
	for _, cells := range matrix {
		row := make([]float64, len(cells))
		for i, cell := range cells {
			row[i] = math.NaN()
			if cell != nil {
				row[i] = *cell
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// numberOf is what a chart plots of a cell such as "1234.5 USD", NaN for an empty one.
func numberOf(cell string) (number float64, unit string) {
	text, unit, _ := strings.Cut(cell, " ")
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN(), ""
	}
	return number, unit
}

// table is the grid for those who read it.
func (g grid) table() *tableShown {
	t := &tableShown{Caption: g.title, Named: true, Columns: []string{g.axis}}
	for i, s := range g.series {
		name := s.name
		if name == "" && len(g.series) > 1 {
			name = strconv.Itoa(i + 1)
		}
		t.Columns = append(t.Columns, name)
	}
	if strings.Join(t.Columns, "") == "" {
		t.Columns = nil
	}
	for i, category := range g.categories {
		row := rowShown{Name: category}
		for _, s := range g.series {
			cell := ""
			if i < len(s.texts) {
				cell = s.texts[i]
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t.cut()
}

// span is the least and the greatest value to be plotted; zero tells that 0 is one of them.
func (g grid) span(stacked, zero bool) (low, high float64, any bool) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := range g.categories {
		var below, above float64
		for _, s := range g.series {
			if i >= len(s.plots) || math.IsNaN(s.plots[i]) {
				continue
			}
			any = true
			v := s.plots[i]
			if stacked {
				if v < 0 {
					below += v
				} else {
					above += v
				}
				low, high = min(low, below), max(high, above)
				continue
			}
			low, high = min(low, v), max(high, v)
		}
	}
	if zero {
		low, high = min(low, 0), max(high, 0)
	}
	return low, high, any
}

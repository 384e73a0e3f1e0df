package console

import (
	"fmt"
	"math"
	"strconv"

	"reckon/engine/language"
	"reckon/engine/value"
)

// pie is what a pie chart shows: a slice for each cell.
type pie struct {
	names, texts []string
	plots        []float64
	writing      language.Writing
}

func pieOf(how display, w drawn, text, read value.Text) (p pie) {
	p.writing = w.writing
	var scale []float64
	for _, row := range scaled(w.scale) {
		scale = append(scale, row...)
	}
	for i, row := range text.Cells {
		for j, cell := range row {
			n := len(p.plots)
			plot, _ := numberOf(cell)
			if n < len(scale) {
				plot = scale[n]
			}
			name := strconv.Itoa(n + 1)
			if n < len(how.Slices.Names) && how.Slices.Names[n] != "" {
				name = how.Slices.Names[n]
			}
			p.names, p.texts, p.plots = append(p.names, name), append(p.texts, read.Cells[i][j]), append(p.plots, plot)
		}
	}
	return p
}

func (p pie) table(title string) *tableShown {
	t := &tableShown{Caption: title, Named: true}
	for i, name := range p.names {
		t.Rows = append(t.Rows, rowShown{name, []string{p.texts[i]}})
	}
	return t.cut()
}

// chart draws the slices, nil where they are no parts of a whole.
func (p pie) chart(title string) *chartShown {
	sum := 0.0
	for _, v := range p.plots {
		if v < 0 {
			return nil
		}
		if !math.IsNaN(v) {
			sum += v
		}
	}
	if sum <= 0 || math.IsInf(sum, 0) {
		return nil
	}
	c := &chartShown{Title: title}
	const x, y, r = chartWidth / 2, chartHeight / 2, 120
	angle := -math.Pi / 2
	for i, v := range p.plots {
		if math.IsNaN(v) {
			continue
		}
		part := v / sum
		share := p.writing.Shown(strconv.FormatFloat(math.Round(part*1000)/10, 'f', -1, 64) + "%")
		s := sliceShown{Colour: i % colours, Tip: tip(p.names[i], p.texts[i], share)}
		from := angle
		angle += part * 2 * math.Pi
		if part < 0.9999 {
			large := 0
			if part > 0.5 {
				large = 1
			}
			s.Path = fmt.Sprintf("M%d %dL%g %gA%d %d 0 %d 1 %g %gZ", x, y,
				round(x+r*math.Cos(from)), round(y+r*math.Sin(from)), r, r, large, round(x+r*math.Cos(angle)), round(y+r*math.Sin(angle)))
		}
		if part > 0 {
			c.Slices = append(c.Slices, s)
		}
		c.Legend = append(c.Legend, legendShown{i % colours, p.names[i] + " " + share})
	}
	return c
}

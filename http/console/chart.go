package console

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"reckon/engine/format"
	"reckon/engine/language"
)

// Sizes of a chart, in units of its view box.
const (
	chartWidth  = 560
	chartHeight = 280
	plotTop     = 40
	plotBottom  = 236
	plotRight   = 552
	labelWidth  = 7.2 // of a character, about
	colours     = 8   // classes c0 to c7 of the style sheet
)

// chartShown is a chart as its drawing, made of lines, rectangles and paths; the table beside it
// says the same to whoever does not see it.
type chartShown struct {
	Title  string
	Unit   string // of the vertical axis
	Axis   string // title of the horizontal one
	Grid   []gridLine
	Labels []labelShown
	Bars   []barShown
	Lines  []lineShown
	Slices []sliceShown
	Legend []legendShown // where there is more than one series
}

type gridLine struct {
	Y    float64
	Text string
	Zero bool
}

type labelShown struct {
	X    float64
	Text string
}

type barShown struct {
	X, Y, Width, Height float64
	Colour              int
	Tip                 string
}

type lineShown struct {
	Points string
	Colour int
	Dots   []dotShown
}

type dotShown struct {
	X, Y float64
	Tip  string
}

type sliceShown struct {
	Path   string // "" for a whole circle
	Colour int
	Tip    string
}

type legendShown struct {
	Colour int
	Text   string
}

// chart draws the grid, nil where nothing of it can be drawn.
func (g grid) chart(how display) *chartShown {
	if len(g.series) == 0 || len(g.categories) == 0 {
		return nil
	}
	c := &chartShown{Title: g.title, Axis: g.axis}
	low, high, any := g.span(how.Stacked && how.Structure == "bar_chart", how.Structure == "bar_chart")
	if !any {
		return nil
	}
	first := g.series[0]
	if first.kind == "number" || first.kind == "no_separator" {
		c.Unit = g.unit
	}
	left := c.axis(low, high, first, g.unit, g.writing)
	low, high = c.reach(low, high)
	y := func(v float64) float64 { return round(plotBottom - (v-low)/(high-low)*(plotBottom-plotTop)) }
	for i := range c.Grid {
		c.Grid[i].Y = y(c.Grid[i].Y)
	}
	if how.Structure == "line_chart" {
		g.lines(c, left, y)
	} else {
		g.bars(c, how.Stacked, left, y)
	}
	if len(g.series) > 1 {
		for i, s := range g.series {
			name := s.name
			if name == "" {
				name = strconv.Itoa(i + 1)
			}
			c.Legend = append(c.Legend, legendShown{i % colours, name})
		}
	}
	return c
}

// axis makes the lines of the vertical axis, whose Y are values still, and returns where the plot
// begins.
func (c *chartShown) axis(low, high float64, s gridSeries, unit string, writing language.Writing) (left float64) {
	if low == high {
		low, high = low-math.Abs(low)/10-1, high+math.Abs(high)/10+1
		if low < 0 && high > 0 && low > -2 {
			low = 0
		}
	}
	step := niceStep((high - low) / 4)
	longest := 0
	for k := math.Floor(low/step + 1e-9); k <= math.Ceil(high/step-1e-9)+1e-9; k++ {
		v := k * step
		text := writing.Shown(tick(v, s.kind, s.format, unit))
		longest = max(longest, len([]rune(text)))
		c.Grid = append(c.Grid, gridLine{v, text, k == 0})
	}
	return math.Ceil(float64(longest)*labelWidth) + 12
}

// reach is what the vertical axis reaches from and to.
func (c *chartShown) reach(low, high float64) (float64, float64) {
	return min(low, c.Grid[0].Y), max(high, c.Grid[len(c.Grid)-1].Y)
}

// niceStep is a step of 1, 2 or 5 times a power of ten that is not less than a rough one.
func niceStep(rough float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, n := range []float64{1, 2, 5} {
		if rough <= n*power*(1+1e-9) {
			return n * power
		}
	}
	return 10 * power
}

// tick is a value of an axis as people read it, without its unit, which stands at the axis once.
func tick(v float64, kind, layout, unit string) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if n := strconv.FormatFloat(v, 'g', 12, 64); len(n) < len(text) {
		if f, err := strconv.ParseFloat(n, 64); err == nil {
			text = strconv.FormatFloat(f, 'f', -1, 64)
		}
	}
	if kind == "number" || kind == "no_separator" || kind == "" {
		unit, layout = "", "decimals_float"
	} else if kind == "percent" {
		unit, layout = "", "decimals_float"
	}
	if unit != "" {
		text += " " + unit
	}
	read, err := format.Render(text, kind, layout)
	if err != nil {
		return text
	}
	return read
}

func round(x float64) float64 { return math.Round(x*100) / 100 }

// bars draws a rectangle for each cell, side by side or one on the other.
func (g grid) bars(c *chartShown, stacked bool, left float64, y func(float64) float64) {
	band := (plotRight - left) / float64(len(g.categories))
	gap := band * 0.2
	side := (band - gap) / float64(len(g.series))
	if stacked {
		side = band - gap
	}
	for i := range g.categories {
		x := left + band*float64(i) + gap/2
		var below, above float64
		for j, s := range g.series {
			if i >= len(s.plots) || math.IsNaN(s.plots[i]) {
				continue
			}
			v, from := s.plots[i], 0.0
			at := x
			switch {
			case stacked && v < 0:
				from, below = below, below+v
				v = below
			case stacked:
				from, above = above, above+v
				v = above
			default:
				at += side * float64(j)
			}
			top, bottom := min(y(v), y(from)), max(y(v), y(from))
			c.Bars = append(c.Bars, barShown{round(at), top, round(max(side-1, 0.5)), round(max(bottom-top, 0.5)), j % colours, tip(g.categories[i], s.name, s.texts[i])})
		}
	}
	g.label(c, func(i int) float64 { return left + band*(float64(i)+0.5) }, band)
}

// lines draws a line for each series.
func (g grid) lines(c *chartShown, left float64, y func(float64) float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range g.positions {
		if !math.IsNaN(p) {
			low, high = min(low, p), max(high, p)
		}
	}
	n := len(g.categories)
	x := func(i int) float64 {
		if i < len(g.positions) && high > low {
			return round(left + 6 + (g.positions[i]-low)/(high-low)*(plotRight-left-12))
		}
		return round(left + 6 + float64(i)/float64(max(n-1, 1))*(plotRight-left-12))
	}
	for j, s := range g.series {
		l := lineShown{Colour: j % colours}
		var points []string
		for i, v := range s.plots {
			if math.IsNaN(v) || i < len(g.positions) && math.IsNaN(g.positions[i]) || i >= n {
				continue
			}
			points = append(points, fmt.Sprintf("%g,%g", x(i), y(v)))
			if len(s.plots) <= 60 {
				l.Dots = append(l.Dots, dotShown{x(i), y(v), tip(g.categories[i], s.name, s.texts[i])})
			}
		}
		l.Points = strings.Join(points, " ")
		c.Lines = append(c.Lines, l)
	}
	g.label(c, x, (plotRight-left)/float64(max(n, 1)))
}

// label writes as many categories below the plot as there is room for.
func (g grid) label(c *chartShown, x func(int) float64, band float64) {
	longest := 1
	for _, text := range g.categories {
		longest = max(longest, min(len([]rune(text)), 14))
	}
	every := max(1, int(math.Ceil((float64(longest)*labelWidth+8)/band)))
	for i := 0; i < len(g.categories); i += every {
		c.Labels = append(c.Labels, labelShown{round(x(i)), short(g.categories[i], 14)})
	}
}

// short is a text of so many characters at most.
func short(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

func tip(parts ...string) string {
	var list []string
	for _, p := range parts {
		if p != "" {
			list = append(list, p)
		}
	}
	return strings.Join(list, " · ")
}

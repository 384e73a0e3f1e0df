package commands

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode/utf8"

	"reckon/engine/syntax"
)

// Text draws an outline as trees of lines: each output that no other is made of, above what it is
// made of. What stands in an earlier place is not drawn again.
func (o Outline) Text() string {
	var b strings.Builder
	makes, used := o.makes()
	drawn := map[string]bool{}
	var draw func(key, prefix string)
	draw = func(key, prefix string) {
		drawn[key] = true
		below := makes[key]
		for i, part := range below {
			branch, deeper := "├─ ", "│  "
			if i == len(below)-1 {
				branch, deeper = "└─ ", "   "
			}
			b.WriteString(prefix + branch + o.label(part, makes))
			if drawn[part] && len(makes[part]) > 0 {
				b.WriteString(" (above)\n")
				continue
			}
			b.WriteString("\n")
			draw(part, prefix+deeper)
		}
	}
	for _, ends := range []bool{true, false} { // then what goes round in a circle
		for _, v := range o.Variables {
			if v.Output && !drawn[v.Key] && used[v.Key] != ends {
				b.WriteString(o.label(v.Key, makes) + "\n")
				draw(v.Key, "")
			}
		}
	}
	for _, e := range o.Equations {
		if e.Active && e.States == "" {
			fmt.Fprintf(&b, "%s\n", syntax.OneLine(e.Equation))
		}
	}
	return b.String()
}

func (o Outline) label(key string, makes map[string][]string) string {
	for _, e := range o.Equations {
		if e.Active && e.States == key && len(makes[key]) > 0 {
			return syntax.OneLine(e.Equation)
		}
	}
	return key
}

// makes says which variables each output is made of by the first equation that states it, and which
// variables outputs are made of.
func (o Outline) makes() (makes map[string][]string, used map[string]bool) {
	makes, used = map[string][]string{}, map[string]bool{}
	for _, e := range o.Equations {
		if !e.Active || e.States == "" {
			continue
		}
		for _, key := range e.Variables {
			if key == e.States {
				continue
			}
			used[key] = true
			if !slices.Contains(makes[e.States], key) {
				makes[e.States] = append(makes[e.States], key)
			}
		}
	}
	return makes, used
}

// box is a variable or an equation in a drawing.
type box struct {
	text, title  string
	note         string // below the text, "" for none
	lines, notes []string
	level        int
	equation     bool
	output       bool
	dashed       bool
	x, y         int
	width        int
	height       int
	from         []int // boxes that lead to it
}

// Sizes of a drawing, in pixels.
const (
	boxGap    = 14
	levelGap  = 56
	lane      = 10 // between the lines beside a column
	letter    = 8  // of a monospaced font of 13 pixels
	textLine  = 16
	noteLine  = 15
	boxMargin = 6
	longest   = 40 // letters of a line, where there is room
	mostLines = 8  // of a box
)

// SVG draws an outline: inputs, equations, outputs, from left to right, or in a column where that
// is wider than most pixels, unless that is 0. It is a whole document.
func (o Outline) SVG(most int) string { return drawing(o.Title, o.boxes(), most) }

// drawing draws boxes with lines from those that lead to them.
func drawing(title string, boxes []box, most int) string {
	level(boxes)
	lines, width, height := across(boxes)
	if most > 0 && width > most {
		lines, width, height = down(boxes, most)
	}
	width, height = max(width, 1), max(height, 1)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="ui-monospace, monospace" font-size="13" role="img"><title>%s</title>`+"\n",
		width, height, width, height, html.EscapeString(title))
	for _, line := range lines {
		fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="#8a94a0"/>`+"\n", line)
	}
	for _, is := range boxes {
		fill, radius := "#eef2f7", 4
		switch {
		case is.equation:
			fill, radius = "#fff7e0", textLine
		case is.output:
			fill = "#dff3e4"
		}
		dashes := ""
		if is.dashed {
			dashes = ` stroke-dasharray="5 3"`
		}
		fmt.Fprintf(&b, `<g><title>%s</title><rect x="%d" y="%d" width="%d" height="%d" rx="%d" fill="%s" stroke="#5b6570"%s/>`,
			html.EscapeString(is.title), is.x, is.y, is.width, is.height, radius, fill, dashes)
		x, y := is.x+is.width/2, is.y+boxMargin-4
		for _, text := range is.lines {
			y += textLine
			fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle" fill="#1b1f24">%s</text>`, x, y, html.EscapeString(text))
		}
		for _, note := range is.notes {
			y += noteLine
			fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle" fill="#5b6570" font-size="11">%s</text>`, x, y, html.EscapeString(note))
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// across places boxes in the columns of their levels.
func across(boxes []box) (lines []string, width, height int) {
	columns := [][]int{}
	for i := range boxes {
		boxes[i].size(longest)
		for len(columns) <= boxes[i].level {
			columns = append(columns, nil)
		}
		columns[boxes[i].level] = append(columns[boxes[i].level], i)
	}
	x := boxGap
	for _, column := range columns {
		// Beside what it is made of, a box crosses the fewest lines.
		slices.SortStableFunc(column, func(a, b int) int { return cmp.Compare(centre(boxes, a), centre(boxes, b)) })
		widest, y := 0, boxGap
		for _, i := range column {
			boxes[i].x, boxes[i].y = x, y
			widest, y = max(widest, boxes[i].width), y+boxes[i].height+boxGap
		}
		x, height = x+widest+levelGap, max(height, y)
	}
	for _, to := range boxes {
		for _, i := range to.from {
			from := boxes[i]
			x1, y1, x2, y2 := from.x+from.width, from.y+from.height/2, to.x, to.y+to.height/2
			lines = append(lines, fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+levelGap/2, y1, x2-levelGap/2, y2, x2, y2))
		}
	}
	return lines, x - levelGap + boxGap, height
}

// down places boxes in one column, each above what is made of it and as near as may be. The lines
// run beside it, those to one box in a lane together.
func down(boxes []box, most int) (lines []string, width, height int) {
	order := make([]int, 0, len(boxes))
	row := make([]int, len(boxes)) // of a box in the order, from 1
	var put func(int)
	put = func(i int) {
		if row[i] != 0 {
			return
		}
		row[i] = -1 // under way
		from := slices.Clone(boxes[i].from)
		slices.SortStableFunc(from, func(a, b int) int { return cmp.Compare(boxes[b].level, boxes[a].level) }) // the longest chain first
		for _, from := range from {
			put(from)
		}
		order = append(order, i)
		row[i] = len(order)
	}
	leads := make([]bool, len(boxes))
	for _, is := range boxes {
		for _, from := range is.from {
			leads[from] = true
		}
	}
	for _, ends := range []bool{true, false} { // then what goes round in a circle
		for i := range boxes {
			if leads[i] != ends {
				put(i)
			}
		}
	}

	// rail is the line to a box from all that lead to it, in rows. The shortest stands nearest.
	type rail struct{ to, top, bottom, lane int }
	var rails []rail
	for i, is := range boxes {
		r := rail{to: i, top: row[i], bottom: row[i]}
		for _, from := range is.from {
			r.top, r.bottom = min(r.top, row[from]), max(r.bottom, row[from])
		}
		if len(is.from) > 0 {
			rails = append(rails, r)
		}
	}
	slices.SortStableFunc(rails, func(a, b rail) int { return cmp.Compare(a.bottom-a.top, b.bottom-b.top) })
	lanes := [][]rail{}
	for i := range rails {
		r := &rails[i]
		for r.lane < len(lanes) && slices.ContainsFunc(lanes[r.lane], func(other rail) bool { return r.top < other.bottom && other.top < r.bottom }) {
			r.lane++
		}
		if r.lane == len(lanes) {
			lanes = append(lanes, nil)
		}
		lanes[r.lane] = append(lanes[r.lane], *r)
	}

	left, y := boxGap+lane*len(lanes), boxGap
	for _, i := range order {
		is := &boxes[i]
		is.size(max(longest/2, min(2*longest, (most-left-boxGap-2*boxMargin)/letter)))
		is.x, is.y = left, y
		width, y = max(width, left+is.width+boxGap), y+is.height+boxGap
	}
	for _, r := range rails {
		to, x := boxes[r.to], left-lane*(r.lane+1)
		y2 := to.y + to.height/3 // what comes in stands above what goes out
		for _, i := range to.from {
			y1, bend := boxes[i].y+2*boxes[i].height/3, lane/2
			if y1 > y2 {
				bend = -bend
			}
			lines = append(lines, fmt.Sprintf("M%d %dH%dQ%d %d %d %dV%dQ%d %d %d %dH%d", left, y1, x+lane/2, x, y1, x, y1+bend, y2-bend, x, y2, x+lane/2, y2, left))
		}
		lines = append(lines, fmt.Sprintf("M%d %dl6 4l-6 4", left-6, y2-4))
	}
	return lines, width, y
}

// centre is where the boxes that lead to a box stand on average.
func centre(boxes []box, i int) float64 {
	if len(boxes[i].from) == 0 {
		return 0
	}
	sum := 0
	for _, from := range boxes[i].from {
		sum += boxes[from].y
	}
	return float64(sum) / float64(len(boxes[i].from))
}

// boxes are the variables and the active equations, each in a column behind what it is made of.
// Where outputs go round in a circle, one of its lines goes back.
func (o Outline) boxes() []box {
	boxes := make([]box, 0, len(o.Variables)+len(o.Equations))
	at := map[string]int{}
	add := func(is box) int {
		boxes = append(boxes, is)
		return len(boxes) - 1
	}
	for _, v := range o.Variables {
		title := v.Title
		if v.Unit != "" {
			title += ", " + v.Unit
		}
		at[v.Key] = add(box{text: v.Key, title: title, output: v.Output})
	}
	for _, e := range o.Equations {
		if !e.Active {
			continue
		}
		i := add(box{text: syntax.OneLine(e.Equation), title: e.Title, equation: true})
		for _, key := range e.Variables {
			if v := at[key]; key == e.States {
				boxes[v].from = append(boxes[v].from, i)
			} else {
				boxes[i].from = append(boxes[i].from, v)
			}
		}
	}
	return boxes
}

// size makes a box as large as its text, in lines of at most some letters.
func (b *box) size(most int) {
	b.lines, b.notes = wrapped(b.text, most), wrapped(b.note, most*letter/(letter-1))
	b.width, b.height = 0, textLine*len(b.lines)+noteLine*len(b.notes)+2*boxMargin
	for _, line := range b.lines {
		b.width = max(b.width, letter*utf8.RuneCountInString(line))
	}
	for _, line := range b.notes {
		b.width = max(b.width, (letter-1)*utf8.RuneCountInString(line))
	}
	b.width += 16
}

// wrapped is a text in lines, which end where a word does if one may.
func wrapped(text string, most int) (lines []string) {
	rest := []rune(text)
	for len(rest) > 0 {
		if len(rest) > most && len(lines) == mostLines-1 {
			return append(lines, string(rest[:most-1])+"…")
		}
		end := min(most, len(rest))
		if end < len(rest) {
			for at := end; at > most/2; at-- {
				if rest[at] == ' ' {
					end = at
					break
				}
			}
		}
		lines = append(lines, string(rest[:end]))
		rest = []rune(strings.TrimLeft(string(rest[end:]), " "))
	}
	return lines
}

// level puts each box in a column behind those that lead to it, and what nothing leads to before
// the first that needs it.
func level(boxes []box) {
	const doing, done = 1, 2
	state := make([]int, len(boxes))
	var place func(int) int
	place = func(i int) int {
		if state[i] == done {
			return boxes[i].level
		}
		state[i] = doing
		level := 0
		for _, from := range boxes[i].from {
			if state[from] != doing {
				level = max(level, place(from)+1)
			}
		}
		boxes[i].level, state[i] = level, done
		return level
	}
	for i := range boxes {
		place(i)
	}
	first := map[int]int{} // column of what needs a box first
	for _, b := range boxes {
		for _, i := range b.from {
			if at, known := first[i]; !known || b.level < at {
				first[i] = b.level
			}
		}
	}
	for i := range boxes {
		if len(boxes[i].from) == 0 {
			boxes[i].level = max(0, first[i]-1)
		}
	}
}

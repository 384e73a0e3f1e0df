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
	text, title string
	note        string // below the text, "" for none
	level       int
	equation    bool
	output      bool
	dashed      bool
	x, y, width int
	from        []int // boxes that lead to it
}

// Sizes of a drawing, in pixels.
const (
	boxHeight = 28
	notedBox  = 46 // of a box with a note
	boxGap    = 14
	levelGap  = 56
	letter    = 8 // of a monospaced font of 13 pixels
	longest   = 40
	longNote  = 64
)

// SVG draws an outline from left to right: inputs, equations, outputs. It is a whole document.
func (o Outline) SVG() string { return drawing(o.Title, o.boxes()) }

// drawing draws boxes, each in the column of its level, with lines from those that lead to it.
func drawing(title string, boxes []box) string {
	boxHeight := boxHeight
	if slices.ContainsFunc(boxes, func(b box) bool { return b.note != "" }) {
		boxHeight = notedBox
	}
	columns := [][]int{}
	for i := range boxes {
		for len(columns) <= boxes[i].level {
			columns = append(columns, nil)
		}
		columns[boxes[i].level] = append(columns[boxes[i].level], i)
	}
	x, height := boxGap, 0
	for _, column := range columns {
		// Beside what it is made of, a box crosses the fewest lines.
		slices.SortStableFunc(column, func(a, b int) int { return cmp.Compare(centre(boxes, a), centre(boxes, b)) })
		width := 0
		for row, i := range column {
			boxes[i].x, boxes[i].y = x, boxGap+row*(boxHeight+boxGap)
			width, height = max(width, boxes[i].width), max(height, boxes[i].y+boxHeight+boxGap)
		}
		x += width + levelGap
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="ui-monospace, monospace" font-size="13" role="img"><title>%s</title>`+"\n",
		max(x-levelGap+boxGap, 1), max(height, 1), max(x-levelGap+boxGap, 1), max(height, 1), html.EscapeString(title))
	for _, to := range boxes {
		for _, i := range to.from {
			from := boxes[i]
			x1, y1, x2, y2 := from.x+from.width, from.y+boxHeight/2, to.x, to.y+boxHeight/2
			fmt.Fprintf(&b, `<path d="M%d %dC%d %d %d %d %d %d" fill="none" stroke="#8a94a0"/>`+"\n", x1, y1, x1+levelGap/2, y1, x2-levelGap/2, y2, x2, y2)
		}
	}
	for _, is := range boxes {
		fill, radius := "#eef2f7", 4
		switch {
		case is.equation:
			fill, radius = "#fff7e0", boxHeight/2
		case is.output:
			fill = "#dff3e4"
		}
		dashes, baseline := "", is.y+boxHeight/2+4
		if is.dashed {
			dashes = ` stroke-dasharray="5 3"`
		}
		if is.note != "" {
			baseline -= 8
		}
		fmt.Fprintf(&b, `<g><title>%s</title><rect x="%d" y="%d" width="%d" height="%d" rx="%d" fill="%s" stroke="#5b6570"%s/><text x="%d" y="%d" text-anchor="middle" fill="#1b1f24">%s</text>`,
			html.EscapeString(is.title), is.x, is.y, is.width, boxHeight, radius, fill, dashes, is.x+is.width/2, baseline, html.EscapeString(is.text))
		if is.note != "" {
			fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle" fill="#5b6570" font-size="11">%s</text>`, is.x+is.width/2, baseline+17, html.EscapeString(is.note))
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
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
		boxes = append(boxes, sized(is))
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
	level(boxes)
	return boxes
}

// sized is a box that is as wide as its text, which is cut where it is too long.
func sized(is box) box {
	is.text, is.note = cut(is.text, longest), cut(is.note, longNote)
	is.width = max(letter*utf8.RuneCountInString(is.text), (letter-1)*utf8.RuneCountInString(is.note)) + 16
	return is
}

func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// level puts each box in a column behind those that lead to it.
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
}

package spreadsheet

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/efp"
	"github.com/xuri/excelize/v2"

	"reckon/engine/formula"
)

// functionNames are the functions that spreadsheets have under another name, by that name.
func functionNames() map[string]formula.Function {
	names := map[string]formula.Function{}
	for _, f := range formula.Functions() {
		names[strings.ToUpper(f.Name)] = f
	}
	for _, f := range formula.Functions() {
		for _, other := range f.Spreadsheet {
			if _, taken := names[other]; !taken {
				names[other] = f
			}
		}
	}
	return names
}

// infix are the operators of spreadsheets that are written otherwise.
var infix = map[string]string{"=": "==", "<>": "!="}

// What a formula may refer to that has no number: a range passes over it.
var (
	errEmpty = errors.New("is empty")
	errText  = errors.New("is no number with a label")
)

// errCompared says that a text is no result.
var errCompared = errors.New("it compares a text")

// reader says what a formula stands on.
type reader struct {
	ranges map[string]string // that names stand for
	named  map[string]place
	gives  bool // the formula gives a text
	// refer names the variable of a cell, a moment between marks.
	refer func(place) (string, error)
}

// call is a function that is open while a formula is read.
type call struct {
	name    string
	dates   bool   // it takes moments as they are
	closing string // behind it
}

// translate writes a formula of a cell as an expression, with marks around moments, and texts in
// quotes.
func translate(text string, at place, functions map[string]formula.Function, in reader) (expression string, err error) {
	defer func() { // the library does not promise to take every text
		if thrown := recover(); thrown != nil {
			err = fmt.Errorf("it cannot be read")
		}
	}()
	parser := efp.ExcelParser()
	var b strings.Builder
	var open []call
	written := false // the last operand was a text
	dates := func() bool { return len(open) > 0 && open[len(open)-1].dates }
	for _, t := range parser.Parse(text) {
		switch t.TType {
		case efp.TokenTypeWhitespace, efp.TokenTypeNoop:
		case efp.TokenTypeFunction:
			if t.TSubType == efp.TokenSubTypeStop {
				b.WriteString(open[len(open)-1].closing)
				open = open[:len(open)-1]
				continue
			}
			name := strings.TrimPrefix(strings.ToUpper(t.TValue), "_XLFN.")
			c := call{name: name, closing: ")"}
			switch name {
			case "PI":
				b.WriteString("(pi")
			case "POWER", "AND", "OR":
				b.WriteString("((")
				c.closing = "))"
			default:
				f, ok := functions[name]
				if !ok {
					return "", fmt.Errorf("there is no function %s", name)
				}
				c.dates = f.Group == "Dates" || f.Group == "Bonds"
				switch {
				case dates() || !c.dates || f.Result != "time":
				case f.Name == "time":
					b.WriteString(timeOpen)
					c.closing += timeClose
				default:
					b.WriteString(dateOpen)
					c.closing += dateClose
				}
				b.WriteString(f.Name + "(")
			}
			open = append(open, c)
		case efp.TokenTypeArgument:
			if len(open) == 0 {
				return "", fmt.Errorf("a comma stands outside of a function")
			}
			separator, ok := map[string]string{"POWER": ")^(", "AND": ") and (", "OR": ") or ("}[open[len(open)-1].name]
			if !ok {
				separator = ", "
			}
			b.WriteString(separator)
		case efp.TokenTypeSubexpression:
			if t.TSubType == efp.TokenSubTypeStart {
				b.WriteString("(")
			} else {
				b.WriteString(")")
			}
		case efp.TokenTypeOperatorPrefix, efp.TokenTypeOperatorPostfix:
			b.WriteString(t.TValue)
		case efp.TokenTypeOperatorInfix:
			if t.TSubType != efp.TokenSubTypeMath && t.TSubType != efp.TokenSubTypeLogical {
				return "", fmt.Errorf("it has the operator %q", t.TValue)
			}
			if written {
				return "", errCompared
			}
			op := t.TValue
			if other, ok := infix[op]; ok {
				op = other
			}
			b.WriteString(" " + op + " ")
		case efp.TokenTypeOperand:
			operand, err := in.operand(t, at)
			if err != nil {
				return "", err
			}
			if dates() {
				operand = strings.NewReplacer(dateOpen, "", dateClose, "", timeOpen, "", timeClose, "").Replace(operand)
			}
			if written = strings.HasPrefix(operand, `"`); written && strings.HasSuffix(b.String(), " ") && !strings.HasSuffix(b.String(), ", ") {
				return "", errCompared
			}
			b.WriteString(operand)
		default:
			return "", fmt.Errorf("it has %q", t.TValue)
		}
	}
	return b.String(), nil
}

func (in reader) operand(t efp.Token, at place) (string, error) {
	switch t.TSubType {
	case efp.TokenSubTypeNumber:
		return t.TValue, nil
	case efp.TokenSubTypeLogical:
		return strings.ToLower(t.TValue), nil
	case efp.TokenSubTypeText:
		if !in.gives || strings.ContainsAny(t.TValue, "\"\\") {
			return "", fmt.Errorf("it has the text %q", t.TValue)
		}
		return `"` + t.TValue + `"`, nil
	case efp.TokenSubTypeRange:
	default:
		return "", fmt.Errorf("it has %q", t.TValue)
	}
	if p, ok := in.named[strings.ToLower(t.TValue)]; ok {
		return in.refer(p)
	}
	sheet, cells := at.sheet, cmp.Or(in.ranges[strings.ToLower(t.TValue)], t.TValue)
	if i := strings.LastIndex(cells, "!"); i >= 0 {
		sheet, cells = strings.Trim(cells[:i], "'"), cells[i+1:]
	}
	first, last, several := strings.Cut(strings.ReplaceAll(cells, "$", ""), ":")
	x1, y1, err := excelize.CellNameToCoordinates(first)
	if err != nil {
		return "", fmt.Errorf("%q is no cell and no name of one", t.TValue)
	}
	if !several {
		return in.refer(place{sheet, x1, y1})
	}
	x2, y2, err := excelize.CellNameToCoordinates(last)
	if err != nil || x2 < x1 || y2 < y1 || (x2-x1+1)*(y2-y1+1) > 1000 {
		return "", fmt.Errorf("the range %s is too large, or none", t.TValue)
	}
	return in.block(sheet, x1, y1, x2, y2)
}

// block is a range as a list, or as rows where it has several rows and columns and all of its cells
// have numbers. Other cells are passed over, as the functions of spreadsheets do.
func (in reader) block(sheet string, x1, y1, x2, y2 int) (string, error) {
	var rows, items []string
	whole := x1 != x2 && y1 != y2
	for y := y1; y <= y2; y++ {
		begun := len(items)
		for x := x1; x <= x2; x++ {
			name, err := in.refer(place{sheet, x, y})
			switch {
			case errors.Is(err, errEmpty), errors.Is(err, errText):
				whole = false
			case err != nil:
				return "", err
			default:
				items = append(items, name)
			}
		}
		rows = append(rows, "["+strings.Join(items[begun:], ", ")+"]")
	}
	switch {
	case len(items) == 0:
		return "", fmt.Errorf("the range has no numbers")
	case whole:
		items = rows
	}
	return "[" + strings.Join(items, ", ") + "]", nil
}

var quotedText = regexp.MustCompile(`"([^"]*)"`)

// chosen puts the number of a label for each text of an expression, and lists the labels.
func chosen(expression string) (string, []string) {
	var labels []string
	expression = quotedText.ReplaceAllStringFunc(inDays.Replace(expression), func(quoted string) string {
		label := strings.Trim(quoted, `"`)
		if !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
		return strconv.Itoa(slices.Index(labels, label) + 1)
	})
	return expression, labels
}

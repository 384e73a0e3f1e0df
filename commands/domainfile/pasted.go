package domainfile

import (
	"encoding/csv"
	"regexp"
	"strings"
)

// plainCell is a cell that stands in YAML without quotes.
var plainCell = regexp.MustCompile(`^-?\d+(\.\d+)?( [A-Za-z][A-Za-z/0-9^]*)?$`)

// Pasted is a table of a domain file with cells that were copied from a spreadsheet, in lines with
// tabs, or else commas or semicolons between them; "" for a text that is no table. Its lines behind
// the first stand as far in as indent says, and further. Names above the columns become a comment.
func Pasted(text string, indent int) string {
	text = strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	rows := cellsOf(text)
	if rows == nil {
		return ""
	}
	names := ""
	if len(rows) > 1 && !digits(rows[0]) && digits(rows[1]) {
		names, rows = " # "+strings.Join(strings.Fields(strings.Join(rows[0], ", ")), " "), rows[1:]
	}
	margin := strings.Repeat(" ", indent+2)
	var b strings.Builder
	b.WriteString("[" + names + "\n")
	for _, row := range rows {
		var cells []string
		for _, cell := range row {
			cells = append(cells, flowCell(strings.TrimSpace(cell)))
		}
		line := strings.Join(cells, ", ")
		if len(row) > 1 {
			line = "[" + line + "]"
		}
		b.WriteString(margin + line + ",\n")
	}
	b.WriteString(margin + "]")
	return b.String()
}

// cellsOf are the cells of a text by rows, nil where they are not at least two rows or two columns,
// all rows as long.
func cellsOf(text string) [][]string {
	for _, comma := range []rune{'\t', ';', ','} {
		if !strings.ContainsRune(text, comma) {
			continue
		}
		r := csv.NewReader(strings.NewReader(text))
		r.Comma, r.LazyQuotes = comma, comma == '\t'
		rows, err := r.ReadAll() // all as long as the first
		if err != nil || len(rows) == 0 || comma != '\t' && (len(rows) < 2 || !digits(rows[len(rows)-1])) {
			return nil
		}
		for _, row := range rows {
			if comma != '\t' && strings.ContainsAny(strings.Join(row, ""), ":{}[]#") {
				return nil // lines of a domain file
			}
		}
		return rows
	}
	return nil
}

// digits tells whether any cell of a row has a number.
func digits(row []string) bool { return strings.ContainsAny(strings.Join(row, ""), "0123456789") }

// flowCell is a cell as it stands between brackets.
func flowCell(cell string) string {
	if plainCell.MatchString(cell) {
		return cell
	}
	cell = strings.Join(strings.Fields(cell), " ")
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(cell) + `"`
}

package prompt

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"reckon/engine/format"
	"reckon/engine/input"
	"reckon/engine/value"
)

// splitRow gives the cells of a "|" row. The last "|" may be left out.
func splitRow(source string) []string {
	var cells []string
	begin := 1
	quotes := quoteScanner{text: source}
	for i := 1; i < len(source); {
		if next := quotes.skip(i); next > i {
			i = next
			continue
		}
		if source[i] == '|' {
			cells = append(cells, cell(source[begin:i]))
			begin = i + 1
		}
		i++
	}
	if last := strings.TrimSpace(source[begin:]); last != "" || len(cells) == 0 {
		cells = append(cells, cell(last))
	}
	return cells
}

// cell is the text of a cell without white space and quotes around it.
func cell(source string) string {
	source = strings.TrimSpace(source)
	if inner, rest, ok := cutQuoted(source); ok && rest == "" {
		return strings.TrimSpace(inner)
	}
	return source
}

// isRule is true of the row below a Markdown header: "|---|:-:|".
func isRule(row []string) bool {
	for _, c := range row {
		if len(c) < 3 || strings.Trim(strings.TrimSuffix(strings.TrimPrefix(c, ":"), ":"), "-") != "" {
			return false
		}
	}
	return true
}

// rowsTable makes a table of "|" rows: a column when each has one cell. A Markdown header is
// checked against the names of the variable's columns and dropped.
func rowsTable(v *value.Variable, rows [][]string) (value.Text, []value.Error) {
	invalid := func(format string, args ...any) (value.Text, []value.Error) {
		return value.Text{}, value.Problems("input.invalid_table", v.Key, fmt.Sprintf(format, args...))
	}
	if len(rows) > 1 && isRule(rows[1]) {
		header := rows[0]
		rows = rows[2:]
		if len(rows) == 0 {
			return invalid("there is no row below the header")
		}
		if len(header) != len(rows[0]) {
			return invalid("the header has %s, the first row has %s", columns(len(header)), columns(len(rows[0])))
		}
		names := format.ColumnNames(v)
		for i := range min(len(names), len(header)) {
			if names[i] != "" && fold(names[i]) != fold(header[i]) {
				return invalid("column %d is named %q, not %q", i+1, names[i], input.Quoted(header[i]))
			}
		}
	}
	text := value.Text{Rank: 1, Cells: rows}
	for i, row := range rows {
		if isRule(row) {
			return invalid("row %d is a header line, which stands only below the first row", i+1)
		}
		if len(row) > 1 {
			text.Rank = 2
		}
	}
	return text, nil
}

func columns(n int) string {
	if n == 1 {
		return "1 column"
	}
	return strconv.Itoa(n) + " columns"
}

// fold is a name with case, and space, hyphen and underscore, made equal. Going through capitals
// makes letters equal that have one capital, such as s and the long s.
func fold(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(strings.ToUpper(name)), func(c rune) bool {
		return c == '-' || c == '_' || unicode.IsSpace(c)
	}), " ")
}

// InlineTable reads "[a, b]" and "[[a, b], [c, d]]" for the variable with this key.
func InlineTable(key, source string) (value.Text, []value.Error) {
	s := inlineScanner{source: source}
	text, reason := s.table()
	if reason != "" {
		return value.Text{}, value.Problems("input.invalid_table", key, reason)
	}
	return text, s.ambiguous
}

// inlineScanner walks through the text of an inline table.
type inlineScanner struct {
	source    string
	at        int
	ambiguous []value.Error // numbers whose commas could be group separators
	reported  int           // where the last of those ends
}

// space skips white space and gives the byte behind it, 0 at the end.
func (s *inlineScanner) space() byte {
	s.at = len(s.source) - len(strings.TrimLeft(s.source[s.at:], " \t\r"))
	if s.at == len(s.source) {
		return 0
	}
	return s.source[s.at]
}

const unclosed = `the closing "]" is missing`

// table reads the whole text; a reason says why it is no table.
func (s *inlineScanner) table() (t value.Text, reason string) {
	s.at++
	if s.space() != '[' {
		t.Rank = 1
		list, reason := s.list("rows and single cells are mixed")
		if reason != "" {
			return t, reason
		}
		for _, c := range list {
			t.Cells = append(t.Cells, []string{c})
		}
		return t, s.end()
	}
	t.Rank = 2
	for {
		switch s.space() {
		case 0:
			return t, unclosed
		case '[':
			s.at++
		default:
			return t, "rows and single cells are mixed"
		}
		row, reason := s.list("brackets stand more than two deep")
		if reason != "" {
			return t, reason
		}
		t.Cells = append(t.Cells, row)
		switch s.space() {
		case ',':
			s.at++
		case ']':
			s.at++
			return t, s.end()
		case 0:
			return t, unclosed
		default:
			return t, `a "," or "]" is missing behind a row`
		}
	}
}

// end reports what is left behind the table.
func (s *inlineScanner) end() string {
	if s.space() != 0 {
		return `there is text behind the closing "]"`
	}
	return ""
}

// list reads cells up to and including the "]" that closes them. deeper is the reason to refuse a
// list inside.
func (s *inlineScanner) list(deeper string) (cells []string, reason string) {
	if s.space() == ']' {
		s.at++
		return nil, ""
	}
	for {
		if s.space() == '[' {
			return nil, deeper
		}
		text, closing := s.cell()
		cells = append(cells, cell(text))
		switch closing {
		case ']':
			return cells, ""
		case 0:
			return nil, unclosed
		}
	}
}

// cell reads up to the next "," or "]" outside quotes, parentheses and inner brackets, and gives
// the one that it found, 0 at the end of the text.
func (s *inlineScanner) cell() (text string, closing byte) {
	begin := s.at
	if _, rest, ok := cutQuoted(s.source[begin:]); ok {
		s.at = len(s.source) - len(rest)
	}
	parentheses, brackets := 0, 0
	for ; s.at < len(s.source); s.at++ {
		c := s.source[s.at]
		switch c {
		case '(':
			parentheses++
		case ')':
			parentheses = max(parentheses-1, 0)
		case '[':
			brackets++
		case ',':
			s.group()
		}
		if c == ']' && brackets > 0 {
			brackets--
			continue
		}
		if c == ']' || c == ',' && parentheses == 0 && brackets == 0 {
			text = s.source[begin:s.at]
			s.at++
			return text, c
		}
	}
	return s.source[begin:], 0
}

// group reports the comma at this place, with those that follow it, when they could separate groups
// of digits as well as cells: each stands directly between a digit and exactly three digits.
func (s *inlineScanner) group() {
	if s.at < s.reported || !isDigit(s.source[s.at-1]) {
		return
	}
	end := s.at
	for end < len(s.source) && s.source[end] == ',' && s.digits(end+1) == end+4 {
		end += 4
	}
	if end == s.at {
		return
	}
	if end < len(s.source) && s.source[end] == '.' {
		end = s.digits(end + 1)
	}
	begin := s.at
	for begin > 0 && (isDigit(s.source[begin-1]) || s.source[begin-1] == '.') {
		begin--
	}
	s.reported = end
	if len(s.ambiguous) < maxProblems {
		number := s.source[begin:end]
		s.ambiguous = append(s.ambiguous, *value.Problem("input.ambiguous_number", input.Quoted(number),
			input.Quoted(strings.ReplaceAll(number, ",", "")), input.Quoted(strings.ReplaceAll(number, ",", " and "))))
	}
}

// digits gives the position behind the digits that start at one.
func (s *inlineScanner) digits(at int) int {
	return len(s.source) - len(strings.TrimLeft(s.source[at:], "0123456789"))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

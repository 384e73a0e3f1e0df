// Package syntax reads and prints equations: scanner, parser, and printers that write them as they
// are read, as people write them, as TeX and as MathML. Literals stay text; every node knows its
// place.
//
// From loose to tight, equal binding from left to right unless said otherwise:
//
//	equation = expr "=" expr
//	or, and, not
//	== != < <= > >=      one only, not chained (also ≤ ≥ ≠)
//	+ -                  (also −)
//	* /                  (also × · ÷)
//	-x +x
//	^                    from right to left, so that -2^2 is -4 and 2^-1 works (also ** and raised digits, x²)
//	x%
//	# to the end of the line is a comment
//	schedule(i, a, b, name = expr, …)
//	1.5  name  f(a, b)  (expr)  [a, b]  9.80665 [m/s^2]  "label"
//
// Nesting is limited to 100, a source to 10,000 tokens, a literal to 1,000 digits.
package syntax

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Node is an expression. Offset is the zero-based position of its first character in Unicode code
// points.
type Node interface {
	Offset() int
	End() int // position behind its last character
}

type (
	// Number is a literal, with a unit when one stood behind it in brackets: 9.80665 [m/s^2]. Text is
	// what decimal.Parse reads: group marks are taken out, ".5" is "0.5", the exponent mark is "e".
	Number struct {
		Start, Stop int
		Text        string
		Unit        string // as written, without brackets and outer white space; "" for none
		UnitStart   int
	}
	// Text is what stands between quotes: the label of a choice.
	Text struct {
		Start, Stop int
		Text        string
	}
	// Name is a variable or a reserved constant (pi, e, true, false, today, now).
	Name struct {
		Start int
		Text  string
	}
	// Call applies a function.
	Call struct {
		Start, Stop int
		Function    string
		Args        []Node
	}
	// Unary is Op X: "-", "+", "not", or the postfix "%".
	Unary struct {
		Start, Stop int
		Op          string
		X           Node
	}
	// Binary is X Op Y: + - * / ^ == != < <= > >= and or. Spellings such as × and ÷ are already
	// normalised.
	Binary struct {
		Op       string
		OpOffset int
		X, Y     Node
	}
	// Definition is Name = X, an argument that defines a column of a table.
	Definition struct {
		Start int
		Name  string
		X     Node
	}
	// List is [a, b, …].
	List struct {
		Start, Stop int
		Items       []Node
	}
	// Shown is X, which people are shown as Text and Unit. No parse makes one.
	Shown struct {
		X          Node
		Text, Unit string
	}
)

// DefinesColumns tells whether the arguments of a function define columns, as in
// schedule(i, 1, 3, a = i).
func DefinesColumns(function string) bool { return function == "schedule" }

// Equation is Left = Right.
type Equation struct {
	Left, Right Node
}

// Error says what was expected at a caret position (code points, 0 before the first character).
// Message is a complete sentence without the position.
type Error struct {
	Offset  int
	Message string
	Beside  *Beside // where an operator is missing between two parts whose meaning says which; else nil
}

func (e *Error) Error() string { return fmt.Sprintf("at character %d: %s", e.Offset, e.Message) }

var comments = regexp.MustCompile(`#[^\n]*`)

// OneLine is a source on one line, without its comments.
func OneLine(source string) string {
	return strings.Join(strings.Fields(comments.ReplaceAllString(source, "")), " ")
}

// IsName reports whether an equation reads s as one name: letters, digits and underscores, not
// starting with a digit, and not one of the words and, or, not.
func IsName(s string) bool {
	if s == "" || s == "and" || s == "or" || s == "not" || !utf8.ValidString(s) {
		return false
	}
	for i, r := range s {
		if !startsName(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return true
}

func (n *Number) Offset() int     { return n.Start }
func (n *Number) End() int        { return n.Stop }
func (n *Text) Offset() int       { return n.Start }
func (n *Text) End() int          { return n.Stop }
func (n *Name) Offset() int       { return n.Start }
func (n *Name) End() int          { return n.Start + utf8.RuneCountInString(n.Text) }
func (n *Call) Offset() int       { return n.Start }
func (n *Call) End() int          { return n.Stop }
func (n *Unary) Offset() int      { return n.Start }
func (n *Unary) End() int         { return n.Stop }
func (n *Binary) Offset() int     { return n.X.Offset() }
func (n *Binary) End() int        { return n.Y.End() }
func (n *Definition) Offset() int { return n.Start }
func (n *Definition) End() int    { return n.X.End() }
func (n *Shown) Offset() int      { return n.X.Offset() }
func (n *Shown) End() int         { return n.X.End() }
func (n *List) Offset() int       { return n.Start }
func (n *List) End() int          { return n.Stop }

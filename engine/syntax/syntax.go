// Package syntax reads equations: scanner and parser. Literals stay text; every
// node knows its place.
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
//	1.5  name  f(a, b)  (expr)  [a, b]  9.80665 [m/s^2]
//
// Nesting is limited to 100, a source to 10,000 tokens, a literal to 1,000 digits.
package syntax

import (
	"fmt"
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
	// List is [a, b, …].
	List struct {
		Start, Stop int
		Items       []Node
	}
)

// Equation is Left = Right.
type Equation struct {
	Left, Right Node
}

// Error says what was expected at a caret position (code points, 0 before the first character).
// Message is a complete sentence without the position.
type Error struct {
	Offset  int
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("at character %d: %s", e.Offset, e.Message) }

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

func (n *Number) Offset() int { return n.Start }
func (n *Number) End() int    { return n.Stop }
func (n *Name) Offset() int   { return n.Start }
func (n *Name) End() int      { return n.Start + utf8.RuneCountInString(n.Text) }
func (n *Call) Offset() int   { return n.Start }
func (n *Call) End() int      { return n.Stop }
func (n *Unary) Offset() int  { return n.Start }
func (n *Unary) End() int     { return n.Stop }
func (n *Binary) Offset() int { return n.X.Offset() }
func (n *Binary) End() int    { return n.Y.End() }
func (n *List) Offset() int   { return n.Start }
func (n *List) End() int      { return n.Stop }

package syntax

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite expected output in testdata")

// TestFiles runs testdata/*.txt: a line that starts with ">" is a source, the lines up to the next
// blank line are what is expected of it.
func TestFiles(t *testing.T) {
	for file, show := range map[string]func(string) string{
		"testdata/trees.txt":  showTree,
		"testdata/errors.txt": showError,
	} {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			skipping := false
			for _, line := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
				switch source, found := strings.CutPrefix(line, ">"); {
				case found:
					source = strings.TrimPrefix(source, " ")
					fmt.Fprintf(&out, "%s\n%s\n", line, show(source))
					skipping = true
				case line == "":
					out.WriteString("\n")
					skipping = false
				case !skipping:
					out.WriteString(line + "\n")
				}
			}
			if *update {
				if err := os.WriteFile(file, []byte(out.String()), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, got := strings.Split(string(data), "\n"), strings.Split(out.String(), "\n")
			for i := range got {
				if i >= len(want) || got[i] != want[i] {
					t.Fatalf("%s:%d: got\n%s", file, i+1, got[i])
				}
			}
			if len(got) != len(want) {
				t.Fatalf("%s: %d lines, want %d", file, len(got), len(want))
			}
		})
	}
}

// showTree gives the tree with positions and the printed form. A source with "=" at the top is read
// as an equation.
func showTree(source string) string {
	if e, err := ParseEquation(source); err == nil {
		return tree(e.Left, true) + " = " + tree(e.Right, true) + "\n" + String(e.Left) + " = " + String(e.Right)
	}
	n, err := ParseExpression(source)
	if err != nil {
		return err.Error()
	}
	return tree(n, true) + "\n" + String(n)
}

func showError(source string) string {
	source, expression := strings.CutPrefix(source, "expression:")
	var err error
	if expression {
		source = strings.TrimPrefix(source, " ")
		_, err = ParseExpression(source)
	} else {
		_, err = ParseEquation(source)
	}
	var e *Error
	if !errors.As(err, &e) {
		return "no error"
	}
	// The caret stands under the source, behind the mark of the source line.
	indent := 2
	if expression {
		indent += len("expression: ")
	}
	return strings.Repeat(" ", indent+e.Offset) + "^ " + strconv.Itoa(e.Offset) + "\n" + e.Message
}

// tree writes a node as an S-expression, with start and end positions when places is set.
func tree(n Node, places bool) string {
	var b strings.Builder
	all := func(items []Node) {
		for _, item := range items {
			b.WriteString(" " + tree(item, places))
		}
	}
	switch n := n.(type) {
	case *Number:
		b.WriteString(n.Text)
		if n.Unit != "" {
			b.WriteString("[" + n.Unit + "]")
			if places {
				fmt.Fprintf(&b, "@%d", n.UnitStart)
			}
		}
	case *Text:
		b.WriteString(strconv.Quote(n.Text))
	case *Name:
		b.WriteString("'" + n.Text)
	case *Call:
		b.WriteString("(" + n.Function + "()")
		all(n.Args)
		b.WriteString(")")
	case *Definition:
		b.WriteString("(define '" + n.Name + " ")
		all([]Node{n.X})
		b.WriteString(")")
	case *List:
		b.WriteString("(list")
		all(n.Items)
		b.WriteString(")")
	case *Unary:
		b.WriteString("(" + n.Op + " " + tree(n.X, places) + ")")
	case *Binary:
		b.WriteString("(" + n.Op)
		if places {
			fmt.Fprintf(&b, "@%d", n.OpOffset)
		}
		b.WriteString(" " + tree(n.X, places) + " " + tree(n.Y, places) + ")")
	}
	if places {
		fmt.Fprintf(&b, ":%d-%d", n.Offset(), n.End())
	}
	return b.String()
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name, source string
		offset       int // of the error, -1 for none
	}{
		{"nesting 100", strings.Repeat("(", 100) + "x" + strings.Repeat(")", 100), -1},
		{"nesting 101", strings.Repeat("(", 101) + "x" + strings.Repeat(")", 101), 100},
		{"million brackets", strings.Repeat("(", 1_000_000), 100},
		{"million square brackets", strings.Repeat("[", 1_000_000), 100},
		{"million calls", strings.Repeat("f(", 1_000_000), 201},
		{"million minus", strings.Repeat("-", 1_000_000), 100},
		{"million not", strings.Repeat("not ", 1_000_000), 400},
		{"million powers", strings.Repeat("x^", 1_000_000), 201},
		{"million raised", "x" + strings.Repeat(" ²", 1_000_000), 202},
		{"million names", strings.Repeat("x ", 1_000_000), 2},
		{"million terms", strings.Repeat("x+", 1_000_000), 10_000},
		{"10,000 tokens", strings.Repeat("x+", 4_999) + "x%", -1},
		{"10,001 tokens", strings.Repeat("x+", 5_000) + "x", 10_000},
		{"1,000 digits", strings.Repeat("9", 1_000), -1},
		{"1,001 digits", strings.Repeat("9", 1_001), 0},
		{"million digits", "1+." + strings.Repeat("9", 1_000_000), 2},
		{"million grouped", "1" + strings.Repeat("_000", 250_000), 0},
		{"million in an exponent", "1e" + strings.Repeat("9", 1_000_000), 0},
		{"million raised digits", "x" + strings.Repeat("²", 1_000_000), 1},
		{"million spaces", strings.Repeat(" ", 1_000_000), 1_000_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			n, err := ParseExpression(c.source)
			if took := time.Since(start); took > time.Second {
				t.Errorf("took %v", took)
			}
			var e *Error
			switch {
			case c.offset < 0:
				if err != nil {
					t.Fatal(err)
				}
				if again, err := ParseExpression(String(n)); err != nil || tree(again, false) != tree(n, false) {
					t.Errorf("printed form reads differently: %v", err)
				}
			case !errors.As(err, &e):
				t.Fatal("no error")
			case e.Offset != c.offset:
				t.Errorf("at %d, want %d: %s", e.Offset, c.offset, e.Message)
			}
		})
	}
}

func TestIsName(t *testing.T) {
	for s, want := range map[string]bool{
		"x": true, "_": true, "längd_2": true, "距离": true, "x1": true,
		"": false, "1x": false, "a b": false, "x²": false, "not": false, "a-b": false, "x\xff": false,
	} {
		if got := IsName(s); got != want {
			t.Errorf("IsName(%q) = %v", s, got)
		}
	}
}

// generated draws an expression of limited depth.
func generated(depth int) *rapid.Generator[Node] {
	name := rapid.SampledFrom([]string{"x", "y_1", "größe", "e", "notable", "f"})
	leaf := rapid.Custom(func(t *rapid.T) Node {
		if rapid.Bool().Draw(t, "number") {
			return &Number{
				Text: rapid.StringMatching(`[0-9]{1,5}(\.[0-9]{1,3})?(e[+-]?[0-9]{1,3})?`).Draw(t, "text"),
				Unit: rapid.SampledFrom([]string{"", "", "m", "m/s^2", "%"}).Draw(t, "unit"),
			}
		}
		return &Name{Text: name.Draw(t, "name")}
	})
	if depth == 0 {
		return leaf
	}
	inner := generated(depth - 1)
	return rapid.Custom(func(t *rapid.T) Node {
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0:
			return leaf.Draw(t, "leaf")
		case 1:
			return &Call{Function: name.Draw(t, "function"), Args: rapid.SliceOfN(inner, 0, 3).Draw(t, "args")}
		case 2:
			return &List{Items: rapid.SliceOfN(inner, 0, 3).Draw(t, "items")}
		case 3:
			return &Unary{Op: rapid.SampledFrom([]string{"-", "+", "not", "%"}).Draw(t, "op"), X: inner.Draw(t, "x")}
		}
		op := rapid.SampledFrom([]string{"+", "-", "*", "/", "^", "==", "!=", "<", "<=", ">", ">=", "and", "or"}).Draw(t, "op")
		return &Binary{Op: op, X: inner.Draw(t, "x"), Y: inner.Draw(t, "y")}
	})
}

func TestPrintedReadsBack(t *testing.T) {
	expression := generated(5)
	rapid.Check(t, func(t *rapid.T) {
		n := expression.Draw(t, "n")
		text := String(n)
		again, err := ParseExpression(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got, want := tree(again, false), tree(n, false); got != want {
			t.Fatalf("%s reads as\n%s, want\n%s", text, got, want)
		}
	})
}

// Every pair of brackets in a printed expression is needed: without it the text reads differently
// or not at all.
func TestFewestBrackets(t *testing.T) {
	expression := generated(4)
	rapid.Check(t, func(t *rapid.T) {
		n := expression.Draw(t, "n")
		text := String(n)
		for open, r := range text {
			if r != '(' || open > 0 && (startsName(rune(text[open-1])) || isDigit(text[open-1]) || text[open-1] >= 0x80) && !strings.HasSuffix(text[:open], "e ") {
				continue // an argument list
			}
			depth, shut := 0, open
			for ; shut < len(text); shut++ {
				if text[shut] == '(' {
					depth++
				} else if text[shut] == ')' {
					if depth--; depth == 0 {
						break
					}
				}
			}
			without := text[:open] + " " + text[open+1:shut] + " " + text[shut+1:]
			if again, err := ParseExpression(without); err == nil && tree(again, false) == tree(n, false) {
				t.Fatalf("%s reads like %s", without, text)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a = b", "-2^2 = x", "9.8 [m/s^2] * t² = v", "f(1, [2, 3])% >= not x", "x⁻¹ ≤ 1_000.5e-3", "((", "1 [", "a == b", "x\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		length := len([]rune(source))
		for _, parse := range []func(string) (Node, error){
			ParseExpression,
			func(s string) (Node, error) {
				e, err := ParseEquation(s)
				if err != nil {
					return nil, err
				}
				return &List{Items: []Node{e.Left, e.Right}, Stop: length}, nil
			},
		} {
			n, err := parse(source)
			var e *Error
			if errors.As(err, &e) {
				if e.Offset < 0 || e.Offset > length || e.Message == "" {
					t.Fatalf("offset %d, message %q", e.Offset, e.Message)
				}
				continue
			}
			if n.Offset() < 0 || n.End() > length || n.Offset() > n.End() {
				t.Fatalf("spans %d to %d", n.Offset(), n.End())
			}
			if list, ok := n.(*List); ok && list.Start == 0 && len(list.Items) == 2 {
				n = list.Items[0]
			}
			text := String(n)
			again, err := ParseExpression(text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if tree(again, false) != tree(n, false) {
				t.Fatalf("%s reads differently", text)
			}
		}
	})
}

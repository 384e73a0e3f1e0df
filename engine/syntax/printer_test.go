package syntax

import "strings"

// Bindings of operators, loose to tight.
const (
	bindOr = iota + 1
	bindAnd
	bindNot
	bindCompare
	bindSum
	bindProduct
	bindSign
	bindPower
	bindPostfix
	bindPrimary
)

func binding(n Node) int {
	switch n := n.(type) {
	case *Unary:
		switch n.Op {
		case "not":
			return bindNot
		case "%":
			return bindPostfix
		}
		return bindSign
	case *Binary:
		switch n.Op {
		case "or":
			return bindOr
		case "and":
			return bindAnd
		case "+", "-":
			return bindSum
		case "*", "/":
			return bindProduct
		case "^":
			return bindPower
		}
		return bindCompare
	}
	return bindPrimary
}

// printed is n with the fewest parentheses; parsing it gives n back, positions aside.
func printed(n Node) string {
	var b strings.Builder
	write(&b, n, bindOr)
	return b.String()
}

// write prints n, in parentheses when it binds looser than least.
func write(b *strings.Builder, n Node, least int) {
	own := binding(n)
	if own < least {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	switch n := n.(type) {
	case *Number:
		b.WriteString(n.Text)
		if n.Unit != "" {
			b.WriteString(" [" + n.Unit + "]")
		}
	case *Name:
		b.WriteString(n.Text)
	case *Call:
		b.WriteString(n.Function)
		writeItems(b, "(", n.Args, ")")
	case *List:
		writeItems(b, "[", n.Items, "]")
	case *Unary:
		switch n.Op {
		case "%":
			write(b, n.X, bindPostfix)
			b.WriteByte('%')
		case "not":
			b.WriteString("not ")
			write(b, n.X, bindNot)
		default:
			b.WriteString(n.Op)
			write(b, n.X, bindSign)
		}
	case *Binary:
		left, right, space := own, own+1, " "
		switch own {
		case bindCompare:
			left = own + 1
		case bindPower:
			left, right, space = bindPostfix, bindSign, ""
		}
		write(b, n.X, left)
		b.WriteString(space + n.Op + space)
		write(b, n.Y, right)
	}
}

func writeItems(b *strings.Builder, open string, items []Node, closing string) {
	b.WriteString(open)
	for i, item := range items {
		if i > 0 {
			b.WriteString(", ")
		}
		write(b, item, bindOr)
	}
	b.WriteString(closing)
}

package syntax

import (
	"cmp"
	"strings"
)

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

// String prints n with the fewest parentheses; parsing that gives n back, positions aside.
func String(n Node) string { return printed(n, printer{}) }

// Plain prints n as a person writes it: units without brackets, in parentheses where what stands
// around would reach into them, what a Shown stands for by its own text, and each column that is
// defined on a line of its own.
func Plain(n Node) string { return PlainIn(n, "") }

// PlainIn is Plain with another sign between arguments than a comma, for numbers that have a comma
// in them; "" is a comma.
func PlainIn(n Node, sign string) string { return printed(n, printer{plain: true, sign: sign}) }

func printed(n Node, p printer) string {
	p.sign = cmp.Or(p.sign, ",")
	p.write(n, bindOr)
	return p.String()
}

type printer struct {
	strings.Builder
	plain bool
	sign  string // between arguments
}

// number prints a literal, which a sign or a compound unit sets apart from what binds it tightly.
func (p *printer) number(text, unit string, least int) {
	if unit == "" {
		p.WriteString(text)
		return
	}
	if !p.plain {
		p.WriteString(text + " [" + unit + "]")
		return
	}
	apart := least >= bindPower || least >= bindProduct && strings.ContainsAny(unit, "/*·^ ")
	if apart {
		p.WriteByte('(')
	}
	p.WriteString(text + " " + unit)
	if apart {
		p.WriteByte(')')
	}
}

// write prints n, in parentheses when it binds looser than least.
func (p *printer) write(n Node, least int) {
	if s, ok := n.(*Shown); ok {
		if !p.plain {
			p.write(s.X, least)
			return
		}
		apart := strings.HasPrefix(s.Text, "-") && least > bindSum || s.Unit == "" && least >= bindPower && strings.ContainsAny(s.Text, " %")
		if apart {
			p.WriteByte('(')
		}
		p.number(s.Text, s.Unit, least)
		if apart {
			p.WriteByte(')')
		}
		return
	}
	own := binding(n)
	if u, ok := n.(*Unary); ok && p.plain && u.Op == "-" && least > bindSum {
		own = 0 // two operators do not stand side by side
	}
	if own < least {
		p.WriteByte('(')
		defer p.WriteByte(')')
	}
	switch n := n.(type) {
	case *Number:
		p.number(n.Text, n.Unit, least)
	case *Text:
		p.WriteString(`"` + n.Text + `"`)
	case *Name:
		p.WriteString(n.Text)
	case *Call:
		p.WriteString(n.Function)
		p.items("(", n.Args, ")")
	case *Definition:
		p.WriteString(n.Name + " = ")
		p.write(n.X, 0)
	case *List:
		p.items("[", n.Items, "]")
	case *Unary:
		switch n.Op {
		case "%":
			p.write(n.X, bindPostfix)
			p.WriteByte('%')
		case "not":
			p.WriteString("not ")
			p.write(n.X, bindNot)
		default:
			p.WriteString(n.Op)
			p.write(n.X, bindSign)
		}
	case *Binary:
		left, right, space := own, own+1, " "
		switch own {
		case bindCompare:
			left = own + 1
		case bindPower:
			left, right, space = bindPostfix, bindSign, ""
		}
		if p.plain && least <= bindSum && (own == bindSum || own == bindProduct) && leads(n.X) {
			left = bindOr // a sign at the beginning needs none
		}
		p.write(n.X, left)
		p.WriteString(space + n.Op + space)
		p.write(n.Y, right)
	}
}

// leads reports whether a sign begins n.
func leads(n Node) bool {
	switch n := n.(type) {
	case *Unary:
		return n.Op == "-" && binding(n.X) >= bindPower
	case *Shown:
		return strings.HasPrefix(n.Text, "-")
	}
	return false
}

func (p *printer) items(open string, items []Node, closing string) {
	p.WriteString(open)
	for i, item := range items {
		switch _, column := item.(*Definition); {
		case column && p.plain:
			p.WriteString(p.sign + "\n      ")
		case i > 0:
			p.WriteString(p.sign + " ")
		}
		p.write(item, bindOr)
	}
	p.WriteString(closing)
}

// Replaced is n with every name, number and value that is shown as replace makes it; what has none
// is shared.
func Replaced(n Node, replace func(Node) Node) Node {
	all := func(list []Node) []Node {
		made := make([]Node, len(list))
		for i, a := range list {
			made[i] = Replaced(a, replace)
		}
		return made
	}
	switch n := n.(type) {
	case *Name, *Number, *Shown:
		return replace(n)
	case *Unary:
		return &Unary{Op: n.Op, X: Replaced(n.X, replace)}
	case *Binary:
		return &Binary{Op: n.Op, X: Replaced(n.X, replace), Y: Replaced(n.Y, replace)}
	case *Call:
		return &Call{Function: n.Function, Args: all(n.Args)}
	case *List:
		return &List{Items: all(n.Items)}
	case *Definition:
		return &Definition{Name: n.Name, X: Replaced(n.X, replace)}
	}
	return n
}

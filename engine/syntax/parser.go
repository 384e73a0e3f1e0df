package syntax

import "slices"

// ParseEquation reads an equation. It fails with *Error.
func ParseEquation(source string) (equation *Equation, err error) {
	defer recovered(&err)
	p := parser{scan: scanner{source: source}}
	return p.equation(), nil
}

// ParseExpression reads one expression without "=". It fails with *Error.
func ParseExpression(source string) (n Node, err error) {
	defer recovered(&err)
	p := parser{scan: scanner{source: source}}
	p.advance()
	n = p.or()
	if p.tok.kind != end {
		p.leftover()
	}
	return n, nil
}

// recovered ends a parse with the error that fail has thrown.
func recovered(err *error) {
	switch thrown := recover().(type) {
	case nil:
	case *Error:
		*err = thrown
	default:
		panic(thrown)
	}
}

// parser is a recursive descent with one token of lookahead. depth counts everything that makes it
// recurse. Its first error is thrown, to be caught where the parse began.
type parser struct {
	scan  scanner
	tok   token
	last  token // in front of tok
	depth int

	defines bool // the arguments of the call that begins may define columns
}

func (p *parser) advance() { p.last, p.tok = p.tok, p.scan.next() }

// taken takes the token at hand and advances behind it.
func (p *parser) taken() token {
	t := p.tok
	p.advance()
	return t
}

func (p *parser) is(op string) bool { return p.tok.kind == operator && p.tok.text == op }

func (p *parser) fail(format string, args ...any) { p.scan.fail(p.tok.start, format, args...) }

func (p *parser) equation() *Equation {
	p.advance()
	left := p.or()
	if p.tok.kind == end {
		if b, ok := left.(*Binary); ok && b.Op == "==" {
			p.scan.fail(b.OpOffset, `Expected "=" instead of "==": "==" compares, "=" states that both sides are equal.`)
		}
		p.fail(`Expected "=": an equation states that two sides are equal.`)
	}
	if !p.is("=") {
		p.leftover()
	}
	p.advance()
	right := p.or()
	if p.is("=") {
		p.fail(`Expected the end: an equation has exactly one "=". Write "==" to compare.`)
	}
	if p.tok.kind != end {
		p.leftover()
	}
	return &Equation{Left: left, Right: right}
}

// leftover fails for a token behind a complete expression.
func (p *parser) leftover() {
	switch {
	case p.is(")"):
		p.fail(`This ")" closes nothing.`)
	case p.is("]"):
		p.fail(`This "]" closes nothing.`)
	case p.is(","):
		p.fail(`Expected an operator but found ",": a comma separates arguments. Numbers are grouped with "_", the decimal mark is ".".`)
	case p.is("="):
		p.fail(`Expected no "=" here. Write "==" to compare.`)
	}
	p.beside()
	p.fail("Expected an operator but found %s.", p.tok.described())
}

// deeper counts one level of nesting; the caller undoes it.
func (p *parser) deeper() {
	if p.depth++; p.depth > maxNesting {
		p.fail("The expression is nested more than 100 levels deep.")
	}
}

// chain reads operands of the next level joined from left to right by operators of one binding.
func (p *parser) chain(next func() Node, ops ...string) Node {
	x := next()
	for slices.ContainsFunc(ops, p.is) {
		op := p.taken()
		x = &Binary{Op: op.text, OpOffset: op.start, X: x, Y: next()}
	}
	return x
}

func (p *parser) or() Node  { return p.chain(p.and, "or") }
func (p *parser) and() Node { return p.chain(p.not, "and") }

func (p *parser) not() Node {
	if !p.is("not") {
		return p.comparison()
	}
	return p.prefix(p.not)
}

// prefix reads an operator in front of what operand reads.
func (p *parser) prefix(operand func() Node) Node {
	p.deeper()
	op := p.taken()
	x := operand()
	p.depth--
	return &Unary{Start: op.start, Stop: x.End(), Op: op.text, X: x}
}

func (p *parser) compares() bool {
	return slices.ContainsFunc([]string{"==", "!=", "<", "<=", ">", ">="}, p.is)
}

func (p *parser) comparison() Node {
	x := p.sum()
	if !p.compares() {
		return x
	}
	op := p.taken()
	y := p.sum()
	if p.compares() {
		p.fail(`Comparisons cannot be chained. Join them with "and".`)
	}
	return &Binary{Op: op.text, OpOffset: op.start, X: x, Y: y}
}

func (p *parser) sum() Node     { return p.chain(p.product, "+", "-") }
func (p *parser) product() Node { return p.chain(p.signed, "*", "/") }

func (p *parser) signed() Node {
	if p.is("-") || p.is("+") {
		return p.prefix(p.signed)
	}
	return p.power()
}

func (p *parser) power() Node {
	x := p.postfix()
	if !p.is("^") {
		return x
	}
	p.deeper()
	op := p.taken()
	y := p.signed()
	p.depth--
	return &Binary{Op: "^", OpOffset: op.start, X: x, Y: y}
}

func (p *parser) postfix() Node {
	depth := p.depth
	defer func() { p.depth = depth }()
	x := p.primary()
	for {
		t := p.tok
		switch {
		case p.is("%"):
			p.advance()
			if p.tok.kind == number || p.tok.kind == name {
				p.fail(`Expected an operator but found %s: "%%" means percent, a remainder is mod(a, b).`, p.tok.described())
			}
			x = &Unary{Start: x.Offset(), Stop: t.stop, Op: "%", X: x}
		case t.kind == raised:
			// Counted as deep as its printed form (x^-2)^3 nests.
			p.deeper()
			if t.text[0] == '-' {
				p.deeper()
			}
			p.advance()
			x = &Binary{Op: "^", OpOffset: t.start, X: x, Y: exponent(t)}
		default:
			return x
		}
	}
}

func exponent(t token) Node {
	if t.text[0] == '-' {
		return &Unary{Start: t.start, Stop: t.stop, Op: "-", X: &Number{Start: t.start + 1, Stop: t.stop, Text: t.text[1:]}}
	}
	return &Number{Start: t.start, Stop: t.stop, Text: t.text}
}

func (p *parser) primary() Node {
	t := p.tok
	switch {
	case t.kind == number:
		p.advance()
		return &Number{Start: t.start, Stop: t.stop, Text: t.text, Unit: t.unit, UnitStart: t.unitStart}
	case t.kind == name:
		p.advance()
		if p.is("(") {
			p.defines = DefinesColumns(t.text)
			args, stop := p.items(")", "an argument")
			return &Call{Start: t.start, Stop: stop, Function: t.text, Args: args}
		}
		return &Name{Start: t.start, Text: t.text}
	case t.kind == quoted:
		p.advance()
		return &Text{Start: t.start, Stop: t.stop, Text: t.text}
	case p.is("("):
		return p.group()
	case p.is("["):
		items, stop := p.items("]", "a list item")
		return &List{Start: t.start, Stop: stop, Items: items}
	}
	p.fail("Expected a value but found %s.", t.described())
	return nil
}

func (p *parser) group() Node {
	p.deeper()
	open := p.taken()
	x := p.or()
	if !p.is(")") {
		p.unclosed(")", open)
	}
	p.advance()
	p.depth--
	return x
}

func (p *parser) unclosed(closing string, open token) {
	p.beside()
	if p.is("=") {
		p.fail(`Expected %q but found "=". Write "==" to compare.`, closing)
	}
	p.fail("Expected %q for the bracket opened at character %d but found %s.", closing, open.start, p.tok.described())
}

// items reads what stands between the opening bracket at hand and closing, separated by commas, and
// the place behind it. The list may be empty.
func (p *parser) items(closing, what string) (items []Node, stop int) {
	p.deeper()
	defines := p.defines
	p.defines = false
	open := p.taken()
	for !p.is(closing) {
		if len(items) > 0 {
			if !p.is(",") {
				p.unclosed(closing, open)
			}
			p.advance()
		}
		if p.is(",") || p.is(closing) {
			p.fail("Expected %s but found %s.", what, p.tok.described())
		}
		item := p.or()
		if name, ok := item.(*Name); ok && defines && p.is("=") {
			p.advance()
			item = &Definition{Start: name.Start, Name: name.Text, X: p.or()}
		}
		items = append(items, item)
	}
	p.depth--
	return items, p.taken().stop
}

package syntax

// ParseEquation reads an equation. It fails with *Error.
func ParseEquation(source string) (*Equation, error) {
	p := parser{scan: scanner{source: source}}
	left, right, err := p.equation()
	if err != nil {
		return nil, err
	}
	return &Equation{Left: left, Right: right}, nil
}

// ParseExpression reads one expression without "=". It fails with *Error.
func ParseExpression(source string) (Node, error) {
	p := parser{scan: scanner{source: source}}
	n, err := p.whole()
	if err != nil {
		return nil, err
	}
	return n, nil
}

// parser is a recursive descent with one token of lookahead. depth counts everything that makes it
// recurse.
type parser struct {
	scan  scanner
	tok   token
	depth int
}

func (p *parser) advance() (err *Error) {
	p.tok, err = p.scan.next()
	return err
}

func (p *parser) is(op string) bool { return p.tok.kind == operator && p.tok.text == op }

func (p *parser) fail(format string, args ...any) *Error {
	return p.scan.fail(p.tok.start, format, args...)
}

func (p *parser) equation() (left, right Node, err *Error) {
	if err = p.advance(); err != nil {
		return nil, nil, err
	}
	if left, err = p.or(); err != nil {
		return nil, nil, err
	}
	if p.tok.kind == end {
		if b, ok := left.(*Binary); ok && b.Op == "==" {
			return nil, nil, p.scan.fail(b.OpOffset, `Expected "=" instead of "==": "==" compares, "=" states that both sides are equal.`)
		}
		return nil, nil, p.fail(`Expected "=": an equation states that two sides are equal.`)
	}
	if !p.is("=") {
		return nil, nil, p.leftover()
	}
	if err = p.advance(); err != nil {
		return nil, nil, err
	}
	if right, err = p.or(); err != nil {
		return nil, nil, err
	}
	if p.is("=") {
		return nil, nil, p.fail(`Expected the end: an equation has exactly one "=". Write "==" to compare.`)
	}
	if p.tok.kind != end {
		return nil, nil, p.leftover()
	}
	return left, right, nil
}

func (p *parser) whole() (Node, *Error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	n, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.tok.kind != end {
		return nil, p.leftover()
	}
	return n, nil
}

// leftover is the error for a token behind a complete expression.
func (p *parser) leftover() *Error {
	switch {
	case p.is(")"):
		return p.fail(`This ")" closes nothing.`)
	case p.is("]"):
		return p.fail(`This "]" closes nothing.`)
	case p.is(","):
		return p.fail(`Expected an operator but found ",": a comma separates arguments. Numbers are grouped with "_", the decimal mark is ".".`)
	case p.is("="):
		return p.fail(`Expected no "=" here. Write "==" to compare.`)
	}
	return p.fail("Expected an operator but found %s.", p.tok.described())
}

// deeper counts one level of nesting; the caller undoes it.
func (p *parser) deeper() *Error {
	if p.depth++; p.depth > maxNesting {
		return p.fail("The expression is nested more than 100 levels deep.")
	}
	return nil
}

// chain reads operands of the next level joined from left to right by operators of one binding.
func (p *parser) chain(next func() (Node, *Error), ops ...string) (Node, *Error) {
	x, err := next()
	for err == nil {
		op, at, found := p.tok.text, p.tok.start, false
		for _, o := range ops {
			found = found || p.is(o)
		}
		if !found {
			return x, nil
		}
		if err = p.advance(); err != nil {
			break
		}
		var y Node
		if y, err = next(); err == nil {
			x = &Binary{Op: op, OpOffset: at, X: x, Y: y}
		}
	}
	return nil, err
}

func (p *parser) or() (Node, *Error)  { return p.chain(p.and, "or") }
func (p *parser) and() (Node, *Error) { return p.chain(p.not, "and") }

func (p *parser) not() (Node, *Error) {
	if !p.is("not") {
		return p.comparison()
	}
	return p.prefix(p.not)
}

// prefix reads an operator in front of what operand reads.
func (p *parser) prefix(operand func() (Node, *Error)) (Node, *Error) {
	op, start := p.tok.text, p.tok.start
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	if err := p.advance(); err != nil {
		return nil, err
	}
	x, err := operand()
	if err != nil {
		return nil, err
	}
	return &Unary{Start: start, Stop: x.End(), Op: op, X: x}, nil
}

func (p *parser) compares() bool {
	return p.is("==") || p.is("!=") || p.is("<") || p.is("<=") || p.is(">") || p.is(">=")
}

func (p *parser) comparison() (Node, *Error) {
	x, err := p.sum()
	if err != nil || !p.compares() {
		return x, err
	}
	op, at := p.tok.text, p.tok.start
	if err := p.advance(); err != nil {
		return nil, err
	}
	y, err := p.sum()
	if err != nil {
		return nil, err
	}
	if p.compares() {
		return nil, p.fail(`Comparisons cannot be chained. Join them with "and".`)
	}
	return &Binary{Op: op, OpOffset: at, X: x, Y: y}, nil
}

func (p *parser) sum() (Node, *Error)     { return p.chain(p.product, "+", "-") }
func (p *parser) product() (Node, *Error) { return p.chain(p.signed, "*", "/") }

func (p *parser) signed() (Node, *Error) {
	if p.is("-") || p.is("+") {
		return p.prefix(p.signed)
	}
	return p.power()
}

func (p *parser) power() (Node, *Error) {
	x, err := p.postfix()
	if err != nil || !p.is("^") {
		return x, err
	}
	at := p.tok.start
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	if err := p.advance(); err != nil {
		return nil, err
	}
	y, err := p.signed()
	if err != nil {
		return nil, err
	}
	return &Binary{Op: "^", OpOffset: at, X: x, Y: y}, nil
}

func (p *parser) postfix() (Node, *Error) {
	depth := p.depth
	defer func() { p.depth = depth }()
	x, err := p.primary()
	for err == nil {
		t := p.tok
		switch {
		case p.is("%"):
			if err = p.advance(); err != nil {
				return nil, err
			}
			if p.tok.kind == number || p.tok.kind == name {
				return nil, p.fail(`Expected an operator but found %s: "%%" means percent, a remainder is mod(a, b).`, p.tok.described())
			}
			x = &Unary{Start: x.Offset(), Stop: t.stop, Op: "%", X: x}
		case t.kind == raised:
			// Counted as deep as its printed form (x^-2)^3 nests.
			if err = p.deeper(); err != nil {
				return nil, err
			}
			if t.text[0] == '-' {
				if err = p.deeper(); err != nil {
					return nil, err
				}
			}
			if err = p.advance(); err != nil {
				return nil, err
			}
			x = &Binary{Op: "^", OpOffset: t.start, X: x, Y: exponent(t)}
		default:
			return x, nil
		}
	}
	return nil, err
}

func exponent(t token) Node {
	if t.text[0] == '-' {
		return &Unary{Start: t.start, Stop: t.stop, Op: "-", X: &Number{Start: t.start + 1, Stop: t.stop, Text: t.text[1:]}}
	}
	return &Number{Start: t.start, Stop: t.stop, Text: t.text}
}

func (p *parser) primary() (Node, *Error) {
	t := p.tok
	switch {
	case t.kind == number:
		if err := p.advance(); err != nil {
			return nil, err
		}
		return &Number{Start: t.start, Stop: t.stop, Text: t.text, Unit: t.unit, UnitStart: t.unitStart}, nil
	case t.kind == name:
		if err := p.advance(); err != nil {
			return nil, err
		}
		if p.is("(") {
			args, stop, err := p.items(")", "an argument")
			if err != nil {
				return nil, err
			}
			return &Call{Start: t.start, Stop: stop, Function: t.text, Args: args}, nil
		}
		return &Name{Start: t.start, Text: t.text}, nil
	case p.is("("):
		return p.group()
	case p.is("["):
		items, stop, err := p.items("]", "a list item")
		if err != nil {
			return nil, err
		}
		return &List{Start: t.start, Stop: stop, Items: items}, nil
	}
	return nil, p.fail("Expected a value but found %s.", t.described())
}

func (p *parser) group() (Node, *Error) {
	open := p.tok.start
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	if err := p.advance(); err != nil {
		return nil, err
	}
	x, err := p.or()
	if err != nil {
		return nil, err
	}
	if !p.is(")") {
		return nil, p.unclosed(")", open)
	}
	return x, p.advance()
}

func (p *parser) unclosed(closing string, open int) *Error {
	if p.is("=") {
		return p.fail(`Expected %q but found "=". Write "==" to compare.`, closing)
	}
	return p.fail("Expected %q for the bracket opened at character %d but found %s.", closing, open, p.tok.described())
}

// items reads what stands between the opening bracket at hand and closing, separated by commas. The
// list may be empty.
func (p *parser) items(closing, what string) (items []Node, stop int, err *Error) {
	open := p.tok.start
	if err := p.deeper(); err != nil {
		return nil, 0, err
	}
	defer func() { p.depth-- }()
	if err := p.advance(); err != nil {
		return nil, 0, err
	}
	for !p.is(closing) {
		if len(items) > 0 {
			if !p.is(",") {
				return nil, 0, p.unclosed(closing, open)
			}
			if err := p.advance(); err != nil {
				return nil, 0, err
			}
		}
		if p.is(",") || p.is(closing) {
			return nil, 0, p.fail("Expected %s but found %s.", what, p.tok.described())
		}
		x, err := p.or()
		if err != nil {
			return nil, 0, err
		}
		items = append(items, x)
	}
	stop = p.tok.stop
	return items, stop, p.advance()
}

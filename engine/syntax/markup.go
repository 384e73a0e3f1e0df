package syntax

import (
	"slices"
	"strings"
)

// markup is a notation of formulas in two dimensions. Every method writes something whole, so that
// what is inside stays inside whatever it holds.
type markup interface {
	number(text, unit string) string
	name(text string) string
	label(text string) string
	sign(op string) string // of an operator between two operands
	group(inner string) string
	row(parts ...string) string
	fraction(top, bottom string) string
	power(base, exponent string) string
	root(inner, degree string) string // degree "" for a square root
	fence(open, inner, closing string) string
	call(function string, args []string) string
	columns(function string, args []string) string // a call with an argument a line
	cases(then, condition, otherwise string) string
	list(items []string) string
}

// TeX prints n for mathematics mode, with what the package amsmath offers. Nothing in a name, a
// label or a unit is read as a command.
func TeX(n Node) string { return marked(tex{}, n, bindOr) }

// TeXEquation is TeX of two sides.
func TeXEquation(e Equation) string { return TeX(e.Left) + " = " + TeX(e.Right) }

// MathML prints n as the content of a math element, of MathML Core.
func MathML(n Node) string { return marked(mathML{}, n, bindOr) }

// MathMLEquation is MathML of two sides.
func MathMLEquation(e Equation) string {
	m := mathML{}
	return m.row(MathML(e.Left), m.sign("="), MathML(e.Right))
}

// marked is n in a notation, in parentheses when it binds looser than least.
func marked(m markup, n Node, least int) string {
	if s, ok := n.(*Shown); ok {
		text := m.number(s.Text, s.Unit)
		if least > bindSum && strings.HasPrefix(s.Text, "-") || least >= bindPower && (s.Unit != "" || strings.ContainsAny(s.Text, " %")) {
			return m.group(text)
		}
		return text
	}
	text := ""
	switch n := n.(type) {
	case *Number:
		if text = m.number(n.Text, n.Unit); n.Unit != "" && least >= bindPower {
			return m.group(text)
		}
		return text
	case *Text:
		return m.label(n.Text)
	case *Name:
		return m.name(n.Text)
	case *Definition:
		return m.row(m.name(n.Name), m.sign("="), marked(m, n.X, bindOr))
	case *List:
		return m.list(allMarked(m, n.Items))
	case *Call:
		return markedCall(m, n, least)
	case *Unary:
		switch n.Op {
		case "%":
			return m.row(marked(m, n.X, bindPostfix), m.sign("%"))
		case "not":
			text = m.row(m.sign("not"), marked(m, n.X, bindNot))
		default:
			text = m.row(m.sign(n.Op), marked(m, n.X, bindSign))
			if least > bindSum {
				return m.group(text)
			}
		}
	case *Binary:
		switch n.Op {
		case "/":
			text = m.fraction(marked(m, n.X, bindOr), marked(m, n.Y, bindOr))
			if least >= bindPower {
				return m.group(text)
			}
			return text
		case "^":
			if degree, ok := rootOf(n.Y); ok {
				return m.root(marked(m, n.X, bindOr), degree)
			}
			text = m.power(marked(m, n.X, bindPostfix), marked(m, n.Y, bindOr))
			if least > bindPower {
				return m.group(text)
			}
			return text
		}
		own := binding(n)
		left := own
		if own == bindCompare {
			left++
		}
		text = m.row(marked(m, n.X, left), m.sign(n.Op), marked(m, n.Y, own+1))
	}
	if binding(n) < least {
		return m.group(text)
	}
	return text
}

// rootOf is the degree of a root that an exponent such as 1/3 means, "" for 2.
func rootOf(exponent Node) (degree string, ok bool) {
	b, ok := exponent.(*Binary)
	if !ok || b.Op != "/" {
		return "", false
	}
	top, one := b.X.(*Number)
	bottom, whole := b.Y.(*Number)
	if !one || !whole || top.Text != "1" || top.Unit+bottom.Unit != "" || strings.Contains(bottom.Text, ".") {
		return "", false
	}
	if bottom.Text == "2" {
		return "", true
	}
	return bottom.Text, true
}

func allMarked(m markup, items []Node) []string {
	list := make([]string, len(items))
	for i, item := range items {
		list[i] = marked(m, item, bindOr)
	}
	return list
}

// callForms are functions that have a notation of their own, by the number of arguments that they
// have it with.
var callForms = []struct {
	function string
	args     int
	write    func(m markup, a []string) string
}{
	{"sqrt", 1, func(m markup, a []string) string { return m.root(a[0], "") }},
	{"cbrt", 1, func(m markup, a []string) string { return m.root(a[0], "3") }},
	{"root", 2, func(m markup, a []string) string { return m.root(a[0], a[1]) }},
	{"abs", 1, func(m markup, a []string) string { return m.fence("|", a[0], "|") }},
	{"floor", 1, func(m markup, a []string) string { return m.fence("⌊", a[0], "⌋") }},
	{"ceil", 1, func(m markup, a []string) string { return m.fence("⌈", a[0], "⌉") }},
	{"exp", 1, func(m markup, a []string) string { return m.power(m.name("e"), a[0]) }},
	{"if", 3, func(m markup, a []string) string { return m.cases(a[1], a[0], a[2]) }},
}

func markedCall(m markup, n *Call, least int) string {
	args := allMarked(m, n.Args)
	i := slices.IndexFunc(callForms, func(f struct {
		function string
		args     int
		write    func(m markup, a []string) string
	}) bool {
		return f.function == n.Function && f.args == len(args)
	})
	if i < 0 && DefinesColumns(n.Function) {
		return m.columns(n.Function, args)
	}
	if i < 0 {
		return m.call(n.Function, args)
	}
	text := callForms[i].write(m, args)
	// An exponential is a power, and cases have no end that one sees.
	if n.Function == "exp" && least > bindPower || n.Function == "if" && least > bindOr {
		return m.group(text)
	}
	return text
}

// operators are signs in TeX and MathML.
var operators = map[string][2]string{
	"+": {"+", "+"}, "-": {"-", "−"}, "*": {`\cdot`, "·"}, "%": {`\%`, "%"}, "=": {"=", "="},
	"==": {"=", "="}, "!=": {`\ne`, "≠"}, "<": {"<", "&lt;"}, "<=": {`\le`, "≤"}, ">": {">", "&gt;"}, ">=": {`\ge`, "≥"},
	"and": {`\land`, "∧"}, "or": {`\lor`, "∨"}, "not": {`\lnot`, "¬"},
}

// constants are names with a sign of their own, in TeX and MathML. Those of variables that are
// Greek letters have theirs too.
var constants = map[string][2]string{
	"pi": {`\pi`, "π"}, "e": {`\mathrm{e}`, "e"},
	"alpha": {`\alpha`, "α"}, "beta": {`\beta`, "β"}, "gamma": {`\gamma`, "γ"}, "delta": {`\delta`, "δ"},
	"theta": {`\theta`, "θ"}, "lambda": {`\lambda`, "λ"}, "mu": {`\mu`, "μ"}, "rho": {`\rho`, "ρ"},
	"sigma": {`\sigma`, "σ"}, "tau": {`\tau`, "τ"}, "phi": {`\varphi`, "φ"}, "omega": {`\omega`, "ω"}, "eta": {`\eta`, "η"}, "epsilon": {`\varepsilon`, "ε"},
}

// texFunctions have a command of their own.
var texFunctions = []string{"sin", "cos", "tan", "sinh", "cosh", "tanh", "ln", "log", "min", "max", "gcd"}

type tex struct{}

func (tex) number(text, unit string) string {
	text = texNumber(text)
	if unit == "" {
		return text
	}
	return text + `\,` + TeXUnit(unit)
}

// texNumber is a number, or what else stands for one, such as a date.
func texNumber(text string) string {
	if mantissa, exponent, ok := strings.Cut(text, "e"); ok && isDigits(mantissa) && isDigits(exponent) {
		return texNumber(mantissa) + ` \cdot 10^{` + exponent + "}"
	}
	if more, ok := strings.CutSuffix(text, "…"); ok && isDigits(more) {
		return more + `\ldots`
	}
	if isDigits(text) {
		return text
	}
	return `\text{` + TeXText(text) + "}"
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789.-") == ""
}

// TeXUnit is a unit for mathematics mode.
func TeXUnit(unit string) string {
	var b strings.Builder
	b.WriteString(`\mathrm{`)
	raised := false
	for _, r := range unit {
		if raised && !strings.ContainsRune("-0123456789./", r) || raised && r == '/' {
			b.WriteByte('}')
			raised = false
		}
		switch {
		case r == '^' && !raised:
			b.WriteString("^{")
			raised = true
		case r == '*' || r == '·':
			b.WriteString(`\cdot `)
		case r == '°':
			b.WriteString(`{}^{\circ}`)
		case r == 'µ':
			b.WriteString(`\mu `)
		case r == 'Ω':
			b.WriteString(`\Omega `)
		case r == ' ':
			b.WriteString(`\ `)
		case r > '~' || strings.ContainsRune(texSpecial, r):
			b.WriteString(`\text{` + TeXText(string(r)) + "}")
		default:
			b.WriteRune(r)
		}
	}
	if raised {
		b.WriteByte('}')
	}
	b.WriteByte('}')
	return b.String()
}

// texSpecial are the characters that TeX does not print as they are.
const texSpecial = `\{}$&#_%~^"`

var texEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "_", `\_`, "%", `\%`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, `"`, `\textquotedbl{}`, "<", `\textless{}`, ">", `\textgreater{}`,
	"`", `\textasciigrave{}`, "'", `\textquotesingle{}`, "\n", " ", "\r", " ", "\t", " ", "\x00", " ", "…", `\ldots{}`, "−", "-",
)

// TeXText is a text outside of mathematics mode.
func TeXText(text string) string { return texEscapes.Replace(text) }

func (tex) name(text string) string {
	if c, ok := constants[text]; ok {
		return c[0]
	}
	if len(text) == 1 {
		return text
	}
	if strings.IndexFunc(text, func(r rune) bool { return r > '~' }) >= 0 {
		return `\text{` + TeXText(text) + "}"
	}
	return `\mathrm{` + strings.ReplaceAll(text, "_", `\_`) + "}"
}

func (tex) label(text string) string    { return `\text{“` + TeXText(text) + `”}` }
func (tex) sign(op string) string       { return operators[op][0] }
func (tex) group(inner string) string   { return `\left(` + inner + `\right)` }
func (tex) row(parts ...string) string  { return strings.Join(parts, " ") }
func (tex) fraction(a, b string) string { return `\frac{` + a + "}{" + b + "}" }
func (tex) power(a, b string) string    { return "{" + a + "}^{" + b + "}" }

func (tex) root(inner, degree string) string {
	if degree == "" {
		return `\sqrt{` + inner + "}"
	}
	return `\sqrt[{` + degree + "}]{" + inner + "}"
}

var texFences = map[string]string{"|": "|", "⌊": `\lfloor`, "⌋": `\rfloor`, "⌈": `\lceil`, "⌉": `\rceil`}

func (tex) fence(open, inner, closing string) string {
	return `\left` + texFences[open] + " " + inner + ` \right` + texFences[closing]
}

func (t tex) call(function string, args []string) string {
	name := `\operatorname{` + strings.ReplaceAll(function, "_", `\_`) + "}"
	if slices.Contains(texFunctions, function) {
		name = `\` + function
	}
	return name + t.group(strings.Join(args, ", "))
}

func (t tex) columns(function string, args []string) string {
	return t.call(function, []string{`\begin{array}{l} ` + strings.Join(args, `, \\ `) + ` \end{array}`})
}

func (tex) cases(then, condition, otherwise string) string {
	return `\begin{cases} ` + then + ` & \text{if } ` + condition + ` \\ ` + otherwise + ` & \text{otherwise} \end{cases}`
}

func (tex) list(items []string) string { return `\left[` + strings.Join(items, ", ") + `\right]` }

type mathML struct{}

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;")

// XMLText is a text within an element or an attribute. What XML cannot hold stands as U+FFFD.
func XMLText(text string) string {
	return xmlEscapes.Replace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
			return '�'
		}
		return r
	}, strings.ToValidUTF8(text, "�")))
}

func element(name, inner string) string { return "<" + name + ">" + inner + "</" + name + ">" }

func (m mathML) number(text, unit string) string {
	if mantissa, exponent, ok := strings.Cut(text, "e"); ok && isDigits(mantissa) && isDigits(exponent) {
		text = m.row(m.number(mantissa, ""), m.sign("*"), m.power(element("mn", "10"), element("mn", XMLText(exponent))))
	} else if isDigits(strings.TrimSuffix(text, "…")) {
		text = element("mn", XMLText(text))
	} else {
		text = element("mtext", XMLText(text))
	}
	if unit == "" {
		return text
	}
	return m.row(text, `<mspace width="0.2em"/>`, element("mtext", XMLText(unit)))
}

func (mathML) name(text string) string {
	if c, ok := constants[text]; ok {
		return element("mi", c[1])
	}
	return element("mi", XMLText(text))
}

func (mathML) label(text string) string { return element("mtext", XMLText("“"+text+"”")) }
func (mathML) sign(op string) string    { return element("mo", operators[op][1]) }
func (m mathML) row(p ...string) string { return element("mrow", strings.Join(p, "")) }
func (mathML) fraction(a, b string) string {
	return element("mfrac", element("mrow", a)+element("mrow", b))
}
func (mathML) power(a, b string) string {
	return element("msup", element("mrow", a)+element("mrow", b))
}

func (m mathML) group(inner string) string { return m.fence("(", inner, ")") }

func (mathML) root(inner, degree string) string {
	switch {
	case degree == "":
		return element("msqrt", inner)
	case isDigits(degree):
		degree = element("mn", degree)
	}
	return element("mroot", element("mrow", inner)+element("mrow", degree))
}

func (m mathML) fence(open, inner, closing string) string {
	return m.row(element("mo", open), inner, element("mo", closing))
}

func (m mathML) call(function string, args []string) string {
	return m.row(element("mi", XMLText(function)), m.group(strings.Join(args, element("mo", ","))))
}

func (m mathML) columns(function string, args []string) string {
	rows := ""
	for _, a := range args {
		rows += element("mtr", `<mtd columnalign="left">`+a+"</mtd>")
	}
	return m.call(function, []string{element("mtable", rows)})
}

func (m mathML) cases(then, condition, otherwise string) string {
	row := func(value, when string) string {
		return element("mtr", element("mtd", value)+element("mtd", when))
	}
	return m.row(element("mo", "{"), element("mtable",
		row(then, m.row(element("mtext", "if "), condition))+row(otherwise, element("mtext", "otherwise"))))
}

func (m mathML) list(items []string) string {
	return m.fence("[", strings.Join(items, element("mo", ",")), "]")
}

package syntax

import (
	"fmt"
	"regexp"
	"strings"
)

// notations are what people and other languages write and equations do not, with what to write
// instead; the longer of two that begin alike comes first.
var notations = []struct{ written, instead string }{
	{"===", `Write "==" to compare.`},
	{"!==", `Write "!=" for what is not equal.`},
	{"<>", `Write "!=" for what is not equal.`},
	{"=>", `Write ">=" for at least.`},
	{"=<", `Write "<=" for at most.`},
	{":=", `Write "=": an equation states that two sides are equal.`},
	{"->", `Write "=" between the two sides of an equation.`},
	{"→", `Write "=" between the two sides of an equation.`},
	{"≈", `Write "=" between the two sides of an equation.`},
	{"≡", `Write "=" between the two sides of an equation, "==" to compare.`},
	{"&&", `Write "and".`},
	{"&", `Write "and".`},
	{"||", `Write "or".`},
	{"|", `A magnitude is abs(x), "or" is written out.`},
	{"//", "A quotient without its fraction is floor(a / b)."},
	{"∕", `Write "/".`},
	{"⁄", `Write "/".`},
	{"∙", `Write "*".`},
	{"•", `Write "*".`},
	{"–", `Write "-".`},
	{"—", `Write "-".`},
	{"√", "Write sqrt(x)."},
	{"∛", "Write cbrt(x)."},
	{"∑", "Write sum(values)."},
	{"∏", "Write product(values)."},
	{"?", "Write if(condition, then, else)."},
	{"°", "A unit stands in brackets behind its number: 20 [°C], 45 [°]."},
	{"$", "A currency stands in brackets behind its number: 5 [USD]."},
	{"€", "A currency stands in brackets behind its number: 5 [EUR]."},
	{"£", "A currency stands in brackets behind its number: 5 [GBP]."},
	{"¥", "A currency stands in brackets behind its number: 5 [JPY]."},
	{";", `Arguments are separated by ",", and each equation is an activity of its own.`},
	{"'", "A unit stands in brackets behind its number: 5 [ft], 5 [arcmin]."},
	{"\\", `Write "/" to divide.`},
	{":", `Write "/" to divide.`},
}

// foreign fails where a notation of another language stands.
func (s *scanner) foreign() {
	for _, n := range notations {
		if strings.HasPrefix(s.source[s.at:], n.written) {
			s.fail(s.offset, "%q has no meaning in an equation. %s", n.written, n.instead)
		}
	}
}

// foreignWords are operators of other languages, with what to write instead. They are looked for
// where no name can stand.
var foreignWords = map[string]string{
	"and": `Write "and" in small letters.`, "or": `Write "or" in small letters.`, "not": `Write "not" in small letters.`,
	"xor": `Write "!=": one of two conditions holds where they differ.`,
	"mod": "A remainder is mod(a, b).", "div": "A quotient without its fraction is floor(a / b).",
	"plus": `Write "+".`, "minus": `Write "-".`, "times": `Write "*".`, "per": `Write "/".`, "over": `Write "/".`, "by": `Write "/" or "*".`,
	"percent": `Write "%".`, "squared": "Write x^2.", "cubed": "Write x^3.",
	"is": `Write "==" to compare.`, "equals": `Write "=" between the two sides of an equation, "==" to compare.`,
	"then": "Write if(condition, then, else).", "else": "Write if(condition, then, else).",
}

// unitRest matches what goes on with a unit behind its first name.
var unitRest = regexp.MustCompile(`^(?:[/·][\pL°]+|\^-?\d+|[⁻²³]+)+`)

// Beside are two parts of an equation that stand side by side, with no operator between them.
type Beside struct {
	Left, Right string
	Number      bool   // Left is one; else it is a name
	Unit        string // Right with all that could be a unit
}

// beside fails where a value stands directly behind another one.
func (p *parser) beside() {
	t := p.tok
	if t.kind != name && t.kind != number && !p.is("(") && !p.is("[") {
		return
	}
	if way, ok := foreignWords[strings.ToLower(t.text)]; ok && t.kind == name {
		p.fail("Expected an operator but found %s. %s", t.described(), way)
	}
	expected := fmt.Sprintf("Expected an operator but found %s.", t.described())
	left := p.last
	switch {
	case p.is("["):
		p.fail(`%s Only a number has a unit in brackets: that of a variable is its member "unit".`, expected)
	case p.is("("):
		p.fail(`%s Write "*" to multiply.`, expected)
	case left.kind == number && t.kind == number:
		if len(t.text) == 3 {
			expected += fmt.Sprintf(" Digits are grouped with \"_\": %s_%s.", left.text, t.text)
		}
		p.fail("%s", expected)
	case t.kind != name || left.kind != number && left.kind != name:
		p.fail(`%s Write "*" to multiply.`, expected)
	}
	b := Beside{Left: left.text, Right: t.text, Number: left.kind == number, Unit: t.text + unitRest.FindString(p.scan.source[p.scan.at:])}
	e := &Error{Offset: t.start, Beside: &b}
	if left.unit == "" && b.Number {
		e.Message = fmt.Sprintf("%s Write %s * %s for a product, %s [%s] for a unit.", expected, b.Left, b.Right, b.Left, b.Unit)
	} else {
		e.Beside, e.Message = nil, expected+` Write "*" to multiply.`
		if left.kind == name {
			e.Beside, e.Message = &b, fmt.Sprintf("%s Write %s * %s to multiply, and arguments in round brackets: %s(%s).", expected, b.Left, b.Right, b.Left, b.Right)
		}
	}
	panic(e)
}

// Found says what stands where an operator should.
func (b *Beside) Found() string {
	return fmt.Sprintf("Expected an operator but found %s.", token{kind: name, text: b.Right}.described())
}

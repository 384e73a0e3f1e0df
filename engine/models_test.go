package engine

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"

	"reckon/engine/value"
)

// model is a generated domain with the values that a plain evaluation of its equations, one after
// the other, gives its variables.
type model struct {
	def    Definition
	values map[string]*big.Float
	keys   []string // in the order of the domain
	given  []string // those that no equation defines
	terms  []string // by place behind given in keys: the right side of its equation
}

// modelDigits is the precision of the plain evaluation, in bits.
const modelDigits = 600

func newModel(title string) *model {
	return &model{def: Definition{Title: title, Description: "Generated."}, values: map[string]*big.Float{}}
}

// give adds a variable with a value.
func (m *model) give(key, text string) {
	x, _, err := big.ParseFloat(text, 10, modelDigits, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	m.add(key, x)
	m.given = append(m.given, key)
}

// set adds a variable that an equation defines by earlier ones.
func (m *model) set(key, expression string) {
	m.add(key, evaluated(expression, m.values))
	m.terms = append(m.terms, expression)
	m.def.Activities = append(m.def.Activities, Activity{Equation: key + " = " + expression})
}

func (m *model) add(key string, x *big.Float) {
	m.values[key] = x
	m.keys = append(m.keys, key)
	m.def.Variables = append(m.def.Variables, value.Variable{Key: key})
}

// shuffled is the model with its variables and equations in an order that chance has chosen.
func (m *model) shuffled(chance *rand.Rand) *model {
	chance.Shuffle(len(m.def.Variables), func(i, j int) {
		m.def.Variables[i], m.def.Variables[j] = m.def.Variables[j], m.def.Variables[i]
	})
	chance.Shuffle(len(m.def.Activities), func(i, j int) {
		m.def.Activities[i], m.def.Activities[j] = m.def.Activities[j], m.def.Activities[i]
	})
	return m
}

// question states some variables by their values and asks for another one.
func (m *model) question(stated []string, target string) string {
	var b strings.Builder
	for i, key := range stated {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(key + " " + m.values[key].Text('g', 61))
	}
	return b.String() + " -> " + target
}

// right reports whether an answer agrees with the plain evaluation in so many digits.
func (m *model) right(key, answer string, digits int) bool {
	got, _, err := big.ParseFloat(answer, 10, modelDigits, big.ToNearestEven)
	return err == nil && agreeing(got, m.values[key], digits)
}

// agreeing reports whether a number is another one in so many digits.
func agreeing(got, want *big.Float, digits int) bool {
	miss, size := new(big.Float).Sub(got, want), new(big.Float).Abs(want)
	if size.Sign() == 0 {
		size.SetInt64(1)
	}
	limit, _, _ := big.ParseFloat(fmt.Sprintf("1e-%d", digits), 10, modelDigits, big.ToNearestEven)
	return miss.Abs(miss).Cmp(limit.Mul(limit, size)) <= 0
}

// with is a value of the model where another one of those given is different.
func (m *model) with(given string, x *big.Float, key string) *big.Float {
	values := map[string]*big.Float{}
	for _, k := range m.given {
		values[k] = m.values[k]
	}
	values[given] = x
	for i, expression := range m.terms {
		values[m.keys[len(m.given)+i]] = evaluated(expression, values)
	}
	return values[key]
}

func evaluated(expression string, values map[string]*big.Float) *big.Float {
	e := plainExpression{text: strings.ReplaceAll(expression, " ", ""), values: values}
	return e.sum()
}

// plainExpression evaluates arithmetic, max and min as it reads.
type plainExpression struct {
	text   string
	values map[string]*big.Float
}

func (e *plainExpression) take(symbols string) byte {
	if e.text == "" || !strings.Contains(symbols, e.text[:1]) {
		return 0
	}
	c := e.text[0]
	e.text = e.text[1:]
	return c
}

func (e *plainExpression) sum() *big.Float {
	x := e.product()
	for {
		switch e.take("+-") {
		case '+':
			x = new(big.Float).Add(x, e.product())
		case '-':
			x = new(big.Float).Sub(x, e.product())
		default:
			return x
		}
	}
}

func (e *plainExpression) product() *big.Float {
	x := e.factor()
	for {
		switch e.take("*/") {
		case '*':
			x = new(big.Float).Mul(x, e.factor())
		case '/':
			x = new(big.Float).Quo(x, e.factor())
		default:
			return x
		}
	}
}

func (e *plainExpression) factor() *big.Float {
	if e.take("(") != 0 {
		x := e.sum()
		e.take(")")
		return x
	}
	end := strings.IndexAny(e.text+" ", "+-*/(), ")
	word := e.text[:end]
	e.text = e.text[end:]
	if e.take("(") != 0 {
		x := e.sum()
		for e.take(",") != 0 {
			if y := e.sum(); (word == "max") == (y.Cmp(x) > 0) {
				x = y
			}
		}
		e.take(")")
		return x
	}
	if x, ok := e.values[word]; ok {
		return x
	}
	x, _, err := big.ParseFloat(word, 10, modelDigits, big.ToNearestEven)
	if err != nil {
		panic(fmt.Sprintf("%q: %v", word, err))
	}
	return x
}

// cashFlow is ten equations a month, with taxes on gains alone.
func cashFlow(months int) *model {
	m := newModel("Cash flow")
	for _, in := range [][2]string{{"growth", "0.02"}, {"costs", "0.4"}, {"inflation", "0.01"}, {"rate", "0.005"}, {"tax", "0.25"},
		{"revenue0", "1000"}, {"running0", "300"}, {"debt0", "2000"}, {"total0", "0"}} {
		m.give(in[0], in[1])
	}
	for i := 1; i <= months; i++ {
		now, last := fmt.Sprint(i), fmt.Sprint(i-1)
		m.set("revenue"+now, "revenue"+last+" * (1 + growth)")
		m.set("goods"+now, "revenue"+now+" * costs")
		m.set("gross"+now, "revenue"+now+" - goods"+now)
		m.set("running"+now, "running"+last+" * (1 + inflation)")
		m.set("earned"+now, "gross"+now+" - running"+now)
		m.set("interest"+now, "debt"+last+" * rate")
		m.set("taxes"+now, "max(0, earned"+now+" - interest"+now+") * tax")
		m.set("free"+now, "earned"+now+" - interest"+now+" - taxes"+now)
		m.set("debt"+now, "debt"+last+" - free"+now)
		m.set("total"+now, "total"+last+" + free"+now)
	}
	return m
}

// inventory is stock that is sold, ordered in lots up to what is to be there, and paid for.
func inventory(weeks int) *model {
	m := newModel("Inventory")
	for _, in := range [][2]string{{"sold0", "120"}, {"season", "0.03"}, {"stock0", "400"}, {"wanted", "350"}, {"lot", "90"},
		{"price", "12.5"}, {"holding", "0.02"}, {"cost0", "0"}} {
		m.give(in[0], in[1])
	}
	for i := 1; i <= weeks; i++ {
		now, last := fmt.Sprint(i), fmt.Sprint(i-1)
		m.set("sold"+now, "sold"+last+" * (1 + season)")
		m.set("left"+now, "max(stock"+last+" - sold"+now+", 0)")
		m.set("ordered"+now, "min(lot, max(0, wanted - left"+now+"))")
		m.set("stock"+now, "left"+now+" + ordered"+now)
		m.set("cost"+now, "cost"+last+" + ordered"+now+" * price + stock"+now+" * holding")
	}
	return m
}

// loan is a loan that is paid back by month.
func loan(months int) *model {
	m := newModel("Loan")
	for _, in := range [][2]string{{"rate", "0.004"}, {"payment", "1200"}, {"balance0", "200000"}, {"paid0", "0"}} {
		m.give(in[0], in[1])
	}
	for i := 1; i <= months; i++ {
		now, last := fmt.Sprint(i), fmt.Sprint(i-1)
		m.set("interest"+now, "balance"+last+" * rate")
		m.set("principal"+now, "payment - interest"+now)
		m.set("balance"+now, "balance"+last+" - principal"+now)
		m.set("paid"+now, "paid"+last+" + interest"+now)
	}
	return m
}

// network joins each variable to two that chance has chosen of the six before it.
func network(size int, chance *rand.Rand) *model {
	m := newModel("Network")
	for i := range 3 {
		m.give(fmt.Sprint("x", i), fmt.Sprint(i+1))
	}
	for i := 3; i < size+3; i++ {
		a, b := i-1-chance.IntN(min(6, i)), i-1-chance.IntN(min(6, i))
		m.set(fmt.Sprint("x", i), fmt.Sprintf("0.5 * x%d + x%d / 3 + %d", a, b, i%5))
	}
	return m
}

// tree adds up pairs of variables until one is left.
func tree(leaves int) *model {
	m := newModel("Tree")
	level := []string{}
	for i := range leaves {
		key := fmt.Sprint("leaf", i)
		m.give(key, fmt.Sprint(i%7+1))
		level = append(level, key)
	}
	for n := 0; len(level) > 1; {
		var next []string
		for i := 0; i+1 < len(level); i += 2 {
			key := fmt.Sprint("sum", n)
			m.set(key, level[i]+" + "+level[i+1])
			next = append(next, key)
			n++
		}
		if len(level)%2 == 1 {
			next = append(next, level[len(level)-1])
		}
		level = next
	}
	return m
}

func (m *model) last() string { return m.keys[len(m.keys)-1] }

package language

// idiom is a row of the table of expressions that stand for a word: "be there" for arriving, "of us" behind a number for people.
// {q} is an amount, which the expression follows and which is not part of it.
type idiom struct {
	text    string
	word    string // its stem is looked for among the names
	example string
}

var idioms = []idiom{
	{"{q} of us|you", "people", "four of us"},
	{"of us|you all?", "people", "the six of us"},
	{"be|get|getting|being|got|am|are there", "arrive", "when will we be there"},
	{"get|getting|got in|home|back", "arrive", "when do we get home"},
	{"set|setting|head|heading|start|starting|take|taking off|out", "depart", "when should I set off"},
	{"pay|pays|paid|paying itself? off|back", "payback", "when does it pay off"},
	{"clear|clearing|repay|repaying|borrow|borrowing", "loan", "how long to repay 5000"},
	{"break|breaks|breaking even", "breakeven", "when do we break even"},
	{"{q} down", "deposit", "20% down"},
	{"put|putting|puts down", "deposit", "put down 20%"},
	{"down payment", "deposit", "a down payment of 50k"},
	{"up front", "deposit", "50k up front"},
	{"take|takes|bring|brings -? home pay?", "net", "what do I take home"},
	{"after tax|taxes|deductions", "net", "after tax"},
	{"before tax|taxes|deductions", "gross", "before tax"},
	{"a|per head|person|guest", "person", "how much a head"},
	{"{q} off", "discount", "20% off"},
	{"marked down", "discount", "marked down by 20%"},
	{"put|putting|puts away|aside|by", "save", "put aside 200 a month"},
	{"set|setting|sets aside", "save", "set aside 200 a month"},
	{"end|ends|ended|finish|wind up with", "final", "what do we end up with"},
	{"use|uses|used up", "consumption", "how much does it use up"},
	{"run|runs|running cost|costs", "cost", "running costs"},
	{"turn|turning|turns over", "turnover", "we turn over 80k"},
	{"left over", "remaining", "what is left over"},
}

// readIdioms makes patterns of the idioms, the amount cut off.
func readIdioms() []pattern {
	var list []pattern
	for _, row := range idioms {
		p := newPattern(row.text)
		if p[0].words != nil && p[0].words[0] == "{q}" {
			p = p[1:]
		}
		list = append(list, p)
	}
	return list
}

// findIdioms gives expressions the stem of the word that they stand for.
func (p *prose) findIdioms(tables *tables) {
	for at := range p.tokens {
		if p.used[at] || p.within[at] >= 0 {
			continue
		}
		for r, pattern := range tables.idioms {
			n, _ := pattern.match(p.tokens, p.used, at)
			if n == 0 {
				continue
			}
			if idioms[r].text[0] == '{' && (at == 0 || p.within[at-1] < 0) {
				continue
			}
			word := idioms[r].word
			if word == "payback" && at+n < len(p.tokens) && (p.within[at+n] >= 0 || p.meaning[at+n] == grammar && at+n+1 < len(p.tokens) && p.within[at+n+1] >= 0) {
				word = "loan" // what is paid off is a loan
			}
			p.stems[at], p.meant[at], p.meaning[at], p.known[at] = stem(word), "", content, "idiom"
			for i := at + 1; i < at+n; i++ {
				p.stems[i], p.meant[i], p.meaning[i], p.known[i] = "", "", grammar, "idiom"
			}
			break
		}
	}
}

package language

// move is what a phrase says about the scenario that a prompt builds on, by its name in the table
// of scenarios.
type move string

const (
	stay     move = ""               // nothing: the scenario in focus
	goTo     move = "go to"          // the scenario that the phrase names
	branch   move = "a new one from" // a new scenario from the one named
	startNew move = "a new one"      // a new scenario
	undo     move = "go back from"   // the scenario that the one in focus branched from
)

// phrase is a row of the table of scenarios. The first row that fits somewhere decides; its words
// are not read further. An alone one counts only where the prompt has no number besides.
type phrase struct {
	pattern pattern
	move    move
	alone   bool
}

// The scenarios that words name, beside those with a number.
const (
	lastScenario     = "last"
	currentScenario  = "current"
	previousScenario = "previous"
)

// opening is what the phrases of a prompt say, and the tokens that say it.
type opening struct {
	move     move
	which    string // a number or one of the names above; of goTo and branch
	from, to int    // tokens
	row      *phrase
}

// find is the first phrase that fits, and where.
func (t *tables) find(tokens []token, used []bool, numbers bool) (opening, bool) {
	for r := range t.phrases {
		row := &t.phrases[r]
		if row.alone && numbers {
			continue
		}
		for at := range tokens {
			if n, which := row.pattern.match(tokens, used, at); n > 0 {
				return opening{move: row.move, which: which, from: at, to: at + n, row: row}, true
			}
		}
	}
	return opening{}, false
}

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

	difference move = "the difference to" // the scenario in focus: the prompt asks how far it is from there
)

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
	row      row
}

// find is the first row of the table of scenarios that fits, and where. An alone one counts only
// where the prompt has no number besides.
func (t *tables) find(tokens []token, used []bool, numbers bool) (opening, bool) {
	for _, r := range t.patterns("scenarios") {
		if r.row[2] != "" && numbers {
			continue
		}
		for at := range tokens {
			if n, which := r.pattern.match(tokens, used, at); n > 0 {
				return opening{move: move(r.row[1]), which: which, from: at, to: at + n, row: r.row}, true
			}
		}
	}
	return opening{}, false
}

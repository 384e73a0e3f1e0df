package language

// move is what a phrase says about the scenario that a prompt builds on.
type move int

const (
	stay     move = iota // nothing: the scenario in focus
	goTo                 // the scenario that the phrase names
	branch               // a new scenario from the one named
	startNew             // a new scenario
	undo                 // the scenario that the one in focus branched from
)

// phrase is a row of the table of scenario phrases. The first row that fits somewhere decides; its words are not read further.
// alone rows count only where the prompt has no number besides.
type phrase struct {
	text    string
	move    move
	alone   bool
	example string // a prompt that it is met in
	which   string // what {which} stands for in the example
}

const scenarioNouns = "scenario|one|version|calculation|calc|result|answer|case|option|variant|attempt|try|setup|plan|trip|estimate|quote|run|example"

// scenarioPhrases, in the order in which they are tried.
var scenarioPhrases = []phrase{
	{text: "start|begin over|again|afresh|anew from? scratch?", move: startNew, example: "start over: 100 miles at 50 mph"},
	{text: "from scratch", move: startNew, example: "from scratch, how long for 20 miles"},
	{text: "a? fresh|clean start|slate", move: startNew, example: "fresh start: 20 miles"},
	{text: "forget|clear|reset|discard|drop|scrap everything|all of? that|this|it|them? before|earlier?", move: startNew, example: "forget everything, 20 miles at 10 mph"},
	{text: "reset", move: startNew, example: "reset: 20 miles"},
	{text: "branch|fork|copy|duplicate|clone off|of|from? from|of? the|my? scenario|number|no? {which} " + scenarioNouns + "?", move: branch, example: "branch off the first one with 70 mph", which: "1"},
	{text: "a? new|another|fresh scenario|calculation|calc|version|case|option|variant from|off|like|using off|of? the|my? scenario|number? {which} " + scenarioNouns + "?", move: branch, example: "a new scenario from the first one at 70 mph", which: "1"},
	{text: "a? new|another|fresh scenario|calculation|calc|version|case|option|variant based on|off|upon the|my? scenario|number? {which} " + scenarioNouns + "?", move: branch, example: "another scenario based on scenario 2 with 70 mph", which: "2"},
	{text: "take|use|using scenario number? {which} as a|the|my? new? starting|start|basis|base|template|model|copy point? for|of? a? new|another? one|scenario?", move: branch, example: "take scenario 1 as the basis of a new one with 70 mph", which: "1"},
	{text: "a? new|another|fresh|separate scenario|calculation|version|case|one out|from of|from? scenario|number? {which}", move: branch, example: "make a new scenario out of scenario 1 with 70 mph", which: "1"},
	{text: "new from scenario? {which}", move: branch, example: "new from 2: 70 mph", which: "2"},
	{text: "a|an? new|fresh|different|separate|unrelated scenario|calculation|calc|problem|case|question|one|topic|trip|estimate|quote|job", move: startNew, example: "new scenario: 20 miles at 10 mph"},
	{text: "go|going|come|jump|switch|return|back|revert|take|bring us|me? back? to scenario|number|no|version|option|case {which}", move: goTo, example: "go back to scenario 2", which: "2"},
	{text: "go|going|come|jump|switch|return|back|revert|take|bring us|me? back? to the|my|our? very? {which} " + scenarioNouns + "?", move: goTo, example: "back to the first one", which: "1"},
	{text: "in|for|with|from|using|under|on|of|to|take|use|at scenario|version|option|case number|no? {which}", move: goTo, example: "in scenario 2, use 70 mph", which: "2"},
	{text: "in|for|with|from|using|under|on|of|take|use|like|continue|as from|with|in? the|my|our very? {which} " + scenarioNouns, move: goTo, example: "in the first one, how far?", which: "1"},
	{text: "show|display|see|view|open|fetch|recall|load|pull|restore|bring up? me|us? up? back? scenario|number|version|option|case {which} again?", move: goTo, example: "show me scenario 1", which: "1"},
	{text: "show|display|see|view|open|fetch|recall|load|pull|restore|bring up? me|us? up? back? the|my|our? very? {which} " + scenarioNouns + " again?", move: goTo, example: "show me the first one again", which: "1"},
	{text: "what was|were the|my|our very? {which} " + scenarioNouns + " again?", move: goTo, example: "what was the first one again", which: "1"},
	{text: "continue|carry|go|keep on? going? from|with on? scenario|number? {which}", move: goTo, example: "continue from 1 with 70 mph", which: "1"},
	{text: "scenario number|no? {which}", move: goTo, example: "scenario 2 with 70 mph", which: "2"},
	{text: "the very? {which} scenario|version|calculation|option|variant", move: goTo, example: "the second scenario, but 70 mph", which: "2"},
	{text: "forget|scratch|ignore|undo|cancel|revert|discard|drop|reverse|strike that|this|it last? change|one|bit|part?", move: undo, example: "forget that"},
	{text: "forget|scratch|ignore|undo|cancel|revert|discard|drop|reverse the|my last|latest|previous change|one|step|edit|scenario|request|bit|message|question", move: undo, example: "undo the last change"},
	{text: "undo", move: undo, example: "undo"},
	{text: "never mind that|this|it?", move: undo, example: "never mind"},
	{text: "nevermind that|this|it?", move: undo, example: "nevermind"},
	{text: "nvm", move: undo, example: "nvm"},
	{text: "take|put that|it back", move: undo, example: "take that back"},
	{text: "go|step|roll back a|one? step?", move: undo, alone: true, example: "go back"},
	{text: "back|return|revert to what|how it|we was|were|had before?", move: undo, example: "back to what we had before"},
	{text: "as it was before?", move: undo, example: "as it was"},
	{text: "change it|that back", move: undo, example: "change that back"},
}

// opening is what the phrases of a prompt say, and the tokens that say it.
type opening struct {
	move     move
	which    string // a number, "last", "current" or "previous"; of goTo and branch
	from, to int    // tokens
	row      *phrase
}

// phraseTable is the phrases made ready.
type phraseTable []pattern

func readPhrases() phraseTable {
	var t phraseTable
	for _, row := range scenarioPhrases {
		t = append(t, newPattern(row.text))
	}
	return t
}

// find is the first row that fits, and where.
func (t phraseTable) find(tokens []token, used []bool, numbers bool) (opening, bool) {
	for r, p := range t {
		if scenarioPhrases[r].alone && numbers {
			continue
		}
		for at := range tokens {
			if n, which := p.match(tokens, used, at); n > 0 {
				return opening{move: scenarioPhrases[r].move, which: which, from: at, to: at + n, row: &scenarioPhrases[r]}, true
			}
		}
	}
	return opening{}, false
}

package language

import (
	"embed"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"

	"reckon/engine/decimal"
)

// english are the tables of the language. No other part of the package knows a word of it.
//
//go:embed english
var english embed.FS

// row is a line of a table: its cells, the last one an example. An empty cell is "-" there and ""
// here.
type row []string

// words are those of a cell.
func (r row) words(cell int) []string { return strings.Fields(r[cell]) }

// spellings are the phrases of a cell that are separated by commas.
func (r row) spellings(cell int) []string { return strings.Split(r[cell], ", ") }

// number is a cell that holds a whole number.
func (r row) number(cell int) int64 {
	n, err := strconv.ParseInt(r[cell], 10, 64)
	if err != nil {
		panic(fmt.Sprintf("engine/language: row %q: %v", r, err))
	}
	return n
}

// example is the last cell: a prompt, and what it means.
func (r row) example() (prompt, means string) {
	prompt, means, _ = strings.Cut(r[len(r)-1], " => ")
	return prompt, means
}

// readSections reads the rows of all tables by their section.
func readSections() map[string][]row {
	sections := map[string][]row{}
	files, err := fs.Glob(english, "english/*.txt")
	if err != nil {
		panic("engine/language: " + err.Error())
	}
	for _, file := range files {
		data, err := english.ReadFile(file)
		if err != nil {
			panic("engine/language: " + err.Error())
		}
		section, line := "", ""
		end := func() {
			if line == "" {
				return
			}
			cells := strings.Split(line, " | ")
			for i := range cells {
				if cells[i] = strings.TrimSpace(cells[i]); cells[i] == "-" {
					cells[i] = ""
				}
			}
			sections[section] = append(sections[section], cells)
			line = ""
		}
		for text := range strings.Lines(string(data)) {
			switch text = strings.TrimRight(text, "\n"); {
			case text == "" || text[0] == '#':
				end()
			case text[0] == '[':
				end()
				section = strings.Trim(text, "[]")
			case text[0] == ' ':
				line += text
			default:
				end()
				line = text
			}
		}
		end()
	}
	return sections
}

// lexeme is all that the tables say of a word or mark.
type lexeme struct {
	roles       roles
	stem        string // of an irregular form, "" for none
	border      barrier
	tabled      bool // a word of the tables, which is known wherever it stands
	number      *numberWord
	money       *moneyWord
	month       int // from 1, 0 for none
	weekday     int // Monday is 1, 0 for none
	short       bool
	clock       string // the time of day that it names, "" for none
	dayPart     *timeOfDay
	shift       *shift
	power       *power
	comparative *comparative
	verb        *changeVerb
	change      int    // direction of a noun of change, 0 for none
	adjective   string // the stem of what a word of comparison compares, "" for none
	degree      *want  // of an adjective
	scenario    string // that an ordinal names, "" for none
	units       []phraseOf[spokenUnit]
	per         []phraseOf[overWord]
	dayParts    []phraseOf[dayPart]
	days        []phraseOf[spokenDay]
	leads       []phraseOf[whichWeek]
	weeks       []phraseOf[int64]
}

// phraseOf is a phrase with what it means.
type phraseOf[R any] struct {
	words []string
	means R
}

// tables are the rows made ready.
type tables struct {
	sections    map[string][]row
	lexicon     map[string]*lexeme
	stemRoles   map[string]roles
	letters     map[string]spokenUnit // case and all
	endings     [stepCount][]ending
	phrases     []phrase
	forms       []form
	idioms      []idiom
	factors     []factorWord
	replacing   [][]string
	still       pattern
	suffixes    []suffix
	parts       []barePart
	months      []string // as dates are written
	calendar    map[string]span
	commonUnits []string
	symbols     map[string]bool // that need no number before them
	groups      synonymTable
	plural      string   // the ending of a number of things
	adverb      string   // that of how often something is
	spelling    []string // words that a slip of spelling may have meant, beside those of the domain
}

// rows are those of a section.
func (t *tables) rows(section string) []row { return t.sections[section] }

// words are the entries of the words in the first cell of the rows of a section.
func (t *tables) words(section string) iter.Seq2[*lexeme, row] {
	return func(yield func(*lexeme, row) bool) {
		for _, r := range t.sections[section] {
			for _, w := range r.words(0) {
				if !yield(t.lexeme(w), r) {
					return
				}
			}
		}
	}
}

// lexeme is the entry of a word, made where there is none.
func (t *tables) lexeme(word string) *lexeme {
	if t.lexicon[word] == nil {
		t.lexicon[word] = &lexeme{}
	}
	return t.lexicon[word]
}

// learn takes the words of a pattern among the known ones.
func (t *tables) learn(p pattern) pattern {
	for _, e := range p {
		for _, w := range e.words {
			t.lexeme(w).tabled = true
		}
	}
	return p
}

// addPhrases files what a row means under the first word of each of its spellings, the longest
// first.
func addPhrases[R any](t *tables, r row, means R, of func(*lexeme) *[]phraseOf[R]) {
	for _, spelling := range r.spellings(0) {
		var words []string
		for _, token := range cut(spelling) {
			words = append(words, token.fold)
		}
		list := of(t.lexeme(words[0]))
		*list = append(*list, phraseOf[R]{words, means})
		slices.SortStableFunc(*list, func(a, b phraseOf[R]) int { return len(b.words) - len(a.words) })
	}
}

// readTables reads the tables at their first use.
var readTables = sync.OnceValue(makeTables)

func makeTables() *tables {
	t := &tables{sections: readSections(), lexicon: map[string]*lexeme{}, stemRoles: map[string]roles{}, letters: map[string]spokenUnit{}}
	t.readWords()
	t.readAmounts()
	t.readMoments()
	t.readRequests()
	for w, l := range t.lexicon {
		if len(w) > 3 && (l.tabled || l.roles.has(roleGrammar) || l.roles.has(rolePlain)) {
			t.spelling = append(t.spelling, w)
		}
	}
	for _, r := range t.rows("synonyms") {
		for _, w := range r.words(0) {
			if len(w) > 3 {
				t.spelling = append(t.spelling, w)
			}
		}
	}
	slices.Sort(t.spelling)
	t.spelling = slices.Compact(t.spelling)
	return t
}

// readWords reads the tables of words that have no more to them than what they do, how they bend
// and where they cut a sentence.
func (t *tables) readWords() {
	for i, r := range slices.Concat(t.rows("amounts"), t.rows("requests"), t.rows("names"), t.rows("plain words")) {
		for _, w := range r.words(1) {
			t.lexeme(w).roles.add(role(i))
		}
	}
	for l, r := range t.words("stems") {
		l.stem = r[1]
	}
	for _, r := range t.rows("endings") {
		step := r.number(4) - 1
		t.endings[step] = append(t.endings[step], ending{r[0], int(r.number(1)), int(r.number(2)), r[3], r[5] != ""})
	}
	t.plural, t.adverb = t.rows("forms")[0][1], t.rows("forms")[1][1]
	for l, r := range t.words("borders") {
		l.border = barrier(1 + slices.Index(barriers, r[1]))
	}
	for i, r := range t.rows("names") {
		for _, w := range r.words(1) {
			of := t.stemRoles[t.stem(w)]
			of.add(roleStarts + role(i))
			t.stemRoles[t.stem(w)] = of
		}
	}
	t.groups = synonymTable{}
	for i, r := range t.rows("synonyms") {
		for _, w := range r.words(0) {
			s := t.stem(w)
			if list := t.groups[s]; len(list) == 0 || list[len(list)-1] != i {
				t.groups[s] = append(t.groups[s], i)
			}
		}
	}
}

// readAmounts reads the tables of numbers, units and money.
func (t *tables) readAmounts() {
	for l, r := range t.words("numbers") {
		l.number = &numberWord{numberPart(r[1]), r.number(2)}
	}
	for _, r := range t.rows("units") {
		addPhrases(t, r, spokenUnit(r.spellings(1)), func(l *lexeme) *[]phraseOf[spokenUnit] { return &l.units })
	}
	for _, r := range t.rows("letters") {
		t.letters[r[0]] = r.spellings(1)
	}
	for _, r := range t.rows("suffixes") {
		t.suffixes = append(t.suffixes, suffix{r.words(0), r.number(1), r[2] != "", r[3] != ""})
	}
	for _, r := range t.rows("per") {
		addPhrases(t, r, overWord{r[1], overPlace(r[2])}, func(l *lexeme) *[]phraseOf[overWord] { return &l.per })
	}
	for l, r := range t.words("powers") {
		l.power = &power{int(r.number(1)), r[2] == powerBehind}
	}
	for l, r := range t.words("money") {
		l.money = &moneyWord{r.words(1), int(r.number(2)), r.number(3)}
	}
	for _, r := range t.rows("parts") {
		t.parts = append(t.parts, barePart{r[0], r[1], partForm(r[2])})
	}
	t.symbols = map[string]bool{}
	for _, r := range t.rows("symbols") {
		for _, w := range r.words(0) {
			t.symbols[w] = true
		}
	}
	for w, l := range t.lexicon {
		if l.roles.has(roleCommonUnit) {
			t.commonUnits = append(t.commonUnits, w)
		}
	}
	slices.Sort(t.commonUnits)
	t.still = newPattern(t.rows("standstill")[0][0], "")
}

// readMoments reads the tables of days and times of day.
func (t *tables) readMoments() {
	for i, r := range t.rows("months") {
		t.months = append(t.months, r[1])
		for _, w := range r.words(0) {
			t.lexeme(w).month = i + 1
		}
	}
	for _, r := range t.rows("days") {
		addPhrases(t, r, spokenDay{r.number(1), int(r.number(2))}, func(l *lexeme) *[]phraseOf[spokenDay] { return &l.days })
	}
	for i, r := range t.rows("weekdays") {
		for _, w := range r.words(0) {
			t.lexeme(w).weekday = i + 1
		}
		for _, w := range r.words(1) {
			t.lexeme(w).weekday, t.lexeme(w).short = i+1, true
		}
	}
	for _, r := range t.rows("weekday leads") {
		addPhrases(t, r, whichWeek(r[1]), func(l *lexeme) *[]phraseOf[whichWeek] { return &l.leads })
	}
	for _, r := range t.rows("weeks") {
		addPhrases(t, r, r.number(1), func(l *lexeme) *[]phraseOf[int64] { return &l.weeks })
	}
	for l, r := range t.words("shifts") {
		l.shift = &shift{r.number(1), shiftFrom(r[2])}
	}
	t.calendar = map[string]span{}
	for _, r := range t.rows("calendar") {
		t.calendar[r[0]] = span{r.number(1), r.number(2)}
	}
	for l, r := range t.words("times of day") {
		l.dayPart = &timeOfDay{int(r.number(1))}
	}
	for l, r := range t.words("clock") {
		l.clock = clockText(int(r.number(1)), 0, -1)
	}
	for _, r := range t.rows("parts of the day") {
		addPhrases(t, r, dayPart{r[1] != "", int(r.number(2))}, func(l *lexeme) *[]phraseOf[dayPart] { return &l.dayParts })
	}
}

// readRequests reads the tables of scenarios, questions, changes and idioms.
func (t *tables) readRequests() {
	nouns := t.rows("nouns")[0][0]
	for _, r := range t.rows("scenarios") {
		t.phrases = append(t.phrases, phrase{t.learn(newPattern(r[0], nouns)), move(r[1]), r[2] != ""})
	}
	for l, r := range t.words("ordinals") {
		l.scenario = r[1]
	}
	for _, r := range t.rows("questions") {
		t.forms = append(t.forms, form{t.learn(newPattern(r[0], nouns)), want(r[1]), r[2] != ""})
	}
	for l, r := range t.words("comparatives") {
		l.comparative, l.tabled = &comparative{int(r.number(1)), want(r[2]), r[3] != ""}, true
	}
	for l, r := range t.words("adjectives") {
		l.adjective = t.stem(r[1])
	}
	for l, r := range t.words("degrees") {
		of := want(r[1])
		l.degree = &of
	}
	for l, r := range t.words("change nouns") {
		l.change = int(r.number(1))
	}
	for l, r := range t.words("change verbs") {
		l.verb, l.tabled = &changeVerb{int(r.number(1)), r[2] != ""}, true
	}
	for _, r := range t.rows("factors") {
		t.factors = append(t.factors, factorWord{t.learn(newPattern(r[0], nouns)), factor(r[1])})
	}
	for _, r := range t.rows("replacing") {
		t.replacing = append(t.replacing, r.words(0))
	}
	for _, r := range t.rows("idioms") {
		text, behind := strings.CutPrefix(r[0], amountBefore)
		word, before, _ := strings.Cut(r[1], "/")
		t.idioms = append(t.idioms, idiom{newPattern(text, nouns), behind, word, before, r[2] != ""})
	}
}

// factor is a number, or the quotient of two.
func factor(text string) decimal.Decimal {
	over, under, fraction := strings.Cut(text, "/")
	f, err := decimal.Parse(over)
	if fraction && err == nil {
		var divisor decimal.Decimal
		if divisor, err = decimal.Parse(under); err == nil {
			f = decimal.NewContext(1000).Quo(f, divisor)
		}
	}
	if err != nil {
		panic("engine/language: factor " + text + ": " + err.Error())
	}
	return f
}

package language

import (
	"embed"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"reckon/engine/decimal"
)

// files are the tables of the languages, a folder each. No other part of the package knows a word
// of any.
//
//go:embed english german
var files embed.FS

// Default is the tag of the language of a domain that names none.
const Default = "en"

// row is a line of a table: its cells, the last one an example. An empty cell is "-" there and ""
// here.
type row []string

// words are those of a cell.
func (r row) words(cell int) []string { return strings.Fields(r[cell]) }

// spellings are the phrases of a cell that are separated by commas.
func (r row) spellings(cell int) []string { return strings.Split(r[cell], ", ") }

// number is a cell that holds a whole number, 0 where it is empty.
func (r row) number(cell int) int64 {
	n, _ := strconv.ParseInt(r[cell], 10, 64)
	return n
}

// What the first cell of the rows of a section is, as the head of the section says behind a colon:
// spellings in any case, separated by commas, unless it says otherwise.
const (
	exactHead    = "exact"    // words, case and all
	patternsHead = "patterns" // a pattern
	rolesHead    = "roles"    // the name of a role, whose words are the second cell
	rowsHead     = "rows"     // read by the code that it is for
	knownHead    = "known"    // the words are known wherever they stand
)

// lexeme is all that the tables say of a word or mark.
type lexeme struct {
	roles  []string
	facts  []fact // the longest first
	border barrier
	tabled bool // a word of the tables, which is known wherever it stands
}

// fact is a row of a section with one of its spellings, which starts with the word that has the
// fact.
type fact struct {
	section string
	words   []string
	row     row
}

// is reports whether the word has a role. A nil lexeme is that of a word in no table.
func (l *lexeme) is(role string) bool { return l != nil && slices.Contains(l.roles, role) }

// row is what a section says of the word alone, nil for nothing.
func (l *lexeme) row(section string) row {
	if l == nil {
		return nil
	}
	for i := range l.facts {
		if f := &l.facts[i]; f.section == section && len(f.words) == 1 {
			return f.row
		}
	}
	return nil
}

// rule is a row whose first cell is a pattern.
type rule struct {
	pattern pattern
	row     row
}

// spelled is a word of a section, case and all.
type spelled struct{ section, word string }

// tables are the rows made ready.
type tables struct {
	sections    map[string][]row
	rules       map[string][]*rule // by section
	exact       map[spelled]row
	lexicon     map[string]*lexeme
	stemRoles   map[string][]string // those of names
	slips       map[string]string   // by a common slip of the fingers, the word that is meant
	ordinary    map[string]bool     // stems of ordinary words
	endings     [stepCount][]ending
	commonUnits []string
	groups      synonymTable
	spelling    []string // words that a slip of spelling may have meant, beside those of the domain
	texts       map[string]row
	inflection
	translation
}

// rows are those of a section.
func (t *tables) rows(section string) []row { return t.sections[section] }

// patterns are the rows of a section of patterns.
func (t *tables) patterns(section string) []*rule { return t.rules[section] }

// exactly is the row of a section that has a word, case and all, nil for none.
func (t *tables) exactly(section, word string) row { return t.exact[spelled{section, word}] }

// lexeme is the entry of a word, made where there is none.
func (t *tables) lexeme(word string) *lexeme {
	if t.lexicon[word] == nil {
		t.lexicon[word] = &lexeme{}
	}
	return t.lexicon[word]
}

// languages are the tables by tag, read at their first use.
var languages = sync.OnceValue(func() map[string]*tables {
	list := map[string]*tables{}
	folders, err := fs.ReadDir(files, ".")
	for _, folder := range folders {
		t := &tables{
			sections: map[string][]row{}, rules: map[string][]*rule{}, exact: map[spelled]row{}, lexicon: map[string]*lexeme{},
			stemRoles: map[string][]string{}, slips: map[string]string{}, ordinary: map[string]bool{}, groups: synonymTable{}, texts: map[string]row{},
		}
		var names []string
		if names, err = fs.Glob(files, folder.Name()+"/*.txt"); err != nil {
			break
		}
		for _, name := range names {
			var data []byte
			if data, err = files.ReadFile(name); err != nil {
				break
			}
			t.read(string(data))
		}
		t.finish()
		list[t.tag] = t
	}
	if err != nil {
		panic(err)
	}
	return list
})

// Languages are the tags of the languages that prose is read in, in order.
func Languages() []string { return slices.Sorted(maps.Keys(languages())) }

// tablesOf are those of a language by its tag, of the default one where there are none.
func tablesOf(tag string) *tables {
	if t := languages()[tag]; t != nil {
		return t
	}
	return languages()[Default]
}

// read reads a file of tables.
func (t *tables) read(text string) {
	section, kind := "", ""
	continued := strings.ReplaceAll(text, "\n ", " ")
	for line := range strings.Lines(continued) {
		switch line = strings.TrimSpace(line); {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section, kind, _ = strings.Cut(strings.Trim(line, "[]"), ": ")
		default:
			r := row(strings.Split(line, " | "))
			for i := range r {
				if r[i] = strings.TrimSpace(r[i]); r[i] == "-" {
					r[i] = ""
				}
			}
			t.sections[section] = append(t.sections[section], r)
			t.file(section, r, strings.Fields(kind))
		}
	}
}

// file puts a row where its first cell is looked for.
func (t *tables) file(section string, r row, kind []string) {
	known := slices.Contains(kind, knownHead)
	switch {
	case slices.Contains(kind, rowsHead):
	case slices.Contains(kind, exactHead):
		for _, w := range r.words(0) {
			t.exact[spelled{section, w}] = r
		}
	case slices.Contains(kind, rolesHead):
		for _, w := range r.words(1) {
			l := t.lexeme(w)
			l.roles = append(l.roles, r[0])
		}
	case slices.Contains(kind, patternsHead):
		text := r[0]
		for _, class := range t.rows("classes") { // which come before the patterns that use them
			text = strings.ReplaceAll(text, "{"+class[0]+"}", class[1])
		}
		p := newPattern(text)
		t.rules[section] = append(t.rules[section], &rule{p, r})
		for _, e := range p {
			for _, w := range e.words {
				t.lexeme(w).tabled = known || t.lexeme(w).tabled
			}
		}
	default:
		for _, spelling := range r.spellings(0) {
			var words []string
			for _, token := range cut(spelling) {
				words = append(words, token.fold)
			}
			l := t.lexeme(words[0])
			l.tabled = known || l.tabled
			l.facts = append(l.facts, fact{section, words, r})
			slices.SortStableFunc(l.facts, func(a, b fact) int { return len(b.words) - len(a.words) })
		}
	}
}

// finish reads the sections whose rows are no facts of words.
func (t *tables) finish() {
	t.inflection = newInflection(t.rows("language")[0])
	t.joinNumbers()
	t.translation = newTranslation(t.sections)
	for _, r := range t.rows("slips") {
		for _, slip := range r.words(0) {
			t.slips[slip] = r[1]
		}
	}
	for _, r := range t.rows("texts") {
		t.texts[r[0]] = r
	}
	for _, r := range t.rows("endings") {
		step := r.number(4) - 1
		t.endings[step] = append(t.endings[step], ending{r[0], int(r.number(1)), int(r.number(2)), r[3], r[5] != ""})
	}
	for _, r := range t.rows("borders") {
		for _, w := range r.words(0) {
			t.lexeme(w).border = barrier(1 + slices.Index(barriers, r[1]))
		}
	}
	for _, r := range t.rows("names") {
		for _, w := range r.words(1) {
			t.stemRoles[t.stem(w)] = append(t.stemRoles[t.stem(w)], r[0])
		}
	}
	for w, l := range t.lexicon {
		if l.is("ordinary") {
			t.ordinary[t.stem(w)] = true
		}
		if len(w) > 3 && (l.tabled || l.is("grammar") || l.is("plain")) {
			t.spelling = append(t.spelling, w)
		}
		if l.is("common unit") {
			t.commonUnits = append(t.commonUnits, w)
		}
	}
	for i, r := range t.rows("synonyms") {
		for _, w := range r.words(0) {
			s := t.stem(w)
			if list := t.groups[s]; len(list) == 0 || list[len(list)-1] != i {
				t.groups[s] = append(t.groups[s], i)
			}
			if len(w) > 3 {
				t.spelling = append(t.spelling, w)
			}
		}
	}
	slices.Sort(t.commonUnits)
	slices.Sort(t.spelling)
	t.spelling = slices.Compact(t.spelling)
}

// factor is a number, or the quotient of two.
func factor(text string) decimal.Decimal {
	over, under, fraction := strings.Cut(text, "/")
	if fraction {
		return decimal.NewContext(1000).Quo(decimal.MustParse(over), decimal.MustParse(under))
	}
	return decimal.MustParse(over)
}

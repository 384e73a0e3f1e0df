package docs

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reckon/engine/formula"
)

// section is what a search finds: a heading with what stands under it.
type section struct {
	path    string // with the anchor
	page    string // what the page is called
	heading string
	names   []string // that it is called by, such as the name of a function in spreadsheets
	texts   []string // paragraphs
}

// index finds sections by words. It is only read once it is finished.
type index struct {
	sections []section
	words    map[string][]posting
	sorted   []string  // the words
	lengths  []float64 // of the texts of a section, in words
	average  float64   // length
}

// posting is how often a word stands in a section; in a heading or a name it counts more.
type posting struct {
	section int
	weight  float64
}

// What a word weighs by where it stands, and the constants of BM25.
const (
	nameWeight    = 12
	headingWeight = 6
	pageWeight    = 2
	saturation    = 1.2
	lengthShare   = 0.6
)

func (x *index) add(sections []section) { x.sections = append(x.sections, sections...) }

func (x *index) finish() {
	x.words = map[string][]posting{}
	for i, s := range x.sections {
		weights := map[string]float64{}
		length := 0
		count := func(text string, weight float64) {
			for _, w := range wordsOf(text) {
				weights[w] += weight
				length++
			}
		}
		for _, name := range s.names {
			count(name, nameWeight)
		}
		count(s.heading, headingWeight)
		count(s.page, pageWeight)
		for _, text := range s.texts {
			count(text, 1)
		}
		for w, weight := range weights {
			x.words[w] = append(x.words[w], posting{i, weight})
		}
		x.lengths = append(x.lengths, float64(length))
		x.average += float64(length)
	}
	x.average /= float64(max(1, len(x.sections)))
	for w := range x.words {
		x.sorted = append(x.sorted, w)
	}
	slices.Sort(x.sorted)
}

// wordsOf are the words of a text as the index has them: in lower case, a plural as its singular,
// and with what is joined by dots and underscores both whole and in parts.
func wordsOf(text string) (words []string) {
	for _, whole := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._°µ%$€£", r)
	}) {
		whole = strings.Trim(whole, ".")
		if whole == "" {
			continue
		}
		words = append(words, singular(whole))
		if parts := strings.FieldsFunc(whole, func(r rune) bool { return r == '.' || r == '_' }); len(parts) > 1 {
			for _, part := range parts {
				words = append(words, singular(part))
			}
		}
	}
	return words
}

// singular is a word without the s of a plural.
func singular(word string) string {
	if n := len(word); n > 3 && word[n-1] == 's' && word[n-2] != 's' {
		return word[:n-1]
	}
	return word
}

// found is what a search shows.
type found struct {
	Query string
	Count int
	Hits  []hit
	Hint  string // what to write for a function that is called otherwise elsewhere
}

// hit is a section that was found.
type hit struct {
	Path, Page string
	Heading    []marked
	Text       []marked
}

// marked is a piece of a text, and whether it was searched for.
type marked struct {
	Text string
	Mark bool
}

const (
	maxHits    = 30
	maxWords   = 12
	maxSnippet = 220 // characters
)

// find lists the sections that have the words of a query, those that have all of them first. A word
// finds those that begin with it, too.
func (s *site) find(query string) found {
	f := found{Query: query, Hint: formula.Elsewhere(query)}
	words := wordsOf(query)
	words = words[:min(len(words), maxWords)]
	scores, having := map[int]float64{}, map[int]int{}
	for _, w := range words {
		best := map[int]float64{}
		for i, _ := slices.BinarySearch(s.index.sorted, w); i < len(s.index.sorted) && strings.HasPrefix(s.index.sorted[i], w); i++ {
			other := s.index.sorted[i]
			share := 1.0 // of a longer word the part that is known
			if other != w {
				share = 0.5 * float64(len(w)) / float64(len(other))
			}
			if other != w && utf8.RuneCountInString(w) < 3 {
				continue
			}
			for section, score := range s.index.scores(other) {
				best[section] = max(best[section], share*score)
			}
		}
		for section, score := range best {
			scores[section] += score
			having[section]++
		}
	}
	var list []int
	for i := range scores {
		scores[i] *= s.index.sections[i].called(query)
		list = append(list, i)
	}
	slices.SortFunc(list, func(a, b int) int {
		return cmp.Or(cmp.Compare(having[b], having[a]), cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
	})
	f.Count = len(list)
	for _, i := range list[:min(len(list), maxHits)] {
		found := s.index.sections[i]
		f.Hits = append(f.Hits, hit{found.path, found.page, marksIn(found.heading, words), marksIn(snippet(found.texts, words), words)})
	}
	return f
}

// What a section counts more that is called by a query, or has it in what it is called by.
const (
	calledHeading = 3
	calledName    = 2
	calledWithin  = 1.5
)

// spaces stand where the parts of a name are joined.
var spaces = strings.NewReplacer(".", " ", "_", " ")

// called is how much more a section counts that bears a query in its names.
func (s section) called(query string) float64 {
	factor := 1.0
	query = strings.ToLower(query)
	for i, name := range append([]string{s.heading}, s.names...) {
		name = strings.ToLower(name)
		switch {
		case name == query && i == 0:
			return calledHeading
		case name == query:
			factor = calledName
		case strings.Contains(spaces.Replace(name), spaces.Replace(query)):
			factor = max(factor, calledWithin)
		}
	}
	return factor
}

// scores are those of BM25 of a word, by section.
func (x *index) scores(word string) map[int]float64 {
	postings := x.words[word]
	n, all := float64(len(postings)), float64(len(x.sections))
	rarity := math.Log(1 + (all-n+0.5)/(n+0.5))
	scores := make(map[int]float64, len(postings))
	for _, p := range postings {
		norm := saturation * (1 - lengthShare + lengthShare*x.lengths[p.section]/x.average)
		scores[p.section] = rarity * p.weight * (saturation + 1) / (p.weight + norm)
	}
	return scores
}

// snippet is the paragraph that has most of the words, cut around the first of them.
func snippet(texts []string, words []string) string {
	best, most := "", -1
	for _, text := range texts {
		n := 0
		in := wordsOf(text)
		for _, w := range words {
			if slices.ContainsFunc(in, func(other string) bool { return strings.HasPrefix(other, w) }) {
				n++
			}
		}
		if n > most && text != "" {
			best, most = text, n
		}
	}
	if utf8.RuneCountInString(best) <= maxSnippet {
		return best
	}
	runes := []rune(best)
	from := 0
	for _, w := range words {
		if i := strings.Index(strings.ToLower(best), w); i >= 0 {
			from = max(0, utf8.RuneCountInString(strings.ToLower(best)[:i])-60)
			break
		}
	}
	from = min(from, len(runes))
	for from > 0 && from < len(runes) && runes[from-1] != ' ' {
		from--
	}
	to := min(len(runes), from+maxSnippet)
	for to < len(runes) && to > from && runes[to] != ' ' {
		to--
	}
	text := string(runes[from:to])
	if from > 0 {
		text = "… " + text
	}
	if to < len(runes) {
		text += " …"
	}
	return text
}

// marksIn cuts a text at the words of it that begin with one that was searched for.
func marksIn(text string, words []string) (pieces []marked) {
	add := func(part string, mark bool) {
		if last := len(pieces) - 1; last >= 0 && pieces[last].Mark == mark {
			pieces[last].Text += part
		} else if part != "" {
			pieces = append(pieces, marked{part, mark})
		}
	}
	for text != "" {
		n := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if n < 0 {
			n = len(text)
		}
		if n > 0 {
			word := singular(strings.ToLower(text[:n]))
			add(text[:n], slices.ContainsFunc(words, func(w string) bool {
				return strings.HasPrefix(word, w) || slices.Contains(strings.FieldsFunc(w, func(r rune) bool { return r == '.' || r == '_' }), word)
			}))
			text = text[n:]
			continue
		}
		_, size := utf8.DecodeRuneInString(text)
		add(text[:size], false)
		text = text[size:]
	}
	return pieces
}

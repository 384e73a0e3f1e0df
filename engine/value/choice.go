package value

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reckon/engine/decimal"
)

// Choice is one of the values that a variable may have, and what people call it.
type Choice struct {
	Label   string
	Value   decimal.Decimal
	Aliases []string // which people may say as well
}

// Names are the label of a choice, and its aliases.
func (c *Choice) Names() []string { return append([]string{c.Label}, c.Aliases...) }

// isCalled reports whether a text is a name of the choice.
func (c *Choice) isCalled(folded string) bool {
	return FoldLabel(c.Label) == folded || slices.ContainsFunc(c.Aliases, func(a string) bool { return FoldLabel(a) == folded })
}

// IsChoice reports whether only the values of choices are values of the variable.
func (v *Variable) IsChoice() bool { return len(v.Choices) > 0 }

// Choice is the one with a label or alias, in any case and with white space of any width between
// its words.
// One of two that say yes and no, or are 1 and 0, is also meant by yes, true, no and false.
func (v *Variable) Choice(label string) (Choice, bool) {
	folded := FoldLabel(label)
	for _, c := range v.Choices {
		if c.isCalled(folded) {
			return c, true
		}
	}
	affirmed, ok := truth[folded]
	if !ok || len(v.Choices) != 2 {
		return Choice{}, false
	}
	for i, c := range v.Choices {
		other := v.Choices[1-i]
		says, named := truth[FoldLabel(c.Label)]
		denies, also := truth[FoldLabel(other.Label)]
		switch {
		case named && also && says != denies && says == affirmed:
			return c, true
		case !named && !also && c.Value.Cmp(truthValue(affirmed)) == 0 && other.Value.Cmp(truthValue(!affirmed)) == 0:
			return c, true
		}
	}
	return Choice{}, false
}

// IsTruth reports whether a label says yes or no, in any of the ways in which structured text may.
func IsTruth(label string) bool {
	_, ok := truth[FoldLabel(label)]
	return ok
}

// Label is what a value is called, "" for one that is no choice.
func (v *Variable) Label(value decimal.Decimal) string {
	for _, c := range v.Choices {
		if c.Value.Cmp(value) == 0 {
			return c.Label
		}
	}
	return ""
}

// Labels are those of all choices, in their order.
func (v *Variable) Labels() []string {
	list := make([]string, len(v.Choices))
	for i, c := range v.Choices {
		list[i] = c.Label
	}
	return list
}

// ChoiceNames are the labels of all choices, and then their aliases.
func (v *Variable) ChoiceNames() []string {
	list := v.Labels()
	for _, c := range v.Choices {
		list = append(list, c.Aliases...)
	}
	return list
}

// Labelled is a value of a variable with the labels of choices in place of their numbers, as people
// read it; in a table those of its columns.
func (s *Scope) Labelled(variable int, t Text) Text {
	if t.Rank == 0 && !s.Declared[variable].IsChoice() {
		return t
	}
	shown := Text{Rank: t.Rank, Cells: make([][]string, len(t.Cells))}
	for i, row := range t.Cells {
		shown.Cells[i] = slices.Clone(row)
		for j, cell := range row {
			of := &s.Declared[variable]
			if t.Rank > 0 {
				of = s.ColumnChoices(variable, j)
			}
			if n, err := decimal.Parse(cell); of != nil && err == nil {
				shown.Cells[i][j] = cmp.Or(of.Label(n), cell)
			}
		}
	}
	return shown
}

// ColumnChoices is the variable whose choices the cells of a column are, counted from 0; nil for
// other columns.
func (s *Scope) ColumnChoices(variable, number int) *Variable {
	if variable >= len(s.Profiles) || number < 0 {
		return nil
	}
	if c := s.Profiles[variable].Column(number); c != nil && c.Chosen {
		return &s.Declared[c.Choices]
	}
	return nil
}

// truth is what words say of something that is or is not.
var truth = map[string]bool{"yes": true, "true": true, "no": false, "false": false}

func truthValue(holds bool) decimal.Decimal {
	if holds {
		return decimal.Int(1)
	}
	return decimal.Int(0)
}

// SameLabel reports whether two labels cannot be told apart.
func SameLabel(a, b string) bool { return FoldLabel(a) == FoldLabel(b) }

// maxLabel is how many characters a label has at most.
const maxLabel = 100

// LabelProblem says why a text cannot be a label, "" for one that can: it must read back from every
// form of input.
func LabelProblem(label string) string {
	n := utf8.RuneCountInString(label)
	i := strings.IndexFunc(label, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || strings.ContainsRune("|#[]\"“”„?:;=", r)
	})
	_, err := decimal.Parse(label)
	switch {
	case strings.TrimSpace(label) != label || label == "":
		return "it begins or ends with white space, or has nothing else."
	case n > maxLabel:
		return fmt.Sprintf("it has more than %d characters.", maxLabel)
	case i >= 0:
		r, _ := utf8.DecodeRuneInString(label[i:])
		return fmt.Sprintf("it has the character %q.", r)
	case err == nil:
		return "it reads as a number."
	case !strings.ContainsFunc(label, unicode.IsLetter):
		return "it has no letter."
	}
	return ""
}

// FoldLabel is a label without what does not tell labels apart: case, and the width of white space.
func FoldLabel(label string) string { return strings.ToLower(strings.Join(strings.Fields(label), " ")) }

// OneOf lists what there is to choose from, as a sentence does, the first of many.
func OneOf(labels []string) string {
	const most = 20
	if n := len(labels); n > most {
		return strings.Join(labels[:most], ", ") + ", …"
	} else if n > 1 {
		return strings.Join(labels[:n-1], ", ") + " or " + labels[n-1]
	}
	return strings.Join(labels, "")
}

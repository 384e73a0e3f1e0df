package console

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/http"
)

// compareShown is what the page of a comparison shows: scenarios as columns, what differs as rows.
type compareShown struct {
	ID      uuid.UUID
	Title   string
	All     []comparedChoice // the scenarios that may be compared
	Columns []comparedColumn // the first is what the others are compared with
	Rows    []comparedRow    // inputs first
	Targets []comparedTarget // of each column but the first
	Of      string           // what is compared, as it was asked for
	Wrong   []string
}

// comparedChoice is a scenario that can be chosen.
type comparedChoice struct {
	Index           int
	What            string
	Chosen, IsFirst bool
}

// comparedColumn is a scenario that is compared.
type comparedColumn struct {
	Index int
	What  string
	Text  string // the target
}

// comparedRow is a variable with its value in each column, "" where it has none.
type comparedRow struct {
	Title string
	Input bool
	Cells []comparedCell
}

type comparedCell struct {
	Text    string
	Differs bool // from the first column
}

// comparedTarget is how the target differs between the first column and another one, and what each
// changed input has of that.
type comparedTarget struct {
	Index         int
	Title         string
	First, Second string
	Difference    string // "" where there is none
	Bars          []tornadoBar
	Middle        float64 // where the bars begin, of 100
	Why           string  // there are no shares
	Sampled       int     // orders of changes that the shares are estimated from, 0 for exact ones
}

// tornadoBar is the share of some changed inputs, which stands left of the middle where it works
// against the difference that it lowers.
type tornadoBar struct {
	Names, Text string
	X, Width    float64 // of 100
	Lowers      bool
}

// maxCompared is how many scenarios are compared at once.
const maxCompared = 6

// comparePage shows what differs between scenarios, and why.
func (c *Console) comparePage(v *visit) (http.Answer, error) {
	head, err := c.head(v)
	if err != nil {
		return http.Answer{}, err
	}
	query := v.x.Request().URL.Query()
	r := c.reader(v)
	trees, err := r.scenarios(head, toCompare)
	if err != nil {
		return http.Answer{}, err
	}
	s := compareShown{ID: head.ID, Title: titleOf(head), Of: query.Get("of")}
	known := flat(trees)
	var chosen []int
	for _, text := range query["scenario"] {
		index, err := strconv.Atoi(text)
		if err != nil || known[index] == nil {
			return http.Answer{}, http.NotFound("There is no such scenario in this conversation.")
		}
		if !slices.Contains(chosen, index) {
			chosen = append(chosen, index)
		}
	}
	if len(chosen) == 0 && head.Last > 0 { // the first one, and the one in focus or else the newest
		chosen = []int{1}
		if second := head.Current; second != chosen[0] {
			chosen = append(chosen, second)
		} else if head.Last != chosen[0] {
			chosen = append(chosen, head.Last)
		}
	}
	if first, err := strconv.Atoi(query.Get("first")); err == nil {
		if i := slices.Index(chosen, first); i > 0 {
			chosen = slices.Insert(slices.Delete(chosen, i, i+1), 0, first)
		}
	}
	chosen = chosen[:min(len(chosen), maxCompared)]
	for _, index := range slices.Sorted(maps.Keys(known)) {
		s.All = append(s.All, comparedChoice{index, known[index].What, slices.Contains(chosen, index), len(chosen) > 0 && chosen[0] == index})
	}
	for _, index := range chosen {
		s.Columns = append(s.Columns, comparedColumn{Index: index, What: known[index].What, Text: known[index].Text})
	}
	for i := 1; i < len(chosen); i++ {
		var found commands.Comparison
		err := c.service.Analyse(r.ctx, head, []commands.Place{{Scenario: chosen[0]}, {Scenario: chosen[i]}}, func(list []commands.Kept) error {
			found = commands.Compare(list[0], list[1], s.Of)
			return nil
		})
		if err != nil {
			return http.Answer{}, err
		}
		s.take(i, found)
	}
	slices.SortStableFunc(s.Rows, func(a, b comparedRow) int {
		switch {
		case a.Input == b.Input:
			return 0
		case a.Input:
			return -1
		}
		return 1
	})
	return c.page("compare", v, 0, s)
}

// flat are the scenarios of trees by their indexes.
func flat(trees []*scenarioShown) map[int]*scenarioShown {
	all := map[int]*scenarioShown{}
	for _, t := range trees {
		all[t.Index] = t
		for index, child := range flat(t.Children) {
			all[index] = child
		}
	}
	return all
}

// take takes in what differs between the first column and another one.
func (s *compareShown) take(column int, found commands.Comparison) {
	for _, e := range found.Errors {
		s.Wrong = append(s.Wrong, "Scenario "+strconv.Itoa(s.Columns[column].Index)+": "+e.Filled())
	}
	for _, change := range found.Changes {
		i := slices.IndexFunc(s.Rows, func(row comparedRow) bool { return row.Title == change.Title })
		if i < 0 {
			i = len(s.Rows)
			s.Rows = append(s.Rows, comparedRow{Title: change.Title, Cells: make([]comparedCell, len(s.Columns))})
			for k := range s.Rows[i].Cells { // the same as in the first column, unless a comparison says so
				s.Rows[i].Cells[k].Text = comparedText(change.First)
			}
		}
		s.Rows[i].Input = s.Rows[i].Input || change.Input
		s.Rows[i].Cells[column] = comparedCell{comparedText(change.Second), true}
	}
	if found.Target == nil {
		return
	}
	t := comparedTarget{Index: s.Columns[column].Index, Title: found.Target.Title, Difference: found.Target.Text, Sampled: found.Orders}
	if len(found.Target.Texts) == 2 {
		t.First, t.Second = found.Target.Texts[0], found.Target.Texts[1]
	}
	if found.Without != nil {
		t.Why = found.Without.Message
	}
	t.draw(found.Shares)
	s.Targets = append(s.Targets, t)
}

// comparedText is a value of a comparison as people read it.
func comparedText(v *commands.ChangeValue) string {
	switch {
	case v == nil:
		return ""
	case v.Text != "":
		return v.Text
	}
	return "a table"
}

// draw makes the bars of shares, the largest first: a tornado.
func (t *comparedTarget) draw(shares []commands.Share) {
	values := make([]float64, len(shares))
	low, high := 0.0, 0.0
	for i, share := range shares {
		number, _ := numberOf(share.Value)
		values[i] = number
		low, high = math.Min(low, number), math.Max(high, number)
	}
	span := high - low
	if !(span > 0) || math.IsInf(span, 0) {
		span = 1
	}
	t.Middle = round(-low / span * 100)
	order := make([]int, len(shares))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if d := math.Abs(values[b]) - math.Abs(values[a]); d != 0 {
			return int(math.Copysign(1, d))
		}
		return 0
	})
	for _, i := range order {
		var names []string
		for _, v := range shares[i].Variables {
			names = append(names, v.Title)
		}
		bar := tornadoBar{Names: strings.Join(names, " and "), Text: shares[i].Text, Width: round(math.Abs(values[i]) / span * 100), X: t.Middle, Lowers: values[i] < 0}
		if len(names) == 0 {
			bar.Names = "What else changed"
		}
		if bar.Lowers {
			bar.X = round(t.Middle - bar.Width)
		}
		t.Bars = append(t.Bars, bar)
	}
}

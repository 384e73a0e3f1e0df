package solve

import (
	"math"
	"slices"

	"reckon/engine/formula"
)

// Minimum finds where an objective is least: best-first branch and bound over the boxes of its
// inputs, with the mean value form and a test for monotony (Hansen and Walster, Global Optimization
// Using Interval Analysis, 2004, chapters 7 and 12). Samples are improved by compass search (Kolda,
// Lewis and Torczon, SIAM Review 45, 2003), along the surface of a condition where one holds them
// back, and by Newton's method on the slopes. Without an extension it only samples.
type Minimum struct {
	Extension  *Extension // nil for none
	Objective  int        // variable
	Sign       float64    // 1, or -1 for the greatest value
	Conditions int        // of the extension: each must be 0 or more
	Floor      float64    // no value that counts is below, with the sign; -Inf where conditions do not say so
	Axes       []Axis
	Try        func(at []float64) (objective float64, ok bool) // the ordinary calculation, with the sign; nil for none
	Spend      func(units int) bool

	At        []float64  // the best found, nil for none
	Upper     float64    // the objective there, with the sign; +Inf for none
	Lower     float64    // no value is below, with the sign
	Boxes     int        // intervals looked at
	Points    int        // values of the objective found
	Unbounded bool       // it falls without end
	Open      []OpenAxis // by axis, nil where the search has come to an end on all of them
	Over      bool       // the budget was used up
	Unsound   bool       // a calculation gave a value that intervals leave out
	Partial   bool       // somewhere in the box there may be no value, or the value may jump
	Corner    []float64  // where the slopes show that the least value is, nil where they do not

	scale float64
	tries int
	given map[string]float64 // of points tried already; NaN for no value
}

// OpenAxis says on which sides of an axis the search has not come to an end for want of a bound.
type OpenAxis struct{ Below, Above bool }

// Tolerance is the relative gap at which an optimum counts as proved.
const Tolerance = 1e-9

const (
	maxTries      = 400  // ordinary calculations for points that may break a condition
	maxCompass    = 4000 // values of the objective that compass search takes
	narrowestAxis = 1e-13
	maxDistance   = 1e15 // from where decades of an axis without a bound are not sampled any more
)

// Run searches. It ends at an optimum that is proved, or at the end of the budget.
func (m *Minimum) Run() {
	m.Upper, m.Lower, m.given = math.Inf(1), math.Inf(-1), map[string]float64{}
	for _, x := range m.Starts() {
		if m.Over {
			return
		}
		m.offer(x)
	}
	if m.At != nil {
		m.improve()
	}
	if m.Extension != nil {
		m.branch()
	}
	if m.At != nil && !m.Unbounded {
		m.improve()
	}
}

// spend counts work; it is false at the end of the budget.
func (m *Minimum) spend(units int) bool {
	if !m.Over && !m.Spend(units) {
		m.Over = true
	}
	return !m.Over
}

// Starts are points to begin with: where the inputs are now, the corners, and places between.
func (m *Minimum) Starts() [][]float64 {
	per := make([][]float64, len(m.Axes))
	mid := make([]float64, len(m.Axes))
	for i := range m.Axes {
		a := &m.Axes[i]
		list := a.places()
		per[i], mid[i] = list, list[len(list)/2]
		if !math.IsNaN(a.Start) {
			mid[i] = a.snap(a.Start)
		}
	}
	points := [][]float64{slices.Clone(mid)}
	all := 1
	for _, list := range per {
		all *= len(list)
	}
	if all <= 256 {
		for n := range all {
			x := make([]float64, len(per))
			for i, list := range per {
				x[i] = list[n%len(list)]
				n /= len(list)
			}
			points = append(points, x)
		}
		return points
	}
	for i, list := range per {
		for _, place := range list {
			x := slices.Clone(mid)
			x[i] = place
			points = append(points, x)
		}
	}
	return points
}

// over evaluates the extension over a box of the axes.
func (m *Minimum) over(box []formula.Interval, slopes bool) bool {
	si := make([]formula.Interval, len(box))
	for i := range box {
		si[i] = m.Axes[i].si(box[i])
	}
	before := m.Extension.Cost
	m.Extension.Over(si, slopes)
	return m.spend(1 + (m.Extension.Cost-before)/4)
}

func pointBox(at []float64) []formula.Interval {
	box := make([]formula.Interval, len(at))
	for i, x := range at {
		box[i] = formula.Interval{Lo: x, Hi: x}
	}
	return box
}

// value is the objective at a point and whether its conditions may hold; the most is what it is at
// most.
func (m *Minimum) value(at []float64) (middle, most float64, ok bool) {
	m.Points++
	if m.Extension == nil {
		y, ok := m.tried(at)
		return y, y, ok
	}
	if !m.over(pointBox(at), false) {
		return math.Inf(1), math.Inf(1), false
	}
	y, _ := m.Extension.Of(m.Objective)
	if m.Sign < 0 {
		y = negative(y)
	}
	if y.Empty() || math.IsInf(y.Hi, 0) || math.IsInf(y.Lo, 0) {
		if y.Empty() || m.Try == nil || m.tries > maxTries {
			return math.Inf(1), math.Inf(1), false
		}
		m.tries++
		z, ok := m.tried(at)
		return z, z, ok
	}
	for i := range m.Conditions {
		if c, _ := m.Extension.Condition(i); c.Empty() || c.Hi < 0 {
			return math.Inf(1), math.Inf(1), false
		}
	}
	return y.Lo + (y.Hi-y.Lo)/2, y.Hi, true
}

// tried is Try, once for each point.
func (m *Minimum) tried(at []float64) (float64, bool) {
	key := string(pointKey(at))
	if y, seen := m.given[key]; seen {
		return y, !math.IsNaN(y)
	}
	if m.Over {
		return math.Inf(1), false
	}
	y, ok := m.Try(at)
	if !ok || math.IsNaN(y) {
		m.given[key] = math.NaN()
		return math.Inf(1), false
	}
	m.given[key] = y
	if m.Extension != nil && m.over(pointBox(at), false) {
		v := viewOf(m.Extension, m.Objective, m.Sign).value
		slack := 1e-12 * math.Abs(y)
		m.Unsound = m.Unsound || v.Empty() || y < v.Lo-slack || y > v.Hi+slack
	}
	return y, true
}

func pointKey(at []float64) []byte {
	key := make([]byte, 0, 8*len(at))
	for _, x := range at {
		b := math.Float64bits(x)
		for i := range 8 {
			key = append(key, byte(b>>(8*i)))
		}
	}
	return key
}

// offer takes a point as the best one where it is that, and the ordinary calculation agrees.
func (m *Minimum) offer(at []float64) bool {
	middle, most, ok := m.value(at)
	if !ok || middle >= m.Upper {
		return false
	}
	return m.take(at, most)
}

func (m *Minimum) take(at []float64, most float64) bool {
	if m.Try != nil && m.Extension != nil {
		if m.tries++; m.tries > maxTries {
			return false
		}
		y, ok := m.tried(at)
		if !ok || y >= m.Upper {
			return false
		}
		most = y
	}
	if most >= m.Upper {
		return false
	}
	if math.IsInf(m.Upper, 1) {
		m.scale = math.Abs(most)
	}
	m.At, m.Upper = slices.Clone(at), most
	return true
}

// Gap is how much of a difference counts as none.
func (m *Minimum) Gap() float64 {
	if math.IsInf(m.Upper, 1) {
		return 0
	}
	return Tolerance * math.Max(math.Abs(m.Upper), 1e-9*m.scale)
}

package value

// Meter counts what is left of the budget of one calculation, over all the machines that it uses
// and the planning before and between them.
type Meter struct {
	Left int // cost units

	looks int // at parts of the graph, that do not make up a unit yet
	rest  int // units that planning has spent since Rest was called
	env   Env
}

// LooksPerUnit is how many looks at an edge of the graph take as long as one unit of evaluation.
const LooksPerUnit = 64

// restEvery is how many units of planning are spent between two rests.
const restEvery = 1000

// Look counts n looks of planning. It reports whether the calculation may go on: false once the
// budget is used up. A nil Meter counts nothing.
func (m *Meter) Look(n int) bool {
	if m == nil {
		return true
	}
	if m.looks += n; m.looks >= LooksPerUnit {
		units := m.looks / LooksPerUnit
		m.looks %= LooksPerUnit
		m.Spend(units)
		if m.rest += units; m.rest >= restEvery && m.Left > 0 {
			if m.rest = 0; m.env.Rest != nil {
				m.env.Rest()
			}
		}
	}
	return m.Left > 0
}

// Spend counts cost units.
func (m *Meter) Spend(units int) { m.Left = max(0, m.Left-units) }

// Looks is how many looks are left; 0 of a nil Meter.
func (m *Meter) Looks() int {
	if m == nil {
		return 0
	}
	return m.Left*LooksPerUnit - m.looks
}

// Over reports whether the budget is used up.
func (m *Meter) Over() bool { return m != nil && m.Left <= 0 }

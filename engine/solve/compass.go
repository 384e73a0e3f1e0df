package solve

import (
	"math"
	"slices"
)

// improve goes from the best point to better ones nearby.
func (m *Minimum) improve() {
	if m.At == nil {
		return
	}
	m.compass(slices.Clone(m.At))
	if m.Extension != nil {
		m.stationary()
	}
}

// compass looks for a better point along each axis, with steps that grow where that goes well and
// shrink where it does not.
func (m *Minimum) compass(x []float64) {
	step := make([]float64, len(x))
	for i := range x {
		a := &m.Axes[i]
		step[i] = 0.1 * a.size()
		if math.IsInf(a.Hi-a.Lo, 0) {
			step[i] = math.Max(0.1*math.Abs(x[i]), 1e-3)
		}
	}
	best, _, ok := m.value(x)
	if !ok {
		return
	}
	limit := maxCompass
	if m.Extension == nil {
		limit = maxTries
	}
	from := m.Points
	try := func(next []float64) bool {
		if slices.Equal(next, x) {
			return false
		}
		y, _, ok := m.value(next)
		if !ok || !(y < best) {
			return false
		}
		best = y
		copy(x, next)
		return true
	}
	for round := 0; round < maxCompass && m.Points-from < limit && !m.Over; round++ {
		better := false
		for i := range x {
			moved := false
			for _, sign := range []float64{1, -1} {
				next := slices.Clone(x)
				next[i] = m.Axes[i].beside(x[i], sign*step[i])
				if try(next) {
					moved = true
					break
				}
			}
			if moved {
				step[i] *= 2
				better = true
			}
		}
		if !better {
			better = m.along(x, step, try)
		}
		if better {
			continue
		}
		done := true
		for i := range x {
			step[i] /= 4
			done = done && (step[i] <= narrowestAxis*math.Max(math.Abs(x[i]), 1e-3*m.Axes[i].size()) || m.Axes[i].discrete() && step[i] < 0.5)
		}
		if done {
			break
		}
	}
	m.retreat(x)
}

// beside is a number beside another one on an axis.
func (a *Axis) beside(x, by float64) float64 {
	switch {
	case a.Choices != nil:
		at := slices.Index(a.Choices, x) + int(math.Copysign(1, by))
		return a.Choices[min(max(at, 0), len(a.Choices)-1)]
	case a.Whole:
		by = math.Copysign(math.Max(1, math.Round(math.Abs(by))), by)
	}
	return a.snap(x + by)
}

// along tries steps along the surface of the condition that is nearest to being broken, and comes
// back to it where it is bent (Rosen's gradient projection).
func (m *Minimum) along(x, step []float64, try func([]float64) bool) bool {
	if m.Extension == nil || m.Conditions == 0 || len(x) < 2 {
		return false
	}
	if !m.over(pointBox(x), true) {
		return false
	}
	nearest, least := -1, math.Inf(1)
	for i := range m.Conditions {
		c, slope := m.Extension.Condition(i)
		reach := 0.0
		for k, s := range slope {
			reach += math.Abs(s.Lo * m.Axes[k].Scale * step[k])
		}
		if slack := math.Abs(c.Lo); reach > 0 && slack < 2*reach && slack/reach < least {
			nearest, least = i, slack/reach
		}
	}
	if nearest < 0 {
		return false
	}
	gradient := func() []float64 {
		_, slope := m.Extension.Condition(nearest)
		g := make([]float64, len(x))
		for k, s := range slope {
			if !m.Axes[k].discrete() {
				g[k] = (s.Lo/2 + s.Hi/2) * m.Axes[k].Scale * step[k]
			}
		}
		return g
	}
	g := gradient()
	square := scalarProduct(g, g)
	if !(square > 0) || math.IsInf(square, 0) {
		return false
	}
	for i := range x {
		for _, sign := range []float64{1, -1} {
			next := slices.Clone(x)
			for k := range next {
				d := -g[k] * g[i] / square
				if k == i {
					d++
				}
				next[k] = m.Axes[k].snap(x[k] + sign*d*step[k])
			}
			for range 6 {
				if !m.over(pointBox(next), true) {
					return false
				}
				c, _ := m.Extension.Condition(nearest)
				if c.Empty() || math.IsInf(c.Lo, 0) || c.Lo >= 0 && c.Lo <= 1e-14*math.Abs(c.Hi) {
					break
				}
				h := gradient()
				back := -c.Lo / scalarProduct(h, h)
				if math.IsNaN(back) || math.IsInf(back, 0) {
					break
				}
				for k := range next {
					next[k] = m.Axes[k].snap(next[k] + back*h[k]*step[k])
				}
			}
			if try(next) {
				return true
			}
		}
	}
	return false
}

func scalarProduct(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// retreat offers a point, and where the ordinary calculation refuses it, as it may where a
// condition holds to the last digit only, points next to it towards the best one so far.
func (m *Minimum) retreat(x []float64) {
	if m.offer(x) || m.At == nil {
		return
	}
	for _, share := range []float64{1e-15, 1e-14, 1e-12, 1e-10, 1e-8} {
		next := slices.Clone(x)
		for i := range next {
			if a := &m.Axes[i]; !a.discrete() {
				next[i] = a.snap(x[i] + share*(m.At[i]-x[i]) + math.Copysign(share*math.Abs(x[i]), m.At[i]-x[i]))
			}
		}
		if m.offer(next) {
			return
		}
	}
}

// stationary goes on from the best point to where the slopes are 0, by Newton's method, along the
// axes that are not at a bound.
func (m *Minimum) stationary() {
	var free []int
	for i, x := range m.At {
		if a := &m.Axes[i]; !a.discrete() && x > a.Lo && x < a.Hi {
			free = append(free, i)
		}
	}
	if len(free) == 0 || m.Conditions > 0 && !m.holdsWell() {
		return
	}
	x := slices.Clone(m.At)
	slopes := func(at []float64) ([]float64, bool) {
		if !m.over(pointBox(at), true) {
			return nil, false
		}
		_, slope := m.Extension.Of(m.Objective)
		if slope == nil {
			return nil, false
		}
		g := make([]float64, len(free))
		for k, i := range free {
			s := slope[i]
			if s.Empty() || math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) {
				return nil, false
			}
			g[k] = m.Sign * (s.Lo/2 + s.Hi/2) * m.Axes[i].Scale
		}
		return g, true
	}
	for range 6 {
		g, ok := slopes(x)
		if !ok {
			return
		}
		matrix := make([][]float64, len(free))
		for k := range matrix {
			matrix[k] = make([]float64, len(free)+1)
			matrix[k][len(free)] = -g[k]
		}
		for k, i := range free {
			h := 1e-6 * math.Max(math.Abs(x[i]), 1e-3*m.Axes[i].size())
			up, down := slices.Clone(x), slices.Clone(x)
			up[i], down[i] = x[i]+h, x[i]-h
			a, ok1 := slopes(up)
			b, ok2 := slopes(down)
			if !ok1 || !ok2 {
				return
			}
			for r := range free {
				matrix[r][k] = (a[r] - b[r]) / (2 * h)
			}
		}
		d, ok := eliminated(matrix)
		if !ok {
			return
		}
		moved := 0.0
		for k, i := range free {
			if math.Abs(d[k]) > 0.1*math.Max(math.Abs(x[i]), m.Axes[i].size()) {
				return
			}
			moved = math.Max(moved, math.Abs(d[k])/math.Max(math.Abs(x[i]), 1e-300))
			x[i] = m.Axes[i].snap(x[i] + d[k])
		}
		if moved < 1e-15 {
			break
		}
	}
	// What is as good to the last digits of a float is better here.
	if middle, _, ok := m.value(x); ok && middle <= m.Upper+1e-13*math.Abs(m.Upper) {
		if m.Try == nil {
			m.At = x
			return
		}
		if y, ok := m.tried(x); ok && y <= m.Upper {
			m.At, m.Upper = x, y
		}
	}
}

// holdsWell reports whether no condition is near its edge at the best point.
func (m *Minimum) holdsWell() bool {
	if !m.over(pointBox(m.At), true) {
		return false
	}
	for i := range m.Conditions {
		c, slope := m.Extension.Condition(i)
		reach := 0.0
		for k, s := range slope {
			reach += math.Abs(s.Lo*m.Axes[k].Scale) * 1e-6 * math.Abs(m.At[k])
		}
		if !(c.Lo > reach) && slope != nil && reach > 0 {
			return false
		}
	}
	return true
}

// eliminated solves linear equations, each a row with its right side at the end.
func eliminated(m [][]float64) ([]float64, bool) {
	n := len(m)
	for k := range n {
		best := k
		for r := k; r < n; r++ {
			if math.Abs(m[r][k]) > math.Abs(m[best][k]) {
				best = r
			}
		}
		m[k], m[best] = m[best], m[k]
		if m[k][k] == 0 || math.IsNaN(m[k][k]) {
			return nil, false
		}
		for r := range n {
			if r == k {
				continue
			}
			f := m[r][k] / m[k][k]
			for c := k; c <= n; c++ {
				m[r][c] -= f * m[k][c]
			}
		}
	}
	x := make([]float64, n)
	for k := range n {
		x[k] = m[k][n] / m[k][k]
		if math.IsNaN(x[k]) || math.IsInf(x[k], 0) {
			return nil, false
		}
	}
	return x, true
}

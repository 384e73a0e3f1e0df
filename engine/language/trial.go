package language

import (
	"slices"

	"reckon/engine"
	"reckon/engine/value"
)

// tryOut calculates the readings in question, and sets those back that come to nothing: no
// solution, or values that contradict each other.
func (s *search) tryOut(found []combination) {
	for range 3 {
		moved := false
		for i := range min(len(found), 4) {
			c := &found[i]
			if c.tried || found[0].score-c.score > s.weights.MostTried {
				continue
			}
			c.tried = true
			if _, errs := s.calculate(c); len(errs) > 0 {
				switch errs[0].Code {
				case "calculation.no_solution", "calculation.no_whole_number", "calculation.conflicting_inputs", "calculation.domain_error", "calculation.division_by_zero", "input.invalid_value":
					c.score += s.weights.AgainstFailure
					moved = true
				}
			}
		}
		if !moved {
			return
		}
		sortCombinations(found)
	}
}

// same reports whether two readings come to the same: the same values for the same target, or the
// same value of it.
func (s *search) same(a, b *combination) bool {
	if a.target != b.target {
		if a.target >= 0 && b.target >= 0 {
			return false
		}
		return s.inferred(a) == s.inferred(b)
	}
	if samePicks(a, b) {
		return true
	}
	relative := func(c candidate) bool { return c.relative }
	if slices.ContainsFunc(a.picks, relative) || slices.ContainsFunc(b.picks, relative) {
		return false
	}
	x, okX := s.value(a)
	y, okY := s.value(b)
	return okX && okY && x.Equal(y)
}

// samePicks reports whether two readings give the same values.
func samePicks(a, b *combination) bool {
	return slices.EqualFunc(a.picks, b.picks, func(x, y candidate) bool { return x.variable == y.variable && x.text == y.text })
}

// within reports whether a reading asks for one of what another asks for together, with the same
// values, or gives a value to one of that.
func (s *search) within(whole, part *combination) bool {
	if slices.ContainsFunc(whole.together, func(v int) bool { return gives(part.picks, v) }) {
		return true
	}
	one := *whole
	one.target = part.target
	return slices.Contains(whole.together, part.target) && s.same(&one, part)
}

// inferred is the target of a reading, as the engine would infer it where the prompt does not say.
func (s *search) inferred(c *combination) int {
	if c.target >= 0 {
		return c.target
	}
	result, errs := s.calculate(c)
	if len(errs) > 0 {
		return -1
	}
	return result.Calculated
}

// value is what the target comes to in a reading.
func (s *search) value(c *combination) (value.Value, bool) {
	result, errs := s.calculate(c)
	if len(errs) > 0 || len(result.Values) == 0 {
		return value.Value{}, false
	}
	return result.Values[0].Value, true
}

// stated are the values that picks give.
func (s *search) stated(picks []candidate) ([]engine.Given, []value.Error) {
	var list []engine.Given
	for _, k := range picks {
		if k.variable < 0 {
			continue
		}
		in, errs := s.vocabulary.given(k.variable, k.text, s.env)
		if len(errs) > 0 {
			return nil, errs
		}
		list = append(list, in)
	}
	return list, nil
}

// calculate is what the engine makes of a reading.
func (s *search) calculate(c *combination) (engine.Result, []value.Error) {
	var r engine.Request
	if s.pending != nil {
		for _, in := range s.pending.Inputs {
			if !gives(c.picks, in.Variable) {
				r.Inputs = append(r.Inputs, in)
			}
		}
	}
	stated, errs := s.stated(c.picks)
	if len(errs) > 0 {
		return engine.Result{}, errs
	}
	r.Inputs = append(r.Inputs, stated...)
	if c.target >= 0 {
		r.Targets = []engine.Target{{Variable: c.target}}
	}
	last := 0
	if s.base != nil {
		last = s.base.Index
	}
	return s.vocabulary.domain.Calculate(s.base, last, r, s.env)
}

package engine

import "reckon/engine/decimal"

// defaultBudget is the number of cost units that a calculation may spend where nothing else is said.
const defaultBudget = 1_000_000

// meter counts what is left of the budget of one calculation, over all the machines that it uses.
type meter struct{ left int }

// budget is the number of cost units that a calculation may spend.
func (e Env) budget() int {
	if e.Budget > 0 {
		return e.Budget
	}
	return defaultBudget
}

// context is what calculates with a budget.
func (e Env) context(budget int) *decimal.Context {
	c := decimal.NewContext(budget)
	c.Rest = e.Rest
	return c
}

// metered is e for a calculation, with a meter of its own unless it is part of one that has a meter.
func (e Env) metered() Env {
	if e.meter == nil {
		e.meter = &meter{e.budget()}
	}
	return e
}

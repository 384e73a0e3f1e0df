package language

import (
	"reckon/engine/units"
)

// What the tests of the default language call.

func readTables() *tables { return tablesOf(Default) }

func tokenize(prompt string) []token { return readTables().tokenize(prompt) }

func stem(word string) string { return readTables().stem(word) }

func newScanner(tokens []token, table *units.Table, currency string) *scanner {
	return readTables().newScanner(tokens, table, currency)
}

func scan(tokens []token, table *units.Table, currency string, today int64) []quantity {
	return readTables().scan(tokens, table, currency, today)
}

func scanUnit(tokens []token, at int, table *units.Table) (*units.Unit, int) {
	return readTables().scanUnit(tokens, at, table)
}

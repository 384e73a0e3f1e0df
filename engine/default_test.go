package engine

import (
	"encoding/json"
	"testing"

	"reckon/engine/value"
)

// TestReadableDefault shows defaults as people read them.
func TestReadableDefault(t *testing.T) {
	columns := json.RawMessage(`{"table": {"columns": [{"name": "Zone", "choices": "zone"}, {"name": "Rate", "kind": "percent"}, {"name": "From", "kind": "date", "format": "date_iso"}]}}`)
	for _, c := range []struct {
		v    value.Variable
		want string
	}{
		{value.Variable{Default: value.Scalar("19%"), Kind: "percent"}, "19%"},
		{value.Variable{Default: value.Scalar("2026-10-01"), Kind: "date"}, "Oct 1, 2026"},
		{value.Variable{Default: value.Scalar("05:12"), Kind: "time"}, "5:12 AM"},
		{value.Variable{Default: value.Scalar("today"), Kind: "date"}, "today"},
		{value.Variable{Default: value.Scalar("World"), Choices: choice("EU=1", "World=2")}, "World"},
		{value.Variable{Default: value.Scalar("500 EUR"), Unit: "EUR"}, "500 EUR"},
		{value.Variable{}, ""},
		{value.Variable{Kind: "table", Display: columns, Default: value.Text{Rank: 2, Cells: [][]string{{"EU", "7%", "2026-01-01"}, {"world", "19%", "2026-02-01"}}}},
			`[["EU","7%","2026-01-01"],["World","19%","2026-02-01"]]`},
	} {
		c.v.Key = "x"
		d, issues := Compile(Definition{Title: "Default", Description: "A default.", Variables: []value.Variable{c.v, {Key: "zone", Choices: choice("EU=1", "World=2")}, {Key: "y"}}, Activities: []Activity{{Equation: "y = 1"}}})
		if d == nil {
			t.Fatal(issues)
		}
		if got := plain(d.ReadableDefault(0)); got != c.want {
			t.Errorf("%s: %s, want %s", plain(c.v.Default), got, c.want)
		}
	}
}

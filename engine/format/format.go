// Package format shows values: the table of kinds and their formats, values as people read them,
// the display object of a result, and the common scale of a chart.
package format

import (
	"cmp"
	"slices"
)

// kind is a kind of variables: the structure that shows its values, and the formats of its scalars,
// the default first. Chart and table kinds have formats by column or series instead.
type kind struct {
	name, structure string
	formats         []string
}

var kinds = []kind{
	{"number", "number", decimalFormats},
	{"no_separator", "number", decimalFormats},
	{"percent", "number", decimalFormats},
	{"duration", "number", []string{
		"duration_hms", "duration_hm", "duration_ms", "duration_dhms", "duration_human", "duration_iso", "duration_days",
		"duration_hours", "duration_minutes", "duration_seconds",
	}},
	{"date", "number", []string{
		"date_med", "date_short", "date_med_with_weekday", "date_full", "date_huge", "date_iso",
	}},
	{"datetime", "number", []string{
		"datetime_med", "datetime_short", "datetime_full", "datetime_huge", "datetime_short_with_seconds",
		"datetime_med_with_seconds", "datetime_full_with_seconds", "datetime_iso",
	}},
	{"time", "number", []string{"time_simple", "time_with_seconds", "time_24_simple", "time_24_with_seconds"}},
	{"table", "table", nil},
	{"bar_chart", "bar_chart", nil},
	{"pie_chart", "pie_chart", nil},
}

var decimalFormats = []string{
	"decimals_float", "decimals_0", "decimals_1", "decimals_2", "decimals_3", "decimals_4", "decimals_5", "decimals_6",
	"decimals_7", "decimals_8", "decimals_9",
}

// Kind is a kind of variables as listings show it. Tables and charts have no formats of their own:
// their columns and series have.
type Kind struct {
	Name    string
	Formats []string // of its values, the default first
}

// Kinds lists the kinds.
func Kinds() []Kind {
	list := make([]Kind, len(kinds))
	for i, k := range kinds {
		list[i] = Kind{k.name, slices.Clone(k.formats)}
	}
	return list
}

// Shape is the structure that shows a kind and the default format of its scalars: "" for both of an
// unknown kind, for the format where columns or series have formats instead. The kind "" is number.
func Shape(kind string) (structure, format string) {
	k := kindOf(kind)
	if len(k.formats) > 0 {
		format = k.formats[0]
	}
	return k.structure, format
}

// kindOf finds a kind by its name; "" is number, an unknown one is empty.
func kindOf(name string) kind {
	name = ScalarKind(name)
	if i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name }); i >= 0 {
		return kinds[i]
	}
	return kind{}
}

// IsTableKind reports whether values of a kind are tables.
func IsTableKind(kind string) bool {
	structure := kindOf(kind).structure
	return structure != "" && structure != "number"
}

// IsTime reports whether numbers of a kind are seconds.
func IsTime(kind string) bool {
	return kind == "duration" || kind == "date" || kind == "datetime" || kind == "time"
}

// ScalarKind is the kind of a single value: number where none is named.
func ScalarKind(kind string) string { return cmp.Or(kind, "number") }

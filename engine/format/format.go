// Package format shows values: the table of kinds and their formats, values as people read them,
// the display object of a result, and the common scale of a chart.
package format

import "slices"

// Formatted is the one table of kinds: the structure that shows a value of the kind, and the
// formats of its scalars, the default first. Chart and table kinds have formats by column or series
// instead.
var Formatted = []struct {
	Kind, Structure string
	Formats         []string
}{
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

// Shape is the structure that shows a kind and the default format of its scalars: "" for both of an
// unknown kind, for the format where columns or series have formats instead. The kind "" is number.
func Shape(kind string) (structure, format string) {
	if formats := formatsOf(kind); len(formats) > 0 {
		format = formats[0]
	}
	return structureOf(kind), format
}

// structureOf is the structure that shows a kind, "" for an unknown one. The kind "" is number.
func structureOf(kind string) string {
	if kind == "" {
		return "number"
	}
	for _, f := range Formatted {
		if f.Kind == kind {
			return f.Structure
		}
	}
	return ""
}

// formatsOf lists the formats of a scalar kind, the default first; none for other kinds.
func formatsOf(kind string) []string {
	kind = ScalarKind(kind)
	for _, f := range Formatted {
		if f.Kind == kind {
			return f.Formats
		}
	}
	return nil
}

// IsTableKind reports whether values of a kind are tables.
func IsTableKind(kind string) bool {
	structure := structureOf(kind)
	return structure != "" && structure != "number"
}

// IsTime reports whether numbers of a kind are seconds.
func IsTime(kind string) bool {
	return kind == "duration" || kind == "date" || kind == "datetime" || kind == "time"
}

// isScalarKind reports whether a kind is one of cells and single values.
func isScalarKind(kind string) bool { return kind != "" && structureOf(kind) == "number" }

// ScalarKind is the kind of a single value: number where none is named.
func ScalarKind(kind string) string {
	if kind == "" {
		return "number"
	}
	return kind
}

// isFormat reports whether a scalar kind has a format.
func isFormat(kind, format string) bool { return slices.Contains(formatsOf(kind), format) }

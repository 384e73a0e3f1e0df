package domainfile

import (
	"strings"
	"testing"
)

func TestRename(t *testing.T) {
	text := "title: Road trip\nvariables:\n  - {key: time, unit: h}\n  - key: \"a\"\n    title: Stops\n    unit: h\n  - {key: é, unit: mi}\nactivities:\n  - equation: |\n      time =\n        é / 60 [mi/h] +\n        max(a, 0 [h])\n    calculable: [time, é]\n" +
		"tests:\n  - prompt: \"a: 1 h\\né: 60 mi\\ncalculate: time\"\n    after: [\"a: 0 h\\ncalculate: é\"]\n    expect: {time: 2 h}\n  - prompt: '{\"inputs\": [{\"key\": \"time\", \"value\": \"2 h\"}, {\"key\": \"a\", \"value\": \"0 h\"}], \"calculate\": {\"key\": \"é\"}}'\n    expect: {é: 120 mi}\n"
	f := Parse("trip.yaml", []byte(text))
	if _, r := f.Check(); !r.Valid {
		t.Fatalf("%+v", r.Findings)
	}
	for key, to := range map[string]string{"time": "dauer", "a": "pause", "é": "e1"} {
		edits, err := f.Rename(key, to)
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		after := string(f.edited(edits))
		if names := strings.Count(after, to); names != len(edits) || len(edits) < 4 {
			t.Errorf("%s: %d edits, %d names:\n%s", key, len(edits), names, after)
		}
		back, err := Parse("trip.yaml", []byte(after)).Rename(to, key)
		if err != nil || string(Parse("trip.yaml", []byte(after)).edited(back)) != text {
			t.Errorf("%s is not %s again: %v", to, key, err)
		}
	}
	for _, bad := range [][2]string{{"nothing", "b"}, {"a", "2x"}, {"a", "time"}, {"a", "pi"}, {"a", "Time"}} {
		if _, err := f.Rename(bad[0], bad[1]); err == nil {
			t.Errorf("%s is renamed to %s", bad[0], bad[1])
		}
	}
}

// TestRenameOfChoices renames a variable whose choices the cells of a column are, and one of several
// that a test asks for.
func TestRenameOfChoices(t *testing.T) {
	text := "title: Shipment\nvariables:\n  - {key: zone, choices: [National, EU], default_value: EU}\n  - key: parcels\n    kind: table\n" +
		"    display_metadata: {table: {columns: [{name: Zone, choices: zone}, {name: zone, unit: kg}]}}\n  - {key: n}\n  - {key: far}\n" +
		"activities: [{equation: 'n = countif(column(parcels, 1) == zone)'}, {equation: 'far = n * 2'}]\n" +
		"tests: [{prompt: \"parcels: [[EU, 2 kg], [National, 1 kg]]\\ncalculate: far, n\", expect: {n: 1, far: 2}}]\n"
	f := Parse("shipment.yaml", []byte(text))
	if _, r := f.Check(); !r.Valid {
		t.Fatalf("%+v", r.Findings)
	}
	for key, count := range map[string]int{"zone": 3, "n": 5, "far": 4} {
		edits, err := f.Rename(key, "renamed")
		if err != nil || len(edits) != count {
			t.Errorf("%s: %d edits, not %d: %v\n%s", key, len(edits), count, err, f.edited(edits))
			continue
		}
		if _, r := f.again(f.edited(edits)).Check(); !r.Valid {
			t.Errorf("%s: %+v", key, r.Findings)
		}
	}
}

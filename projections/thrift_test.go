package projections

import (
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// Between the first begin and the last end the process collects at least as often as it did, and then as before.
func TestThrift(t *testing.T) {
	percent := func() int {
		is := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(is)
		return int(int64(is[0].Value.Uint64()))
	}
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	for _, c := range []struct{ before, least, most int }{
		{200, leastGarbage, mostGarbage}, {100, leastGarbage, mostGarbage}, {mostGarbage, mostGarbage, mostGarbage}, {10, 10, 10}, {-1, -1, -1},
	} {
		debug.SetGCPercent(c.before)
		var one thrift
		for _, step := range []func(){one.begin, one.tune, one.begin, one.end, one.tune} {
			if step(); percent() < c.least || percent() > c.most {
				t.Errorf("from %d: %d percent meanwhile, want %d to %d", c.before, percent(), c.least, c.most)
			}
		}
		one.end()
		if got := percent(); got != c.before {
			t.Errorf("from %d: %d percent at the end", c.before, got)
		}
	}
}

// Garbage is a part of what is in use, a fixed amount where that is less, and never too little to be worth collecting.
func TestGarbageFor(t *testing.T) {
	for live, want := range map[uint64]int{0: 40, 1 << 20: 40, 120 << 20: 40, 160 << 20: 30, 240 << 20: 20, 320 << 20: 15, 4 << 30: 15} {
		if got := garbageFor(live); got != want {
			t.Errorf("%d MiB in use: %d percent, want %d", live>>20, got, want)
		}
	}
}

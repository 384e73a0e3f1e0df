package main

import "testing"

func TestMemoryGrowsWithWhatIsInUse(t *testing.T) {
	const mebibyte = 1 << 20
	for live, want := range map[uint64]int64{
		0: 1280 * mebibyte, 800 * mebibyte: 1280 * mebibyte, 1000 * mebibyte: 1500 * mebibyte, 4000 * mebibyte: 6000 * mebibyte,
	} {
		if got := limitFor(live); got != want {
			t.Errorf("with %d MiB in use the limit is %d MiB, want %d", live/mebibyte, got/mebibyte, want/mebibyte)
		}
	}
}

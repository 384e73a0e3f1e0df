package main

import "testing"

func TestMemoryGrowsWithWhatIsInUse(t *testing.T) {
	const mebibyte = 1 << 20
	for _, c := range []struct {
		live, allowed uint64 // MiB
		want          int64
	}{
		{0, 0, 1280}, {800, 0, 1280}, {1000, 0, 1500}, {4000, 0, 6000},
		{0, 1024, 768}, {1000, 1024, 768}, {0, 4096, 1280}, {4000, 4096, 3072},
	} {
		if got := limitFor(c.live*mebibyte, c.allowed*mebibyte); got != c.want*mebibyte {
			t.Errorf("with %d MiB in use of %d the limit is %d MiB, want %d", c.live, c.allowed, got/mebibyte, c.want)
		}
	}
}

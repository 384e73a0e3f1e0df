package main

import (
	"math/bits"
	"time"
)

// histogramDigits is how many binary digits of a latency are kept below its first: values are told apart to 1 part in 128.
const histogramDigits = 7

// histogram counts latencies in buckets that grow with the latency: up to 255 ns one each nanosecond, and from there on 128
// for each power of two. The zero value is empty.
type histogram struct {
	count   uint64
	buckets [(65 - histogramDigits) << histogramDigits]uint32
}

// bucketOf is the bucket of a latency in nanoseconds.
func bucketOf(ns uint64) int {
	shift := max(bits.Len64(ns)-histogramDigits-1, 0)
	return shift<<histogramDigits + int(ns>>shift)
}

// bucketTop is the largest latency in a bucket.
func bucketTop(bucket int) uint64 {
	shift := max(bucket>>histogramDigits-1, 0)
	return uint64(bucket-shift<<histogramDigits+1)<<shift - 1
}

func (h *histogram) record(d time.Duration) {
	h.count++
	h.buckets[bucketOf(uint64(max(d, 0)))]++
}

func (h *histogram) add(other *histogram) {
	h.count += other.count
	for i, n := range other.buckets {
		h.buckets[i] += n
	}
}

// quantile is the least latency that a part of all do not exceed, from 0 to 1 and at most 1 part in 128 too large; 0 of an
// empty histogram.
func (h *histogram) quantile(part float64) time.Duration {
	if h.count == 0 {
		return 0
	}
	left := part * float64(h.count)
	last := 0
	for i, n := range h.buckets {
		if n == 0 {
			continue
		}
		last = i
		if left -= float64(n); left <= 0 {
			break
		}
	}
	return time.Duration(bucketTop(last))
}

package history

import (
	"hash/maphash"

	"reckon/events"
)

// bloomFilter tells with certainty that a subject was not added, in 8 MiB whatever is added. The
// more there are, the more often it takes one that was not for one that was.
type bloomFilter struct {
	seed maphash.Seed
	bits []uint64
}

const bloomWords = 1 << 20

func (s *bloomFilter) places(subject events.Subject) (a, b uint64) {
	sum := maphash.String(s.seed, subject.String())
	return sum % (64 * bloomWords), (sum >> 32) * 0x9e3779b97f4a7c15 >> 38
}

func (s *bloomFilter) add(subject events.Subject) {
	if s.bits == nil {
		s.bits = make([]uint64, bloomWords)
	}
	a, b := s.places(subject)
	s.bits[a/64] |= 1 << (a % 64)
	s.bits[b/64] |= 1 << (b % 64)
}

func (s *bloomFilter) has(subject events.Subject) bool {
	if s.bits == nil {
		return false
	}
	a, b := s.places(subject)
	return s.bits[a/64]&(1<<(a%64)) != 0 && s.bits[b/64]&(1<<(b%64)) != 0
}

package history

import (
	"hash/maphash"

	"reckon/events"
)

// bloomFilter tells with certainty that a subject was not added, in 8 MiB whatever is added. The
// more there are, the more often it takes one that was not for one that was.
type bloomFilter struct {
	seed maphash.Seed
	bits [1 << 20]uint64
}

// add adds a subject, and tells whether it was there.
func (s *bloomFilter) add(subject events.Subject) (there bool) {
	sum := maphash.String(s.seed, subject.String())
	there = true
	for _, place := range [2]uint64{sum % uint64(64*len(s.bits)), (sum >> 32) * 0x9e3779b97f4a7c15 >> 38} {
		word, bit := &s.bits[place/64], uint64(1)<<(place%64)
		there = there && *word&bit != 0
		*word |= bit
	}
	return there
}

package language

// synonymTable maps a stem to the groups of words that it is in. Words of a group are used for one another when people speak of
// quantities; one that stands in for another counts less than the word itself.
type synonymTable map[string][]int

// share reports whether two stems stand in one group.
func (t synonymTable) share(a, b string) bool {
	for _, i := range t[a] {
		for _, j := range t[b] {
			if i == j {
				return true
			}
		}
	}
	return false
}

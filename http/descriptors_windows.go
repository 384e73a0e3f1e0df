package http

// descriptors is how many files and connections the process may have open, false where nobody says.
func descriptors() (n uint64, ok bool) { return 0, false }

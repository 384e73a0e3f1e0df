package main

import "io/fs"

// ownerOf is the number of the user that a file belongs to, -1 where users have none.
func ownerOf(fs.FileInfo) int { return -1 }

// openFiles is how many files a process may open, false where nobody says.
func openFiles() (n uint64, ok bool) { return 0, false }

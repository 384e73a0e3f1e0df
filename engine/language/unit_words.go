package language

// spokenUnit is a row of the table of units as people say them: the senses, the usual one first, in
// symbols; "1" for a plain number. Behind a colon stands how many of what is said make one of the
// unit, or -1 where the sign turns.
type spokenUnit []string

// suffix multiplies the number that it stands directly behind.
type suffix struct {
	words []string
	value int64
	money bool // only where a currency stands by the number
	first bool // meant before any unit of the same letters
}

// overWord leads from what is measured to what it is measured by.
type overWord struct {
	unit  string // that the words themselves name, "" where it follows
	place overPlace
}

// overPlace says where words lead to what is measured by, by its name in the table.
type overPlace string

const (
	anywhere      overPlace = ""
	behindUnit    overPlace = "behind"  // since the words mean much else
	behindMeasure overPlace = "article" // and behind a bare number as well
)

// power is a word for a square or a cube.
type power struct {
	exponent int
	behind   bool // it stands behind the length, not before it
}

const powerBehind = "behind"

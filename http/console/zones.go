package console

import (
	_ "embed"
	"strings"
)

//go:embed zones.txt
var zonesText string

// zones are the names of the tz database, which pages offer; what is written beside them is judged
// by commands.
var zones = strings.Fields(zonesText)

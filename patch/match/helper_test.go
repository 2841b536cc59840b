package match_test

import (
	"strings"
)

// block puts lines between the markers of a patch.
func block(lines ...string) string {
	return "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
}

const ab = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"

package pipeline

import (
	"fmt"
	"slices"

	"forge/engine/integrity"
	"forge/patch"
)

// MaxTests is how many files of tests a folder may have of which all are run for each change. With more of them gates look at what the change
// concerns: the tests that were written while they must fail, and what has changed with all that imports it before there is a proposal.
const MaxTests = 100

// scoped reports whether gates look at what the change concerns only.
func (p Project) scoped() bool { return p.TestFiles > MaxTests }

// scopePaths are the files that a change concerns: also those from where it moves something.
func scopePaths(changes patch.ChangeSet) (paths []string) {
	for _, f := range changes.Files {
		paths = append(paths, integrity.Paths(f)...)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// unmeasured says why the baseline is not measured; empty where it is.
func (p Project) unmeasured() string {
	if !p.scoped() {
		return ""
	}
	return fmt.Sprintf("the folder has %d files of tests: what concerns the change is measured with it", p.TestFiles)
}

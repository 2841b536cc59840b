// Package integrity reports what a change does to the checks that judge it: the tests of a project, the settings of its tools, and
// the comments that silence them. A change is right if the checks of the old code still apply and find nothing.
//
// It is pure: a change and the reports of gates are the input, and faults are the result. The caller decides what follows.
//
// # Control files
//
// ControlOf recognizes the files of a folder that do more than be compiled or read: a program executes them when the
// folder is opened, they control git, a package manager or a build machine, or the next model follows them as
// instructions. A change of one needs a separate review, regardless of how many other files it comes with. See
// docs/adr/0052 for the levels, and why some files are on the lower one.
//
//	look     ordinary files that building or testing the project executes: marked in the proposal
//	ask      never applied along with the rest: only with a separate confirmation, or if the task names it
//	deny     Forge's own folder: no model may write there
package integrity

import (
	"cmp"
	"slices"

	"forge/engine/gate"
	"forge/patch"
)

// Suite is the tests of one project in a tree.
type Suite struct {
	Gate   string // its name
	IsTest func(path string) bool
	// Inline returns the parts of a source file that belong to its tests. Nil means that there are none.
	Inline func(path, text string) []gate.Part
	// Concerns reports whether a change of a path can affect the tests. Nil means that any path can.
	Concerns func(path string) bool
	// Red reports whether the tests of a tree fail that did not fail before, as they must before there is
	// an implementation; if not, it returns the reason.
	Red func(before, after gate.Report) (red bool, reason string)
	// Without returns the text of a test file without the declarations that contain lines which do not compile; see gate.Language.
	// May be nil.
	Without func(text string, faults []int) (rest string, ok bool)
	// Touched compares two texts of a test file; see gate.Language. May be nil.
	Touched func(before, after string) (tests []string, ok bool)
}

// Suites are all tests of a tree.
type Suites []Suite

// IsTest reports whether a path belongs to any tests.
func (all Suites) IsTest(path string) bool {
	return slices.ContainsFunc(all, func(s Suite) bool { return s.IsTest(path) })
}

// In returns the suites whose tests a change affects.
func (all Suites) In(change patch.ChangeSet) (found []Suite) {
	for _, s := range all {
		if slices.ContainsFunc(change.Files, func(f patch.FileChange) bool {
			return slices.ContainsFunc(Paths(f), s.IsTest) || len(s.parts(f.Path, f.After)) > 0
		}) {
			found = append(found, s)
		}
	}
	return found
}

// Origin returns the path of a file before its change.
func Origin(f patch.FileChange) string {
	return cmp.Or(f.From, f.Path)
}

// Paths returns the paths of a change.
func Paths(f patch.FileChange) []string {
	if f.From != "" && f.From != f.Path {
		return []string{f.From, f.Path}
	}
	return []string{f.Path}
}

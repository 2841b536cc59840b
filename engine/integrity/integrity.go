// Package integrity says what a change does to what judges it: the tests of a project, the settings of its tools, and the comments that
// silence them. A change is right when what judged the code before judges it still, and finds nothing.
//
// All of it is pure: a change and the reports of gates go in, and what is wrong comes out. What follows of that is for the caller.
//
// # Control files
//
// ControlOf knows the files of a folder that do more than be compiled or read: a program executes them when the
// folder is opened, they steer git, a package manager or a build machine, or the next model takes them as instructions.
// A change of one needs a look of its own, however many other files it comes with. It is pure: a change goes in, how
// careful to be and why comes out. docs/adr/0052 has the levels, and why some files are on the lower one.
//
//	look     everyday files that are executed when the project is built or tested: marked in the proposal
//	ask      never applied along with the rest: only by a yes to this very file, or where the task names it
//	deny     Forge's own folder: no model writes there
package integrity

import (
	"slices"

	"forge/engine/gate"
	"forge/patch"
)

// Suite is the tests of one project in a tree.
type Suite struct {
	Gate   string // its name
	IsTest func(path string) bool
	// Inline finds the parts of a file of code that belong to its tests. Nil: there are none.
	Inline func(path, text string) []gate.Part
	// Concerns reports whether a change of a path can change what the tests say. Nil: that of any path can.
	Concerns func(path string) bool
	// Red reports whether the tests of a tree fail where they did not before, as they must before there
	// is an implementation; if not, it says why.
	Red func(before, after gate.Report) (red bool, reason string)
	// Without gives the text of a file of tests without the declarations in which lines stand that do not compile; see gate.Language. May be nil.
	Without func(text string, faults []int) (rest string, ok bool)
	// Touched compares two texts of a file of tests; see gate.Language. May be nil.
	Touched func(before, after string) (tests []string, ok bool)
}

// Suites are all tests of a tree.
type Suites []Suite

// IsTest reports whether a path belongs to any tests.
func (all Suites) IsTest(path string) bool {
	return slices.ContainsFunc(all, func(s Suite) bool { return s.IsTest(path) })
}

// In are the suites that a change has tests of.
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

// Origin is where the file of a change was before.
func Origin(f patch.FileChange) string {
	if f.From != "" {
		return f.From
	}
	return f.Path
}

// Paths are those that a change names.
func Paths(f patch.FileChange) []string {
	if f.From != "" && f.From != f.Path {
		return []string{f.From, f.Path}
	}
	return []string{f.Path}
}

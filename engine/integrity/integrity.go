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
	"fmt"
	"slices"
	"strings"

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

// OnlyTests reports whether a change of test files touches only tests, so that the others in these files are as they were.
func (s Suite) OnlyTests(change patch.ChangeSet) bool {
	return s.Touched != nil && !slices.ContainsFunc(change.Files, func(f patch.FileChange) bool {
		_, only := s.Touched(f.Before, f.After)
		return !only || f.Kind == patch.Delete || f.Kind == patch.Move || !s.IsTest(f.Path)
	})
}

// Originals returns those of some names of tests that a file has before a change. The suite must have Touched.
func (s Suite) Originals(change patch.ChangeSet, names []string) (had []string) {
	for _, f := range change.Files {
		all, _ := s.Touched("", f.Before)
		for _, name := range names {
			if slices.Contains(all, name) && !slices.Contains(had, name) {
				had = append(had, name)
			}
		}
	}
	return had
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

// parts returns those of a file that belong to tests of a suite.
func (s Suite) parts(path, text string) []gate.Part {
	if s.Inline == nil || text == "" {
		return nil
	}
	return s.Inline(path, text)
}

// parts returns those of a source file that belong to any tests.
func (all Suites) parts(path, text string) []gate.Part {
	for _, s := range all {
		if parts := s.parts(path, text); len(parts) > 0 {
			return parts // a file is of one language
		}
	}
	return nil
}

// HasTests reports whether a file has tests in it: a test file, or a source file with tests or examples.
func (all Suites) HasTests(path, text string) bool {
	return all.IsTest(path) || len(all.parts(path, text)) > 0
}

// Tests returns the effect of a change on tests: all of it for a test file, or that on the test parts of a source file. has is
// false if it affects none.
func (all Suites) Tests(f patch.FileChange) (change patch.FileChange, has bool) {
	if all.IsTest(Origin(f)) {
		return f, true
	}
	before, after := all.parts(Origin(f), f.Before), all.parts(f.Path, f.After)
	f.Before, f.After = only(f.Before, before), only(f.After, after)
	return f, len(before)+len(after) > 0
}

// Lose reports whether a change removes something from existing tests.
func (all Suites) Lose(f patch.FileChange) bool {
	tests, has := all.Tests(f)
	return has && Loses(tests)
}

// Alter reports whether existing tests may state something else after a change.
func (all Suites) Alter(f patch.FileChange) bool {
	tests, has := all.Tests(f)
	return has && Alters(tests)
}

// WithOriginalTests returns a change of a source file with the tests that it had: each test part of the text after the change that has a
// counterpart before, which is a part within the same item that begins with the same line after its attributes and comments. ok is false if a part has
// none.
func (all Suites) WithOriginalTests(f patch.FileChange) (_ patch.FileChange, ok bool) {
	before, after := all.testParts(Origin(f), f.Before), all.testParts(f.Path, f.After)
	first := func(text string, part gate.Part) string {
		for line := range strings.Lines(text[part.Start:part.End]) {
			if line = strings.TrimSpace(line); !attribute.MatchString(line) && !strings.HasPrefix(line, "//") {
				return part.In + "\n" + line
			}
		}
		return part.In
	}
	var kept strings.Builder
	at := 0
	for _, part := range after {
		i := slices.IndexFunc(before, func(was gate.Part) bool { return first(f.Before, was) == first(f.After, part) })
		if i < 0 {
			continue // a new one
		}
		kept.WriteString(f.After[at:part.Start] + f.Before[before[i].Start:before[i].End])
		at, before = part.End, slices.Delete(before, i, i+1)
	}
	f.After = kept.String() + f.After[at:]
	return f, len(before) == 0
}

// testParts returns the parts of a source file that belong to tests, without examples in its documentation.
func (all Suites) testParts(path, text string) []gate.Part {
	return slices.DeleteFunc(slices.Clone(all.parts(path, text)), func(part gate.Part) bool { return part.Example })
}

// InTests reports whether a line of a file, from 1, belongs to tests.
func (all Suites) InTests(path, text string, line int) bool {
	return all.IsTest(path) || slices.ContainsFunc(all.parts(path, text), func(part gate.Part) bool {
		first := 1 + strings.Count(text[:part.Start], "\n")
		return first <= line && line <= first+strings.Count(text[part.Start:part.End], "\n")
	})
}

// moves returns an error for a change of the tests in a source file while tests are frozen: they keep their text, order and
// place. Examples in documentation may be added.
func (all Suites) moves(f patch.FileChange) error {
	before, after := all.parts(Origin(f), f.Before), all.parts(f.Path, f.After)
	tests := func(part gate.Part) bool { return !part.Example }
	switch {
	case f.Kind == patch.Move && slices.ContainsFunc(before, tests):
		return fmt.Errorf("%s has tests in it, and tests are frozen while the change is implemented: leave the file where it is", Origin(f))
	case !slices.Equal(placed(f.Before, before, tests), placed(f.After, after, tests)):
		return fmt.Errorf("%s has tests in it, and tests are frozen while the change is implemented: leave what is there for tests "+
			"(such as #[cfg(test)], #[test], cfg!(test)) as it is and where it is, and add none", Origin(f))
	}
	example := func(part gate.Part) bool { return part.Example }
	if left := placed(f.After, after, example); !keeps(left, placed(f.Before, before, example)) {
		return fmt.Errorf("%s has examples in its documentation that are tests, and tests are frozen while the change is implemented: leave them as they are", Origin(f))
	}
	return nil
}

// touchesCode reports whether a change affects more of a file than its tests.
func (all Suites) touchesCode(f patch.FileChange) bool {
	before, after := all.parts(Origin(f), f.Before), all.parts(f.Path, f.After)
	return Origin(f) != f.Path || len(after) == 0 || without(f.Before, before) != without(f.After, after)
}

// placed returns parts of a text, each with its context.
func placed(text string, parts []gate.Part, of func(gate.Part) bool) (found []string) {
	for _, part := range parts {
		if of(part) {
			found = append(found, part.In+" "+text[part.Start:part.End])
		}
	}
	return found
}

// only returns the text of parts.
func only(text string, parts []gate.Part) string {
	return strings.Join(placed(text, parts, func(gate.Part) bool { return true }), "\n")
}

// without returns a text without some parts. Blanks do not count.
func without(text string, parts []gate.Part) string {
	var kept strings.Builder
	at := 0
	for _, part := range parts {
		kept.WriteString(text[at:part.Start] + " ")
		at = part.End
	}
	return strings.Join(strings.Fields(kept.String()+text[at:]), " ")
}

// keeps reports whether all texts exist, in order.
func keeps(there, texts []string) bool {
	for _, text := range there {
		if len(texts) > 0 && texts[0] == text {
			texts = texts[1:]
		}
	}
	return len(texts) == 0
}

// WithoutFaults removes the code of faults from tests; ok is false if a fault is in none of them, or has no line.
func (s Suite) WithoutFaults(tests patch.ChangeSet, faults []gate.Finding) (rest patch.ChangeSet, ok bool) {
	lines := map[string][]int{}
	for _, f := range faults {
		if f.Inferred || f.Line == 0 {
			return tests, false
		}
		lines[f.Path] = append(lines[f.Path], f.Line)
	}
	for _, f := range tests.Files {
		if at := lines[f.Path]; len(at) > 0 && f.Kind != patch.Delete {
			if f.After, ok = s.Without(f.After, at); !ok {
				return tests, false
			}
			delete(lines, f.Path)
		}
		rest.Files = append(rest.Files, f)
	}
	return rest, len(lines) == 0
}

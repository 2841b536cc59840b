package integrity

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/patch"
)

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

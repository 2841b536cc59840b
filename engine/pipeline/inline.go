package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/patch"
)

// parts are those of a file that belong to tests of a suite.
func (s Suite) parts(path, text string) []gate.Part {
	if s.Inline == nil || text == "" {
		return nil
	}
	return s.Inline(path, text)
}

// parts are those of a file of code that belong to any tests.
func (p Project) parts(path, text string) []gate.Part {
	for _, s := range p.Suites {
		if parts := s.parts(path, text); len(parts) > 0 {
			return parts // a file is of one language
		}
	}
	return nil
}

// tests is what a change does to tests: all of it where the file is one of tests, and to the parts that are in a file of code. has is
// false where it has nothing to do with any.
func (p Project) tests(f patch.FileChange) (change patch.FileChange, has bool) {
	if p.IsTest(origin(f)) {
		return f, true
	}
	before, after := p.parts(origin(f), f.Before), p.parts(f.Path, f.After)
	f.Before, f.After = only(f.Before, before), only(f.After, after)
	return f, len(before)+len(after) > 0
}

// movesTests finds what a change does to the tests in a file of code while tests are frozen: they stay as they are, in their order and
// where they stand. Examples in documentation may be added.
func (p Project) movesTests(f patch.FileChange) error {
	before, after := p.parts(origin(f), f.Before), p.parts(f.Path, f.After)
	tests := func(part gate.Part) bool { return !part.Example }
	switch {
	case f.Kind == patch.Move && slices.ContainsFunc(before, tests):
		return fmt.Errorf("%s has tests in it, and tests are frozen while the change is implemented: leave the file where it is", origin(f))
	case !slices.Equal(placed(f.Before, before, tests), placed(f.After, after, tests)):
		return fmt.Errorf("%s has tests in it, and tests are frozen while the change is implemented: leave what is there for tests "+
			"(such as #[cfg(test)], #[test], cfg!(test)) as it is and where it is, and add none", origin(f))
	}
	example := func(part gate.Part) bool { return part.Example }
	if left := placed(f.After, after, example); !keeps(left, placed(f.Before, before, example)) {
		return fmt.Errorf("%s has examples in its documentation that are tests, and tests are frozen while the change is implemented: leave them as they are", origin(f))
	}
	return nil
}

// touchesCode reports whether a change touches more of a file than the tests in it.
func (p Project) touchesCode(f patch.FileChange) bool {
	before, after := p.parts(origin(f), f.Before), p.parts(f.Path, f.After)
	return origin(f) != f.Path || len(after) == 0 || without(f.Before, before) != without(f.After, after)
}

// placed are parts of a text, each with what it stands in.
func placed(text string, parts []gate.Part, of func(gate.Part) bool) (all []string) {
	for _, part := range parts {
		if of(part) {
			all = append(all, part.In+" "+text[part.Start:part.End])
		}
	}
	return all
}

// only is the text of parts.
func only(text string, parts []gate.Part) string {
	return strings.Join(placed(text, parts, func(gate.Part) bool { return true }), "\n")
}

// without is a text without parts of it. Blanks count for nothing: they are around parts, and of no part.
func without(text string, parts []gate.Part) string {
	var kept strings.Builder
	at := 0
	for _, part := range parts {
		kept.WriteString(text[at:part.Start] + " ")
		at = part.End
	}
	return strings.Join(strings.Fields(kept.String()+text[at:]), " ")
}

// keeps reports whether texts are all there, in their order.
func keeps(there, texts []string) bool {
	for _, text := range there {
		if len(texts) > 0 && texts[0] == text {
			texts = texts[1:]
		}
	}
	return len(texts) == 0
}

// inTests reports whether a line of a file that the attempt has changed belongs to tests that it wrote. Line 0 is the whole file.
func (m *module) inTests(path string, line int) bool {
	if !m.wroteTest(path) {
		return false
	}
	at := slices.IndexFunc(m.changes.Files, func(f patch.FileChange) bool { return f.Path == path })
	if at < 0 || m.Project.IsTest(path) {
		return true
	}
	text := m.changes.Files[at].After
	return slices.ContainsFunc(m.Project.parts(path, text), func(part gate.Part) bool {
		first := 1 + strings.Count(text[:part.Start], "\n")
		return first <= line && line <= first+strings.Count(text[part.Start:part.End], "\n")
	})
}

// justTests reports whether a file of the result is as it was when its tests were written.
func (m *module) justTests(f patch.FileChange) bool {
	return m.tests != nil && slices.ContainsFunc(m.tests.Files, func(t patch.FileChange) bool {
		return t.Path == f.Path && t.After == f.After
	})
}

package pipeline

import (
	"slices"

	"forge/patch"
)

// wroteTest reports whether the module, or one before it, has written tests in a file.
func (m *module) wroteTest(path string) bool { return slices.Contains(m.allTests(), path) }

// inTests reports whether a line of a file that the attempt has changed belongs to tests that it wrote. Line 0 is the whole file.
func (m *module) inTests(path string, line int) bool {
	if !m.wroteTest(path) {
		return false
	}
	at := slices.IndexFunc(m.changes.Files, func(f patch.FileChange) bool { return f.Path == path })
	return at < 0 || m.Project.Suites.InTests(path, m.changes.Files[at].After, line)
}

// justTests reports whether a file of the result is as it was when its tests were written.
func (m *module) justTests(f patch.FileChange) bool {
	return m.tests != nil && slices.ContainsFunc(m.tests.Files, func(t patch.FileChange) bool {
		return t.Path == f.Path && t.After == f.After
	})
}

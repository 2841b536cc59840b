package pipeline

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/patch"
)

// guard says what a change may touch now. Its error is shown to the model; explanation is what the model said of the
// change.
type guard func(changes patch.ChangeSet, explanation string) error

// allow says what a change may touch in a phase: what its guard lets pass, and never how code is checked.
func (p *phase) allow(changes patch.ChangeSet, explanation string) error {
	return errors.Join(p.checkedAlike(changes), p.ownFiles(changes), p.guard(changes, explanation))
}

// ownFiles has a part of a plan change its own files only.
func (m *module) ownFiles(changes patch.ChangeSet) error {
	var errs []error
	for _, f := range changes.Files {
		for _, name := range touched(f) {
			errs = append(errs, m.within(name, f.Kind == patch.Create))
		}
	}
	return errors.Join(errs...)
}

// onlyTests is the guard while tests are written. A test that is there already may be changed, moved or deleted only if the
// answer says so: whoever reads the change is told, and no test goes by accident.
func (m *module) onlyTests(changes patch.ChangeSet, explanation string) error {
	var errs []error
	for _, f := range changes.Files {
		for _, name := range touched(f) {
			if !m.Project.IsTest(name) && m.Project.touchesCode(f) {
				errs = append(errs, fmt.Errorf("%s is not a test file, and what changes is no test in it: write only tests now", name))
			}
		}
		tests, has := m.Project.tests(f)
		if !has || !loses(tests) {
			continue
		}
		if !strings.Contains(explanation, origin(f)) {
			errs = append(errs, fmt.Errorf("%s has tests that are there already, and the change takes something out of them: leave them as they are, or name the file in the explanation and say why they must change", origin(f)))
		}
		if test := m.wanted(tests.Before); test != "" && !m.isAbout(origin(f)) {
			errs = append(errs, fmt.Errorf("%s has %s in it, which the task wants to pass: leave the tests of that file as they are, the task does not name it", origin(f), test))
		}
	}
	return errors.Join(errs...)
}

// wanted is a test that stands in a text, failed before the run, and is named by the task; empty where there is none.
func (m *module) wanted(text string) string {
	for _, s := range m.Project.Suites {
		for _, test := range failures(m.before(s.Gate).Findings) {
			if !m.unnamed(test) && slices.ContainsFunc(called(test), func(name string) bool { return strings.Contains(text, name) }) {
				return test
			}
		}
	}
	return ""
}

// frozen is the guard while a change is implemented for which there are tests: none may be touched, neither by an edit
// nor by a move, and no file may become one.
func (m *module) frozen(changes patch.ChangeSet, _ string) error {
	var errs []error
	for _, f := range changes.Files {
		for _, name := range touched(f) {
			if m.Project.IsTest(name) {
				errs = append(errs, fmt.Errorf("%s is a test file, and tests are frozen while the change is implemented", name))
			}
		}
		if !m.Project.IsTest(origin(f)) && !m.Project.IsTest(f.Path) {
			errs = append(errs, m.Project.movesTests(f))
		}
	}
	return errors.Join(errs...)
}

// growing is the guard of work without a phase of its own for tests: tests may be added, and what is in them stays.
func (m *module) growing(changes patch.ChangeSet, _ string) error {
	var errs []error
	for _, f := range changes.Files {
		if tests, has := m.Project.tests(f); has && loses(tests) {
			errs = append(errs, fmt.Errorf("%s has tests that are there already: add to them if you must, and leave them as they are", origin(f)))
		}
	}
	return errors.Join(errs...)
}

// checkedAlike has what says how code is checked stay as it is, unless the task is about it.
func (m *module) checkedAlike(changes patch.ChangeSet) error {
	var errs []error
	for _, f := range changes.Files {
		for _, name := range touched(f) {
			if gate.IsSettings(name) && !m.isAbout(name) {
				errs = append(errs, fmt.Errorf("%s says how this project is checked: leave it as it is, the task does not name it", name))
			}
			if gate.IsInstalled(name) && !m.isAbout(name) {
				errs = append(errs, fmt.Errorf("%s was installed, and tests may rely on it: leave it as it is, the task does not name it", name))
			}
		}
		if !m.isAbout(f.Path) && !m.isAbout(origin(f)) && loosens(f) {
			errs = append(errs, fmt.Errorf("a part of %s says how this project is checked: leave that part as it is, the task does not name the file", origin(f)))
		}
	}
	return errors.Join(errs...)
}

// isAbout reports whether the task names a file.
func (m *module) isAbout(name string) bool {
	if name == m.task.Focus.Path {
		return true
	}
	base := regexp.QuoteMeta(path.Base(name))
	return regexp.MustCompile(`(^|[^\w.-])` + base + `($|[^\w-])`).MatchString(m.task.Text)
}

// loosens reports whether a change touches the parts of a file that say how code is checked.
func loosens(f patch.FileChange) bool {
	if f.Kind == patch.Create {
		return gate.Overrides(f.Path, f.After) != ""
	}
	before := gate.Settings(origin(f), f.Before)
	return before != gate.Settings(f.Path, f.After) || before != "" && origin(f) != f.Path
}

// touched are the paths that a change names.
func touched(f patch.FileChange) []string {
	if f.From != "" && f.From != f.Path {
		return []string{f.From, f.Path}
	}
	return []string{f.Path}
}

// origin is where the file of a change was before.
func origin(f patch.FileChange) string {
	if f.From != "" {
		return f.From
	}
	return f.Path
}

// loses reports whether a change takes something away from a file that was there: the file, its place, or a line of it
// that is not blank. Indentation counts for nothing.
func loses(f patch.FileChange) bool {
	switch f.Kind {
	case patch.Create:
		return false
	case patch.Delete, patch.Move:
		return true
	}
	after := strings.Split(f.After, "\n")
	for line := range strings.Lines(f.Before) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		for len(after) > 0 && strings.TrimSpace(after[0]) != line {
			after = after[1:]
		}
		if len(after) == 0 {
			return true
		}
		after = after[1:]
	}
	return false
}

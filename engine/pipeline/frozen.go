package pipeline

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"forge/engine/gate"
	"forge/patch"
)

// guard says what a change may touch now. Its error is shown to the model; explanation is what the model said of the
// change.
type guard func(changes patch.ChangeSet, explanation string) error

// allow says what a change may touch in a phase: what its guard lets pass, and never how code is checked.
func (p *phase) allow(changes patch.ChangeSet, explanation string) error {
	return errors.Join(p.checkedAlike(changes), p.guard(changes, explanation))
}

// onlyTests is the guard while tests are written. A test that is there already may be changed, moved or deleted only if the
// answer says so: whoever reads the change is told, and no test goes by accident.
func (r *run) onlyTests(changes patch.ChangeSet, explanation string) error {
	var errs []error
	for _, f := range changes.Files {
		for _, name := range touched(f) {
			if !r.Project.IsTest(name) {
				errs = append(errs, fmt.Errorf("%s is not a test file: write only tests now", name))
			}
		}
		if loses(f) && !strings.Contains(explanation, origin(f)) {
			errs = append(errs, fmt.Errorf("%s is a test that is there already, and the change takes something out of it: leave it as it is, or name it in the explanation and say why it must change", origin(f)))
		}
	}
	return errors.Join(errs...)
}

// frozen is the guard while a change is implemented for which there are tests: none may be touched, neither by an edit
// nor by a move, and no file may become one.
func (r *run) frozen(changes patch.ChangeSet, _ string) error {
	var errs []error
	for _, f := range changes.Files {
		for _, name := range touched(f) {
			if r.Project.IsTest(name) {
				errs = append(errs, fmt.Errorf("%s is a test file, and tests are frozen while the change is implemented", name))
			}
		}
	}
	return errors.Join(errs...)
}

// growing is the guard of work without a phase of its own for tests: tests may be added, and what is in them stays.
func (r *run) growing(changes patch.ChangeSet, _ string) error {
	var errs []error
	for _, f := range changes.Files {
		if r.Project.IsTest(origin(f)) && loses(f) {
			errs = append(errs, fmt.Errorf("%s is a test that is there already: add to it if you must, and leave what is in it as it is", origin(f)))
		}
	}
	return errors.Join(errs...)
}

// checkedAlike has what says how code is checked stay as it is, unless the task is about it.
func (r *run) checkedAlike(changes patch.ChangeSet) error {
	var errs []error
	for _, f := range changes.Files {
		for _, name := range touched(f) {
			if gate.IsSettings(name) && name != r.task.Focus.Path && !strings.Contains(r.task.Text, path.Base(name)) {
				errs = append(errs, fmt.Errorf("%s says how this project is checked: leave it as it is, the task does not name it", name))
			}
		}
	}
	return errors.Join(errs...)
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

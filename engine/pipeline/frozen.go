package pipeline

import (
	"errors"
	"fmt"
	"strings"

	"forge/patch"
)

// guard says what a change may touch now. Its error is shown to the model; explanation is what the model said of the
// change.
type guard func(changes patch.ChangeSet, explanation string) error

// onlyTests is the guard while tests are written. A test that is there already may be changed, moved or deleted only if the
// answer says so: whoever reads the change is told, and no test goes by accident.
func (r *run) onlyTests(changes patch.ChangeSet, explanation string) error {
	var errs []error
	for _, f := range changes.Files {
		for _, path := range touched(f) {
			if !r.Project.IsTest(path) {
				errs = append(errs, fmt.Errorf("%s is not a test file: write only tests now", path))
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
		for _, path := range touched(f) {
			if r.Project.IsTest(path) {
				errs = append(errs, fmt.Errorf("%s is a test file, and tests are frozen while the change is implemented", path))
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

package integrity

import (
	"errors"
	"fmt"
	"strings"

	"forge/engine/gate"
	"forge/patch"
)

// Rules are what a change may do to the checks that judge it. The model that wrote the change sees their errors, which explain what
// to do instead.
type Rules struct {
	Suites
	// Names reports whether the task names a file: the user may have anything changed.
	Names func(path string) bool
	// Wanted returns a test in a text that fails today and that the task wants to pass, or "".
	Wanted func(text string) string
}

// OnlyTests is the rule while tests are written. An existing test may be changed, moved or deleted only if the explanation
// of the change names it: then the user sees it, and no test is lost by accident.
func (r Rules) OnlyTests(change patch.ChangeSet, explanation string) error {
	var errs []error
	for _, f := range change.Files {
		for _, name := range Paths(f) {
			if !r.IsTest(name) && r.touchesCode(f) {
				errs = append(errs, fmt.Errorf("%s is not a test file, and what changes is no test in it: write only tests now", name))
			}
		}
		tests, has := r.Tests(f)
		if !has || !Loses(tests) {
			continue
		}
		if !strings.Contains(explanation, Origin(f)) {
			errs = append(errs, fmt.Errorf("%s has existing tests, and the change removes something from them: leave them as they are, or name the file in the explanation and state why they must change", Origin(f)))
		}
		if test := r.Wanted(tests.Before); test != "" && !r.Names(Origin(f)) {
			errs = append(errs, fmt.Errorf("%s has %s in it, which the task wants to pass: leave the tests of that file as they are, the task does not name it", Origin(f), test))
		}
	}
	return errors.Join(errs...)
}

// Frozen is the rule while a change with tests is implemented: no edit and no move may touch a test, and no file may become one.
func (r Rules) Frozen(change patch.ChangeSet, _ string) error {
	var errs []error
	for _, f := range change.Files {
		for _, name := range Paths(f) {
			if r.IsTest(name) {
				errs = append(errs, fmt.Errorf("%s is a test file, and tests are frozen while the change is implemented", name))
			}
		}
		if !r.IsTest(Origin(f)) && !r.IsTest(f.Path) {
			errs = append(errs, r.moves(f))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return errors.Join(err, errWrongTest)
	}
	return nil
}

// errWrongTest follows the refusal of a change of frozen tests: what the model is to do if one of them is wrong.
var errWrongTest = errors.New(`if a test or an example is wrong for any implementation, change nothing, say so in "blocked" and name its file: its author then changes it`)

// Growing is the rule of work that removes no test: tests may be added, and existing ones stay as they are.
func (r Rules) Growing(change patch.ChangeSet, _ string) error {
	var errs []error
	for _, f := range change.Files {
		if r.Lose(f) {
			errs = append(errs, fmt.Errorf("%s has existing tests: add to them if you must, and leave them as they are", Origin(f)))
		}
	}
	return errors.Join(errs...)
}

// Explained is the rule of work without a separate phase for tests: tests may be added, and the explanation must name the file of a
// shortened test. The test's results on the code before and after the change decide whether it may go.
func (r Rules) Explained(change patch.ChangeSet, explanation string) error {
	var errs []error
	for _, f := range change.Files {
		if r.Lose(f) && !strings.Contains(explanation, Origin(f)) && !r.Names(Origin(f)) {
			errs = append(errs, fmt.Errorf("%s has existing tests, and the change removes something from them: leave them as they are, or name the file in the explanation and state why they must change", Origin(f)))
		}
	}
	return errors.Join(errs...)
}

// CheckedAlike is the rule of all phases: files that control how code is checked stay as they are, unless the task is about them.
func (r Rules) CheckedAlike(change patch.ChangeSet) error {
	var errs []error
	for _, f := range change.Files {
		for _, name := range Paths(f) {
			if gate.IsSettings(name) && !r.Names(name) {
				errs = append(errs, fmt.Errorf("%s configures how this project is checked: leave it as it is, the task does not name it", name))
			}
			if gate.IsInstalled(name) && !r.Names(name) {
				errs = append(errs, fmt.Errorf("%s was installed, and tests may rely on it: leave it as it is, the task does not name it", name))
			}
		}
		if !r.Names(f.Path) && !r.Names(Origin(f)) && loosens(f) {
			errs = append(errs, fmt.Errorf("a part of %s configures how this project is checked: leave that part as it is, the task does not name the file", Origin(f)))
		}
	}
	return errors.Join(errs...)
}

// RuleSilenced is the rule of the findings of Silenced.
const RuleSilenced = "silenced"

// Silenced finds the lines that a change adds and that silence a tool. Each may have a reason, so the findings are warnings.
func Silenced(f patch.FileChange) (found []gate.Finding) {
	had := map[string]int{}
	for line := range strings.Lines(f.Before) {
		had[strings.TrimSpace(line)]++
	}
	number := 0
	for line := range strings.Lines(f.After) {
		number++
		line = strings.TrimSpace(line)
		said := gate.Silence(f.Path, line)
		if said == "" {
			continue
		}
		if had[line]--; had[line] < 0 {
			found = append(found, gate.Finding{Path: f.Path, Line: number, Severity: gate.SeverityWarning, Rule: RuleSilenced,
				Message: fmt.Sprintf("the change adds %.60q, which silences findings of a tool here", said)})
		}
	}
	return found
}

// Loses reports whether a change removes something from an existing file: the file, its place, or a line that is not
// blank. Indentation does not count.
func Loses(f patch.FileChange) bool {
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

// loosens reports whether a change affects the parts of a file that control how code is checked.
func loosens(f patch.FileChange) bool {
	if f.Kind == patch.Create {
		return gate.Overrides(f.Path, f.After) != ""
	}
	before := gate.Settings(Origin(f), f.Before)
	return before != gate.Settings(f.Path, f.After) || before != "" && Origin(f) != f.Path
}

package pipeline

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"forge/engine/control"
	"forge/engine/integrity"
	"forge/patch"
)

// guard says what a change may touch now. Its error is shown to the model; explanation is what the model said of the
// change.
type guard func(changes patch.ChangeSet, explanation string) error

// allow says what a change may touch in a phase: what its guard lets pass, and never how code is checked or Forge's own folder.
func (p *phase) allow(changes patch.ChangeSet, explanation string) error {
	return p.allowGuarded(changes, changes, explanation)
}

// allowGuarded is allow of a change of which the guard looks at a part.
func (p *phase) allowGuarded(all, guarded patch.ChangeSet, explanation string) error {
	return errors.Join(control.Refused(all), p.promises.rules().CheckedAlike(all), p.job.ownFiles(all), p.guard(guarded, explanation))
}

// rules are what a change of the module may do to what judges it.
func (ps *promises) rules() integrity.Rules {
	return integrity.Rules{Suites: ps.run.Project.Suites, Names: ps.isAbout, Wanted: ps.wanted}
}

// ownFiles keeps a part of a plan out of the files of other parts.
func (j *job) ownFiles(changes patch.ChangeSet) error {
	var errs []error
	for _, f := range changes.Files {
		for _, name := range integrity.Paths(f) {
			errs = append(errs, j.within(name))
		}
	}
	return errors.Join(errs...)
}

// wanted is a test that stands in a text, failed before the run, and is named by the task; empty where there is none.
func (ps *promises) wanted(text string) string {
	for _, s := range ps.run.Project.Suites {
		for _, test := range ps.wantedOf(s) {
			if slices.ContainsFunc(integrity.Called(test), func(name string) bool { return strings.Contains(text, name) }) {
				return test
			}
		}
	}
	return ""
}

// wantedOf are the tests of a suite that failed before the run and that the module is to make pass, by their names.
func (ps *promises) wantedOf(s integrity.Suite) []string {
	promised := ps.job.promised()
	return slices.DeleteFunc(integrity.Failing(ps.checker.before(s.Gate).Findings), func(test string) bool { return !integrity.Mentioned(test, promised) })
}

// promised is what the module has to fulfil, in words: a part what the plan says of it, the whole all of the task, and what joins parts
// in between nothing of its own.
func (j *job) promised() string {
	switch {
	case j.id == "": // the whole
		return j.run.task.Text
	case j.part == nil:
		return ""
	}
	return strings.Join(append([]string{j.goal(), j.part.DoneWhen}, j.part.Verify...), "\n")
}

// isAbout reports whether the task names a file, or what the user has answered to a model.
func (ps *promises) isAbout(name string) bool {
	return name == ps.run.task.Focus.Path || namesFile(ps.run.task.Text, name) || namesFile(ps.known.answered, name)
}

// namesFile reports whether a text has the name of a file.
func namesFile(text, file string) bool {
	return regexp.MustCompile(`(^|[^\w.-])` + regexp.QuoteMeta(path.Base(file)) + `($|[^\w-])`).MatchString(text)
}

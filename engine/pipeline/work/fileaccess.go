package work

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/integrity"
	"forge/engine/prompt"
	"forge/patch"
)

// lending is what a part may change, or needs, of files that the plan gives to other parts. Only its own nodes use it.
type lending struct {
	lent    []string // files of other parts that it may change
	refused []string // files whose change was refused once
	wanted  []want
	waits   int // how often an attempt ended because the part needed a file
}

// want is a file that a part needs, and its owner.
type want struct {
	path  string
	owner *Module
}

// OwnFiles keeps a part of a plan out of the files of other parts, unless it runs before or after them.
func (j *Job) OwnFiles(changes patch.ChangeSet) error {
	var errs []error
	for _, f := range changes.Files {
		for _, name := range integrity.Paths(f) {
			errs = append(errs, j.within(name))
		}
	}
	return errors.Join(errs...)
}

// within lends a part a file of another part, if the two do not run at the same time; a part that insists on the file of a parallel
// part waits for that part. A file that the plan gives to no part belongs to each part that changes it: the changes of two parts are
// joined with them.
func (j *Job) within(name string) error {
	owner := j.keeperOf(name)
	if owner == nil {
		return nil
	}
	if slices.Contains(j.lending.refused, name) {
		j.want(name, owner)
	}
	j.lending.refused = append(j.lending.refused, name)
	return fmt.Errorf("%s belongs to the part %s of the plan: leave it alone, and use what that part promises. "+
		"If your part cannot be done without another text in it, say so in \"blocked\", with its path", name, owner.Job.ID)
}

// Foreign reports whether changes are in a file of a parallel part. Unlike OwnFiles it does not count as an attempt to change the file.
func (j *Job) Foreign(changes patch.ChangeSet) bool {
	return slices.ContainsFunc(changes.Files, func(f patch.FileChange) bool {
		return slices.ContainsFunc(integrity.Paths(f), func(name string) bool { return j.keeperOf(name) != nil })
	})
}

// keeperOf returns the parallel part to which the plan gives a file; nil if this part may change the file, which is lent to it if
// necessary.
func (j *Job) keeperOf(name string) *Module {
	owner := j.ownerOf(name)
	if owner == nil || j.lendNow(name, owner) {
		return nil
	}
	return owner
}

// Needs finds files of other parts in the words of a model that cannot continue. told is for the model if it may change them already;
// otherwise the part may wait for their parts.
func (j *Job) Needs(named func(path string) bool) (told string) {
	for _, other := range j.others() {
		for _, name := range other.Job.Part.Files {
			switch {
			case !named(name) || j.ownerOf(name) == nil:
			case j.lendNow(name, other):
				told += fmt.Sprintf("You may change %s, which the plan gives to the part %s. ", name, other.Job.ID)
			default:
				j.want(name, other)
			}
		}
	}
	return strings.TrimSpace(told)
}

// ownerOf returns the part to which the plan gives a file; nil if it is the part's own, was lent to it, or belongs to none.
func (j *Job) ownerOf(name string) *Module {
	if j.Part == nil || slices.Contains(j.Part.Files, name) || slices.Contains(j.lending.lent, name) {
		return nil
	}
	for _, other := range j.others() {
		if slices.Contains(other.Job.Part.Files, name) {
			return other
		}
	}
	return nil
}

// lendNow lends a file of a part that does not run at the same time.
func (j *Job) lendNow(name string, owner *Module) bool {
	switch {
	case j.BuildsOn(owner.Job):
		j.lend(name, owner, event.OwnerDone)
	case owner.Job.follows[j]:
		j.lend(name, owner, event.OwnerLater)
	default:
		return false
	}
	return true
}

func (j *Job) lend(name string, owner *Module, state event.OwnerState) {
	j.lending.lent = append(j.lending.lent, name)
	j.Run.Emit(event.FileNeeded{Part: j.ID, Owner: owner.Job.ID, Path: name, State: state})
}

func (j *Job) want(name string, owner *Module) {
	if !slices.ContainsFunc(j.lending.wanted, func(w want) bool { return w.path == name }) {
		j.lending.wanted = append(j.lending.wanted, want{name, owner})
		j.Run.Emit(event.FileNeeded{Part: j.ID, Owner: owner.Job.ID, Path: name, State: event.OwnerAwaited})
	}
}

// Wants reports whether the part needs files of parallel parts, and waits for these parts.
func (j *Job) Wants() bool { return len(j.lending.wanted) > 0 }

// Wait ends an attempt of a part that needs files of others. It returns the nodes that the part waits for, and the reason.
func (j *Job) Wait() (nodes []string, reason string) {
	j.lending.waits++
	var needs []string
	for _, w := range j.lending.wanted {
		nodes = append(nodes, w.owner.Job.Node(NodeReview))
		needs = append(needs, fmt.Sprintf("%s of the part %s", w.path, w.owner.Job.ID))
	}
	return nodes, "it needs " + strings.Join(needs, ", ") + ", and waits for that part"
}

// WaitsFor returns why a part that needs a file cannot begin again; empty if it does not wait.
func (j *Job) WaitsFor() string {
	if !j.Wants() {
		return ""
	}
	w := j.lending.wanted[0]
	return fmt.Sprintf("it needs %s, and waits for %s, whose file that is", w.path, w.owner.Job.ID)
}

// Receive ends the wait: the part begins with the results of the parts that it waited for, and may change the files. A part that is
// not done by then waits for this one too, and their changes are joined later.
func (j *Job) Receive() (told []prompt.Section) {
	for _, w := range j.lending.wanted {
		text, state := fmt.Sprintf("You may change %s now: the part %s is done, and its result is in the files that you see.", w.path, w.owner.Job.ID), event.OwnerDone
		if w.owner.History.Accepted() {
			j.After = Latest(append(slices.Clone(j.After), w.owner))
		} else {
			text, state = fmt.Sprintf("You may change %s, although the part %s will change it too. Change only what your part needs.", w.path, w.owner.Job.ID), event.OwnerConcurrent
		}
		j.lend(w.path, w.owner, state)
		told = append(told, prompt.Section{Kind: prompt.Errors, Name: "A file of another part", Text: text})
	}
	j.lending.wanted = nil
	return told
}

// others returns the parts of the plan that are not the module's.
func (j *Job) others() (others []*Module) {
	for _, other := range j.Run.Parts {
		if other.Job != j && other.Job.Part != nil {
			others = append(others, other)
		}
	}
	return others
}

// Owner returns the part to which the plan gives a file; empty if none.
func (j *Job) Owner(name string) string {
	for _, other := range j.others() {
		if slices.Contains(other.Job.Part.Files, name) {
			return other.Job.ID
		}
	}
	return ""
}

// LastAttempt reports whether the attempt is the last one. One that ended because the part needed a file of another, or because the user has
// answered what a model says of a test, does not count.
func (u *Module) LastAttempt() bool {
	return u.Now.Number >= u.Run.AllAttempts()+u.Job.lending.waits+u.Tests.reconsidered
}

package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/step"
	"forge/patch"
)

// attempt is the attempt under way: the tree that models edit, and the change that it makes. The executor writes it; the review reads it.
type attempt struct {
	run   *run
	job   *job
	begin *beginning

	number   int             // from 1
	last     patch.ChangeSet // the latest edit, accepted or not
	unparsed bool            // the last syntax check found something
	idle     string          // why the attempt is taken for none; empty where something was changed
	worked   worked          // what is said of the attempt beside its edits
	tree     step.State      // the edits of the attempt, as they were matched
	changes  patch.ChangeSet // all of the attempt
	edits    []edited        // so far
	resulted string          // a digest of the change; empty until there is one
	repeats  int             // the attempt whose edit or result this attempt has again; 0 where there is none
	unusable bool            // repeats is of an answer that could not be used
	checked  []gate.Report   // what gates said of the tree, whatever they said before the run
}

// start begins an attempt on a clean tree. The change and the latest edit of the attempt before stay until there are others.
func (a *attempt) start(number int) {
	a.number, a.idle, a.worked, a.repeats = number, "", worked{}, 0
	a.tree, a.edits, a.resulted = a.begin.start, nil, ""
}

// with is the tree with more changes; none leave it as it is.
func (a *attempt) with(changes patch.ChangeSet) step.State {
	if len(changes.Files) == 0 {
		return a.tree
	}
	return a.tree.With(changes)
}

// made is what the module itself has changed.
func (a *attempt) made() patch.ChangeSet { return a.changes.Since(a.begin.given) }

// toReview is what a reviewer is shown: of a part what it has changed, of the whole everything.
func (a *attempt) toReview() patch.ChangeSet {
	if a.job.part != nil {
		return a.made()
	}
	return a.changes
}

// forgotten are files that a part has changed and that were there before, although the plan gives them to no part.
func (a *attempt) forgotten() (names []string) {
	for _, f := range a.made().Files {
		if f.Kind == patch.Create || a.run.Project.IsTest(f.Path) {
			continue
		}
		for _, name := range integrity.Paths(f) {
			if a.job.part != nil && !slices.Contains(a.job.part.Files, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// withMatches gives the files of an attempt's result the matches of the edits that went into them: how
// exactly each fitted is for the user to see.
func (a *attempt) withMatches(changes patch.ChangeSet) patch.ChangeSet {
	for i := range changes.Files {
		for _, set := range a.tree.Changes {
			for _, f := range set.Files {
				if f.Path == changes.Files[i].Path {
					changes.Files[i].Matches = append(changes.Files[i].Matches, f.Matches...)
				}
			}
		}
	}
	return changes
}

// write has the tree of the attempt made, and gives what differs from the snapshot. name is of what was
// written last.
func (a *attempt) write(ctx context.Context, n graph.Node, name string) (patch.ChangeSet, step.Outcome) {
	changes, err := step.ActivityWrite.Call(ctx, a.run.Flow, at(n), "write/"+name, a.tree)
	if err != nil {
		return changes, step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
	}
	return changes, step.Outcome{}
}

// noteEdit keeps that an edit became part of the attempt.
func (a *attempt) noteEdit(changes patch.ChangeSet) {
	if len(changes.Files) == 0 {
		return
	}
	e := edited{digest: a.fingerprint(changes)}
	for _, f := range changes.Files {
		e.paths = append(e.paths, f.Path)
	}
	slices.Sort(e.paths)
	a.edits = append(a.edits, e)
}

// fingerprint names what a tree becomes with an edit: the same implementation under other tests is another one. How the edit was made, and in how
// many steps, does not count.
func (a *attempt) fingerprint(changes patch.ChangeSet) string {
	var left []string // paths, each followed by its text; sorted
	put := func(path, text string) {
		at, found := slices.BinarySearchFunc(left, path, func(entry, p string) int {
			name, _, _ := strings.Cut(entry, "\x00")
			return strings.Compare(name, p)
		})
		if !found {
			left = slices.Insert(left, at, "")
		}
		left[at] = path + "\x00" + text
	}
	for _, set := range append(slices.Clone(a.tree.Changes), changes) {
		for _, f := range set.Files {
			if f.From != "" && f.From != f.Path {
				put(f.From, "\x00")
			}
			if f.Kind == patch.Delete {
				put(f.Path, "\x00")
				continue
			}
			put(f.Path, f.After)
		}
	}
	sum := sha256.Sum256([]byte(strings.Join(left, "\x00\x00")))
	return hex.EncodeToString(sum[:8])
}

// add makes changes part of the attempt.
func (a *attempt) add(changes patch.ChangeSet) { a.tree = a.with(changes) }

// reopen makes a draft the result of the attempt.
func (a *attempt) reopen(d draft) { a.tree, a.changes, a.unparsed = d.tree, d.changes, d.broken }

// repeat notes that the attempt is in one way the same as an earlier one; unusable says that it is so in an answer that could not be used.
func (a *attempt) repeat(earlier int, unusable bool) { a.repeats, a.unusable = earlier, unusable }

// format has the files that a phase has changed formatted as their projects want it, before any gate says that they are not. What
// that changes becomes part of the attempt. name is the phase's.
func (a *attempt) format(ctx context.Context, n graph.Node, name string, changes patch.ChangeSet) step.Outcome {
	paths := named(changes)
	if a.run.task.KeepFormat || len(paths) == 0 {
		return step.Outcome{}
	}
	formatted, err := step.ActivityFormat.Call(ctx, a.run.Flow, at(n), "format/"+name, step.PathsCall{State: a.tree, Paths: paths})
	if err != nil {
		return unable(ctx, err)
	}
	if len(formatted.Files) == 0 {
		return step.Outcome{}
	}
	a.add(formatted)
	a.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: gate.Report{
		Gate: gateFormat, Verdict: gate.Pass, Executed: len(paths), Passed: len(paths),
		Summary: digest("formatted "+strings.Join(named(formatted), ", "), 200), Output: formatted.Unified(1),
	}})
	return step.Outcome{}
}

// parsedAgain reports that what could not be parsed can be, so that no fault is shown that is gone.
func (a *attempt) parsedAgain(files int) {
	if a.unparsed {
		a.unparsed = false
		a.run.Tell(event.GateFinished{Node: a.job.node(nodeExecutor), Attempt: a.number, Report: gate.Report{
			Gate: gateSyntax, Verdict: gate.Pass, Executed: files, Passed: files, Summary: "it can be parsed again",
		}})
	}
}

func (a *attempt) gaveUp(reason string) string {
	return fmt.Sprintf("gave up after %d attempts: %s", a.number, reason)
}

// noop is what follows when the model says that it is done and has changed nothing, though the task wants a change: the gate
// noop fails. Another attempt is shown why; after the last one the run is blocked, for only the user can say who is right.
func (a *attempt) noop(n graph.Node, said string) step.Outcome {
	reason := "the model says that the work is done, and has changed nothing"
	if said = strings.TrimSpace(said); said != "" {
		reason += ": " + digest(said, 300)
	}
	a.idle = reason
	a.run.Tell(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: gateNoop, Index: 1, Of: 1})
	a.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: gate.Report{
		Gate: gateNoop, Verdict: gate.Fail, Executed: 1, Summary: digest(reason, 200),
		Findings: []gate.Finding{{Severity: gate.SeverityError, Rule: gateNoop, Message: reason}},
	}})
	return step.Outcome{Signal: step.Retryable, Reason: reason}
}

const gateNoop = "noop"

// gateFormat is reported like a gate, so that the user sees what was formatted.
const gateFormat = "format"

// fitsOn reports whether the files that the attempt changes are in a tree as they were when it began.
func (a *attempt) fitsOn(ctx context.Context, n graph.Node, now step.State) (bool, error) {
	for _, f := range a.changes.Files {
		text, err := step.ActivityRead.Call(ctx, a.run.Flow, at(n), "again/"+f.Path, step.ReadCall{State: now, Path: f.Path})
		_, failed := asFailure(err)
		switch {
		case failed:
			return false, nil
		case err != nil:
			return false, err
		case text.Exists == (f.Kind == patch.Create), string(text.Content) != f.Before:
			return false, nil
		}
	}
	return true, nil
}

// finish makes changes the result of the attempt: what differs from the folder before any gate has run.
func (a *attempt) finish(changes patch.ChangeSet) { a.changes = a.withMatches(changes) }

// noteLast keeps the latest edit, accepted or not.
func (a *attempt) noteLast(edits patch.ChangeSet) { a.last = edits }

// noteUnparsed keeps that the last syntax check found something.
func (a *attempt) noteUnparsed() { a.unparsed = true }

// found reports whether a gate found the same in the module's own tree.
func (a *attempt) found(name string, f gate.Finding) bool {
	for _, r := range a.checked {
		if r.Gate == name && slices.ContainsFunc(r.Findings, func(g gate.Finding) bool { return g.Path == f.Path && g.Message == f.Message && g.Test == f.Test }) {
			return true
		}
	}
	return false
}

const gateSyntax = "syntax"

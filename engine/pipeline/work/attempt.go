package work

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

// Attempt is the attempt under way: the tree that models edit, and the change that it makes. The executor writes it; the review reads it.
type Attempt struct {
	run   *Run
	job   *Job
	begin *Start

	Number   int             // from 1
	Last     patch.ChangeSet // the latest edit, accepted or not
	unparsed bool            // the last syntax check found something
	Idle     string          // why the attempt is taken for none; empty where something was changed
	Work     Work            // what is said of the attempt beside its edits
	Tree     step.State      // the edits of the attempt, as they were matched
	Changes  patch.ChangeSet // all of the attempt
	Edits    []Edited        // so far
	Resulted string          // a digest of the change; empty until there is one
	repeats  int             // the attempt whose edit or result this attempt has again; 0 where there is none
	unusable bool            // repeats is of an answer that could not be used
	Checked  []gate.Report   // what gates said of the tree, whatever they said before the run
}

// Start begins an attempt on a clean tree. The change and the latest edit of the attempt before stay until there are others.
func (a *Attempt) Start(number int) {
	a.Number, a.Idle, a.Work, a.repeats = number, "", Work{}, 0
	a.Tree, a.Edits, a.Resulted = a.begin.Tree, nil, ""
}

// With is the tree with more changes; none leave it as it is.
func (a *Attempt) With(changes patch.ChangeSet) step.State {
	if len(changes.Files) == 0 {
		return a.Tree
	}
	return a.Tree.With(changes)
}

// Made is what the module itself has changed.
func (a *Attempt) Made() patch.ChangeSet { return a.Changes.Since(a.begin.Given) }

// ToReview is what a reviewer is shown: of a part what it has changed, of the whole everything.
func (a *Attempt) ToReview() patch.ChangeSet {
	if a.job.Part != nil {
		return a.Made()
	}
	return a.Changes
}

// Forgotten are files that a part has changed and that were there before, although the plan gives them to no part.
func (a *Attempt) Forgotten() (names []string) {
	for _, f := range a.Made().Files {
		if f.Kind == patch.Create || a.run.Project.IsTest(f.Path) {
			continue
		}
		for _, name := range integrity.Paths(f) {
			if a.job.Part != nil && !slices.Contains(a.job.Part.Files, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// WithMatches gives the files of an attempt's result the matches of the edits that went into them: how
// exactly each fitted is for the user to see.
func (a *Attempt) WithMatches(changes patch.ChangeSet) patch.ChangeSet {
	for i := range changes.Files {
		for _, set := range a.Tree.Changes {
			for _, f := range set.Files {
				if f.Path == changes.Files[i].Path {
					changes.Files[i].Matches = append(changes.Files[i].Matches, f.Matches...)
				}
			}
		}
	}
	return changes
}

// Write has the tree of the attempt made, and gives what differs from the snapshot. name is of what was
// written last.
func (a *Attempt) Write(ctx context.Context, n graph.Node, name string) (patch.ChangeSet, step.Outcome) {
	changes, err := step.ActivityWrite.Call(ctx, a.run.Flow, At(n), "write/"+name, a.Tree)
	if err != nil {
		return changes, step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
	}
	return changes, step.Outcome{}
}

// NoteEdit keeps that an edit became part of the attempt.
func (a *Attempt) NoteEdit(changes patch.ChangeSet) {
	if len(changes.Files) == 0 {
		return
	}
	e := Edited{Digest: a.Fingerprint(changes)}
	for _, f := range changes.Files {
		e.Paths = append(e.Paths, f.Path)
	}
	slices.Sort(e.Paths)
	a.Edits = append(a.Edits, e)
}

// Fingerprint names what a tree becomes with an edit: the same implementation under other tests is another one. How the edit was made, and in how
// many steps, does not count.
func (a *Attempt) Fingerprint(changes patch.ChangeSet) string {
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
	for _, set := range append(slices.Clone(a.Tree.Changes), changes) {
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

// Add makes changes part of the attempt.
func (a *Attempt) Add(changes patch.ChangeSet) { a.Tree = a.With(changes) }

// Reopen makes a draft the result of the attempt.
func (a *Attempt) Reopen(d Draft) { a.Tree, a.Changes, a.unparsed = d.tree, d.Changes, d.broken }

// Repeat notes that the attempt is in one way the same as an earlier one; unusable says that it is so in an answer that could not be used.
func (a *Attempt) Repeat(earlier int, unusable bool) { a.repeats, a.unusable = earlier, unusable }

// Format has the files that a phase has changed formatted as their projects want it, before any gate says that they are not. What
// that changes becomes part of the attempt. name is the phase's.
func (a *Attempt) Format(ctx context.Context, n graph.Node, name string, changes patch.ChangeSet) step.Outcome {
	paths := Named(changes)
	if a.run.Task.KeepFormat || len(paths) == 0 {
		return step.Outcome{}
	}
	formatted, err := step.ActivityFormat.Call(ctx, a.run.Flow, At(n), "format/"+name, step.PathsCall{State: a.Tree, Paths: paths})
	if err != nil {
		return Unable(ctx, err)
	}
	if len(formatted.Files) == 0 {
		return step.Outcome{}
	}
	a.Add(formatted)
	a.run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: gate.Report{
		Gate: gateFormat, Verdict: gate.Pass, Executed: len(paths), Passed: len(paths),
		Summary: Shorten("formatted "+strings.Join(Named(formatted), ", "), 200), Output: formatted.Unified(1),
	}})
	return step.Outcome{}
}

// ParsedAgain reports that what could not be parsed can be, so that no fault is shown that is gone.
func (a *Attempt) ParsedAgain(files int) {
	if a.unparsed {
		a.unparsed = false
		a.run.Emit(event.GateFinished{Node: a.job.Node(NodeExecutor), Attempt: a.Number, Report: gate.Report{
			Gate: GateSyntax, Verdict: gate.Pass, Executed: files, Passed: files, Summary: "it can be parsed again",
		}})
	}
}

// GaveUp is the reason of a run whose attempts are used up, with that of the last one.
func (a *Attempt) GaveUp(reason string) string {
	return fmt.Sprintf("gave up after %d attempts: %s", a.Number, reason)
}

// Noop is what follows when the model says that it is done and has changed nothing, though the task wants a change: the gate
// noop fails. Another attempt is shown why; after the last one the run is blocked, for only the user can say who is right.
func (a *Attempt) Noop(n graph.Node, said string) step.Outcome {
	reason := "the model says that the work is done, and has changed nothing"
	if said = strings.TrimSpace(said); said != "" {
		reason += ": " + Shorten(said, 300)
	}
	a.Idle = reason
	a.run.Emit(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: gateNoop, Index: 1, Of: 1})
	a.run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: gate.Report{
		Gate: gateNoop, Verdict: gate.Fail, Executed: 1, Summary: Shorten(reason, 200),
		Findings: []gate.Finding{{Severity: gate.SeverityError, Rule: gateNoop, Message: reason}},
	}})
	return step.Outcome{Signal: step.Retryable, Reason: reason}
}

const gateNoop = "noop"

// gateFormat is reported like a gate, so that the user sees what was formatted.
const gateFormat = "format"

// FitsOn reports whether the files that the attempt changes are in a tree as they were when it began.
func (a *Attempt) FitsOn(ctx context.Context, n graph.Node, now step.State) (bool, error) {
	for _, f := range a.Changes.Files {
		text, err := step.ActivityRead.Call(ctx, a.run.Flow, At(n), "again/"+f.Path, step.ReadCall{State: now, Path: f.Path})
		_, failed := AsFailure(err)
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

// Finish makes changes the result of the attempt: what differs from the folder before any gate has run.
func (a *Attempt) Finish(changes patch.ChangeSet) { a.Changes = a.WithMatches(changes) }

// NoteLast keeps the latest edit, accepted or not.
func (a *Attempt) NoteLast(edits patch.ChangeSet) { a.Last = edits }

// NoteUnparsed keeps that the last syntax check found something.
func (a *Attempt) NoteUnparsed() { a.unparsed = true }

// Found reports whether a gate found the same in the module's own tree.
func (a *Attempt) Found(name string, f gate.Finding) bool {
	for _, r := range a.Checked {
		if r.Gate == name && slices.ContainsFunc(r.Findings, func(g gate.Finding) bool { return g.Path == f.Path && g.Message == f.Message && g.Test == f.Test }) {
			return true
		}
	}
	return false
}

// GateSyntax is what reports of files that cannot be parsed are named after.
const GateSyntax = "syntax"

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
	"forge/engine/overseer"
	"forge/engine/step"
	"forge/patch"
)

// Attempt is the current attempt: the tree that models edit, and its change. The executor writes it; the review reads it.
type Attempt struct {
	run   *Run
	job   *Job
	begin *Start

	Number   int                        // from 1
	Last     patch.ChangeSet            // the latest edit, accepted or not
	Phase    string                     // the latest phase of the attempt; empty before
	last     map[string]patch.ChangeSet // the latest edit of each phase, accepted or not, of this attempt or an earlier one
	unparsed bool                       // the last syntax check found something
	Idle     string                     // why the attempt counts as none; empty if something was changed
	Work     Work                       // the model's report besides its edits
	Tree     step.State                 // the edits of the attempt, as matched
	Changes  patch.ChangeSet            // all changes of the attempt
	Edits    []Edited                   // so far
	Resulted string                     // a digest of the change; empty before
	repeats  int                        // the attempt whose edit or result this attempt repeats; 0 for none
	unusable bool                       // repeats is about an unusable answer
	Checked  []gate.Report              // the gates' reports on the tree, regardless of the baseline
}

// Start begins an attempt on a clean tree. The change and the latest edit of the previous attempt stay until they are replaced.
func (a *Attempt) Start(number int) {
	a.Number, a.Phase, a.Idle, a.Work, a.repeats = number, "", "", Work{}, 0
	a.Tree, a.Edits, a.Resulted = a.begin.Tree, nil, ""
}

// With returns the tree with more changes; without any it stays as it is.
func (a *Attempt) With(changes patch.ChangeSet) step.State {
	if len(changes.Files) == 0 {
		return a.Tree
	}
	return a.Tree.With(changes)
}

// Made returns the module's own changes.
func (a *Attempt) Made() patch.ChangeSet { return a.Changes.Since(a.begin.Given) }

// ToReview returns what a reviewer sees: the changes of a part, or all changes of the whole.
func (a *Attempt) ToReview() patch.ChangeSet {
	if a.job.Part != nil {
		return a.Made()
	}
	return a.Changes
}

// Forgotten returns the existing files that a part has changed although the plan gives them to no part.
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

// WithMatches adds to the files of an attempt's result how exactly each edit matched, for the user.
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

// Write writes the tree of the attempt, and returns the differences from the snapshot. name is that of the last written step.
func (a *Attempt) Write(ctx context.Context, n graph.Node, name string) (patch.ChangeSet, step.Outcome) {
	changes, err := step.ActivityWrite.Call(ctx, a.run.Flow, At(n), "write/"+name, a.Tree)
	if err != nil {
		return changes, step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
	}
	return changes, step.Outcome{}
}

// NoteEdit records an edit of the attempt.
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

// Fingerprint identifies the tree after an edit: the same implementation under other tests differs. How the edit was made, and in
// how many steps, does not count.
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

// Add adds changes to the attempt.
func (a *Attempt) Add(changes patch.ChangeSet) { a.Tree = a.With(changes) }

// Reopen makes a draft the result of the attempt.
func (a *Attempt) Reopen(d Draft) {
	a.Tree, a.Changes, a.unparsed = d.tree, d.Changes, d.broken
	a.Work.Explain(d.Explanation, true)
}

// Repeat records that the attempt repeats an earlier one; unusable means in an answer that could not be used.
func (a *Attempt) Repeat(earlier int, unusable bool) { a.repeats, a.unusable = earlier, unusable }

// Format formats the files that a phase has changed with the projects' formatters, before any gate complains. The result becomes
// part of the attempt. name is the phase's.
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

// ParsedAgain reports that syntax errors are fixed, so that no outdated fault is shown.
func (a *Attempt) ParsedAgain(files int) {
	if a.unparsed {
		a.unparsed = false
		a.run.Emit(event.GateFinished{Node: a.job.Node(NodeExecutor), Attempt: a.Number, Report: gate.Report{
			Gate: GateSyntax, Verdict: gate.Pass, Executed: files, Passed: files, Summary: "the syntax errors are fixed",
		}})
	}
}

// GaveUp returns the reason of a run whose attempts are used up, with that of the last one.
func (a *Attempt) GaveUp(reason string) string {
	return fmt.Sprintf("gave up after %d attempts: %s", a.Number, reason)
}

// Noop returns the outcome if the model reports success without a change, though the task needs one: the gate noop fails.
// The next attempt sees why; after the last one the run is blocked, because only the user can decide who is right.
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

// gateFormat is reported like a gate, so that the user sees the formatted files.
const gateFormat = "format"

// FitsOn reports whether the files of the attempt are unchanged in a tree since it began.
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

// Finish makes changes the result of the attempt: the differences from the folder before any gate has run.
func (a *Attempt) Finish(changes patch.ChangeSet) { a.Changes = a.WithMatches(changes) }

// Begin notes which phase of the attempt begins.
func (a *Attempt) Begin(phase string) { a.Phase = phase }

// NoteLast keeps the latest edit of a phase, accepted or not.
func (a *Attempt) NoteLast(phase string, edits patch.ChangeSet) {
	if a.last == nil {
		a.last = map[string]patch.ChangeSet{}
	}
	a.Last, a.last[phase] = edits, edits
}

// LastOf returns the latest edit of a phase, accepted or not; none if it has made none.
func (a *Attempt) LastOf(phase string) patch.ChangeSet { return a.last[phase] }

// NoteUnparsed records that the last syntax check found something.
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

// GateSyntax is the gate of reports on syntax errors.
const GateSyntax = "syntax"

// Draft is the result of one attempt, accepted or not.
type Draft struct {
	Attempt int
	tree    step.State // as the attempt left it
	Changes patch.ChangeSet
	// Explanation is what the model says of it, on one line; empty if it says nothing, or no model made it.
	Explanation string
	tests       *patch.ChangeSet // those that were seen red for it
	red         integrity.Reds
	broken      bool          // a file that it changes cannot be parsed
	Checked     []gate.Report // the gates' decisions; nil if none ran
	Refused     string        // the reviewer's objection; empty without one
	reason      string        // why the attempt was not accepted; empty if unknown yet
}

// passed returns how many checks of the draft pass.
func (d Draft) passed() int { return overseer.AttemptOf(Deciding(d.Checked)).Passed }

// DoubtsAbout lists the objections to a draft, or why it is unchecked. why is the end of its run.
func (d Draft) DoubtsAbout(why string) []string {
	var lines []string
	for _, r := range d.Checked {
		if r.Verdict != gate.Pass && r.Decides() {
			lines = append(lines, fmt.Sprintf("%s: %s: %s", r.Gate, r.Verdict, FirstOf(r.Summary)))
		}
	}
	if d.Refused != "" {
		lines = append(lines, "review: "+FirstOf(d.Refused))
	}
	if len(lines) == 0 && d.reason != "" {
		lines = append(lines, FirstOf(d.reason))
	}
	if len(d.Checked) == 0 {
		lines = append(lines, "no check has run on this change")
	}
	if len(lines) == 0 || len(d.Checked) == 0 && d.reason == "" {
		lines = append(lines, FirstOf(why))
	}
	return lines
}

package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/proposal"
	"forge/engine/workspace"
	"forge/internal/inert"
	"forge/patch"
)

// accept lets the user choose: everything, file by file, or nothing. It returns the chosen paths.
func (s Session) accept(ctx context.Context, p *proposal.Proposal) ([]string, error) {
	var all []string
	for _, f := range p.Files {
		all = append(all, f.Change.Path)
	}
	if s.Flags.Yes && (p.Unverified == "" || s.Flags.unverified) {
		return all, s.Flags.control.covered(p, s.again(p))
	}
	if s.Flags.Yes || !s.Person {
		return nil, s.noConsent(p)
	}
	answer, err := s.Decide(ctx, whatToApply(all, p.Unverified != ""))
	switch {
	case errors.Is(err, event.ErrNoAnswer):
		return nil, terminal.ExitWith(terminal.ExitBlocked, "no answer, so nothing was applied")
	case err == nil && answer.Choice == "none":
		return nil, nil
	case err != nil:
		return nil, err
	case answer.Choice == "all" && len(all) == 1: // the only file
		return all, nil
	case answer.Choice == "all":
		return s.eachGuarded(ctx, p, all)
	}
	return s.fileByFile(ctx, all)
}

// again returns the command that accepts the proposal of a run later; empty for a patch.
func (s Session) again(p *proposal.Proposal) string {
	if strings.HasPrefix(p.RunID, "r-") {
		return ", as in\n  forge resume " + p.RunID + " --yes --allow-control PATH"
	}
	return ""
}

// whatToApply asks which changes to apply. The question of an unverified change says that it is unverified.
func whatToApply(paths []string, unverified bool) event.Question {
	what := "this change"
	if unverified {
		what = "this unverified change"
	}
	if len(paths) == 1 {
		return event.Question{
			Title: "Apply " + what + " to " + paths[0] + "?", Default: "none",
			Choices: []event.Choice{{ID: "all", Title: "Yes"}, {ID: "none", Title: "No"}},
		}
	}
	return event.Question{
		Title: fmt.Sprintf("Apply %s to %d files?", what, len(paths)), Default: "none",
		Choices: []event.Choice{{ID: "all", Title: "Apply all"}, {ID: "files", Title: "File by file"}, {ID: "none", Title: "Nothing"}},
	}
}

func (s Session) fileByFile(ctx context.Context, all []string) ([]string, error) {
	var chosen []string
	for _, path := range all {
		agreed, err := s.Confirm(ctx, "Apply "+path+"?", "")
		if err != nil {
			return nil, err
		}
		if agreed {
			chosen = append(chosen, path)
		}
	}
	return chosen, nil
}

// ApplyAccepted writes the accepted files, reads them back, and records in the ledger what was really written. moved maps each
// moved file to its old path.
func ApplyAccepted(ctx context.Context, e *engine.Engine, t terminal.Terminal, root string, p *proposal.Proposal, paths []string, moved map[string]string, outcome *RunOutcome) error {
	hunks, err := p.Select(proposal.Selection{Files: paths})
	if err != nil {
		return err
	}
	if err := e.Recover(ctx, root); err != nil { // before any file is read: a plan must not be based on a half-written older change
		return err
	}
	disk := diskReader{workspace.Snapshot{Root: root}}
	plans, err := p.Plan(hunks, disk.current)
	if err != nil {
		return err
	}
	written, err := e.Write(ctx, root, p, writes(plans, moved), planned(plans))
	if err != nil {
		return err
	}
	defer written.Release()
	accepted, err := disk.verify(p, plans, outcome)
	if err != nil {
		return err
	}
	for _, f := range outcome.Files {
		fmt.Fprintf(t.Err, "[forge] %s %s%s\n", f.State, inert.Text(f.Path), event.Because(whyNot[f.State]))
	}
	// The files are written: an interrupt must not keep them out of the ledger.
	if outcome.Checkpoint, err = written.Record(context.WithoutCancel(ctx), accepted); err != nil {
		return fmt.Errorf("the change is applied, but it is not recorded for undo: %w", err)
	}
	if len(accepted.Files) == 0 {
		fmt.Fprintln(t.Err, "[forge] nothing was applied; your files are unchanged")
		return nil
	}
	fmt.Fprintf(t.Err, "[forge] to undo: forge undo %s\n", p.RunID)
	return nil
}

// whyNot explains the states of files that are not self-explanatory.
var whyNot = map[string]string{
	statePartial:  "you changed the same lines since, so those were not changed",
	stateConflict: "you changed the same lines since, so the file was not changed",
	stateSkipped:  "nothing was left to do",
}

// writes converts plans to writes of files.
func writes(plans []proposal.FilePlan, moved map[string]string) []workspace.FileWrite {
	var list []workspace.FileWrite
	for _, plan := range plans {
		if len(plan.Edits) == 0 {
			continue
		}
		w := workspace.FileWrite{Path: plan.Path, Content: []byte(plan.Want), Delete: plan.Kind == patch.Delete, Like: moved[plan.Path]}
		if plan.Current.Exists {
			w.Base = workspace.Hash([]byte(plan.Current.Text))
		}
		list = append(list, w)
	}
	return list
}

// planned returns the ledger entry of a plan that is executed completely.
func planned(plans []proposal.FilePlan) patch.ChangeSet {
	var set patch.ChangeSet
	for _, plan := range plans {
		if len(plan.Edits) > 0 {
			want := proposal.Current{Text: plan.Want, Exists: plan.Kind != patch.Delete}
			set.Files = append(set.Files, changeOf(plan, want))
		}
	}
	return set
}

// diskReader reads files as they are on disk now.
type diskReader struct{ snapshot workspace.Snapshot }

func (d diskReader) current(path string) (proposal.Current, error) {
	data, err := d.snapshot.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return proposal.Current{}, nil
	}
	return proposal.Current{Text: string(data), Exists: err == nil}, err
}

// verify reads the files back, settles the states of the hunks, and returns what has really changed.
func (d diskReader) verify(p *proposal.Proposal, plans []proposal.FilePlan, outcome *RunOutcome) (patch.ChangeSet, error) {
	var accepted patch.ChangeSet
	for _, plan := range plans {
		now, err := d.current(plan.Path)
		if err != nil {
			return accepted, err
		}
		p.Confirm(plan, now)
		outcome.Files = append(outcome.Files, fileOutcome{Path: plan.Path, State: stateOf(plan)})
		if now == plan.Current {
			continue
		}
		accepted.Files = append(accepted.Files, changeOf(plan, now))
	}
	return accepted, nil
}

func stateOf(plan proposal.FilePlan) string {
	switch {
	case len(plan.Conflicts) > 0 && len(plan.Edits) > 0:
		return statePartial
	case len(plan.Conflicts) > 0:
		return stateConflict
	case len(plan.Edits) == 0:
		return stateSkipped
	}
	return stateApplied
}

// changeOf is the real change of a file.
func changeOf(plan proposal.FilePlan, now proposal.Current) patch.FileChange {
	kind := patch.Update
	switch {
	case !plan.Current.Exists:
		kind = patch.Create
	case !now.Exists:
		kind = patch.Delete
	}
	return patch.FileChange{Kind: kind, Path: plan.Path, Before: plan.Current.Text, After: now.Text}
}

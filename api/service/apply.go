package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"forge/engine/history"
	"forge/engine/proposal"
	"forge/engine/workspace"
	"forge/patch"
)

// Writer writes accepted changes into folders on disk, for fronts whose client does not.
type Writer interface {
	// Write writes files: all of them or none. The caller reads them back and records the result.
	Write(ctx context.Context, root string, p *proposal.Proposal, writes []workspace.FileWrite, planned patch.ChangeSet) (*history.Written, error)
}

// Applied is an accepted change after an attempt to apply it.
type Applied struct {
	Files      []AppliedFile
	Checkpoint string // empty if nothing has changed
}

// AppliedFile is a file of an accepted change.
type AppliedFile struct {
	Path  string
	State FileState
}

// FileState is what has become of an accepted file.
type FileState string

// The states of an accepted file.
const (
	FileApplied  FileState = "applied"
	FilePartial  FileState = "partial" // some of it conflicts with what is in the folder now
	FileSkipped  FileState = "skipped" // nothing was left to do
	FileConflict FileState = "conflict"
)

// Why explains a state that is not self-explanatory.
func (s FileState) Why() string {
	return map[FileState]string{
		FilePartial:  "you changed the same lines since, or lines beside them, so those were not changed",
		FileConflict: "you changed the same lines since, or lines beside them, so the file was not changed",
		FileSkipped:  "nothing was left to do",
	}[s]
}

// StateOf returns what becomes of a file if its plan is written.
func StateOf(plan proposal.FilePlan) FileState {
	switch {
	case len(plan.Conflicts) > 0 && len(plan.Edits) > 0:
		return FilePartial
	case len(plan.Conflicts) > 0:
		return FileConflict
	case len(plan.Edits) == 0:
		return FileSkipped
	}
	return FileApplied
}

// OnDisk reads the files of a folder as they are on disk now, for Proposal.Plan.
func OnDisk(root string) func(path string) (proposal.Current, error) {
	disk := workspace.Snapshot{Root: root}
	return func(path string) (proposal.Current, error) {
		data, err := disk.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return proposal.Current{}, nil
		}
		return proposal.Current{Text: string(data), Exists: err == nil}, err
	}
}

// ApplyPlans writes plans of a proposal into a folder on disk, reads the files back, settles the states of the hunks, and records in
// the ledger what was really written. like maps a file to the one whose permissions it gets.
func ApplyPlans(ctx context.Context, e Writer, root string, p *proposal.Proposal, plans []proposal.FilePlan, like map[string]string) (Applied, error) {
	written, err := e.Write(ctx, root, p, writes(plans, like), Planned(plans))
	if err != nil {
		return Applied{}, err
	}
	defer written.Release()
	var applied Applied
	current := OnDisk(root)
	for _, plan := range plans {
		now, err := current(plan.Path)
		if err != nil {
			return applied, err
		}
		p.Confirm(plan, now)
		applied.Files = append(applied.Files, AppliedFile{plan.Path, StateOf(plan)})
	}
	// The files are written: an interrupt must not keep them out of the ledger.
	if applied.Checkpoint, err = written.Record(context.WithoutCancel(ctx), Accepted(p, plans)); err != nil {
		return applied, fmt.Errorf("the change is applied, but it is not recorded for undo: %w", err)
	}
	return applied, nil
}

// writes converts plans to writes of files. A moved file is a new one and a deleted one.
func writes(plans []proposal.FilePlan, like map[string]string) []workspace.FileWrite {
	var list []workspace.FileWrite
	for _, plan := range plans {
		if len(plan.Edits) == 0 {
			continue
		}
		w := workspace.FileWrite{Path: plan.Path, Content: []byte(plan.Want), Delete: plan.Kind == patch.Delete, Like: like[plan.Path]}
		base := ""
		if plan.Current.Exists {
			base = workspace.Hash([]byte(plan.Current.Text))
		}
		if plan.Kind == patch.Move {
			w.Like = plan.From
			list = append(list, w, workspace.FileWrite{Path: plan.From, Delete: true, Base: base})
			continue
		}
		w.Base = base
		list = append(list, w)
	}
	return list
}

// Planned returns the ledger entry of plans that are carried out completely.
func Planned(plans []proposal.FilePlan) (set patch.ChangeSet) {
	for _, plan := range plans {
		if change, some := plan.Whole(); some {
			set.Files = append(set.Files, change)
		}
	}
	return set
}

// Accepted returns the ledger entry of those hunks of plans that the proposal has as accepted.
func Accepted(p *proposal.Proposal, plans []proposal.FilePlan) (set patch.ChangeSet) {
	accepted := p.Accepted()
	for _, plan := range plans {
		if change, some := plan.Change(accepted); some {
			set.Files = append(set.Files, change)
		}
	}
	return set
}

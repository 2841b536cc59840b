package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"

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
		FilePartial:  "you changed the same or adjacent lines since, so those were not changed",
		FileConflict: "you changed the same or adjacent lines since, so the file was not changed",
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

// OnDisk reads the files of a folder as they are on disk now, for Proposal.Plan. Below a file, and in the place of a folder, there is none.
func OnDisk(root string) func(path string) (proposal.Current, error) {
	disk := workspace.Snapshot{Root: root}
	return func(path string) (proposal.Current, error) {
		data, err := disk.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, workspace.ErrNoFolder) || err != nil && isFolder(root, path) {
			return proposal.Current{}, nil
		}
		return proposal.Current{Text: string(data), Exists: err == nil}, err
	}
}

// ApplyPlans writes plans of a proposal into a folder on disk, reads the files back, settles the states of the hunks, and records in
// the ledger what was really written. like maps a file to the one whose permissions it gets.
//
// A file whose place a folder takes, and those of a folder whose place a file takes, are deleted first, as a change of its own.
func ApplyPlans(ctx context.Context, e Writer, root string, p *proposal.Proposal, plans []proposal.FilePlan, like map[string]string) (Applied, error) {
	first, rest, err := makeWay(root, plans)
	if err != nil {
		return Applied{}, err
	}
	before, err := applyPlans(ctx, e, root, p, first, like)
	if err != nil {
		return before, err
	}
	applied, err := applyPlans(ctx, e, root, p, rest, like)
	return Applied{append(before.Files, applied.Files...), cmp.Or(applied.Checkpoint, before.Checkpoint)}, err
}

// applyPlans applies plans that are not in each other's way, as one change.
func applyPlans(ctx context.Context, e Writer, root string, p *proposal.Proposal, plans []proposal.FilePlan, like map[string]string) (Applied, error) {
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

// makeWay returns the deletions of plans without which others of them cannot be written, and the others.
func makeWay(root string, plans []proposal.FilePlan) (first, rest []proposal.FilePlan, err error) {
	made, around := written(plans)
	var deleted []string
	for _, plan := range plans {
		inTheWay := around[plan.Path]
		for dir := range foldersOf(plan.Path) {
			inTheWay = inTheWay || made[dir]
		}
		if inTheWay && plan.Kind == patch.Delete && len(plan.Edits) > 0 {
			first, deleted = append(first, plan), append(deleted, plan.Path)
		} else {
			rest = append(rest, plan)
		}
	}
	for _, plan := range rest {
		if plan.Kind == patch.Delete || len(plan.Edits) == 0 || !isFolder(root, plan.Path) {
			continue
		}
		if err := cleared(root, plan.Path, deleted); err != nil {
			return nil, nil, err
		}
	}
	return first, rest, nil
}

// written returns the paths that plans write, and the folders that these are in.
func written(plans []proposal.FilePlan) (made, around map[string]bool) {
	made, around = map[string]bool{}, map[string]bool{}
	for _, plan := range plans {
		if plan.Kind == patch.Delete || len(plan.Edits) == 0 {
			continue
		}
		made[plan.Path] = true
		for dir := range foldersOf(plan.Path) {
			around[dir] = true
		}
	}
	return made, around
}

// cleared reports, as a *patch.PathError, a file of a folder that is not among those to be deleted: no file can take the place of the folder.
func cleared(root, folder string, deleted []string) error {
	return filepath.WalkDir(filepath.Join(root, filepath.FromSlash(folder)), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		path, err := filepath.Rel(root, name)
		if err == nil && !slices.Contains(deleted, filepath.ToSlash(path)) {
			err = &patch.PathError{Path: folder, Cause: "it is a folder, which has other files, such as " + filepath.ToSlash(path)}
		}
		return err
	})
}

// foldersOf returns the folders that a path is in, the innermost first.
func foldersOf(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for dir := path.Dir(name); dir != "." && dir != "/" && yield(dir); dir = path.Dir(dir) {
		}
	}
}

func isFolder(root, path string) bool {
	info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(path)))
	return err == nil && info.IsDir()
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

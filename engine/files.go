package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"forge/engine/sandbox"
	"forge/engine/shadow"
	"forge/engine/state"
	"forge/engine/workspace"
	"forge/patch"
)

// contents are the files of folders as the user has them, unsaved texts included. Nothing is written to a folder.
type contents struct{ state *state.State }

// FileState is how a file differs from the commit that is checked out.
type FileState string

// The states.
const (
	Modified  FileState = "modified"
	Untracked FileState = "untracked" // the commit does not have it
	Deleted   FileState = "deleted"
)

// Changed is a file that differs from the commit that is checked out.
type Changed struct {
	Path   string
	State  FileState
	Change *patch.FileChange // its texts; nil if a diff cannot show it, such as a binary file
}

// Files lists the files of a folder by path, without ignored ones.
func (c contents) Files(ctx context.Context, s workspace.Snapshot) ([]string, error) {
	tree, err := c.tree(ctx, s)
	if err != nil {
		return nil, err
	}
	return tree.List(ctx)
}

// ReadFile returns the content of a file of a folder. The error matches fs.ErrNotExist for a file that is not among Files.
func (c contents) ReadFile(ctx context.Context, s workspace.Snapshot, path string) ([]byte, error) {
	tree, err := c.tree(ctx, s)
	if err != nil {
		return nil, err
	}
	return tree.ReadFile(path)
}

func (c contents) tree(ctx context.Context, s workspace.Snapshot) (asItIs, error) {
	repo, err := c.repo(ctx, s.Root)
	if err != nil && !sandbox.NotStarted(err) {
		return asItIs{}, err
	}
	return newAsItIs(ctx, s, repo, c.state.Dir()), nil
}

func (c contents) repo(ctx context.Context, root string) (*shadow.Repo, error) {
	if err := workspace.CheckRoot(root); err != nil {
		return nil, err
	}
	repo, err := c.state.Repo(ctx, root)
	if sandbox.NotStarted(err) {
		return nil, err
	}
	return repo, c.state.Explain(err)
}

// ChangedFiles lists the files of a folder that differ from the commit that is checked out. known is false without a commit that Forge
// can read.
func (c contents) ChangedFiles(ctx context.Context, s workspace.Snapshot) (files []Changed, known bool, err error) {
	repo, err := c.repo(ctx, s.Root)
	if sandbox.NotStarted(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	taken, err := repo.Snapshots.Take(ctx, s)
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", s.Root, err)
	}
	dirty, known, err := repo.History.Dirty(ctx, taken.Commit)
	if err != nil || !known {
		return nil, false, err
	}
	texts, _, err := repo.History.Uncommitted(ctx, taken.Commit)
	for _, f := range dirty {
		changed := Changed{Path: f.Path, State: Modified}
		if f.Mode == "" {
			changed.State = Untracked
		} else if _, gone := s.ReadFile(f.Path); errors.Is(gone, fs.ErrNotExist) {
			changed.State = Deleted
		}
		if i := slices.IndexFunc(texts.Files, func(c patch.FileChange) bool { return c.Path == f.Path }); i >= 0 {
			changed.Change = &texts.Files[i]
		}
		files = append(files, changed)
	}
	return files, true, err
}

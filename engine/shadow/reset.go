package shadow

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Reset brings the tree back to its snapshot, byte for byte: changed files, and everything that was
// added, ignored or not, also a repository that a test made.
func (t *Tree) Reset(ctx context.Context) error { return t.ResetTo(ctx, t.snapshot.Commit) }

// ResetTo does what Reset does, to a commit that Commit gave, of this tree or of another of this workspace.
// Changes goes on comparing with the tree's snapshot.
func (t *Tree) ResetTo(ctx context.Context, commit string) error {
	if err := checkCommit(commit); err != nil {
		return fmt.Errorf("reset the scratch tree: %w", err)
	}
	if err := t.need(commit); err != nil {
		return fmt.Errorf("reset the scratch tree: %w", err)
	}
	if err := t.bring(ctx, commit); err != nil {
		return fmt.Errorf("reset the scratch tree: %w", err)
	}
	clear(t.applied)
	return nil
}

// makeAccessible lets the walk into a folder that a test closed. WalkDir calls it before it reads the
// folder.
func makeAccessible(full string, entry fs.DirEntry) error {
	if !entry.IsDir() {
		return nil
	}
	info, err := entry.Info()
	if err != nil || info.Mode().Perm()&0o700 == 0o700 {
		return err
	}
	return os.Chmod(full, 0o700) //nolint:gosec // a folder needs x
}

// removeAll removes a folder also when parts of it are read-only, as Go's module cache is.
func removeAll(name string) error {
	if err := os.RemoveAll(name); err == nil {
		return nil
	}
	_ = filepath.WalkDir(name, func(full string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			return makeAccessible(full, entry)
		}
		return nil // RemoveAll below says what is wrong
	})
	return os.RemoveAll(name)
}

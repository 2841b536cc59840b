package shadow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Reset brings the tree back to its snapshot, byte for byte: changed files, and everything that was
// added, ignored or not, also a repository that a test made.
func (t *Tree) Reset(ctx context.Context) error {
	if err := t.reset(ctx); err != nil {
		return fmt.Errorf("reset the scratch tree: %w", err)
	}
	clear(t.applied)
	return nil
}

func (t *Tree) reset(ctx context.Context) error {
	if err := os.MkdirAll(t.Dir(), 0o700); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(t.home, "index.lock")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // a git that was cancelled leaves its lock
	}
	out, err := t.run(ctx, "ls-files", "-z")
	if err != nil {
		return err
	}
	if err := t.clean(records(out)); err != nil {
		return err
	}
	return t.restore(ctx)
}

// restore writes every file whose stat is not that of the index.
func (t *Tree) restore(ctx context.Context) error {
	_, err := t.run(ctx, "checkout-index", "--all", "--force", "--index", "--quiet")
	return err
}

// clean removes what is not of the snapshot: by name, and what is no folder where one has to be or the
// other way round.
func (t *Tree) clean(files []string) error {
	isFolder := map[string]bool{".": true} // false: a file
	for _, name := range files {
		isFolder[name] = false
		for dir := path.Dir(name); !isFolder[dir]; dir = path.Dir(dir) {
			isFolder[dir] = true
		}
	}
	return filepath.WalkDir(t.Dir(), func(full string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(t.Dir(), full)
		if err != nil {
			return err
		}
		folder, ours := isFolder[filepath.ToSlash(name)]
		if ours && folder == entry.IsDir() && !unreadable(entry) {
			return makeAccessible(full, entry)
		}
		if err := removeAll(full); err != nil {
			return err
		}
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}

// unreadable reports whether a test took a file's permissions away. git does not look at these bits; a
// file that is removed it writes anew.
func unreadable(entry fs.DirEntry) bool {
	info, err := entry.Info()
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o600 != 0o600
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

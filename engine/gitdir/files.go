package gitdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"forge/engine/sandbox"
	"forge/engine/workspace"
)

// lookers is the number of goroutines that examine files; the operating system does most of the work.
const lookers = 4

// Files are the files that belong to a folder. Installed files do not, even if git does not ignore them.
type Files struct {
	dir  *Dir
	user trackedCache
}

// NewFiles returns the files of the folder of a git directory.
func NewFiles(dir *Dir) *Files { return &Files{dir: dir} }

// Skipped is an omitted file.
type Skipped struct {
	Path   string
	Reason string // for users
}

// List returns the regular files that belong to the folder, sorted: those that are not ignored, and those that
// the user's repository tracks. It omits nested repositories and submodules. Size does not matter here. Without
// git, it returns the result of Walk.
func (f *Files) List(ctx context.Context) ([]string, error) {
	root := f.dir.Root
	if err := workspace.CheckRoot(root); err != nil {
		return nil, err
	}
	found, err := f.lockedCandidates(ctx)
	if _, missing := errors.AsType[*sandbox.NotStartedError](err); missing {
		return Walk(ctx, root, filepath.Dir(filepath.Dir(f.dir.Home)))
	}
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", root, err)
	}
	return f.regular(found), nil
}

// regular returns the names of regular files that git can store. It examines files concurrently. No name leads through a
// symbolic link: Candidates has omitted those.
func (f *Files) regular(names []string) []string {
	is := make([]bool, len(names))
	var looking sync.WaitGroup
	for first := range lookers {
		looking.Go(func() {
			for i := first; i < len(names); i += lookers {
				info, err := os.Lstat(f.dir.At(names[i]))
				is[i] = err == nil && info.Mode().IsRegular() && CheckKept(names[i]) == nil
			}
		})
	}
	looking.Wait()
	kept := names[:0]
	for i, name := range names {
		if is[i] {
			kept = append(kept, name)
		}
	}
	return kept
}

func (f *Files) lockedCandidates(ctx context.Context) ([]string, error) {
	unlock, err := f.dir.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	names, _, err := f.Candidates(ctx)
	return names, err
}

// unwanted are the folders that a walk omits: output, downloads and private data of tools.
var unwanted = map[string]bool{
	".git": true, ".hg": true, ".svn": true, ".jj": true, ".cache": true, ".gradle": true, ".idea": true, ".mypy_cache": true,
	".next": true, ".nox": true, ".nuxt": true, ".pytest_cache": true, ".ruff_cache": true, ".terraform": true, ".tox": true,
	".venv": true, ".vs": true, "__pycache__": true, "bower_components": true, "node_modules": true, "venv": true,
}

// Walk lists the regular files below root, sorted, for folders without git. It omits stateDir (absolute; may be
// empty), private folders of tools, and other repositories.
func Walk(ctx context.Context, root, stateDir string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if stop := ctx.Err(); stop != nil {
			return stop
		}
		switch {
		case err != nil && name == root:
			return err
		case err != nil:
			return nil //nolint:nilerr // unreadable, or deleted since
		case entry.IsDir() && name != root && (name == stateDir || leftOut(name)):
			return fs.SkipDir
		case entry.Type().IsRegular():
			path, err := filepath.Rel(root, name)
			if path = filepath.ToSlash(path); err == nil && CheckKept(path) == nil {
				found = append(found, path)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", root, err)
	}
	slices.Sort(found)
	return found, nil
}

// leftOut reports whether a folder is omitted. CACHEDIR.TAG marks caches (bford.info/cachedir).
func leftOut(dir string) bool {
	if unwanted[filepath.Base(dir)] {
		return true
	}
	for _, mark := range []string{".git", "CACHEDIR.TAG", "pyvenv.cfg"} {
		if _, err := os.Lstat(filepath.Join(dir, mark)); err == nil {
			return true
		}
	}
	return false
}

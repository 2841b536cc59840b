package shadow

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

// lookers is how many goroutines look at files: most of it is done by the system.
const lookers = 4

// Files lists the regular files that belong to the workspace, sorted: those that are not ignored, and those that
// the user's repository tracks. Nested repositories and submodules are left out. Size is no matter here. Without
// a git that can be started it is what Walk gives.
func (r *Repo) Files(ctx context.Context) ([]string, error) {
	if err := workspace.CheckRoot(r.root); err != nil {
		return nil, err
	}
	found, err := r.lockedCandidates(ctx)
	if missing := new(sandbox.NotStartedError); errors.As(err, &missing) {
		return Walk(ctx, r.root, filepath.Dir(filepath.Dir(r.home)))
	}
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", r.root, err)
	}
	return r.regular(found), nil
}

// regular keeps the names of regular files that git can keep. It looks at many at the same time. No name leads through a
// symbolic link: candidates has left those out.
func (r *Repo) regular(names []string) []string {
	is := make([]bool, len(names))
	var looking sync.WaitGroup
	for first := range lookers {
		looking.Go(func() {
			for i := first; i < len(names); i += lookers {
				info, err := os.Lstat(filepath.Join(r.root, filepath.FromSlash(names[i])))
				is[i] = err == nil && info.Mode().IsRegular() && checkKept(names[i]) == nil
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

func (r *Repo) lockedCandidates(ctx context.Context) ([]string, error) {
	unlock, err := r.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	names, _, err := r.candidates(ctx)
	return names, err
}

// unwanted are the folders that a walk leaves out: what tools make, fetch and keep for themselves.
var unwanted = map[string]bool{
	".git": true, ".hg": true, ".svn": true, ".jj": true, ".cache": true, ".gradle": true, ".idea": true, ".mypy_cache": true,
	".next": true, ".nox": true, ".nuxt": true, ".pytest_cache": true, ".ruff_cache": true, ".terraform": true, ".tox": true,
	".venv": true, ".vs": true, "__pycache__": true, "bower_components": true, "node_modules": true, "venv": true,
}

// Walk lists the regular files below root, sorted, for where there is no git to say what belongs to it. It
// leaves out stateDir (absolute; may be empty), folders that tools keep for themselves, and other repositories.
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
			return nil //nolint:nilerr // unreadable, or gone meanwhile
		case entry.IsDir() && name != root && (name == stateDir || leftOut(name)):
			return fs.SkipDir
		case entry.Type().IsRegular():
			path, err := filepath.Rel(root, name)
			if path = filepath.ToSlash(path); err == nil && checkKept(path) == nil {
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

// leftOut reports whether a folder is left out. CACHEDIR.TAG marks what can be made again (bford.info/cachedir).
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

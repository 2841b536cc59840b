package gitdir

import (
	"io/fs"
	"path/filepath"

	"forge/internal/lazyregexp"
)

// ownGitDirs returns the git directories of a repository's top folder (gitDirs), by their real paths, if they belong to it: they are in
// the folder, or they name it, as those of a linked worktree and of a submodule do. Otherwise a folder from an archive could name any
// repository of the user as its own, and models would read that one's history.
func ownGitDirs(top string) (dir, common string, ok bool) {
	dir, common, ok = gitDirs(top)
	if !ok {
		return "", "", false
	}
	for _, path := range []*string{&top, &dir, &common} {
		real, err := filepath.EvalSymlinks(*path)
		if err != nil {
			return "", "", false
		}
		*path = real
	}
	switch {
	case isWithin(top, dir):
		ok = isWithin(top, common)
	case common != dir:
		ok = filepath.Dir(dir) == filepath.Join(common, "worktrees") && names(dir, "gitdir", worktreeOf, filepath.Join(top, ".git"))
	default:
		ok = names(dir, "config", submoduleOf, top)
	}
	return dir, common, ok
}

var (
	worktreeOf  = lazyregexp.New(`^(.+?)\s*$`)
	submoduleOf = lazyregexp.New(`(?m)^\s*worktree\s*=\s*"?(.+?)"?\s*$`)
)

// names reports whether a file of a git directory contains a path, as a pattern finds it.
func names(dir, file string, pattern *lazyregexp.Regexp, path string) bool {
	text, err := readOwn(filepath.Join(dir, file), dir)
	if err != nil {
		return false
	}
	found := pattern.FindStringSubmatch(string(text))
	if found == nil {
		return false
	}
	real, err := filepath.EvalSymlinks(below(dir, found[1]))
	return err == nil && real == path
}

// readOwn reads a file of the user's repository that is really in one of its folders. They are real paths.
func readOwn(name string, folders ...string) ([]byte, error) {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		if isWithin(folder, real) {
			return readPlain(real)
		}
	}
	return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
}

// isWithin reports whether a path is a folder or below it.
func isWithin(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

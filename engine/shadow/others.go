package shadow

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
)

// others lists files that are not of the commit the tree was brought to and that no ignore rule names, at least all of them that Forge
// does not know anyway. Ignore rules are git's business, and git takes longer than everything else that is done here: it is asked
// only where there is a file that it could be asked about.
func (t *Tree) others(ctx context.Context) ([]string, error) {
	if t.isAllKnown() {
		return nil, nil
	}
	if err := t.index(ctx); err != nil {
		return nil, err
	}
	names, _, err := t.repo.untracked(ctx, command{tree: t.Dir(), index: t.indexFile()})
	return names, err
}

// errUnknown ends the walk of isAllKnown.
var errUnknown = errors.New("a file that Forge knows nothing of")

// isAllKnown reports whether the tree holds no file but those of its commit, of its snapshot, of Apply and what was borrowed. What
// cannot be read may hold anything.
func (t *Tree) isAllKnown() bool {
	root := t.Dir()
	return filepath.WalkDir(root, func(full string, entry fs.DirEntry, err error) error {
		if err != nil || full == root {
			return err
		}
		name := filepath.ToSlash(full[len(root)+1:])
		switch {
		case !entry.IsDir():
			return t.know(name)
		case t.borrowed[name]:
			return fs.SkipDir
		case entry.Name() == ".git": // git does not look into other repositories
			return errUnknown
		}
		return nil
	}) == nil
}

func (t *Tree) know(name string) error {
	if _, of := t.known.files[name]; of || t.applied[name] || t.borrowed[name] {
		return nil
	}
	if _, of := t.base[name]; of {
		return nil
	}
	return errUnknown
}

package shadow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"forge/engine/gitdir"
	"forge/patch"
)

// Changes compares the tree with its snapshot and gives every changed file as whole texts, ordered by
// path. A move is a Delete and a Create. New files that an ignore rule names are left out, unless Apply
// wrote them, and so is what was installed (see loans). What a proposal cannot show is left out as well: binary files (a NUL, or no UTF-8) on
// either side, files above MaxFileSize, symbolic links, permissions.
func (t *Tree) Changes(ctx context.Context) (patch.ChangeSet, error) {
	set, err := t.changes(ctx)
	if err != nil {
		return patch.ChangeSet{}, fmt.Errorf("compare the scratch tree with its snapshot: %w", err)
	}
	return set, nil
}

func (t *Tree) changes(ctx context.Context) (patch.ChangeSet, error) {
	before := t.touched()
	texts, err := t.held.dir.Objects(ctx, before.IDs())
	if err != nil {
		return patch.ChangeSet{}, err
	}
	added, err := t.added(ctx)
	if err != nil {
		return patch.ChangeSet{}, err
	}
	var set patch.ChangeSet
	for name, l := range before {
		if change, ok := t.compare(name, texts[l.ID], true); ok {
			set.Files = append(set.Files, change)
		}
	}
	for _, name := range added {
		if change, ok := t.compare(name, nil, false); ok {
			set.Files = append(set.Files, change)
		}
	}
	slices.SortFunc(set.Files, func(a, b patch.FileChange) int { return strings.Compare(a.Path, b.Path) })
	return set, nil
}

// touched returns the regular files of the snapshot that are not known to be as it has them.
func (t *Tree) touched() gitdir.Listing {
	found := gitdir.Listing{}
	for name, h := range t.held.known.files {
		if h.Mode != gitdir.LinkMode && !t.held.untouched(name) {
			found[name] = h.Leaf
		}
	}
	return found
}

// added lists the files that are not of the snapshot, sorted: what no ignore rule names, and what Apply wrote.
func (t *Tree) added(ctx context.Context) ([]string, error) {
	names, err := t.others(ctx)
	if err != nil {
		return nil, err
	}
	names = slices.AppendSeq(names, maps.Keys(t.applied))
	slices.Sort(names)
	nests := gitdir.NewNests(t.Dir())
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		_, old := t.held.known.files[name]
		return old || strings.HasSuffix(name, "/") || !t.applied[name] && t.loans.has(name) || nests.Inside(name)
	}), nil
}

// others lists files that are not of the snapshot and that no ignore rule names, at least all of them that Forge
// does not know anyway. Ignore rules are git's business, and git takes longer than everything else that is done here: it is asked
// only where there is a file that it could be asked about.
func (t *Tree) others(ctx context.Context) ([]string, error) {
	if t.isAllKnown() {
		return nil, nil
	}
	if err := t.held.index(ctx); err != nil {
		return nil, err
	}
	names, _, err := t.trees.files.Untracked(ctx, t.Dir(), t.held.indexFile())
	return names, err
}

// errUnknown ends the walk of isAllKnown.
var errUnknown = errors.New("a file that Forge knows nothing of")

// isAllKnown reports whether the tree holds no file but those of its snapshot, of Apply and what was lent. What
// cannot be read may hold anything.
func (t *Tree) isAllKnown() bool {
	root := t.Dir()
	return filepath.WalkDir(root, func(full string, entry fs.DirEntry, err error) error {
		if err != nil || full == root {
			return err
		}
		name := filepath.ToSlash(full[len(root)+1:])
		_, known := t.held.known.files[name]
		switch {
		case entry.IsDir() && t.loans.lent[name]:
			return fs.SkipDir
		case entry.IsDir() && entry.Name() != ".git": // git does not look into other repositories
			return nil
		case known || t.applied[name] || t.loans.lent[name]:
			return nil
		}
		return errUnknown
	}) == nil
}

// compare returns the change of one file, if it is one that a proposal can show.
func (t *Tree) compare(name string, before []byte, existed bool) (patch.FileChange, bool) {
	after, exists, ok := t.text(name)
	if !ok || !gitdir.IsText(before) || existed && exists && bytes.Equal(before, after) {
		return patch.FileChange{}, false
	}
	change := patch.FileChange{Path: name, Before: string(before), After: string(after)}
	switch {
	case existed && exists:
		change.Kind = patch.Update
	case exists:
		change.Kind = patch.Create
	case existed:
		change.Kind = patch.Delete
	default:
		return patch.FileChange{}, false
	}
	return change, true
}

// text reads a file of the tree. It is not ok when the file is no text; a missing one is ok.
func (t *Tree) text(name string) (content []byte, exists, ok bool) {
	info, err := os.Lstat(t.held.at(name))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || err == nil && info.IsDir() {
		return nil, false, true
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > MaxFileSize {
		return nil, true, false
	}
	content, err = t.ReadFile(name)
	return content, true, err == nil && gitdir.IsText(content)
}

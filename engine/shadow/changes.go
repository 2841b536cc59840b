package shadow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"forge/engine/gitdir"
	"forge/patch"
)

// Changes compares the tree with its snapshot and returns every changed file with its whole texts, ordered by path. A move is a
// Delete and a Create. It omits new files that are ignored, unless Apply wrote them, and installed ones (see links). It also omits
// what a proposal cannot show: binary files (with a NUL, or invalid UTF-8) on either side, files above MaxFileSize, symbolic links,
// permissions.
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

// touched returns the regular files of the snapshot that may have changed.
func (t *Tree) touched() gitdir.Listing {
	found := gitdir.Listing{}
	for name, h := range t.held.known.files {
		if h.Mode != gitdir.LinkMode && !t.held.untouched(name) {
			found[name] = h.Leaf
		}
	}
	return found
}

// added lists the files outside of the snapshot, sorted: those that are not ignored, and those that Apply wrote.
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
		return old || strings.HasSuffix(name, "/") || !t.applied[name] && t.links.has(name) || nests.Inside(name)
	}), nil
}

// others lists files outside of the snapshot that are not ignored, at least all that are unknown to Forge. git applies the ignore
// rules, which takes longer than everything else here, so it is only called if there may be such a file.
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
var errUnknown = errors.New("a file that is unknown to Forge")

// isAllKnown reports whether the tree contains only files of its snapshot, of Apply and linked ones. An
// unreadable folder may contain anything.
func (t *Tree) isAllKnown() bool {
	root := t.Dir()
	return filepath.WalkDir(root, func(full string, entry fs.DirEntry, err error) error {
		if err != nil || full == root {
			return err
		}
		name := filepath.ToSlash(full[len(root)+1:])
		_, known := t.held.known.files[name]
		switch {
		case entry.IsDir() && t.links.linked[name]:
			return fs.SkipDir
		case entry.IsDir() && entry.Name() != ".git": // git does not look into other repositories
			return nil
		case known || t.applied[name] || t.links.linked[name]:
			return nil
		}
		return errUnknown
	}) == nil
}

// compare returns the change of one file, if a proposal can show it.
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

// text reads a file of the tree. It is not ok for a binary file; a missing one is ok.
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

// An installation may write a file into the code of a Python project, for its version. git ignores it, so no snapshot contains it;
// but the code imports it (setuptools-scm's version_file, hatch-vcs, PDM). Like installed packages, it is made visible in the tree
// by a link.

// find finds generated files next to the modules of a snapshot.
func (l *links) find(of map[string]held) {
	l.generated = nil
	if runtime.GOOS == "windows" {
		return // see renew
	}
	for name := range of {
		if path.Base(name) != "__init__.py" {
			continue
		}
		dir := path.Dir(name)
		entries, err := os.ReadDir(l.dir.At(dir))
		if err != nil {
			continue // removed since
		}
		for _, entry := range entries {
			if _, known := of[path.Join(dir, entry.Name())]; !known && entry.Type().IsRegular() && isVersion(entry.Name()) {
				l.generated = append(l.generated, path.Join(dir, entry.Name()))
			}
		}
	}
	slices.Sort(l.generated)
}

// isVersion reports whether a name is that of a generated version module: _version.py, __version__.py, _dist_ver.py.
func isVersion(base string) bool {
	name, is := strings.CutSuffix(base, ".py")
	return is && (strings.Contains(name, "version") || strings.HasSuffix(name, "_ver"))
}

// linkGenerated links the generated files into the tree.
func (l *links) linkGenerated() error {
	for _, name := range l.generated {
		if err := os.Symlink(l.dir.At(name), filepath.Join(l.tree, filepath.FromSlash(name))); err != nil {
			return err
		}
		l.linked[name] = true
	}
	return nil
}

// takesOver removes a linked file that is about to be written.
func (l *links) takesOver(root *os.Root, name string) error {
	if !slices.Contains(l.generated, name) || !l.linked[name] {
		return nil
	}
	delete(l.linked, name)
	return root.Remove(name)
}

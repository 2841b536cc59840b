package shadow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"forge/patch"
)

// Changes compares the tree with its snapshot and gives every changed file as whole texts, ordered by
// path. A move is a Delete and a Create. New files that an ignore rule names are left out, unless Apply
// wrote them, and so is what was installed (borrow). What a proposal cannot show is left out as well: binary files (a NUL, or no UTF-8) on
// either side, files above MaxFileSize, symbolic links, permissions.
func (t *Tree) Changes(ctx context.Context) (patch.ChangeSet, error) {
	set, err := t.changes(ctx)
	if err != nil {
		return patch.ChangeSet{}, fmt.Errorf("compare the scratch tree with its snapshot: %w", err)
	}
	return set, nil
}

func (t *Tree) changes(ctx context.Context) (patch.ChangeSet, error) {
	before := t.changed()
	texts, err := t.repo.objects(ctx, before.ids())
	if err != nil {
		return patch.ChangeSet{}, err
	}
	added, err := t.added(ctx)
	if err != nil {
		return patch.ChangeSet{}, err
	}
	var set patch.ChangeSet
	for name, l := range before {
		if change, ok := t.compare(name, texts[l.id], true); ok {
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

// ids are the contents of the files.
func (l listing) ids() []string {
	var ids []string
	for _, leaf := range l {
		ids = append(ids, leaf.id)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// changed gives the regular files of the snapshot that are not known to be as it has them.
func (t *Tree) changed() listing {
	found := listing{}
	for name, l := range t.base {
		if h, ok := t.known.files[name]; l.mode != linkMode && (!ok || h.leaf != l || !t.untouched(name, h)) {
			found[name] = l
		}
	}
	return found
}

// untouched reports whether a file is still the one that was written when its stamp was taken.
func (t *Tree) untouched(name string, h held) bool {
	if h.stamp == (stamp{}) {
		return false
	}
	info, err := os.Lstat(filepath.Join(t.Dir(), filepath.FromSlash(name)))
	return err == nil && stampOf(info) == h.stamp
}

// added lists the files that are not of the snapshot, sorted: what no ignore rule names, what Apply wrote, and
// what a commit had that the tree was reset to.
func (t *Tree) added(ctx context.Context) ([]string, error) {
	names, err := t.others(ctx)
	if err != nil {
		return nil, err
	}
	for name := range t.applied {
		names = append(names, name)
	}
	for name := range t.known.files {
		names = append(names, name)
	}
	slices.Sort(names)
	nests := newNests(t.Dir())
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		_, old := t.base[name]
		return old || strings.HasSuffix(name, "/") || t.isBorrowed(name) || nests.inside(name)
	}), nil
}

// compare gives the change of one file, if it is one that a proposal can show.
func (t *Tree) compare(name string, before []byte, existed bool) (patch.FileChange, bool) {
	after, exists, ok := t.text(name)
	if !ok || !isText(before) || existed && exists && bytes.Equal(before, after) {
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
	info, err := os.Lstat(filepath.Join(t.Dir(), filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		return nil, false, true
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > MaxFileSize {
		return nil, true, false
	}
	content, err = t.ReadFile(name)
	return content, true, err == nil && isText(content)
}

func isText(content []byte) bool {
	return utf8.Valid(content) && bytes.IndexByte(content, 0) < 0
}

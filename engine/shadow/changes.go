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
// wrote them. What a proposal cannot show is left out as well: binary files (a NUL, or no UTF-8) on
// either side, files above MaxFileSize, symbolic links, permissions.
func (t *Tree) Changes(ctx context.Context) (patch.ChangeSet, error) {
	set, err := t.changes(ctx)
	if err != nil {
		return patch.ChangeSet{}, fmt.Errorf("compare the scratch tree with its snapshot: %w", err)
	}
	return set, nil
}

func (t *Tree) changes(ctx context.Context) (patch.ChangeSet, error) {
	before, err := t.changed(ctx)
	if err != nil {
		return patch.ChangeSet{}, err
	}
	texts, err := t.repo.objects(ctx, before.ids())
	if err != nil {
		return patch.ChangeSet{}, err
	}
	added, err := t.added(ctx, before)
	if err != nil {
		return patch.ChangeSet{}, err
	}
	var set patch.ChangeSet
	for name, id := range before {
		if change, ok := t.compare(name, texts[id], true); ok {
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

// recorded are files of the snapshot, by path, with the ids of their contents.
type recorded map[string]string

func (r recorded) ids() []string {
	var ids []string
	for _, id := range r {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// changed lists the regular files of the snapshot that git thinks changed: their stat did.
func (t *Tree) changed(ctx context.Context) (recorded, error) {
	out, err := t.run(ctx, "diff-files", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", "--no-textconv")
	if err != nil {
		return nil, err
	}
	return parseRaw(records(out))
}

// errRaw says that the output of git diff-files is not what git-diff-files documents.
var errRaw = errors.New("git's list of changed files could not be understood")

// parseRaw reads pairs of ":oldmode newmode oldid newid status" and a path.
func parseRaw(fields []string) (recorded, error) {
	found := recorded{}
	for pair := range slices.Chunk(fields, 2) {
		info := strings.Fields(pair[0])
		if len(pair) != 2 || len(info) != 5 || !strings.HasPrefix(info[0], ":") {
			return nil, errRaw
		}
		if strings.HasPrefix(info[0], ":100") {
			found[pair[1]] = info[2]
		}
	}
	return found, nil
}

// added lists the files that are not of the snapshot.
func (t *Tree) added(ctx context.Context, known recorded) ([]string, error) {
	others, err := t.run(ctx, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	names := records(others)
	if len(t.applied) > 0 {
		tracked, err := t.run(ctx, "ls-files", "-z")
		if err != nil {
			return nil, err
		}
		for name := range t.applied {
			names = append(names, name)
		}
		names = without(names, records(tracked))
	}
	slices.Sort(names)
	nests := newNests(t.Dir())
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		_, old := known[name]
		return old || strings.HasSuffix(name, "/") || nests.inside(name)
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

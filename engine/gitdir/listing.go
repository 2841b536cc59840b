package gitdir

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
)

// Leaf is a file of a commit: its mode in git's form, and the id of its content.
type Leaf struct {
	Mode string
	ID   string
}

// Modes of leaves. Submodules and folders are no leaves.
const (
	PlainMode   = "100644"
	ProgramMode = "100755"
	LinkMode    = "120000"
)

// Listing is the files of a commit, by path.
type Listing map[string]Leaf

// Listing reads the files of a commit. If the Listing of another commit is known, it only reads the differences.
func (d *Dir) Listing(ctx context.Context, commit, knownCommit string, known Listing) (Listing, error) {
	if commit == knownCommit {
		return known, nil
	}
	if knownCommit != "" {
		changed, err := d.differences(ctx, knownCommit, commit)
		if err == nil {
			return known.with(changed), nil
		}
		if _, failed := errors.AsType[*Error](err); !failed {
			return nil, err
		}
	}
	entries, err := d.list(ctx, Command{Args: []string{"ls-tree", "-r", "-z", "--full-tree", commit}, Dir: d.Git})
	if err != nil {
		return nil, err
	}
	return parseTree(entries), nil
}

// parseTree parses the output of git ls-tree -z: "mode type id\tpath".
func parseTree(entries []string) Listing {
	files := make(Listing, len(entries))
	for _, e := range entries {
		info, name, _ := strings.Cut(e, "\t")
		if fields := strings.Fields(info); len(fields) == 3 {
			files[name] = Leaf{Mode: fields[0], ID: fields[2]}
		}
	}
	return files
}

// difference is a file that differs between two commits; a zero Leaf is a missing file.
type difference struct {
	path          string
	before, after Leaf
}

// differences compares two commits, by path.
func (d *Dir) differences(ctx context.Context, before, after string) ([]difference, error) {
	fields, err := d.list(ctx, Command{
		Args: []string{"diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", "--no-textconv", before, after, "--"},
		Dir:  d.Git,
	})
	if err != nil {
		return nil, err
	}
	return parseRaw(fields)
}

// errRaw means that git's output is not in the format of git-diff-tree's documentation.
var errRaw = errors.New("git's list of changed files could not be understood")

// parseRaw parses pairs of ":oldmode newmode oldid newid status" and a path.
func parseRaw(fields []string) ([]difference, error) {
	var found []difference
	for pair := range slices.Chunk(fields, 2) {
		info := strings.Fields(pair[0])
		if len(pair) != 2 || len(info) != 5 || !strings.HasPrefix(info[0], ":") {
			return nil, errRaw
		}
		d := difference{path: pair[1], before: Leaf{info[0][1:], info[2]}, after: Leaf{info[1], info[3]}}
		for _, side := range []*Leaf{&d.before, &d.after} {
			if strings.Trim(side.Mode, "0") == "" {
				*side = Leaf{}
			}
		}
		found = append(found, d)
	}
	return found, nil
}

// with returns a Listing with some files changed.
func (l Listing) with(changed []difference) Listing {
	files := maps.Clone(l)
	for _, d := range changed {
		if d.after == (Leaf{}) {
			delete(files, d.path)
		} else {
			files[d.path] = d.after
		}
	}
	return files
}

// Folders returns every folder that must exist, including the top one.
func (l Listing) Folders() map[string]bool {
	found := map[string]bool{".": true}
	for name := range l {
		for dir := path.Dir(name); !found[dir]; dir = path.Dir(dir) {
			found[dir] = true
		}
	}
	return found
}

// IDs returns the ids of the files' contents, without duplicates, sorted.
func (l Listing) IDs() []string {
	var ids []string
	for _, leaf := range l {
		ids = append(ids, leaf.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

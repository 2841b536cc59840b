package shadow

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
)

// leaf is a file of a commit: its mode as git writes it, and the id of its content.
type leaf struct{ mode, id string }

// Modes of leaves. Submodules and folders are none.
const (
	plainMode   = "100644"
	programMode = "100755"
	linkMode    = "120000"
)

// listing is what a commit holds, by path.
type listing map[string]leaf

// list reads the files of a commit. From one whose listing is known only the differences are read.
func (r *Repo) listing(ctx context.Context, commit, knownCommit string, known listing) (listing, error) {
	if commit == knownCommit {
		return known, nil
	}
	if knownCommit != "" {
		changed, err := r.differences(ctx, knownCommit, commit)
		if err == nil {
			return known.with(changed), nil
		}
		if failed := new(gitError); !errors.As(err, &failed) {
			return nil, err
		}
	}
	entries, err := r.list(ctx, command{args: []string{"ls-tree", "-r", "-z", "--full-tree", commit}, dir: r.git})
	if err != nil {
		return nil, err
	}
	return parseTree(entries), nil
}

// parseTree reads what git ls-tree -z says: "mode type id\tpath".
func parseTree(entries []string) listing {
	files := make(listing, len(entries))
	for _, e := range entries {
		info, name, _ := strings.Cut(e, "\t")
		if fields := strings.Fields(info); len(fields) == 3 {
			files[name] = leaf{mode: fields[0], id: fields[2]}
		}
	}
	return files
}

// difference is a file of which two commits say different things; a zero leaf is no file.
type difference struct {
	path          string
	before, after leaf
}

// differences compares two commits, by path.
func (r *Repo) differences(ctx context.Context, before, after string) ([]difference, error) {
	fields, err := r.list(ctx, command{
		args: []string{"diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", "--no-textconv", before, after, "--"},
		dir:  r.git,
	})
	if err != nil {
		return nil, err
	}
	return parseRaw(fields)
}

// errRaw says that git's output is not what git-diff-tree documents.
var errRaw = errors.New("git's list of changed files could not be understood")

// parseRaw reads pairs of ":oldmode newmode oldid newid status" and a path.
func parseRaw(fields []string) ([]difference, error) {
	var found []difference
	for pair := range slices.Chunk(fields, 2) {
		info := strings.Fields(pair[0])
		if len(pair) != 2 || len(info) != 5 || !strings.HasPrefix(info[0], ":") {
			return nil, errRaw
		}
		d := difference{path: pair[1], before: leaf{info[0][1:], info[2]}, after: leaf{info[1], info[3]}}
		for _, side := range []*leaf{&d.before, &d.after} {
			if strings.Trim(side.mode, "0") == "" {
				*side = leaf{}
			}
		}
		found = append(found, d)
	}
	return found, nil
}

// with gives a listing in which some files are different.
func (l listing) with(changed []difference) listing {
	files := maps.Clone(l)
	for _, d := range changed {
		if d.after == (leaf{}) {
			delete(files, d.path)
		} else {
			files[d.path] = d.after
		}
	}
	return files
}

// folders gives every folder that has to be there, the top one included.
func (l listing) folders() map[string]bool {
	found := map[string]bool{".": true}
	for name := range l {
		for dir := path.Dir(name); !found[dir]; dir = path.Dir(dir) {
			found[dir] = true
		}
	}
	return found
}

package shadow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"forge/engine/sandbox"
	"forge/patch"
)

// maxUncommitted is how many files that differ are compared, the first by path: a person who has changed more did not do it by hand.
const maxUncommitted = 1000

// Uncommitted compares the commit that the user has checked out with a snapshot, and gives every file that differs as whole
// texts, ordered by path. It is read as data, with a git directory of Forge's own: no filter of the user's runs. So a file
// that only differs in its line ends is no difference, nor is one whose commit has but a pointer to it (git-lfs). What a
// proposal cannot show is left out, as in Diff. There is nothing to compare with where History finds no commit, and where
// the repository names its objects by SHA-256: then known is false.
func (r *Repo) Uncommitted(ctx context.Context, snapshot string) (set patch.ChangeSet, known bool, err error) {
	o, ok := findOrigin(r.root)
	if !ok || len(o.head) != len(snapshot) {
		return set, false, nil
	}
	set, err = r.uncommitted(ctx, o, snapshot)
	if err != nil {
		return patch.ChangeSet{}, false, fmt.Errorf("compare %s with its last commit: %w", r.root, err)
	}
	return set, true, nil
}

func (r *Repo) uncommitted(ctx context.Context, o origin, snapshot string) (set patch.ChangeSet, err error) {
	dir, err := r.pastRepository(ctx, o)
	if err != nil {
		return set, err
	}
	before, err := r.committed(ctx, dir, o)
	if err != nil {
		return set, err
	}
	after, err := r.listing(ctx, snapshot, "", nil)
	if err != nil {
		return set, err
	}
	changed := slices.DeleteFunc(differ(before, after), r.leftOut)
	olds, err := r.pastObjects(ctx, dir, o, idsOf(changed, func(d difference) leaf { return d.before }))
	if err != nil {
		return set, err
	}
	news, err := r.objects(ctx, idsOf(changed, func(d difference) leaf { return d.after }))
	if err != nil {
		return set, err
	}
	for id, text := range news {
		olds[id] = text // the same id is the same text
	}
	for _, d := range changed {
		if change, ok := d.change(olds); ok && !onlyStoredOtherwise(change) {
			set.Files = append(set.Files, change)
		}
	}
	return set, nil
}

// leftOut reports whether a file is missing in the snapshot although it is there: it is too large, say.
func (r *Repo) leftOut(d difference) bool {
	if d.after != (leaf{}) {
		return false
	}
	_, err := os.Lstat(filepath.Join(r.root, filepath.FromSlash(d.path)))
	return !errors.Is(err, fs.ErrNotExist)
}

// onlyStoredOtherwise reports whether a file says the same, but for what git's filters do.
func onlyStoredOtherwise(c patch.FileChange) bool {
	if c.Kind == patch.Update && strings.HasPrefix(c.Before, "version https://git-lfs.github.com/spec/") {
		return true
	}
	return c.Kind == patch.Update && strings.ReplaceAll(c.Before, "\r\n", "\n") == strings.ReplaceAll(c.After, "\r\n", "\n")
}

// differ compares two listings, by path, as far as maxUncommitted.
func differ(before, after listing) []difference {
	var found []difference
	for name, l := range before {
		if now := after[name]; now.id != l.id {
			found = append(found, difference{name, l, now})
		}
	}
	for name, l := range after {
		if _, old := before[name]; !old {
			found = append(found, difference{path: name, after: l})
		}
	}
	slices.SortFunc(found, func(a, b difference) int { return strings.Compare(a.path, b.path) })
	return found[:min(len(found), maxUncommitted)]
}

// idsOf are the contents of the regular files on one side.
func idsOf(changed []difference, side func(difference) leaf) []string {
	var ids []string
	for _, d := range changed {
		if l := side(d); l.plain() {
			ids = append(ids, l.id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// committed lists the files of the commit that is checked out, from the folder on.
func (r *Repo) committed(ctx context.Context, dir string, o origin) (listing, error) {
	tree := o.head
	if o.prefix != "" {
		tree += ":" + o.prefix
	}
	out, err := r.ofThePast(ctx, dir, o, nil, "ls-tree", "-r", "-z", "--full-tree", tree)
	failed := new(gitError)
	if errors.As(err, &failed) && o.prefix != "" { // the folder is in no commit yet
		return listing{}, nil
	}
	if err != nil {
		return nil, err
	}
	return parseTree(records(out)), nil
}

// pastObjects reads contents of the user's repository.
func (r *Repo) pastObjects(ctx context.Context, dir string, o origin, ids []string) (map[string][]byte, error) {
	if len(ids) == 0 {
		return map[string][]byte{}, nil
	}
	out, err := r.ofThePast(ctx, dir, o, ids, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	return parseObjects(out)
}

// ofThePast calls git on the user's objects, with a git directory that has no settings but ours. Each of lines is a line of its input.
func (r *Repo) ofThePast(ctx context.Context, dir string, o origin, lines []string, args ...string) ([]byte, error) {
	result, err := r.runner.Run(ctx, sandbox.Command{
		Argv: append([]string{"git", "-c", "core.commitGraph=false"}, args...), Dir: dir, Env: pastEnvironment(dir, o),
		Stdin: strings.NewReader(strings.Join(lines, "\n") + "\n"), Timeout: historyTimeout, MaxOutput: maxHistoryOutput,
	})
	switch {
	case err != nil:
		return nil, err
	case result.TimedOut || result.Truncated:
		return nil, fmt.Errorf("git %s said too much, or took too long", args[0])
	case result.ExitCode != 0:
		return nil, &gitError{args[0], result.ExitCode, strings.TrimSpace(string(result.Stderr))}
	}
	return result.Stdout, nil
}

// Branch names the branch that the user has checked out; empty where HEAD is a commit, or there is no repository. It reads a
// few small files and starts no process.
func (r *Repo) Branch() string {
	top, ok := repositoryTop(r.root)
	if !ok {
		return ""
	}
	dir, _, ok := gitDirs(top)
	if !ok {
		return ""
	}
	text, err := readPlain(filepath.Join(dir, "HEAD"))
	name, symbolic := strings.CutPrefix(strings.TrimSpace(string(text)), "ref: refs/heads/")
	if err != nil || !symbolic {
		return ""
	}
	return name
}

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

// maxUncommitted bounds how many files are compared.
const maxUncommitted = 2000

// errManyChanges says that there is more than anybody looks at.
var errManyChanges = fmt.Errorf("more than %d files are not as the last commit has them: commit some of them, or name what is meant", maxUncommitted)

// Uncommitted tells how a snapshot differs from the commit that the user's HEAD stands for: what git diff HEAD would show, and
// new files that no ignore rule names. head is the id of that commit, and empty where there is nothing to compare
// with: no repository, no commit, no git. As in Changes, what a proposal cannot show is left out, and so are files
// that differ only in their line ends, which git may have changed at checkout, and pointers to large files.
//
// The user's objects are read as History reads them: by a git directory of Forge's own, as alternates.
func (r *Repo) Uncommitted(ctx context.Context, snapshot string) (head string, set patch.ChangeSet, err error) {
	o, ok := findOrigin(r.root)
	if !ok {
		return "", set, nil
	}
	set, err = r.uncommitted(ctx, o, snapshot)
	if missing := new(sandbox.NotStartedError); errors.As(err, &missing) {
		return "", set, nil
	}
	if err != nil {
		return "", set, fmt.Errorf("compare %s with its last commit: %w", r.root, err)
	}
	return o.head, set, nil
}

func (r *Repo) uncommitted(ctx context.Context, o origin, snapshot string) (patch.ChangeSet, error) {
	committed, err := r.committed(ctx, o)
	if err != nil {
		return patch.ChangeSet{}, err
	}
	now, err := r.list(ctx, command{args: []string{"ls-tree", "-r", "-z", "--full-tree", snapshot}, dir: r.git})
	if err != nil {
		return patch.ChangeSet{}, err
	}
	changed := slices.DeleteFunc(compareListings(committed, parseTree(now)), r.leftOut)
	if len(changed) > maxUncommitted {
		return patch.ChangeSet{}, errManyChanges
	}
	var old, fresh []string
	for _, d := range changed {
		if d.before.plain() {
			old = append(old, d.before.id)
		}
		if d.after.plain() {
			fresh = append(fresh, d.after.id)
		}
	}
	texts, err := r.objects(ctx, fresh)
	if err != nil {
		return patch.ChangeSet{}, err
	}
	before, err := r.pastObjects(ctx, o, old)
	if err != nil {
		return patch.ChangeSet{}, err
	}
	return textual(changed, before, texts), nil
}

// leftOut reports whether a file is missing in the snapshot although it is there: an ignore rule names it, or it is too large.
func (r *Repo) leftOut(d difference) bool {
	if d.after != (leaf{}) {
		return false
	}
	_, err := os.Lstat(filepath.Join(r.root, filepath.FromSlash(d.path)))
	return !errors.Is(err, fs.ErrNotExist)
}

// textual gives the differences that a proposal can show. The ids of the two sides are of different repositories.
func textual(changed []difference, before, after map[string][]byte) (set patch.ChangeSet) {
	for _, d := range changed {
		texts := map[string][]byte{d.after.id: after[d.after.id]}
		if d.before != (leaf{}) {
			texts[d.before.id] = before[d.before.id]
		}
		if change, ok := d.change(texts); ok && !sameLines(change) && !isPointer(change.Before) {
			set.Files = append(set.Files, change)
		}
	}
	return set
}

// sameLines reports whether a file differs in its line ends only.
func sameLines(c patch.FileChange) bool {
	plain := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
	return c.Kind == patch.Update && plain(c.Before) == plain(c.After)
}

// isPointer reports whether a committed text stands for a file that is kept elsewhere. See git-lfs-spec(1).
func isPointer(text string) bool {
	return strings.HasPrefix(text, "version https://git-lfs.github.com/spec/")
}

// committed lists the files of the user's commit that are in the workspace, by their paths in it.
func (r *Repo) committed(ctx context.Context, o origin) (listing, error) {
	args := []string{"ls-tree", "-r", "-z", "--full-tree", o.head}
	if o.prefix != "" {
		args = append(args, "--", o.prefix+"/")
	}
	out, err := r.runPast(ctx, o, "", args...)
	if err != nil {
		return nil, err
	}
	files := listing{}
	for name, l := range parseTree(records(out)) {
		if o.prefix != "" {
			name = strings.TrimPrefix(name, o.prefix+"/")
		}
		files[name] = l
	}
	return files, nil
}

// compareListings gives the files that are plain on a side and not the same on both, sorted by path. What one side has as
// a link or a submodule is no matter of texts.
func compareListings(before, after listing) []difference {
	var changed []difference
	for name, b := range before {
		if a := after[name]; a.id != b.id {
			changed = append(changed, difference{path: name, before: b, after: a})
		}
	}
	for name, a := range after {
		if _, was := before[name]; !was {
			changed = append(changed, difference{path: name, after: a})
		}
	}
	slices.SortFunc(changed, func(a, b difference) int { return strings.Compare(a.path, b.path) })
	return changed
}

// pastObjects reads objects of the user's repository, by id.
func (r *Repo) pastObjects(ctx context.Context, o origin, ids []string) (map[string][]byte, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	slices.Sort(ids)
	out, err := r.runPast(ctx, o, strings.Join(slices.Compact(ids), "\n")+"\n", "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	return parseObjects(out)
}

// runPast runs git on the user's objects, in a git directory of Forge's own.
func (r *Repo) runPast(ctx context.Context, o origin, stdin string, args ...string) ([]byte, error) {
	dir, err := r.pastRepository(ctx, o)
	if err != nil {
		return nil, err
	}
	c := sandbox.Command{
		Argv: append([]string{"git", "-c", "core.commitGraph=false"}, args...), Dir: dir, Env: pastEnvironment(dir, o),
		Timeout: historyTimeout, MaxOutput: maxHistoryOutput,
	}
	if stdin != "" {
		c.Stdin = strings.NewReader(stdin)
	}
	result, err := r.runner.Run(ctx, c)
	switch {
	case err != nil:
		return nil, err
	case result.TimedOut || result.Truncated:
		return nil, errors.New("the last commit is too large to be read")
	case result.ExitCode != 0:
		return nil, fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(result.Stderr)))
	}
	return result.Stdout, nil
}

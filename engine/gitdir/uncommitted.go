package gitdir

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
	"slices"
	"strings"
	"unicode/utf8"

	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
	"forge/patch"
)

// maxUncommitted is how many differing files Since returns, the first by path: more changes were not made by hand.
const maxUncommitted = 1000

// Uncommitted compares the commit that the user has checked out with a snapshot, and returns every differing file with its whole
// texts, ordered by path. It is read as data, with a git directory of Forge's own: no filter of the user runs. So it ignores files
// that only differ in line ends, or whose commit has only a pointer (git-lfs). It omits what a proposal cannot show: binary files,
// symbolic links, permissions; what a sparse checkout leaves out, and what a partial clone has not fetched. known is false if Commits has
// no history, or the repository uses SHA-256.
func (h *History) Uncommitted(ctx context.Context, snapshot string) (set patch.ChangeSet, known bool, err error) {
	return h.Since(ctx, "", snapshot)
}

// Since is Uncommitted for another commit: a branch, a tag, a remote branch, or the id of a commit, with ~ and ^ as in gitrevisions(7);
// an empty name is the commit that is checked out. known is false if there is no such commit, too.
func (h *History) Since(ctx context.Context, name, snapshot string) (set patch.ChangeSet, known bool, err error) {
	o, ok := findOrigin(h.dir.Root)
	if !ok || len(o.head) != len(snapshot) {
		return set, false, nil
	}
	dir, err := h.repository(ctx, o)
	if err == nil && name != "" {
		if o.head, ok = h.revision(ctx, dir, o, name); !ok {
			return set, false, nil
		}
	}
	if err == nil {
		set, err = h.differences(ctx, dir, o, snapshot)
	}
	if err != nil {
		return patch.ChangeSet{}, false, fmt.Errorf("compare %s with its last commit: %w", h.dir.Root, err)
	}
	return set, true, nil
}

// revision returns the id of a named commit. Names are looked up in the user's refs, which are read as data, and git gets an id only.
func (h *History) revision(ctx context.Context, dir string, o origin, name string) (id string, ok bool) {
	plain, steps := name, ""
	if at := strings.IndexAny(name, "~^"); at >= 0 {
		plain, steps = name[:at], name[at:]
	}
	id, ok = findRef(h.dir.Root, plain)
	if !ok {
		id = plain
	}
	if !revisionID.MatchString(id) || !revisionSteps.MatchString(steps) {
		return "", false
	}
	out, err := h.git(ctx, dir, o, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", id+steps+"^{commit}")
	id = strings.TrimSpace(string(out))
	return id, err == nil && IsObjectID(id)
}

// The id of a commit, which may be abbreviated, and steps from it to its ancestors.
var (
	revisionID    = lazyregexp.New(`^[0-9a-fA-F]{4,64}$`)
	revisionSteps = lazyregexp.New(`^(~\d*|\^\d*)*$`)
)

func (h *History) differences(ctx context.Context, dir string, o origin, snapshot string) (set patch.ChangeSet, err error) {
	changed, err := h.compared(ctx, dir, o, snapshot)
	if err != nil {
		return set, err
	}
	changed = changed[:min(len(changed), maxUncommitted)]
	texts, err := h.textsOf(ctx, dir, o, changed)
	if err != nil {
		return set, err
	}
	for _, d := range changed {
		if change, ok := d.change(texts); ok && !d.unfetched(texts) && !onlyStoredOtherwise(change) {
			set.Files = append(set.Files, change)
		}
	}
	return set, nil
}

// compared returns the files that differ between a commit of the user and a snapshot, ordered by path: not those that are missing because a
// sparse checkout leaves them out.
func (h *History) compared(ctx context.Context, dir string, o origin, snapshot string) ([]difference, error) {
	before, err := h.committed(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	after, err := h.dir.Listing(ctx, snapshot, "", nil)
	if err != nil {
		return nil, err
	}
	changed := slices.DeleteFunc(differ(before, after), h.leftOut)
	isGone := func(d difference) bool { return d.after == Leaf{} }
	if !slices.ContainsFunc(changed, isGone) {
		return changed, nil
	}
	skipped, err := h.skipped(ctx, dir, o)
	return slices.DeleteFunc(changed, func(d difference) bool { return isGone(d) && skipped.has(path.Join(o.prefix, d.path)) }), err
}

// skipped is what a sparse checkout leaves out of a repository, by path: files, and folders with a slash at the end.
type skipped map[string]bool

// skipped reads from a copy of the user's index what has the skip-worktree bit; nothing from an unsupported index. Git gets no objects: with the
// settings of a sparse checkout it needs none to list folders that are left out.
func (h *History) skipped(ctx context.Context, dir string, o origin) (skipped, error) {
	content, err := readOwn(o.index, filepath.Dir(o.index))
	if err != nil {
		return nil, nil //nolint:nilerr // nothing is checked out
	}
	unlock, err := h.dir.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	index, info := filepath.Join(dir, "index.user"), filepath.Join(dir, "info")
	err = errors.Join(os.WriteFile(index, content, 0o600), os.MkdirAll(info, 0o700), os.WriteFile(filepath.Join(info, "sparse-checkout"), []byte("/*\n!/*/\n"), 0o600))
	if err != nil {
		return nil, err
	}
	out, _, err := h.dir.start(ctx, sandbox.Command{
		Argv: []string{"git", "-c", "core.sparseCheckout=true", "-c", "core.sparseCheckoutCone=true", "-c", "index.sparse=true", "ls-files", "-z", "-t", "--sparse"},
		Dir:  dir, Env: append(slices.Clone(commonEnvironment), "GIT_DIR="+dir, "GIT_INDEX_FILE="+index), Timeout: historyTimeout, MaxOutput: maxGitOutput,
	})
	if _, failed := errors.AsType[*Error](err); failed {
		return nil, nil
	}
	found := skipped{}
	for _, entry := range records(out) {
		if name, is := strings.CutPrefix(entry, "S "); is { // see git-ls-files(1)
			found[name] = true
		}
	}
	return found, err
}

// has reports whether a file is left out.
func (s skipped) has(name string) bool {
	is := s[name]
	for dir := path.Dir(name); !is && dir != "."; dir = path.Dir(dir) {
		is = s[dir+"/"]
	}
	return is
}

// textsOf returns the contents of both sides of differences by their ids.
func (h *History) textsOf(ctx context.Context, dir string, o origin, changed []difference) (map[string][]byte, error) {
	texts, err := h.objects(ctx, dir, o, idsOf(changed, func(d difference) Leaf { return d.before }))
	if err != nil {
		return nil, err
	}
	news, err := h.dir.Objects(ctx, idsOf(changed, func(d difference) Leaf { return d.after }))
	if err != nil {
		return nil, err
	}
	maps.Copy(texts, news) // equal ids are equal texts
	return texts, nil
}

// leftOut reports whether an existing file is missing in the snapshot, for example because it is too large.
func (h *History) leftOut(d difference) bool {
	if d.after != (Leaf{}) {
		return false
	}
	_, err := os.Lstat(h.dir.At(d.path))
	return !errors.Is(err, fs.ErrNotExist)
}

// onlyStoredOtherwise reports whether a file only differs by the effect of git's filters.
func onlyStoredOtherwise(c patch.FileChange) bool {
	if c.Kind == patch.Update && strings.HasPrefix(c.Before, "version https://git-lfs.github.com/spec/") {
		return true
	}
	return c.Kind == patch.Update && strings.ReplaceAll(c.Before, "\r\n", "\n") == strings.ReplaceAll(c.After, "\r\n", "\n")
}

// differ compares two Listings, by path.
func differ(before, after Listing) []difference {
	var found []difference
	for name, l := range before {
		if now := after[name]; now.ID != l.ID {
			found = append(found, difference{name, l, now})
		}
	}
	for name, l := range after {
		if _, old := before[name]; !old {
			found = append(found, difference{path: name, after: l})
		}
	}
	slices.SortFunc(found, func(a, b difference) int { return strings.Compare(a.path, b.path) })
	return found
}

// idsOf returns the ids of the regular files on one side.
func idsOf(changed []difference, side func(difference) Leaf) []string {
	var ids []string
	for _, d := range changed {
		if l := side(d); l.isPlain() {
			ids = append(ids, l.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// committed lists the files of the folder in the commit that is checked out.
func (h *History) committed(ctx context.Context, dir string, o origin) (Listing, error) {
	tree := o.head
	if o.prefix != "" {
		tree += ":" + o.prefix
	}
	out, err := h.git(ctx, dir, o, nil, "ls-tree", "-r", "-z", "--full-tree", tree)
	if _, failed := errors.AsType[*Error](err); failed && o.prefix != "" { // the folder is not committed yet
		return Listing{}, nil
	}
	if err != nil {
		return nil, err
	}
	return parseTree(records(out)), nil
}

// objects reads contents from the user's repository. A partial clone does not have all: those that are to be fetched are left out.
func (h *History) objects(ctx context.Context, dir string, o origin, ids []string) (map[string][]byte, error) {
	if len(ids) == 0 {
		return map[string][]byte{}, nil
	}
	out, err := h.git(ctx, dir, o, ids, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	found, missing, err := parseObjects(out)
	if err == nil && len(missing) > 0 && !o.isPartial() {
		err = fmt.Errorf("the repository is damaged: it does not have the object %s; `git fsck` lists what is missing", missing[0])
	}
	return found, err
}

// git calls git on the user's objects, with a git directory that has only Forge's settings. lines are the lines of its input.
func (h *History) git(ctx context.Context, dir string, o origin, lines []string, args ...string) ([]byte, error) {
	out, _, err := h.dir.start(ctx, sandbox.Command{
		Argv: append([]string{"git", "-c", "core.commitGraph=false"}, args...), Dir: dir, Env: historyEnvironment(dir, o),
		Stdin: strings.NewReader(strings.Join(lines, "\n") + "\n"), Timeout: historyTimeout, MaxOutput: maxHistoryOutput,
	})
	return out, err
}

// Branch returns the name of the branch that the user has checked out, or "" if HEAD is a commit or there is no repository.
// It reads a few small files and starts no process.
func (h *History) Branch() string {
	top, ok := repositoryTop(h.dir.Root)
	if !ok {
		return ""
	}
	dir, common, ok := ownGitDirs(top)
	if !ok {
		return ""
	}
	text, err := readOwn(filepath.Join(dir, "HEAD"), dir, common)
	name, symbolic := strings.CutPrefix(strings.TrimSpace(string(text)), "ref: refs/heads/")
	if err != nil || !symbolic {
		return ""
	}
	return name
}

// isPlain reports whether a Leaf is a regular file.
func (l Leaf) isPlain() bool { return l.Mode == PlainMode || l.Mode == ProgramMode }

// unfetched reports whether the committed text of a difference is one that a partial clone does not have.
func (d difference) unfetched(texts map[string][]byte) bool {
	_, known := texts[d.before.ID]
	return d.before.isPlain() && !known
}

// change returns a difference in the form of a proposal, if possible.
func (d difference) change(texts map[string][]byte) (patch.FileChange, bool) {
	existed, exists := d.before != Leaf{}, d.after != Leaf{}
	if existed && !d.before.isPlain() || exists && !d.after.isPlain() || d.before.ID == d.after.ID {
		return patch.FileChange{}, false
	}
	before, after := texts[d.before.ID], texts[d.after.ID]
	if !IsText(before) || !IsText(after) {
		return patch.FileChange{}, false
	}
	change := patch.FileChange{Kind: patch.Update, Path: d.path, Before: string(before), After: string(after)}
	switch {
	case !existed:
		change.Kind = patch.Create
	case !exists:
		change.Kind = patch.Delete
	}
	return change, true
}

// IsText reports whether a file can be shown: it is UTF-8 and has no NUL.
func IsText(content []byte) bool {
	return utf8.Valid(content) && bytes.IndexByte(content, 0) < 0
}

// Package shadow keeps a workspace's data in a private git directory (engine/gitdir): snapshots that include unsaved
// buffers, scratch trees to work in, and the ledger of accepted changes.
//
//	Repo ─┬─ Snapshots ──────────────┐
//	      ├─ Trees ─► Tree ─► replica ├─► gitdir.Dir
//	      ├─ Ledger ──────────────────┤
//	      └─ Files, History ──────────┘   both of engine/gitdir
//
// On disk, for each workspace, beside the git directory:
//
//	shadow/<hash of the real path>/
//	    disk             the files of the workspace as the last snapshot found them
//	    trees/<id>/      one scratch tree: owner (a lock its process holds), work/, what it needs, an index for git
//	    pool/<id>/       a tree that waits for its next use: the same, and a manifest of what work/ is known to hold
//
// Every process takes the lock of the git directory before it writes there. Its holder may remove files of killed processes.
package shadow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"forge/engine/gitdir"
	"forge/engine/sandbox"
	"forge/engine/workspace"
	"forge/internal/failpoint"
	"forge/patch"
)

// Snapshots stores states of the workspace as commits.
type Snapshots struct {
	dir   *gitdir.Dir
	files *gitdir.Files
	disk  diskCache
}

// Take stores the workspace as the user sees it: the files on disk, and the unsaved buffers of s over
// them. It omits ignored files, nested repositories, devices and files above MaxFileSize; symbolic
// links stay links and are not followed; every byte is kept.
//
// The first snapshot reads every file, later ones those whose stat changed.
func (ss *Snapshots) Take(ctx context.Context, s workspace.Snapshot) (Snapshot, error) {
	snapshot, err := ss.take(ctx, s)
	if err != nil {
		return Snapshot{}, fmt.Errorf("take a snapshot of %s: %w", ss.dir.Root, err)
	}
	return snapshot, nil
}

func (ss *Snapshots) take(ctx context.Context, s workspace.Snapshot) (Snapshot, error) {
	if root, err := workspace.RealRoot(s.Root); err != nil || root != ss.dir.Root {
		return Snapshot{}, errors.Join(workspace.CheckRoot(s.Root), fmt.Errorf("%s is another folder", s.Root))
	}
	if err := workspace.CheckRoot(ss.dir.Root); err != nil {
		return Snapshot{}, err
	}
	unlock, err := ss.dir.Lock(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	defer unlock()
	known := ss.disk.load(ss.diskFile())
	take, skipped, err := ss.survey(ctx, known.files)
	if err != nil {
		return Snapshot{}, err
	}
	texts, ignored, err := ss.placed(ctx, s, take.all)
	if err != nil {
		return Snapshot{}, err
	}
	failpoint.Hit(failSnapshotIndex)
	commit, unread, err := ss.keep(ctx, known, take, texts)
	if _, failed := errors.AsType[*gitdir.Error](err); failed && known.commit != "" {
		// The list of files refers to damaged data: continue without.
		take.makeNew()
		commit, unread, err = ss.keep(ctx, manifest{}, take, texts)
	}
	if err != nil {
		return Snapshot{}, err
	}
	skipped = slices.Concat(skipped, unread, ignored)
	slices.SortFunc(skipped, func(a, b gitdir.Skipped) int { return strings.Compare(a.Path, b.Path) })
	return Snapshot{Commit: commit, Skipped: skipped}, ss.name(ctx, commit)
}

// taking is what a snapshot takes from the disk.
type taking struct {
	all   map[string]held // unchanged ones with their stamps, and the others
	fresh []string        // the others, which must be read; sorted
	gone  []string        // files of the last snapshot that are missing now
}

// makeNew marks everything for reading.
func (t *taking) makeNew() {
	for _, name := range t.fresh {
		t.all[name] = held{} // including unreadable ones
	}
	t.fresh, t.gone = slices.Sorted(maps.Keys(t.all)), nil
}

// survey lists the workspace's current files, and their known state.
func (ss *Snapshots) survey(ctx context.Context, known map[string]held) (taking, []gitdir.Skipped, error) {
	looked := make(chan map[string]bool, 1)
	go func() { looked <- changed(ss.dir, known) }() // while git lists
	names, closed, err := ss.files.Candidates(ctx)
	changed := <-looked
	if err != nil {
		return taking{}, nil, err
	}
	take := taking{all: make(map[string]held, len(names))}
	for _, name := range names {
		h, was := known[name]
		if !was || changed[name] {
			h = held{}
			take.fresh = append(take.fresh, name)
		}
		take.all[name] = h
	}
	for name := range known {
		if _, ok := take.all[name]; !ok {
			take.gone = append(take.gone, name)
		}
	}
	return take, closed, nil
}

// snapshots is the prefix of the snapshots' refs.
const snapshots = "refs/forge/snapshots/"

// name creates the ref that keeps a snapshot, for as long as GC keeps new ones.
func (ss *Snapshots) name(ctx context.Context, commit string) error {
	failpoint.Hit(failRefWrite)
	err := ss.dir.Keep(ctx, snapshots+commit, commit)
	failpoint.Hit(failRefWritten)
	return err
}

// MaxFileSize is the size in bytes above which a file is omitted from snapshots, and so from scratch
// trees. Source is smaller; data sets and build output would be copied for every run.
const MaxFileSize = 10 << 20

// Snapshot is the workspace at one moment, stored in the shadow repository. Equal content has the same Commit.
type Snapshot struct {
	Commit string // full object id
	// Skipped are files that are not ignored but not in the snapshot.
	Skipped []gitdir.Skipped
}

// Repo is the shadow of one workspace. Several, also in several processes, may be open on the same one. It keeps no files open.
type Repo struct {
	Files     *gitdir.Files   // the files of the workspace
	History   *gitdir.History // of the user's repository that contains the workspace
	Snapshots *Snapshots
	Trees     *Trees
	Ledger    *Ledger

	dir *gitdir.Dir
}

// Open returns the shadow of the folder root, below stateDir, and creates it on first use. It starts
// git; a missing git is a *sandbox.NotStartedError.
func Open(ctx context.Context, runner sandbox.Runner, stateDir, root string) (*Repo, error) {
	dir, err := gitdir.Open(ctx, runner, stateDir, root)
	if err != nil {
		return nil, fmt.Errorf("open the shadow repository of %s: %w", root, err)
	}
	files := gitdir.NewFiles(dir)
	r := &Repo{
		dir: dir, Files: files, History: gitdir.NewHistory(dir),
		Snapshots: &Snapshots{dir: dir, files: files}, Trees: &Trees{dir: dir, files: files}, Ledger: &Ledger{dir: dir},
	}
	if err := os.MkdirAll(r.Trees.inUse(), 0o700); err != nil {
		return nil, fmt.Errorf("open the shadow repository of %s: %w", root, err)
	}
	return r, nil
}

// placed returns the path of each unsaved buffer in a snapshot of the disk. A buffer follows its file: one of an
// ignored file or of a nested repository is omitted.
func (ss *Snapshots) placed(ctx context.Context, s workspace.Snapshot, taken map[string]held) (map[string]string, []gitdir.Skipped, error) {
	texts, nests := map[string]string{}, gitdir.NewNests(ss.dir.Root)
	var fresh []string
	var skipped []gitdir.Skipped
	for _, path := range slices.Sorted(maps.Keys(s.Unsaved)) {
		name, err := ss.behindLinks(path)
		if err != nil {
			return nil, nil, fmt.Errorf("unsaved buffer: %w", err)
		}
		_, err = os.Lstat(ss.dir.At(name))
		_, isTaken := taken[name]
		switch {
		case isTaken:
			texts[name] = s.Unsaved[path].Text
		case nests.Inside(name):
			skipped = append(skipped, gitdir.Skipped{Path: path, Reason: "it belongs to another repository inside the folder"})
		case errors.Is(err, fs.ErrNotExist) && int64(len(s.Unsaved[path].Text)) <= MaxFileSize:
			texts[name] = s.Unsaved[path].Text
			fresh = append(fresh, name)
		default:
			skipped = append(skipped, gitdir.Skipped{Path: path, Reason: "it is ignored or too large"})
		}
	}
	ignored, err := ss.files.Ignored(ctx, fresh)
	for _, name := range ignored {
		delete(texts, name)
		skipped = append(skipped, gitdir.Skipped{Path: name, Reason: "it is ignored"})
	}
	return texts, skipped, err
}

// behindLinks returns the path of a buffer's actual file: symbolic links stay links in a snapshot, and their target gets the text.
func (ss *Snapshots) behindLinks(path string) (string, error) {
	if err := gitdir.CheckKept(path); err != nil {
		return "", err
	}
	full := ss.dir.At(path)
	dir, rest := full, ""
	for {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			full = filepath.Join(real, rest)
			break
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid) || dir == ss.dir.Root {
			break
		}
		dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest) // a new file in a new folder
	}
	name, err := filepath.Rel(ss.dir.Root, full)
	if err != nil || !filepath.IsLocal(name) {
		return "", &patch.PathError{Path: path, Cause: "a symbolic link leads it out of the folder"}
	}
	name = filepath.ToSlash(name)
	return name, gitdir.CheckKept(name)
}

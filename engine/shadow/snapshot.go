package shadow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"forge/engine/workspace"
	"forge/internal/failpoint"
)

// Snapshot keeps the workspace as the person sees it: the files on disk, and the unsaved buffers of s
// over them. Ignored files, nested repositories, devices and files above MaxFileSize stay out; symbolic
// links stay links and are not followed; every byte is kept as it is.
//
// The first one reads every file, later ones those whose stat changed.
func (r *Repo) Snapshot(ctx context.Context, s workspace.Snapshot) (Snapshot, error) {
	snapshot, err := r.snapshot(ctx, s)
	if err != nil {
		return Snapshot{}, fmt.Errorf("take a snapshot of %s: %w", r.root, err)
	}
	return snapshot, nil
}

func (r *Repo) snapshot(ctx context.Context, s workspace.Snapshot) (Snapshot, error) {
	if root, err := realPath(s.Root); err != nil || root != r.root {
		return Snapshot{}, errors.Join(workspace.CheckRoot(s.Root), fmt.Errorf("%s is another folder", s.Root))
	}
	if err := workspace.CheckRoot(r.root); err != nil {
		return Snapshot{}, err
	}
	unlock, err := r.lock(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	defer unlock()

	take, skipped, err := r.files(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	failpoint.Hit(failSnapshotIndex)
	unreadable, err := r.updateIndex(ctx, take)
	if err != nil {
		return Snapshot{}, err
	}
	failpoint.Hit(failSnapshotListed)
	skipped = append(skipped, unreadable...)
	if len(s.Unsaved) > 0 {
		// Leaves the ids of unchanged folders in the index: without, every overlay would compute them again.
		if _, err := r.run(ctx, command{args: []string{"write-tree"}}); err != nil {
			return Snapshot{}, err
		}
	}
	index, ignored, err := r.overlay(ctx, s, take)
	if err != nil {
		return Snapshot{}, err
	}
	skipped = append(skipped, ignored...)
	slices.SortFunc(skipped, func(a, b Skipped) int { return strings.Compare(a.Path, b.Path) })
	commit, err := r.keep(ctx, index)
	return Snapshot{Commit: commit, Skipped: skipped}, err
}

// updateIndex brings the workspace's index to exactly the files of take. Those that cannot be read are
// left out and given back.
func (r *Repo) updateIndex(ctx context.Context, take []string) ([]Skipped, error) {
	present, err := r.list(ctx, command{args: []string{"ls-files", "-z"}})
	if err != nil {
		return nil, err
	}
	if gone := without(present, take); len(gone) > 0 {
		args := []string{"update-index", "--force-remove", "-z", "--stdin"}
		if _, err := r.run(ctx, command{args: args, stdin: joined(gone)}); err != nil {
			return nil, err
		}
	}
	add := []string{"update-index", "--add", "--remove", "--replace", "-z", "--stdin"}
	_, err = r.run(ctx, command{args: add, stdin: joined(take)})
	if failed := new(gitError); !errors.As(err, &failed) {
		return nil, err
	}
	// git gives up at the first file it cannot read. Find them, and do without.
	readable, skipped := r.readable(take)
	if len(skipped) == 0 {
		return nil, err
	}
	_, err = r.run(ctx, command{args: add, stdin: joined(readable)})
	return skipped, err
}

// readable tries to open each file.
func (r *Repo) readable(take []string) (readable []string, skipped []Skipped) {
	for _, name := range take {
		file := filepath.Join(r.root, filepath.FromSlash(name))
		if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
			f, err := os.Open(file) //nolint:gosec // a file git listed below the root
			if err != nil {
				skipped = append(skipped, Skipped{name, "it cannot be read: check its permissions"})
				continue
			}
			_ = f.Close()
		}
		readable = append(readable, name)
	}
	return readable, skipped
}

// keep makes a commit of an index, and a ref that keeps it. Date and author are fixed, so that the same
// content is the same snapshot.
func (r *Repo) keep(ctx context.Context, index string) (string, error) {
	tree, err := r.line(ctx, command{args: []string{"write-tree"}, index: index})
	if err != nil {
		return "", err
	}
	commit, err := r.line(ctx, command{args: []string{"commit-tree", tree, "-m", "snapshot"}})
	if err != nil {
		return "", err
	}
	return commit, r.writeRef(ctx, snapshots+commit, commit)
}

// clearRefLock removes what a process killed while it made ref left behind. The caller has the lock.
func (r *Repo) clearRefLock(ref string) {
	_ = os.Remove(filepath.Join(r.git, filepath.FromSlash(ref)+".lock")) // usually not there
}

// without gives the entries of a that are not in b.
func without(a, b []string) []string {
	in := make(map[string]bool, len(b))
	for _, name := range b {
		in[name] = true
	}
	return slices.DeleteFunc(slices.Clone(a), func(name string) bool { return in[name] })
}

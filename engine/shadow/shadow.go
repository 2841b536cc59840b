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
	"fmt"
	"os"

	"forge/engine/gitdir"
	"forge/engine/sandbox"
)

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

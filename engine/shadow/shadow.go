// Package shadow keeps a private git directory over a workspace, outside of it: snapshots that hold
// unsaved buffers, scratch trees to work in, and the ledger of what runs changed.
//
// Invariant: the user's own repository is never written, its configuration, hooks, filters and
// attributes never run. A folder without git works the same.
//
// On disk, below the state folder, for each workspace:
//
//	shadow/<hash of the real path>/
//	    lock             held while a snapshot or an entry is written, while trees come and go, and by GC
//	    git/             the private git directory; it has no index
//	    disk             the files of the workspace as the last snapshot found them
//	    trees/<id>/      one scratch tree: owner (a lock its process holds), work/, what it needs, an index for git
//	    pool/<id>/       a tree that waits for its next use: the same, and a manifest of what work/ is known to hold
//	    texts/<run>/     texts of the workspace's files that a run's journal only names: see Texts
//	    past/<sha1|sha256>/  an empty repository to read the user's history with; its objects stay where they are
//
// Every process takes the lock before it writes there. Whoever has it may remove what a killed
// process left there. Objects and refs need no lock: git adds them whole or not at all.
package shadow

// MaxFileSize is the size in bytes above which a file stays out of snapshots, and so out of scratch
// trees. Source is smaller; data sets and build products would be copied for every run.
const MaxFileSize = 10 << 20

// Snapshot is the workspace at one moment, kept in the shadow repository. The same content gives the
// same Commit.
type Snapshot struct {
	Commit string // full object id
	// Skipped are files that are not ignored and still not in the snapshot.
	Skipped []Skipped
}

// Skipped is a file that a snapshot had to leave out.
type Skipped struct {
	Path   string
	Reason string // for people
}

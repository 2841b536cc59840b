package shadow

// Places where a test kills the process; see failpoint.
const (
	failRefWrite       = "shadow.ref.write"        // objects are there, the ref is not
	failRefWritten     = "shadow.ref.written"      // the ref is there
	failTreeMade       = "shadow.tree.made"        // an empty tree has its owner
	failTreeTaken      = "shadow.tree.taken"       // a tree left the pool and is not proven yet
	failTreeProven     = "shadow.tree.proven"      // what is not known is gone, nothing is written yet
	failTreeFilled     = "shadow.tree.filled"      // the tree holds its snapshot
	failTreeClose      = "shadow.tree.close"       // before a tree is put away
	failTreePark       = "shadow.tree.park"        // a tree is clean and not in the pool yet
	failTreeParked     = "shadow.tree.parked"      // it is in the pool
	failTreeRemove     = "shadow.tree.remove"      // before a tree is removed
	failTreeRemoved    = "shadow.tree.removed"     // it is gone
	failSnapshotIndex  = "shadow.snapshot.index"   // before the index follows the disk
	failSnapshotListed = "shadow.snapshot.indexed" // it does, no commit is made
	failRecord         = "shadow.record"           // before an entry is written
	failRecorded       = "shadow.recorded"         // it is in the ledger
	failGCRefs         = "shadow.gc.refs"          // before refs are dropped
	failGCRefsDropped  = "shadow.gc.refs.dropped"  // they are gone, their objects are not
	failGCPack         = "shadow.gc.pack"          // before objects are packed
	failGCPacked       = "shadow.gc.packed"        // packed, what is not needed is still there
	failGCPruned       = "shadow.gc.pruned"        // it is gone
)

// Failpoints names the places of this package where a process may die.
func Failpoints() []string {
	return []string{
		failRefWrite, failRefWritten, failTreeMade, failTreeTaken, failTreeProven, failTreeFilled, failTreeClose, failTreePark,
		failTreeParked, failTreeRemove, failTreeRemoved, failSnapshotIndex,
		failSnapshotListed, failRecord, failRecorded, failGCRefs, failGCRefsDropped, failGCPack, failGCPacked, failGCPruned,
	}
}

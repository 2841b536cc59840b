package shadow

// The places where a test kills the process; see failpoint.
const (
	failRefWrite       = "shadow.ref.write"        // objects exist, the ref does not
	failRefWritten     = "shadow.ref.written"      // the ref exists
	failTreeMade       = "shadow.tree.made"        // an empty tree has its owner
	failTreeTaken      = "shadow.tree.taken"       // a tree left the pool and is not verified yet
	failTreeProven     = "shadow.tree.proven"      // unknown files are removed, nothing is written yet
	failTreeFilled     = "shadow.tree.filled"      // the tree contains its snapshot
	failTreeClose      = "shadow.tree.close"       // before a tree is closed
	failTreePark       = "shadow.tree.park"        // a tree is clean and not in the pool yet
	failTreeParked     = "shadow.tree.parked"      // it is in the pool
	failTreeRemove     = "shadow.tree.remove"      // before a tree is removed
	failTreeRemoved    = "shadow.tree.removed"     // it is removed
	failSnapshotIndex  = "shadow.snapshot.index"   // before the index follows the disk
	failSnapshotListed = "shadow.snapshot.indexed" // it does, no commit exists
	failRecord         = "shadow.record"           // before an entry is written
	failRecorded       = "shadow.recorded"         // it is in the ledger
	failGCRefs         = "shadow.gc.refs"          // before refs are dropped
	failGCRefsDropped  = "shadow.gc.refs.dropped"  // they are dropped, their objects are not
	failGCPack         = "shadow.gc.pack"          // before objects are packed
	failGCPacked       = "shadow.gc.packed"        // packed, unneeded objects still exist
	failGCPruned       = "shadow.gc.pruned"        // they are removed
)

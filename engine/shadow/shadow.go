// Package shadow keeps a private git directory over a workspace, outside of it: snapshots that hold
// unsaved buffers, scratch trees to work in, and the ledger of what runs changed.
//
// Invariant: the user's own repository is never written, its configuration, hooks, filters and
// attributes never run. A folder without git works the same.
package shadow

// Snapshot is the workspace at one moment, kept in the shadow repository.
type Snapshot struct {
	Commit string // full object id
}

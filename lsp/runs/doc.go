// Package runs has the runs of a session, and what their events say of how they stand.
//
// Invariant: the identity of a run is settled before Started is closed, its result before Ended is.
package runs

// Package review is the way from a proposal to the client's files: it is shown, previewed, accepted in part, applied through the client,
// verified, recorded, and taken back.
//
//	Reviewer ─► applier ─► the client ─► what is really there ─► the engine's ledger
//	    └─► Board: findings and hunks as diagnostics
//
// Invariants:
//   - Applied in the client's answer proves nothing: the texts are compared afterwards.
//   - One edit at a time is on its way to the client, and it is noted before the client is asked.
//   - Nothing that the user typed is lost: what does not fit is a conflict.
package review

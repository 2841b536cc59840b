// Package editor is what a session knows of its client: what the client can do, which folders and documents are open, the texts in them
// as they are now, the runs it has started, and the messages and questions that its user sees.
//
//	initialize ─► Session ─► Features: what the client can do
//	                  └────► Folders: open documents over what is on disk
//
// Absent on purpose: requests and notifications, which package lsp registers.
//
// # Documents
//
// Documents keeps the open documents, and Lines knows how a client counts: positions become byte offsets there and nowhere else.
// TextEdits makes edits small. All of it is values but Documents, and none of it is I/O.
//
// Invariant: what a client edits is what Forge has, to the byte; what is not UTF-8 is U+FFFD in both.
//
// # Runs
//
// Runs has the runs of a session, and what their events say of how they stand.
//
// Invariant: the identity of a run is settled before Started is closed, its result before Ended is.
package editor

// Package editor is what a session knows of its client: what the client can do, which folders are open, the texts in them as they
// are now, and the messages and questions that its user sees.
//
//	initialize ─► Session ─► Features: what the client can do
//	                  └────► Folders: open documents over what is on disk
//
// Absent on purpose: requests and notifications, which package lsp registers.
package editor

// Package lsp is the front for editors: a language server on the engine. Messages travel through lsp/transport, open documents
// are those of lsp/editor, and what commands have in common with the terminal is answered by api/service.
//
// Invariants:
//   - Nothing blocks the read loop: what runs on it neither calls the client nor waits for work.
//   - Every goroutine belongs to the Server's task group; Serve waits for it, one second at most.
//   - What a client can do is decided by its capabilities, never by its name.
package lsp

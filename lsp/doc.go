// Package lsp is the front for editors: a language server on the engine. It is the only package that
// knows the protocol; positions become byte offsets at its border (position.go) and wire structs live
// in api.
//
// How a message travels:
//
//	in ─► frameReader ─► stream.Read ─► jsonrpc2.Conn ─► Server.handle ─► the method's entry in the table
//	                                                        │ notification: here, in order, on the read loop
//	                                                        │ request: its own goroutine, cancellable by id
//	out ◄─ stream.Write ◄──────────── answer, or Client.Notify and Client.Call
//
// Invariants:
//   - A bad frame, bad parameters, an unknown method or a panic costs one message, never the server.
//   - Nothing blocks the read loop: what runs on it neither calls the client nor waits for work.
//   - Every goroutine belongs to the Server's task group; Serve waits for it, one second at most.
//   - What a client can do is decided by its capabilities, never by its name.
package lsp

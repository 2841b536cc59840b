// Package transport carries JSON-RPC between a client and the handlers of a server: frames, requests that can be cancelled,
// notifications in order, and calls of the client.
//
//	in ─► frameReader ─► Stream.Read ─► jsonrpc2.Conn ─► Dispatcher ─► the method's entry in the table
//	                                                        │ notification: here, in order, on the read loop
//	                                                        │ request: its own goroutine, cancellable by id
//	out ◄─ Stream.Write ◄──────────── answer, or Client.Notify and Client.Call
//
// Invariants:
//   - A bad frame, bad parameters, an unknown method or a panic costs one message, never the connection.
//   - Nothing blocks the read loop: what runs on it neither calls the client nor waits for work.
//   - Every goroutine belongs to Tasks, which is waited for.
package transport

// Package acp is the front for clients of the Agent Client Protocol (version 1, agentclientprotocol.com), over stdin and stdout:
// editors that know the protocol use Forge without an extension.
//
//	client ─ session/prompt ─► input ─► turn ─► engine ─┬► events ────► report ──► session/update
//	                                                    ├► questions ─► ask ─────► session/request_permission
//	                                                    └► proposal ──► consent ─► session/request_permission
//	                                                                       │
//	         fs/write_text_file, or the engine's journaled write ◄── apply ◄┘
//
// A session is a conversation about one folder; its id is the Thread of its runs, so that another process can load it. A prompt is
// a turn: one run of the engine, or an undo. The texts of files come from the client (fs/read_text_file), which may have unsaved ones.
//
// Invariant: nothing is written before the client has chosen an option that allows it. No answer, an unknown one and an error reject.
//
// Invariant: a session that ends while a run works leaves the run to be resumed; session/cancel cancels it.
//
// Absent on purpose: MCP servers of the client (Forge uses those of its own settings, whose tools the user has accepted), terminals,
// thoughts, authentication.
package acp

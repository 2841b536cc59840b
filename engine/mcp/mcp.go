// Package mcp is a client of MCP servers that the user has configured: it starts a server as a process or calls it over HTTP, lists its
// tools, pins their definitions, and calls those that the user has accepted.
//
//	List ────► connection ─► link: process in a sandbox, or remote over HTTP ─► initialize ─► tools/list ─► []Tool, each with its Pin
//	Session ─► connection ─► … the same definition as accepted? ─► tools/call ─► text
//	Login ───► connection ─► 401 ─► authorization server, the user's browser ─► token, kept for runs
//
// A Session is for one run. It starts a server with the first call, and once more after it has ended, hung or broken the protocol.
//
// Everything that a server sends is data of a stranger. Invariants: each listing and each call ends within its time, and keeps at most
// MaxBytes of output; a tool whose definition is not the accepted one is not called; a call that was sent and has no answer is repeated
// only if the user has declared it idempotent; credentials are sent to the URL that they were kept for; a closed session leaves no
// process and no goroutine.
//
// Left out on purpose: sampling and elicitation, which the client does not offer, so that the SDK rejects them; streams of a server over
// HTTP outside of calls.
package mcp

import (
	"context"
	"net/http"
	"time"

	"forge/engine/sandbox"
)

// The bounds of servers.
const (
	StartTimeout = 30 * time.Second // from the start of the process to its last tool
	CallTimeout  = 30 * time.Second // of a call
	MaxBytes     = 8 << 20          // of output of a server, until its tools are listed and in each call
	MaxTools     = 200
)

// Options are what clients of all servers need.
type Options struct {
	Runner  sandbox.Runner
	HTTP    *http.Client  // for servers with a URL; only its Transport is used. nil: they cannot be called
	Keys    Keys          // of servers with a URL; nil: they get none
	Version string        // of Forge, for servers
	Start   time.Duration // 0 means StartTimeout
}

// Server is a server of the user.
type Server struct {
	Name    string
	Command []string      // the program and its arguments; none if the server has a URL
	URL     string        // of a server over streamable HTTP
	Timeout time.Duration // of a call; 0 means CallTimeout, which is also the longest
}

// Tool is a tool as its server describes it. Name, description and schema are a stranger's text.
type Tool struct {
	Name, Description string
	Schema            string // of its input: a JSON Schema
	Pin               string // identifies the whole definition
}

// List starts a server, returns its tools in its order, and ends it. The error describes, in inert text, why there are none.
func List(ctx context.Context, o Options, s Server) ([]Tool, error) {
	c, err := dial(ctx, o, s, "")
	if err != nil {
		return nil, err
	}
	tools := c.tools
	_ = c.close() // the tools are listed
	return tools, nil
}

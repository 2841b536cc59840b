// Package mcp is a client of MCP servers that the user has configured: it starts a server as a process, lists its tools and pins
// their definitions.
//
//	Client.List ─► sandbox process ─► initialize ─► tools/list ─► []Tool, each with its Pin
//
// Everything that a server sends is data of a stranger. Invariants: a listing ends within its timeout and leaves no process and no
// goroutine; it keeps at most MaxBytes of output and MaxTools tools; a server that breaks a rule has an error and no tools.
//
// Left out on purpose: sampling and elicitation. The client does not offer them, so that the SDK rejects a server's requests.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"forge/engine/sandbox"
	"forge/internal/inert"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The bounds of a listing.
const (
	Timeout  = 30 * time.Second // from the start of the process to its last tool
	MaxBytes = 8 << 20          // of output of a server
	MaxTools = 200
)

// Client lists the tools of servers.
type Client struct {
	Runner  sandbox.Runner
	Version string        // of Forge, for the server
	Timeout time.Duration // 0 means Timeout
}

// Tool is a tool as its server describes it. The name and the description are a stranger's text.
type Tool struct {
	Name, Description string
	Pin               string // identifies the whole definition
}

// List starts a server, returns its tools in its order, and ends it. The error describes, in inert text, why there are none.
func (c Client) List(ctx context.Context, argv []string) ([]Tool, error) {
	dir, err := os.MkdirTemp("", "forge-mcp-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the server: %w", err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	limit := c.Timeout
	if limit == 0 {
		limit = Timeout
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	p := start(limited, c.Runner, sandbox.Command{Argv: argv, Dir: dir, Timeout: limit + closing})
	tools, err := c.list(limited, p)
	if err != nil {
		p.kill() // a server that breaks a rule has no time to end by itself
	}
	failure := p.stop()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil:
		return tools, nil
	case failure != nil:
		return nil, failure
	case limited.Err() != nil:
		return nil, fmt.Errorf("the server did not list its tools within %v", limit)
	}
	return nil, errors.New(inert.OneLine(err.Error(), 300))
}

func (c Client) list(ctx context.Context, p *process) ([]Tool, error) {
	client := sdk.NewClient(&sdk.Implementation{Name: "forge", Version: c.Version}, nil)
	session, err := client.Connect(ctx, p.transport(), nil)
	if err != nil {
		return nil, err
	}
	defer session.Close() //nolint:errcheck // the process is ended in any case
	var tools []Tool
	seen := map[string]bool{}
	for t, err := range session.Tools(ctx, nil) {
		switch {
		case err != nil:
			return nil, err
		case len(tools) == MaxTools:
			return nil, fmt.Errorf("the server lists more than %d tools", MaxTools)
		case t.Name == "":
			return nil, errors.New("the server lists a tool without a name")
		case seen[t.Name]:
			return nil, fmt.Errorf("the server lists the tool %q twice", t.Name)
		}
		pin, err := pinOf(t)
		if err != nil {
			return nil, fmt.Errorf("the definition of %q: %w", t.Name, err)
		}
		seen[t.Name] = true
		tools = append(tools, Tool{Name: t.Name, Description: t.Description, Pin: pin})
	}
	return tools, nil
}

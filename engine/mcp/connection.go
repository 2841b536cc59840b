package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"forge/engine/tool"
	"forge/internal/inert"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// protocol is the version that the client offers: the last one with a handshake, which all servers know.
const protocol = "2025-11-25"

// link is the way to a server: a process, or an address.
type link interface {
	transport() sdk.Transport
	refill(limit int) // allows so many more bytes of output
	failure() error   // the failure of an exchange that the SDK reports as a rejection
	kill()            // ends everything that is under way
	stop() error      // ends the server if it is a process; the error is what failed, apart from the protocol
}

// connection is a server whose tools are listed. One call at a time uses it.
type connection struct {
	link    link
	client  *sdk.Client
	session *sdk.ClientSession // nil before the handshake
	roots   *roots
	changed atomic.Bool // the server has announced other tools since they were listed
	tools   []Tool
}

// dial starts a server and lists its tools. The error is, in inert text, why that failed.
func dial(ctx context.Context, o Options, s Server, root string) (*connection, error) {
	limit := cmp.Or(o.Start, StartTimeout)
	if s.URL != "" {
		r, err := newRemote(context.WithoutCancel(ctx), o, s)
		if err != nil {
			return nil, err
		}
		return open(ctx, o.Version, r, newRoots(""), limit)
	}
	asks := newRoots(root)
	p, err := start(context.WithoutCancel(ctx), o.Runner, s.Command, asks)
	if err != nil {
		return nil, err
	}
	return open(ctx, o.Version, p, asks, limit)
}

// open makes the handshake over a link and lists the tools, within a time limit. The error is that of dial.
func open(ctx context.Context, version string, l link, asks *roots, limit time.Duration) (*connection, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := &connection{link: l, roots: asks}
	release := context.AfterFunc(limited, l.kill)
	defer release()
	err := c.begin(limited, version)
	if err == nil {
		return c, nil
	}
	failure := c.abandon()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case failure != nil:
		return nil, failure
	case limited.Err() != nil:
		return nil, fmt.Errorf("the server did not list its tools within %v", limit)
	}
	return nil, errors.New(inert.OneLine(err.Error(), 300))
}

// begin makes the handshake and lists the tools.
func (c *connection) begin(ctx context.Context, version string) (err error) {
	c.client = sdk.NewClient(&sdk.Implementation{Name: "forge", Version: version}, &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{RootsV2: &sdk.RootCapabilities{ListChanged: true}}, //nolint:staticcheck // servers of protocol 2025-11-25 ask for it
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { c.changed.Store(true) },
		MultiRoundTrip:         &sdk.MultiRoundTripOptions{Disabled: true},
	})
	c.client.AddReceivingMiddleware(c.roots.answering)
	c.session, err = c.client.Connect(ctx, c.link.transport(), &sdk.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		return err
	}
	if err := c.list(ctx); err != nil {
		return err
	}
	c.roots.wait(ctx)
	return nil
}

// list reads the definitions of the tools, once for all announcements before.
func (c *connection) list(ctx context.Context) error {
	c.changed.Store(false)
	var tools []Tool
	for t, err := range c.session.Tools(ctx, nil) {
		switch {
		case err != nil:
			return err
		case len(tools) == MaxTools:
			return fmt.Errorf("the server lists more than %d tools", MaxTools)
		case t.Name == "":
			return errors.New("the server lists a tool without a name")
		case slices.ContainsFunc(tools, func(known Tool) bool { return known.Name == t.Name }):
			return fmt.Errorf("the server lists the tool %q twice", t.Name)
		}
		pin, err := pinOf(t)
		if err != nil {
			return fmt.Errorf("the definition of %q: %w", t.Name, err)
		}
		schema, _ := json.Marshal(t.InputSchema) // it was JSON
		tools = append(tools, Tool{Name: t.Name, Description: t.Description, Schema: string(schema), Pin: pin})
	}
	c.tools = tools
	return nil
}

// fate is the state of a call after an attempt.
type fate int

const (
	unknown  fate = iota // the connection failed during the call, which may have been carried out
	unsent               // the connection failed before the call
	answered             // the server has answered, or the call must not be made
)

// call calls a tool, if its definition is the accepted one. After a fate other than answered, the connection must be abandoned.
func (c *connection) call(ctx context.Context, limit time.Duration, m tool.MCPCall) (tool.MCPAnswer, fate) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	release := context.AfterFunc(limited, c.link.kill) // a pending write returns, too
	defer release()
	c.link.refill(MaxBytes)
	if err := c.prepare(limited, m.Root); err != nil {
		return refused("it failed before the call: %s", inert.OneLine(err.Error(), 300)), unsent
	}
	at := slices.IndexFunc(c.tools, func(t Tool) bool { return t.Name == m.Tool.Tool })
	switch {
	case at < 0:
		return refused("it has no such tool any more"), answered
	case c.tools[at].Pin != m.Tool.Pin:
		return refused("the definition of this tool has changed since the user accepted it, so it is disabled. forge mcp status shows it to the user"), answered
	}
	result, err := c.session.CallTool(limited, &sdk.CallToolParams{Name: m.Tool.Tool, Arguments: m.Input})
	var rejected *jsonrpc.Error
	switch {
	case err == nil:
		return answerOf(result), answered
	case limited.Err() != nil:
		return refused("it did not answer within %v", limit), unknown
	case c.link.failure() != nil:
		return refused("%v", c.link.failure()), unknown
	case errors.As(err, &rejected):
		return refused("it rejects the call: %s", inert.OneLine(rejected.Message, 1000)), answered
	}
	return refused("its connection broke: %s", inert.OneLine(err.Error(), 300)), unknown
}

// prepare lists the tools again if the server has announced others, and names the folder that it may work on. A server over HTTP cannot
// announce anything between calls, so its tools are listed before each, and it gets no folder.
func (c *connection) prepare(ctx context.Context, root string) error {
	_, polled := c.link.(*remote)
	if !polled && c.roots.move(root) {
		c.client.AddRoots(&sdk.Root{URI: uriOf(root)}) //nolint:staticcheck // it notifies servers of protocol 2025-11-25
		c.roots.wait(ctx)
	}
	if polled || c.changed.Load() {
		return c.list(ctx)
	}
	return nil
}

// abandon ends a server that has broken a rule, without giving it time to end by itself. The error is that of close.
func (c *connection) abandon() error {
	c.link.kill() // without effect if it has ended: its output ends after it
	return c.close()
}

// close ends the server. The error is that of stop.
func (c *connection) close() error {
	timer := time.AfterFunc(closing, c.link.kill)
	defer timer.Stop()
	if c.session != nil {
		_ = c.session.Close() // the process is ended in any case
	}
	return c.link.stop()
}

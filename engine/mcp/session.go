package mcp

import (
	"context"
	"fmt"
	"time"

	"forge/engine/tool"
)

// maxStarts is how often a session starts a server: once, and once more after a failure.
const maxStarts = 2

// Session calls tools of servers for one run. Calls of different servers run at the same time, those of one server one after the other.
type Session struct {
	options Options
	members map[string]*member // never changed
}

var _ tool.MCPSession = (*Session)(nil)

// NewSession returns a session that has started no server yet.
func NewSession(o Options, servers []Server) *Session {
	s := &Session{options: o, members: map[string]*member{}}
	for _, server := range servers {
		s.members[server.Name] = &member{Server: server, turn: make(chan struct{}, 1)}
	}
	return s
}

// member is a server of a session.
type member struct {
	Server
	turn   chan struct{} // full while a call uses the fields below
	open   *connection   // nil while the server does not run
	starts int
}

// Call implements tool.MCP.
func (s *Session) Call(ctx context.Context, c tool.MCPCall) (tool.MCPAnswer, error) {
	m, known := s.members[c.Tool.Server]
	if !known {
		return refused("the user has no MCP server named %s", c.Tool.Server), nil
	}
	select {
	case m.turn <- struct{}{}:
	case <-ctx.Done():
		return tool.MCPAnswer{}, ctx.Err()
	}
	defer func() { <-m.turn }()
	answer := m.call(ctx, s.options, c)
	if ctx.Err() != nil {
		return tool.MCPAnswer{}, ctx.Err()
	}
	return answer, nil
}

// Close implements tool.MCPSession.
func (s *Session) Close() {
	for _, m := range s.members {
		if m.open != nil {
			_ = m.open.close() // no call follows
		}
	}
}

// doubt is the message for the model about a call that was sent and has no answer.
const doubt = "Whether the call was carried out is unknown. It was not repeated: find out before you call it again"

// call calls a tool, and once more on a restarted server if the first call was not sent or may be repeated.
func (m *member) call(ctx context.Context, o Options, c tool.MCPCall) tool.MCPAnswer {
	for {
		if failure := m.start(ctx, o, c.Root); failure != "" {
			return refused("the MCP server %s %s", m.Name, failure)
		}
		answer, fate := m.open.call(ctx, m.limit(), c)
		if fate == answered {
			if answer.Failed {
				answer.Text = fmt.Sprintf("the MCP server %s: %s", m.Name, answer.Text)
			}
			return answer
		}
		failure := m.open.abandon()
		m.open = nil
		if failure != nil {
			answer.Text = failure.Error()
		}
		switch {
		case fate == unknown && !c.Tool.Idempotent:
			return refused("the MCP server %s: %s. %s", m.Name, answer.Text, doubt)
		case ctx.Err() != nil || m.starts == maxStarts:
			return refused("the MCP server %s: %s", m.Name, answer.Text)
		}
	}
}

// start starts the server if it does not run. failure is why it could not be started; empty if it runs.
func (m *member) start(ctx context.Context, o Options, root string) (failure string) {
	if m.open != nil {
		return ""
	}
	if m.starts == maxStarts {
		return fmt.Sprintf("has failed %d times in this run, and is not started again", maxStarts)
	}
	m.starts++
	open, err := dial(ctx, o, m.Server, root)
	if err != nil {
		return fmt.Sprintf("could not be started: %v", err)
	}
	m.open = open
	return ""
}

// limit returns how long a call may take.
func (s Server) limit() time.Duration {
	if s.Timeout > 0 {
		return min(s.Timeout, CallTimeout)
	}
	return CallTimeout
}

// refused returns a failed answer with a reason.
func refused(format string, args ...any) tool.MCPAnswer {
	return tool.MCPAnswer{Text: fmt.Sprintf(format, args...), Failed: true}
}

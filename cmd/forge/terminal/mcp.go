package terminal

import (
	"maps"
	"slices"

	"forge/engine/config"
	"forge/engine/mcp"
	"forge/engine/sandbox"
	"forge/engine/tool"
)

// mcpTools returns the tools of the user's MCP servers that they have accepted, in a fixed order.
func mcpTools(servers config.MCPServers) (all []tool.MCPTool) {
	for _, s := range servers {
		for _, name := range slices.Sorted(maps.Keys(s.Tools)) {
			t := s.Tools[name]
			all = append(all, tool.MCPTool{Server: s.Name, Tool: name, Pin: t.Pin, Description: t.Description, Schema: t.Schema, Idempotent: t.Idempotent})
		}
	}
	return all
}

// mcpOf opens sessions of the user's MCP servers; nil if they have accepted no tool.
func (o Options) mcpOf(s config.Settings) func() tool.MCPSession {
	if len(mcpTools(s.MCP)) == 0 {
		return nil
	}
	return func() tool.MCPSession { return mcp.NewSession(o.MCP(), MCPServers(s.MCP)) }
}

// MCP returns the options of clients of MCP servers.
func (o Options) MCP() mcp.Options {
	return mcp.Options{Runner: sandbox.New(sandbox.Options{Environ: o.Environ}), Version: o.Version}
}

// MCPServers returns servers of the settings as a client takes them.
func MCPServers(servers config.MCPServers) (all []mcp.Server) {
	for _, s := range servers {
		all = append(all, mcp.Server{Name: s.Name, Command: s.Command, Timeout: s.Timeout})
	}
	return all
}

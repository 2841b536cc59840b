package terminal

import (
	"context"
	"maps"
	"slices"
	"sync"

	"forge/engine/config"
	"forge/engine/mcp"
	"forge/engine/sandbox"
	"forge/engine/secret"
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
func (o Options) mcpOf(s config.Settings) func(offline bool) tool.MCPSession {
	if len(mcpTools(s.MCP)) == 0 {
		return nil
	}
	return func(offline bool) tool.MCPSession {
		s := s
		s.Offline = s.Offline || offline
		var servers []mcp.Server
		for _, server := range s.MCP {
			servers = append(servers, MCPServer(server))
		}
		return mcp.NewSession(o.mcp(s), servers)
	}
}

// mcp returns the options of clients of MCP servers.
func (o Options) mcp(s config.Settings) mcp.Options {
	options := mcp.Options{Runner: sandbox.New(sandbox.Options{Environ: o.Environ}), Version: o.Version}
	if client, err := o.clients.For(networkOf(s)); err == nil { // without one, servers over HTTP fail
		options.HTTP = client
	}
	env := LookUp(o.Environ)
	if dir, err := config.StateDir(env); err == nil {
		options.Keys = mcpKeys{config.Vault{Dir: dir, Keychain: config.SystemKeychain(env)}, o.Secrets, o.writing}
	}
	return options
}

// MCP returns the options of clients of the user's MCP servers.
func (p *Parts) MCP(ctx context.Context) mcp.Options {
	return p.options.mcp(p.Current(ctx, ""))
}

// MCPServer returns a server of the settings as a client takes it.
func MCPServer(s config.MCPServer) mcp.Server {
	return mcp.Server{Name: s.Name, Command: s.Command, URL: s.URL, Timeout: s.Timeout}
}

// mcpKey begins the names under which credentials of MCP servers are kept. No provider has such a name.
const mcpKey = "mcp:"

// mcpKeys keeps credentials of MCP servers where the keys of providers are, and makes them known as secrets.
type mcpKeys struct {
	vault   config.Vault
	secrets *secret.Redactor
	writing *sync.Mutex // servers renew their tokens at the same time, and all are in one file
}

var _ mcp.Keys = mcpKeys{}

// Read implements mcp.Keys.
func (k mcpKeys) Read(server string) (string, error) {
	key, _, err := k.vault.Key(mcpKey + server)
	learnMCP(k.secrets, mcpKey+server, string(key))
	return string(key), err
}

// Write implements mcp.Keys.
func (k mcpKeys) Write(server, text string) error {
	learnMCP(k.secrets, mcpKey+server, text)
	k.writing.Lock()
	defer k.writing.Unlock()
	_, err := k.vault.Save(mcpKey+server, config.Key(text))
	return err
}

// learnMCP makes the credentials of an MCP server known as secrets.
func learnMCP(secrets *secret.Redactor, name, text string) {
	for _, value := range mcp.Secrets(text) {
		secrets.Learn(secret.Value{Name: "credentials of " + name, Text: value})
	}
}

package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"forge/internal/lazyregexp"

	"go.yaml.in/yaml/v3"
)

// MCPFile is the name of the file with the user's MCP servers, next to config.yaml. A folder has none.
const MCPFile = "mcp_servers.yaml"

// MCPServer is an MCP server of the user.
type MCPServer struct {
	Name    string             `yaml:"name"`
	Command []string           `yaml:"command,omitempty"` // the program and its arguments
	URL     string             `yaml:"url,omitempty"`     // of a server over streamable HTTP, which has no command
	Timeout time.Duration      `yaml:"timeout,omitempty"` // of a call; 0 is the usual one, and a longer one has no effect
	Tools   map[string]MCPTool `yaml:"tools,omitempty"`   // that the user has accepted, by name
}

// MCPTool is a tool of an MCP server as the user has accepted it.
type MCPTool struct {
	Pin         string `yaml:"pin"` // of the whole definition
	Description string `yaml:"description,omitempty"`
	Schema      string `yaml:"schema,omitempty"` // of its input: a JSON Schema
	// Idempotent means that a call whose result is unknown may be repeated.
	Idempotent bool `yaml:"idempotent,omitempty"`
}

// MCPServers are the user's MCP servers, in the order in which they were added.
type MCPServers []MCPServer

type mcpFile struct {
	Servers MCPServers `yaml:"servers"`
}

var (
	mcpName = lazyregexp.New(`^[a-z0-9][a-z0-9-]{0,31}$`)
	mcpTool = lazyregexp.New(`^[A-Za-z0-9_./-]{1,128}$`)
)

// mcp applies the user's MCP servers. A file that cannot be read has none.
func (m *merging) mcp() {
	if m.userFile == "" {
		return
	}
	dir := filepath.Dir(m.userFile)
	all, err := ReadMCP(dir)
	if err != nil {
		m.say("MCP servers are not used: %v", err)
	} else if data, err := os.ReadFile(filepath.Join(dir, MCPFile)); err == nil {
		m.settings.Notices = append(m.settings.Notices, check[mcpFile](filepath.Join(dir, MCPFile), data)...)
	}
	m.settings.MCP = all
}

// ReadMCP reads the servers from the user's folder of settings. A missing file has none; an invalid one is an error.
func ReadMCP(dir string) (MCPServers, error) {
	path := filepath.Join(dir, MCPFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the MCP servers: %w", err)
	}
	var f mcpFile
	if err := yaml.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %s: fix it, or move it away", path, plainYAML(err))
	}
	var valid MCPServers
	for _, s := range f.Servers {
		if valid, err = valid.Add(s); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return valid, nil
}

// WriteMCP replaces the file of servers. Comments in it are lost.
func WriteMCP(dir string, all MCPServers) error {
	data, err := yaml.Marshal(mcpFile{all})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of the settings: %w", err)
	}
	if err := rewrite(filepath.Join(dir, MCPFile), data); err != nil {
		return fmt.Errorf("write the MCP servers: %w", err)
	}
	return nil
}

// Named returns the position of a server, below 0 if it is unknown.
func (all MCPServers) Named(name string) int {
	return slices.IndexFunc(all, func(s MCPServer) bool { return s.Name == name })
}

// Add returns the servers and one more. The error says why it is invalid.
func (all MCPServers) Add(s MCPServer) (MCPServers, error) {
	switch {
	case !mcpName.MatchString(s.Name):
		return nil, fmt.Errorf("%q is not a name for a server: use up to 32 lowercase letters, digits and hyphens", s.Name)
	case all.Named(s.Name) >= 0:
		return nil, fmt.Errorf("a server named %s exists already", s.Name)
	case s.URL == "" && (len(s.Command) == 0 || s.Command[0] == ""), s.URL != "" && len(s.Command) > 0:
		return nil, fmt.Errorf("the server %s needs either a command or a URL", s.Name)
	case s.Timeout < 0:
		return nil, fmt.Errorf("the server %s has the timeout %v: give a positive one, such as 10s", s.Name, s.Timeout)
	}
	for name := range s.Tools {
		if err := CheckMCPTool(name); err != nil {
			return nil, err
		}
	}
	return append(slices.Clone(all), s), nil
}

// CheckMCPTool returns an error for the name of a tool that models cannot be given.
func CheckMCPTool(name string) error {
	if !mcpTool.MatchString(name) {
		return fmt.Errorf("%q is not a name of a tool that can be used: it has letters, digits and . _ - / only", name)
	}
	return nil
}

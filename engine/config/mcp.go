package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"forge/internal/lazyregexp"

	"go.yaml.in/yaml/v3"
)

// MCPFile is the name of the file with the user's MCP servers, beside config.yaml. A folder has none.
const MCPFile = "mcp_servers.yaml"

// MCPServer is an MCP server of the user.
type MCPServer struct {
	Name    string            `yaml:"name"`
	Command []string          `yaml:"command"`         // the program and its arguments
	Tools   map[string]string `yaml:"tools,omitempty"` // tool -> pin of the definition that the user has accepted
}

// MCPServers are the user's MCP servers, in the order in which they were added.
type MCPServers []MCPServer

type mcpFile struct {
	Servers MCPServers `yaml:"servers"`
}

var mcpName = lazyregexp.New(`^[a-z0-9][a-z0-9-]{0,31}$`)

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
	case len(s.Command) == 0 || s.Command[0] == "":
		return nil, fmt.Errorf("the server %s has no command", s.Name)
	}
	return append(slices.Clone(all), s), nil
}

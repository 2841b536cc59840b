package settings

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine/config"
	"forge/engine/mcp"
	"forge/internal/inert"
)

// NewMCP returns the command forge mcp.
func NewMCP(t terminal.Terminal) *cobra.Command {
	c := &cobra.Command{
		Use: "mcp", Short: "Manage your MCP servers: add one, look at its tools, and accept their definitions",
		Long: `Manage your MCP servers. They are in mcp_servers.yaml beside your config.yaml; a folder cannot add any.

Each definition of a tool has a pin. forge mcp status starts the servers and shows which definitions you have accepted, and which of
them have changed since. Models may call the tools that you have accepted, in the profile tooluse; each call is asked about, unless you
give forge run --allow-mcp.`,
		Example: "  forge mcp add files -- npx -y @modelcontextprotocol/server-filesystem@2026.8.31 /data\n  forge mcp status", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newMCPAdd(t), newMCPList(t), newMCPStatus(t), newMCPAccept(t), newMCPHeader(t), newMCPLogin(t), newMCPRemove(t))
	return c
}

func newMCPAdd(t terminal.Terminal) *cobra.Command {
	var (
		timeout time.Duration
		address string
	)
	c := &cobra.Command{
		Use: "add NAME {--url URL | -- COMMAND [ARGUMENT...]}", Short: "Add a server, which is started by a command or has a URL", Args: cobra.MinimumNArgs(1),
		Long: `Add a server. It is started by a command and talks over its standard input and output, or it has a URL and talks over streamable HTTP:
an https URL, or an http URL on this machine. Nothing is started or called yet.`,
		Example: "  forge mcp add files -- npx -y @modelcontextprotocol/server-filesystem@2026.8.31 /data\n  forge mcp add tickets --url https://mcp.example/mcp",
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("timeout") && (timeout <= 0 || timeout > mcp.CallTimeout) {
				return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("--timeout %v: want a time above 0, at most %v", timeout, mcp.CallTimeout))
			}
			return changeMCP(t, func(all config.MCPServers) (config.MCPServers, error) {
				if address != "" {
					if err := mcp.CheckURL(address); err != nil {
						return nil, err
					}
				}
				return all.Add(config.MCPServer{Name: args[0], Command: args[1:], URL: address, Timeout: timeout})
			})
		},
	}
	c.Flags().StringVar(&address, "url", "", "the URL of a server over streamable HTTP")
	c.Flags().DurationVar(&timeout, "timeout", 0, fmt.Sprintf("how long a call may take, at most %v, which is the default", mcp.CallTimeout))
	return c
}

func newMCPRemove(t terminal.Terminal) *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Remove a server, its credentials, and what you have accepted of it", Example: "  forge mcp remove files", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return changeMCP(t, func(all config.MCPServers) (config.MCPServers, error) {
				i, err := namedMCP(all, args[0])
				if err != nil {
					return nil, err
				}
				if all[i].URL != "" {
					err = withMCP(c.Context(), t, func(o mcp.Options) error { return o.Keys.Write(args[0], "") })
				}
				return append(all[:i], all[i+1:]...), err
			})
		},
	}
}

func newMCPAccept(t terminal.Terminal) *cobra.Command {
	var idempotent bool
	c := &cobra.Command{
		Use: "accept NAME TOOL PIN", Short: "Accept the definition of a tool that has this pin", Args: cobra.ExactArgs(3),
		Long: `Accept the definition of a tool that has this pin, as forge mcp status shows it. It replaces what you accepted before. The server is
started, and must still have this definition.`,
		Example: "  forge mcp accept files read_file 0123456789abcdef0123456789abcdef",
		RunE: func(c *cobra.Command, args []string) error {
			if !mcp.ValidPin(args[2]) {
				return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("%q is not a pin: forge mcp status shows the pins", args[2]))
			}
			return changeMCP(t, func(all config.MCPServers) (config.MCPServers, error) {
				i, err := namedMCP(all, args[0])
				if err != nil {
					return nil, err
				}
				accepted, err := pinned(c.Context(), t, all[i], args[1], args[2])
				if err != nil {
					return nil, err
				}
				if all[i].Tools == nil {
					all[i].Tools = map[string]config.MCPTool{}
				}
				accepted.Idempotent = idempotent
				all[i].Tools[args[1]] = accepted
				return all, nil
			})
		},
	}
	c.Flags().BoolVar(&idempotent, "idempotent", false, "a call whose result is unknown may be repeated: twice has the same effect as once")
	return c
}

// pinned returns the definition of a tool that a server has now, if it has this pin.
func pinned(ctx context.Context, t terminal.Terminal, s config.MCPServer, name, pin string) (config.MCPTool, error) {
	if err := config.CheckMCPTool(name); err != nil {
		return config.MCPTool{}, err
	}
	tools, err := listMCP(ctx, t, s)
	if err != nil {
		return config.MCPTool{}, fmt.Errorf("%s failed: %w", s.Name, err)
	}
	for _, found := range tools {
		switch {
		case found.Name != name:
		case strings.EqualFold(found.Pin, pin):
			return config.MCPTool{Pin: found.Pin, Description: found.Description, Schema: found.Schema}, nil
		default:
			return config.MCPTool{}, fmt.Errorf("%s of %s has another definition now, with the pin %s: look at it with forge mcp status", name, s.Name, found.Pin)
		}
	}
	return config.MCPTool{}, fmt.Errorf("%s has no tool %q: forge mcp status shows its tools", s.Name, name)
}

func newMCPList(t terminal.Terminal) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List your servers, without starting them", Example: "  forge mcp list", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, all, err := readMCP(t)
			if err != nil {
				return err
			}
			rows := [][]string{{"SERVER", "ACCEPTED", "COMMAND OR URL"}}
			for _, s := range all {
				rows = append(rows, []string{s.Name, strconv.Itoa(len(s.Tools)), inert.OneLine(s.URL+strings.Join(s.Command, " "), 200)})
			}
			return terminal.Table(t.Out, rows)
		},
	}
}

// withMCP does something with the options of clients, which are as the user's settings say.
func withMCP(ctx context.Context, t terminal.Terminal, do func(mcp.Options) error) error {
	p, err := terminal.OpenEngine(t)
	if err != nil {
		return err
	}
	defer p.Close()
	return do(p.MCP(ctx))
}

// listMCP starts a server and returns its tools.
func listMCP(ctx context.Context, t terminal.Terminal, s config.MCPServer) (tools []mcp.Tool, err error) {
	err = withMCP(ctx, t, func(o mcp.Options) error {
		tools, err = mcp.List(ctx, o, terminal.MCPServer(s))
		return err
	})
	return tools, err
}

// readMCP reads the user's servers. dir is the folder of their file.
func readMCP(t terminal.Terminal) (dir string, all config.MCPServers, err error) {
	file, err := config.UserFile(t.Env)
	if err != nil {
		return "", nil, err
	}
	dir = filepath.Dir(file)
	all, err = config.ReadMCP(dir)
	return dir, all, err
}

func changeMCP(t terminal.Terminal, change func(config.MCPServers) (config.MCPServers, error)) error {
	dir, all, err := readMCP(t)
	if err != nil {
		return err
	}
	if all, err = change(all); err != nil {
		return terminal.ExitWith(terminal.ExitUsage, inert.Text(err.Error()))
	}
	return config.WriteMCP(dir, all)
}

func namedMCP(all config.MCPServers, name string) (int, error) {
	i := all.Named(name)
	if i < 0 {
		return 0, fmt.Errorf("there is no server named %q: forge mcp list shows your servers", name)
	}
	return i, nil
}

package settings

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine/mcp"
	"forge/internal/inert"
)

func newMCPLogin(t terminal.Terminal) *cobra.Command {
	var clientID string
	c := &cobra.Command{
		Use: "login NAME", Short: "Log in to a server over HTTP that requires it", Args: cobra.ExactArgs(1),
		Long: `Log in to a server over HTTP that requires it, with OAuth 2.1. Open the address that is printed in a browser of this machine, and continue
there. The token is kept where the keys of providers are (forge setup), for this URL of the server only, and is renewed when it expires.`,
		Example: "  forge mcp login tickets\n  forge mcp login tickets --client-id 4f1c0a72",
		RunE: func(c *cobra.Command, args []string) error {
			s, err := remoteMCP(t, args[0])
			if err != nil {
				return err
			}
			err = withMCP(c.Context(), t, func(o mcp.Options) error {
				return mcp.Login(c.Context(), o, s, clientID, func(address string) {
					fmt.Fprintf(t.Err, "[forge] open this address in your browser, to log in to %s:\n", s.Name)
					fmt.Fprintln(t.Out, inert.Text(address))
				})
			})
			switch {
			case c.Context().Err() != nil:
				return terminal.ExitWith(terminal.ExitCancelled, "cancelled")
			case err != nil:
				return terminal.ExitWith(terminal.ExitFailed, inert.Text(err.Error()))
			}
			fmt.Fprintf(t.Err, "[forge] you are logged in to %s\n", s.Name)
			return nil
		},
	}
	c.Flags().StringVar(&clientID, "client-id", "", "a client that is registered with the authorization server; without it, Forge registers one")
	return c
}

func newMCPHeader(t terminal.Terminal) *cobra.Command {
	var fromEnv string
	var fromStdin bool
	c := &cobra.Command{
		Use: "header NAME HEADER {--from-env VARIABLE | --stdin}", Short: "Keep a header that a server over HTTP requires", Args: cobra.ExactArgs(2),
		Long: `Keep a header, such as a key, that is sent with each request to a server over HTTP. It is kept where the keys of providers are
(forge setup), for this URL of the server only. Its value is never an argument: other users could see it there.`,
		Example: "  pass show tickets | forge mcp header tickets X-Api-Key --stdin",
		RunE: func(c *cobra.Command, args []string) error {
			s, err := remoteMCP(t, args[0])
			if err != nil {
				return err
			}
			value := t.Env(fromEnv)
			switch {
			case fromStdin == (fromEnv != ""):
				return terminal.ExitWith(terminal.ExitUsage, "give either --from-env VARIABLE or --stdin")
			case fromStdin:
				if value, err = readKey(c.Context(), t); err != nil {
					return err
				}
			}
			err = withMCP(c.Context(), t, func(o mcp.Options) error { return mcp.KeepHeader(o.Keys, s, args[1], strings.TrimSpace(value)) })
			if err != nil {
				return terminal.ExitWith(terminal.ExitUsage, inert.Text(err.Error()))
			}
			return nil
		},
	}
	c.Flags().StringVar(&fromEnv, "from-env", "", "take the value from this variable")
	c.Flags().BoolVar(&fromStdin, "stdin", false, "take the value from stdin")
	return c
}

// remoteMCP returns a server over HTTP that the user has added.
func remoteMCP(t terminal.Terminal, name string) (mcp.Server, error) {
	_, all, err := readMCP(t)
	if err != nil {
		return mcp.Server{}, err
	}
	i, err := namedMCP(all, name)
	if err == nil && all[i].URL == "" {
		err = fmt.Errorf("%s is started by a command, and has no credentials", name)
	}
	if err != nil {
		return mcp.Server{}, terminal.ExitWith(terminal.ExitUsage, err.Error())
	}
	return terminal.MCPServer(all[i]), nil
}

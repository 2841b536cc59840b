package main

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"forge/acp"
	"forge/cmd/forge/terminal"
	"forge/engine/config"
)

func newACP(t terminal.Terminal) *cobra.Command {
	return &cobra.Command{
		Use:   "acp",
		Short: "Serve an editor on stdin and stdout, in the Agent Client Protocol",
		Long: "Serves an editor that knows the Agent Client Protocol, such as Zed, a JetBrains IDE, or Neovim with avante.nvim or CodeCompanion:\n" +
			"its agent panel runs requests, answers questions, shows diffs and asks before it applies them. docs/acp.md has the settings.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			t := t.ForServer()
			p, err := terminal.OpenParts(t, config.Models{})
			if err != nil {
				return err
			}
			defer p.Close()
			acp.ServeStdio(c.Context(), acp.Options{
				Engine: p.Engine, Version: t.Version, Log: slog.New(slog.NewTextHandler(t.Err, nil)),
				Usual: func(ctx context.Context, folder string) (mode, domain string) {
					set := p.Current(ctx, folder)
					return set.Mode, set.Domain
				},
			})
			return nil
		},
	}
}

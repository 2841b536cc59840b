package main

import (
	"log/slog"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine/config"
	"forge/lsp"
	"forge/lsp/index"
)

func newLSP(t terminal.Terminal) *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor on stdin and stdout, in the Language Server Protocol",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			p, err := terminal.OpenParts(t, config.Models{})
			if err != nil {
				return err
			}
			defer p.Close()
			code := lsp.ServeStdio(c.Context(), lsp.Options{
				Engine: lsp.EngineOf(p.Engine), Atlas: index.AtlasOf(p.Engine), Outliner: terminal.NewOutliner(), Model: p.Model, Version: t.Version, Environ: t.Environ,
				Models: p.Survey, ModelChecks: p.ModelChecks, Configure: p.Configure, Log: slog.New(slog.NewTextHandler(t.Err, nil)),
			})
			return &terminal.ExitError{Code: code}
		},
	}
}

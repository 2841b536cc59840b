package main

import (
	"log/slog"

	"github.com/spf13/cobra"

	"forge/lsp"
)

func newLSP(t terminal) *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor on stdin and stdout, in the Language Server Protocol",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			e, err := openEngine(t)
			if err != nil {
				return err
			}
			defer e.Close()
			code := lsp.ServeStdio(c.Context(), lsp.Options{
				Engine: e, Atlas: lsp.AtlasOf(e), Outliner: newOutliner(), Model: e.Model, Version: version, Environ: t.environ, Log: slog.New(slog.NewTextHandler(t.err, nil)),
			})
			return &exitError{code: code}
		},
	}
}

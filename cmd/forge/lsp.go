package main

import (
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"forge/lsp"
)

func newLSP(t terminal) *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor on stdin and stdout, in the Language Server Protocol",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			// A broken pipe must come back as an error of the write: the signal's default would end the
			// process before its work is wound up.
			signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
			e, err := openEngine(t)
			if err != nil {
				return err
			}
			defer e.Close()
			code := lsp.Serve(c.Context(), t.in, t.out, lsp.Options{
				Engine: e, Version: version, Environ: t.environ, Log: slog.New(slog.NewTextHandler(t.err, nil)),
			})
			return &exitError{code: code}
		},
	}
}

// Command forge runs a language-model pipeline against a workspace, as a language server and on the
// command line.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"forge/lsp"
)

func main() {
	if len(os.Args) != 2 || os.Args[1] != "lsp" {
		fmt.Fprintln(os.Stderr, "usage: forge lsp")
		os.Exit(2)
	}
	os.Exit(serve())
}

// serve is forge lsp. A broken pipe must come back as an error of the write: the signal's default
// would end the process before its work is wound up.
func serve() int {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return lsp.Serve(ctx, os.Stdin, os.Stdout, lsp.Options{Version: "dev", Environ: os.Environ()})
}

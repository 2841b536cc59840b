// Command forge runs a language-model pipeline against a workspace, as a language server and on the
// command line.
package main

import (
	"context"
	"fmt"
	"os"

	"forge/lsp"
)

func main() {
	if len(os.Args) != 2 || os.Args[1] != "lsp" {
		fmt.Fprintln(os.Stderr, "usage: forge lsp")
		os.Exit(2)
	}
	os.Exit(lsp.ServeStdio(context.Background(), lsp.Options{Version: "dev", Environ: os.Environ()}))
}

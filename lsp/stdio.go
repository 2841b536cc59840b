package lsp

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// ServeStdio is Serve on the process's own standard streams, which is how editors start a server, and
// with the process's signals: SIGTERM and SIGINT end the session in order. It is called once, by main.
//
// Invariant: stdout carries frames and nothing else. What any package prints there by mistake goes to
// stderr from here on.
func ServeStdio(ctx context.Context, o Options) (exitCode int) {
	out := os.Stdout
	os.Stdout = os.Stderr

	// A client that closes our stdout must be an error of a write. The signal that comes with it would
	// end the process before its work is wound up. Notified, unlike ignored, is not inherited by children.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)

	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, ends...)
	defer stop()
	return Serve(ctx, os.Stdin, out, o)
}

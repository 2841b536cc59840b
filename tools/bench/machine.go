package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// printMachine says what the figures were measured on and with.
func printMachine(ctx context.Context, w io.Writer, b *bench) {
	fmt.Fprintf(w, "%s/%s, %d CPUs, load average %s, %s\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), load(), runtime.Version())
	fmt.Fprintf(w, "%s, %s\n", versionOf(ctx, b.forge.argv[0], "--version"), versionOf(ctx, b.gopls.argv[0], "version"))
	fmt.Fprintf(w, "%d starts of each server in turn, %d edits, %d runs\n\n", b.starts, b.edits, b.runs)
}

// load is the load average over one, five and fifteen minutes. Above the number of CPUs, the figures
// measure the other programs too.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 3 {
		return "unknown"
	}
	return strings.Join(fields[:3], " ")
}

// versionOf is the first line of what a program says about itself.
func versionOf(ctx context.Context, argv ...string) string {
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
	if err != nil {
		return argv[0] + " of an unknown version"
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line
}

package golang

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

var (
	// placed are settings of the go command that name where a tree lies, or are others each time.
	placed = lazyregexp.New(`^(?:set )?(?:GOMOD|GOWORK|GOGCCFLAGS|GOTMPDIR)=`)
	// elsewhere is a module that is taken from a folder by its absolute path: what is in it is not known.
	elsewhere = lazyregexp.New(`(?m)(?:=>|^\s*use)\s*"?(?:/|[A-Za-z]:)`)
)

// versions tells the version and the settings of the go command, its compiler of C, and that of staticcheck.
func (t tools) versions(ctx context.Context, tree gate.Tree) string {
	for _, name := range []string{"go.mod", "go.work"} {
		if text, err := os.ReadFile(filepath.Join(tree.Dir(), name)); err == nil && elsewhere.Match(text) {
			return ""
		}
	}
	all := t.says(ctx, tree, "go", "version")
	settings := t.says(ctx, tree, "go", "env")
	if all == "" || settings == "" {
		return ""
	}
	compiler := ""
	for line := range strings.Lines(settings) {
		if !placed.MatchString(line) {
			all += line
		}
		if value, is := strings.CutPrefix(strings.TrimSpace(line), "CC="); is {
			compiler = strings.Trim(value, `'"`)
		}
	}
	if compiler != "" {
		all += t.says(ctx, tree, append(strings.Fields(compiler), "--version")...)
	}
	return all + t.says(ctx, tree, "staticcheck", "-version")
}

// says is what a program prints; empty where it does not start or fails.
func (t tools) says(ctx context.Context, tree gate.Tree, argv ...string) string {
	result, err := t.Runner.Run(ctx, sandbox.Command{InPlace: true, Argv: argv, Dir: tree.Dir(), Env: t.Env, Timeout: tool.PreflightLimit})
	if err != nil || result.TimedOut || result.ExitCode != 0 {
		return ""
	}
	return string(result.Stdout)
}

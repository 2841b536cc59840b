package tool

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"forge/engine/gate"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// PreflightLimit is the time limit for a program to print its version. A slower program counts as installed.
const PreflightLimit = 4 * time.Second

// Lacks starts a program with arguments that only ask for its version, in the folder of the tree. The program is missing if it is
// not found, or does not start.
func (t Tools) Lacks(ctx context.Context, tree gate.Tree, argv ...string) gate.Missing {
	result, err := t.Runner.Run(ctx, sandbox.Command{Argv: argv, Dir: tree.Dir(), Env: t.Env, Timeout: PreflightLimit})
	if ctx.Err() != nil || err == nil && (result.TimedOut || result.ExitCode == 0) {
		return gate.Missing{}
	}
	return gate.Missing{Program: programOf(argv[0]), Install: t.Install}
}

// Finds searches for a program without a version option, and does not start it.
func (t Tools) Finds(tree gate.Tree, argv ...string) gate.Missing {
	finder, is := t.Runner.(sandbox.Finder)
	if !is || !errors.Is(finder.Find(sandbox.Command{Argv: argv, Dir: tree.Dir()}), fs.ErrNotExist) {
		return gate.Missing{}
	}
	return gate.Missing{Program: programOf(argv[0]), Install: t.Install}
}

// noInterpreter matches the message of env for a script whose interpreter is not installed.
var noInterpreter = lazyregexp.New(`(?m)^\S*env: \W?(\w+)\W?: No such file or directory$`)

// NotFound is the exit code of a shell, or of a shim such as those of pyenv and asdf, for a missing program.
const NotFound = 127

// programOf returns the name of a program from its path.
func programOf(name string) string { return filepath.Base(name) }

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

// PreflightLimit is how long a program may take to say its version. One that takes longer is there.
const PreflightLimit = 4 * time.Second

// Lacks starts a program with arguments that only ask for its version, in the folder of the tree: what Install names is missing where the
// program is not there, or does not start.
func (t Tools) Lacks(ctx context.Context, tree gate.Tree, argv ...string) gate.Missing {
	result, err := t.Runner.Run(ctx, sandbox.Command{Argv: argv, Dir: tree.Dir(), Env: t.Env, Timeout: PreflightLimit})
	if ctx.Err() != nil || err == nil && (result.TimedOut || result.ExitCode == 0) {
		return gate.Missing{}
	}
	return gate.Missing{Program: programOf(argv[0]), Install: t.Install}
}

// Finds looks for a program without starting it: one that has no version to ask for.
func (t Tools) Finds(tree gate.Tree, argv ...string) gate.Missing {
	finder, is := t.Runner.(sandbox.Finder)
	if !is || !errors.Is(finder.Find(sandbox.Command{Argv: argv, Dir: tree.Dir()}), fs.ErrNotExist) {
		return gate.Missing{}
	}
	return gate.Missing{Program: programOf(argv[0]), Install: t.Install}
}

// noInterpreter is what env says of a script whose interpreter is not installed.
var noInterpreter = lazyregexp.New(`(?m)^\S*env: \W?(\w+)\W?: No such file or directory$`)

// NotFound is the exit code with which a shell, or a program that stands in for others such as those of pyenv and asdf, says that there is
// no such program.
const NotFound = 127

// programOf is the name of a program by its path.
func programOf(name string) string { return filepath.Base(name) }

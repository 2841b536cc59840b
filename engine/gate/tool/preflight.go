package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"forge/engine/gate"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// PreflightLimit is the time limit for a program to print its version. A slower program counts as installed.
const PreflightLimit = 4 * time.Second

// VersionsLimit is the time limit for programs to print the versions by which measurements are kept: without them, nothing is.
const VersionsLimit = 30 * time.Second

// Lacks starts a program with arguments that only ask for its version, in the folder of the tree. The program is missing if it is
// not found, or fails. If it is not started for another reason, such as that nothing confines it, Run reports that.
func (t Tools) Lacks(ctx context.Context, tree gate.Tree, argv ...string) gate.Missing {
	result, err := t.Ask(ctx, sandbox.Command{Argv: argv, Dir: tree.Dir(), Env: t.Env, Timeout: PreflightLimit})
	unknown := err != nil && !errors.Is(err, fs.ErrNotExist)
	if ctx.Err() != nil || unknown || err == nil && (result.TimedOut || result.ExitCode == 0) {
		return gate.Missing{}
	}
	return gate.Missing{Program: programOf(argv[0]), Install: t.Install}
}

type askedKey struct{}

// AskingOnce lets commands that Ask runs with the context run once each: the gates of a project often need the same program.
func AskingOnce(ctx context.Context) context.Context {
	return context.WithValue(ctx, askedKey{}, &sync.Map{})
}

// Ask runs a command that only asks a program something, unless it was run since AskingOnce.
func (t Tools) Ask(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	ask := sync.OnceValues(func() (sandbox.Result, error) { return t.Runner.Run(ctx, c) })
	if asked, is := ctx.Value(askedKey{}).(*sync.Map); is {
		same, _ := asked.LoadOrStore(fmt.Sprintf("%q %q", c.Dir, c.Argv), ask)
		return same.(func() (sandbox.Result, error))() //nolint:forcetypeassert,errcheck // nothing else is stored
	}
	return ask()
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

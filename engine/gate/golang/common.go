package golang

import (
	"context"
	"time"

	"forge/engine/gate"
)

// common holds what the gates of Go share.
type common struct {
	name  string
	stage gate.Stage
	tools tools
	limit time.Duration // of a command
}

// Name returns the gate's name.
func (g *common) Name() string { return g.name }

// Stage returns the stage of a run at which the gate is run.
func (g *common) Stage() gate.Stage { return g.stage }

// Preflight looks for the go command.
func (g *common) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	return g.tools.lacks(ctx, tree)
}

// Concerned reports whether the compiler or a test reads one of the changed files.
func (*common) Concerned(tree gate.Tree, changed []string) bool { return concerned(tree, changed) }

// reader is common for gates that run no code of the tree and write only outside of it.
type reader struct{ common }

// OnlyReads returns true.
func (*reader) OnlyReads() bool { return true }

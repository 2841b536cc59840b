package engine

import (
	"context"

	"forge/engine/state"
	"forge/memory"
)

// Trust records that the user trusts a folder: gates may execute its code.
func (e *Engine) Trust(root string) error { return e.state.Trust(root) }

// Trusted reports whether the user trusts a folder.
func (e *Engine) Trusted(root string) (bool, error) { return e.state.Trusted(root) }

// Memory returns what Forge remembers about a folder from run to run; it is open until Close.
func (e *Engine) Memory(ctx context.Context, root string) (*memory.Project, error) {
	return e.state.Memory(ctx, root)
}

// Project returns what Forge keeps of a folder. It starts no process and creates nothing.
func (e *Engine) Project(ctx context.Context, root string) (state.Usage, error) {
	return e.state.Usage(ctx, root)
}

// Projects returns what Forge keeps of all folders, the last changed first.
func (e *Engine) Projects(ctx context.Context) ([]state.Usage, error) { return e.state.Usages(ctx) }

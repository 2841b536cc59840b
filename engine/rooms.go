package engine

import (
	"context"

	"forge/engine/state"
	"forge/memory"
)

// Trust records that the user trusts a folder: gates may execute its code.
func (e *Engine) Trust(root string) error { return e.state.Trust(root, state.Execute) }

// TrustToRead records that models may be shown the files of a folder, and that nothing of it is executed. It takes nothing from a folder that is trusted
// further already.
func (e *Engine) TrustToRead(root string) error {
	if level, err := e.state.TrustLevel(root); err != nil || level >= state.Read {
		return err
	}
	return e.state.Trust(root, state.Read)
}

// Untrust forgets that the user trusts a folder. known reports whether it was trusted.
func (e *Engine) Untrust(root string) (known bool, err error) { return e.state.Untrust(root) }

// TrustedFolders returns the folders that the user trusts, by their paths.
func (e *Engine) TrustedFolders() ([]state.TrustedFolder, error) { return e.state.TrustedFolders() }

// Trusted reports whether the user lets the code of a folder be executed.
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
